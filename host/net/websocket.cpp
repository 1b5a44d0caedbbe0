#include "host/net/websocket.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/beast/core/bind_handler.hpp>
#include <boost/beast/http/field.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <deque>
#include <vector>

#include "host/base64.h"
#include "host/net/connection.h"
#include "host/text.h"

namespace qa {
namespace asio = boost::asio;
namespace beast = boost::beast;
namespace websocket = boost::beast::websocket;
using boost::system::error_code;

namespace {

constexpr std::size_t kHeadBytes = 256;
constexpr std::size_t kReadBytes = std::size_t{256} << 10;
constexpr std::size_t kWriteBytes = std::size_t{64} << 10;

/// A Connection as Beast wants a stream to be: one type with TLS and without, so that its templates exist once.
struct Link {
  using executor_type = asio::ip::tcp::socket::executor_type;

  executor_type get_executor() const { return connection->socket.get_executor(); }
  template <class Buffers, class Handler>
  void async_read_some(const Buffers& into, Handler&& handler) {
    connection->read_some(into, std::forward<Handler>(handler));
  }
  template <class Buffers, class Handler>
  void async_write_some(const Buffers& bytes, Handler&& handler) {
    connection->write_some(bytes, std::forward<Handler>(handler));
  }

  std::unique_ptr<Connection> connection;
};

// Beast ends a connection with these. Nothing is waited for: the peer may hold its end open for ever.
void beast_close_socket(Link& link) { link.connection->close(); }
template <class Handler>
void async_teardown(beast::role_type, Link& link, Handler&& handler) {
  const auto executor = link.get_executor();
  link.connection->close();
  asio::post(executor, beast::bind_front_handler(std::forward<Handler>(handler), error_code()));
}

/// The handlers that are under way hold it, so it lives on for a while when its user has let it go.
struct Socket final : MessageWire, std::enable_shared_from_this<Socket> {
  Socket(std::unique_ptr<Connection> connection, std::string host_and_port)
      : peer(std::move(host_and_port)), stream(Link{std::move(connection)}) {
    stream.read_message_max(0);  // take() keeps the limit, and the connection.
    stream.auto_fragment(false);
    stream.write_buffer_bytes(kWriteBytes);
  }

  const std::string peer;
  websocket::stream<Link, false> stream;
  websocket::response_type answer;
  std::function<void()> readable;
  std::optional<Error> ended;
  std::deque<std::string> unsent;
  std::size_t unsent_bytes = 0;
  std::uint64_t bytes_read = 0;
  bool writing = false, closed = false;
  std::vector<char> buffer = std::vector<char>(kReadBytes);
  std::string text;  ///< Of the message that is coming in.
  bool skipping = false;
  std::deque<WireMessage> complete;

  void on_readable(std::function<void()> handler) override { readable = std::move(handler); }
  const std::optional<Error>& end() const override { return ended; }
  std::uint64_t received() const override { return bytes_read; }
  std::size_t queued_bytes() const override { return unsent_bytes; }

  std::optional<WireMessage> next() override {
    if (complete.empty()) return std::nullopt;
    WireMessage first = std::move(complete.front());
    complete.pop_front();
    return first;
  }

  void queue(std::string message) override {
    unsent_bytes += message.size();
    unsent.push_back(std::move(message));
  }

  void flush() override {
    if (closed || writing || unsent.empty()) return;
    writing = true;
    stream.async_write(asio::buffer(unsent.front()), [self = shared_from_this()](error_code failed, std::size_t) {
      self->writing = false;
      // Why it failed, the read tells.
      if (failed || self->closed) return;
      self->unsent_bytes -= self->unsent.front().size();
      self->unsent.pop_front();
      self->flush();
    });
  }

  void read() override {
    stream.async_read_some(asio::buffer(buffer), [self = shared_from_this()](error_code failed, std::size_t size) {
      if (self->closed) return;
      if (failed) self->ended = self->end_error(failed);
      if (!failed) self->take(size);
      self->readable();
    });
  }

  void take(std::size_t size) {
    bytes_read += size;
    if (!skipping) text.append(buffer.data(), size);
    const bool is_done = stream.is_message_done();
    if (text.size() > kMaxMessageBytes) {
      complete.push_back({text.substr(0, kHeadBytes), true});
      skipping = true;
      std::string().swap(text);
    } else if (is_done && !skipping) {
      complete.push_back({std::exchange(text, {}), false});
    }
    if (is_done) skipping = false;
  }

  Error end_error(error_code failed) const {
    std::string what, how = "\"error\"";
    if (failed == websocket::error::closed) {
      const int code = stream.reason().code == websocket::close_code::none ? 1005 : stream.reason().code;
      const std::string reason = terminal_safe({stream.reason().reason.data(), stream.reason().reason.size()});
      what = " closed the connection with code " + std::to_string(code) + (reason.empty() ? "" : " (" + reason + ")");
      how = "\"close frame\",\"code\":" + std::to_string(code);
    } else if (failed == asio::error::eof || failed == asio::ssl::error::stream_truncated) {
      what = " ended the connection without a close frame (1006)";
      how = "\"end of the connection\",\"code\":1006";
    } else if (failed == asio::error::connection_reset || failed == asio::error::broken_pipe) {
      what = " reset the connection";
      how = "\"reset\"";
    } else if (failed.category() == error_code(websocket::error::bad_opcode).category()) {
      what = " sent what is no message of a WebSocket (" + failed.message() + ")";
      how = "\"protocol\"";
    } else {
      what = ": the connection failed (" + failed.message() + ")";
    }
    return {ErrorKind::browser_lost, peer + what, "", "{\"how\":" + how + "}"};
  }

  void close() override {
    closed = true;
    stream.next_layer().connection->close();
    unsent.resize(writing ? 1 : 0);  // The first one's bytes are in use until its handler has run.
  }
};

/// One attempt to open a WebSocket. Its handlers hold it.
struct Opening : std::enable_shared_from_this<Opening> {
  Opening(EventLoop& event_loop, HttpClientOptions options, HttpUrl address)
      : loop(event_loop), plan(std::move(options)), url(std::move(address)) {}

  EventLoop& loop;
  DialPlan plan;
  const HttpUrl url;
  std::shared_ptr<Dial> dial;
  std::shared_ptr<Socket> socket;
  EventLoop::TimerId timer = 0;
  Callback<std::shared_ptr<MessageWire>> done;

  void start(int limit_ms) {
    dial = std::make_shared<Dial>(loop, plan, url);
    if (std::string fault = dial->refusal(); !fault.empty()) return fail(ErrorKind::io_error, std::move(fault));
    timer = loop.after(std::chrono::milliseconds(limit_ms), [self = shared_from_this(), limit_ms] {
      const HttpPhase phase = self->socket ? HttpPhase::head : self->dial->phase();
      self->fail(ErrorKind::timeout, late_text(phase, self->dial->peers(), limit_ms));
    });
    dial->start([self = shared_from_this()](std::unique_ptr<Connection> connection, std::string fault) {
      connection ? self->upgrade(std::move(connection)) : self->fail(ErrorKind::io_error, std::move(fault));
    });
  }

  void upgrade(std::unique_ptr<Connection> connection) {
    socket = std::make_shared<Socket>(std::move(connection), url.host_and_port());
    if (!url.user_info.empty()) {
      socket->stream.set_option(websocket::stream_base::decorator(
          [value = "Basic " + encode_base64(url.user_info)](websocket::request_type& request) {
            request.set(beast::http::field::authorization, value);
          }));
    }
    socket->stream.async_handshake(socket->answer, url.authority(), url.target,
                                   [self = shared_from_this()](error_code failed) { self->on_answer(failed); });
  }

  void on_answer(error_code failed) {
    if (!done) return;
    if (!failed) {
      return finish(
          std::shared_ptr<MessageWire>(socket.get(), [socket = socket](MessageWire* wire) { wire->close(); }));
    }
    if (failed != websocket::error::upgrade_declined) {
      return fail(ErrorKind::io_error, broken_text(HttpPhase::head, dial->peers(), failed.message()));
    }
    const std::string status = std::to_string(socket->answer.result_int());
    fail(ErrorKind::io_error, url.host_and_port() + " refused a WebSocket with status " + status,
         "{\"status\":" + status + "}");
  }

  void fail(ErrorKind kind, std::string message, std::string detail = "") {
    dial->cancel();
    if (socket) socket->close();
    finish(Error{kind, std::move(message), "", std::move(detail)});
  }

  void finish(Result<std::shared_ptr<MessageWire>> result) {
    loop.cancel(timer);
    if (!done) return;
    loop.post([done = std::exchange(done, nullptr), result = std::move(result)] { done(result); });
  }
};

}  // namespace

std::string http_form_of(const std::string& url) {
  return url.starts_with("ws://") || url.starts_with("wss://") ? "http" + url.substr(2) : url;
}

void connect_websocket(EventLoop& loop, HttpClientOptions options, const std::string& url, int limit_ms,
                       Callback<std::shared_ptr<MessageWire>> done) {
  const auto address = parse_http_url(http_form_of(url));
  if (!address) {
    const Error error{ErrorKind::io_error, "the address of the browser is no ws:// or wss:// address: correct it"};
    return loop.post([error, done = std::move(done)] { done(error); });
  }
  auto opening = std::make_shared<Opening>(loop, std::move(options), *address);
  opening->done = std::move(done);
  opening->start(limit_ms);
}

}  // namespace qa
