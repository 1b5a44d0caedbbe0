#pragma once
// FaultServer: does to each connection what a test's script says, byte by byte: late, broken, reset, endless, with TLS.
// Every connection runs the script in a thread of its own; the server's end wakes those that wait.

#include <chrono>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/support/certificates.h"

struct ssl_st;

namespace qa::test {

class FaultServer;

/// How a server speaks TLS.
struct TlsManner {
  Identity identity;
  bool is_old = false;  ///< Speaks TLS 1.1 and nothing newer.
};

/// One connection, as its script sees it.
class Peer {
 public:
  Peer(FaultServer& server, int fd, int which) : number(which), server_(server), fd_(fd) {}
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  /// One request, head and body by its Content-Length, which the server then counts; "" when the client has gone.
  std::string request();
  /// Until the client has gone; false then.
  bool send(std::string_view bytes);
  /// Byte by byte, forever again from the start if `endless`.
  void trickle(std::string_view bytes, std::chrono::milliseconds gap, bool endless = false);
  /// Until some of what the client sends is there, which is thrown away.
  void take_some();
  /// Says nothing until the client goes.
  void hold();
  /// Ends with a reset.
  void reset();
  /// Ends without the goodbye of TLS.
  void cut();
  /// Speaks TLS from here on; false when the client refuses.
  bool start_tls(const TlsManner& manner);
  /// The name that the client wanted, by SNI.
  std::string wanted_name() const { return wanted_name_; }

  const int number;  ///< Of the connection, from 1.

 private:
  long read_some(char* to, std::size_t count);

  FaultServer& server_;
  const int fd_;
  ssl_st* tls_ = nullptr;
  std::string wanted_name_;
  std::string pending_;
};

class FaultServer {
 public:
  using Script = std::function<void(Peer&)>;

  explicit FaultServer(Script script);
  ~FaultServer();
  FaultServer(const FaultServer&) = delete;
  FaultServer& operator=(const FaultServer&) = delete;

  int port() const { return port_; }
  /// "http://127.0.0.1:PORT/path".
  std::string url(const std::string& path = "/", const std::string& start = "http://127.0.0.1") const;
  int connections() const;
  /// Connections whose scripts are through; their ends are with the client.
  int closed() const;
  std::vector<std::string> requests() const;

 private:
  friend class Peer;
  void accept();
  void count(const std::string& request);

  const Script script_;
  int listener_ = -1, port_ = 0;
  mutable std::mutex mutex_;
  bool is_stopping_ = false;
  int connections_ = 0, closed_ = 0;
  std::vector<std::string> requests_;
  std::list<int> open_;
  std::list<std::thread> threads_;
  std::thread accepting_;
};

}  // namespace qa::test
