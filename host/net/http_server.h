#pragma once
// HttpServer: a small HTTP/1.1 server. A handler answers each request on the loop thread, at once; the body of its
// answer goes out as the client reads it. No TLS: that is the business of a proxy before it.
//
//   accept --> [ wait, head --> (body) --> handler --> head, body of the answer ] --> keep-alive: again
//                  |  limits in bytes and time, else 400, 413, 431                    else: linger, close

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "host/error.h"
#include "host/event_loop.h"
#include "host/net/http_reply.h"

namespace qa {

struct HttpServerLimits {
  std::chrono::milliseconds head{120'000};  ///< From the connection, or the last answer, until a head is complete.
  std::chrono::milliseconds body{30'000};   ///< From then on until the body is.
  /// For each part of an answer (256 KiB at most); 0 for none: a media element reads a file as slowly as it plays.
  std::chrono::milliseconds write{0};
  /// Bytes. At 0 bodies are not read: the handler sees the request without, and the connection ends with the answer.
  std::size_t max_body = 0;
  /// Beyond, the connection that waits longest for a request makes room; where none waits, the new one is closed.
  std::size_t connections = 256;
};

/// One request, during the call of its handler.
struct HttpServerRequest {
  std::string_view method, target;
  const std::string& body;
  /// The value of a header given once; "" when it is missing or given several times.
  std::function<std::string_view(std::string_view name)> header;
};

class HttpServer {
 public:
  using Handler = std::function<HttpReply(const HttpServerRequest&)>;

  /// Listens at an IP address; port 0 for a free one. io_error when the socket fails.
  static Result<std::unique_ptr<HttpServer>> start(EventLoop& loop, const std::string& address, int port,
                                                   const HttpServerLimits& limits, Handler handler);
  /// Closes the port and all connections.
  ~HttpServer();

  int port() const;
  int request_count() const;  ///< Answered so far, malformed ones included.
  /// Called with the status of every answer, also of those that no handler gave.
  void on_answer(std::function<void(int status)> watcher);

 private:
  struct State;
  explicit HttpServer(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace qa
