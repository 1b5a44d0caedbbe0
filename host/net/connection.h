#pragma once
// Connection: a socket to a server, with TLS or without, by way of a proxy or without; and Dial, which opens one.
// Private to host/net: used by http_client.cpp and websocket.cpp. Loop thread only.
//
//   name --> (proxy: connect, CONNECT) | connect --> (tls) --> Connection

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "host/event_loop.h"
#include "host/net/http_answer.h"
#include "host/net/http_client.h"
#include "host/net/http_url.h"

namespace qa {

struct Connection {
  explicit Connection(boost::asio::io_context& io) : socket(io) {}

  void close() {
    boost::system::error_code ignored;
    socket.close(ignored);
  }
  template <class Buffers, class Handler>
  void read_some(const Buffers& into, Handler&& handler) {
    tls ? tls->async_read_some(into, std::forward<Handler>(handler))
        : socket.async_read_some(into, std::forward<Handler>(handler));
  }
  template <class Buffers, class Handler>
  void write_some(const Buffers& bytes, Handler&& handler) {
    tls ? tls->async_write_some(bytes, std::forward<Handler>(handler))
        : socket.async_write_some(bytes, std::forward<Handler>(handler));
  }

  boost::asio::ip::tcp::socket socket;
  std::optional<boost::asio::ssl::stream<boost::asio::ip::tcp::socket&>> tls;
};

/// What the connections of a client share. Outlives its dials.
struct DialPlan {
  explicit DialPlan(HttpClientOptions given);

  const HttpClientOptions options;
  std::optional<HttpUrl> proxy;                    ///< None also when the option is no address.
  std::optional<boost::asio::ssl::context> trust;  ///< Made for the first server with TLS.
};

/// One attempt. Sets no limit of time: its owner cancels it.
class Dial : public std::enable_shared_from_this<Dial> {
 public:
  /// A connection, or one sentence that says why there is none.
  using Done = std::function<void(std::unique_ptr<Connection>, std::string fault)>;

  Dial(EventLoop& loop, DialPlan& plan, HttpUrl url);

  /// Who takes part: known before the start.
  const HttpPeers& peers() const { return peers_; }
  HttpPhase phase() const { return phase_; }
  /// Why it cannot be tried, or "".
  std::string refusal() const;
  void start(Done done);
  /// `done` does not run any more.
  void cancel();

 private:
  void open(const boost::asio::ip::tcp::resolver::results_type& addresses);
  void tunnel();
  void read_tunnel();
  void on_tunnel();
  void secure();
  void shake_hands();
  void fail(std::string text) { end(nullptr, std::move(text)); }
  void broken(boost::system::error_code cause);
  void end(std::unique_ptr<Connection> connection, std::string fault);

  EventLoop& loop_;
  DialPlan& plan_;
  const HttpUrl url_;
  bool by_proxy_ = false;
  HttpPeers peers_;
  HttpPhase phase_ = HttpPhase::resolve;
  boost::asio::ip::tcp::resolver resolver_;
  std::unique_ptr<Connection> connection_;
  std::string head_;
  std::unique_ptr<HttpAnswer> answer_;
  Done done_;
};

}  // namespace qa
