#include "host/net/http_server.h"

#include <algorithm>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/status.hpp>
#include <boost/beast/http/string_body.hpp>
#include <optional>
#include <unordered_set>
#include <utility>

namespace qa {
namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;
using std::chrono::milliseconds;
using std::chrono::steady_clock;
using tcp = asio::ip::tcp;

class HttpSession;

namespace {

constexpr std::size_t kChunk = 256 * 1024;
constexpr std::uint32_t kMaxHead = 64 * 1024;
constexpr auto kLinger = std::chrono::seconds(2);
constexpr auto kAcceptAgain = milliseconds(50);

std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }

std::string head_of(const HttpReply& reply, std::uint64_t length, bool keep_alive) {
  std::string head = "HTTP/1.1 " + std::to_string(reply.status) + " ";
  head.append(view(http::obsolete_reason(static_cast<http::status>(reply.status)))).append("\r\n");
  for (const auto& [name, value] : reply.headers) head.append(name).append(": ").append(value).append("\r\n");
  if (!reply.stream && reply.status != 204)
    head.append("Content-Length: ").append(std::to_string(length)).append("\r\n");
  return head + (keep_alive ? "\r\n" : "Connection: close\r\n\r\n");
}

/// The listening side; handlers and sessions share it, so it outlives the HttpServer until the last is done.
struct Listener : std::enable_shared_from_this<Listener> {
  Listener(asio::io_context& io, const HttpServerLimits& bounds, HttpServer::Handler answer)
      : limits(bounds), handler(std::move(answer)), acceptor(io), retry(io) {}

  error_code listen(const std::string& address, int port) {
    error_code failed;
    const auto ip = asio::ip::make_address(address, failed);
    if (failed) return failed;
    const tcp::endpoint endpoint(ip, static_cast<std::uint16_t>(port));
    acceptor.open(endpoint.protocol(), failed);
    // A service that starts again finds its port while old connections still end.
    if (!failed && port != 0) acceptor.set_option(tcp::acceptor::reuse_address(true), failed);
    if (!failed) acceptor.bind(endpoint, failed);
    if (!failed) acceptor.listen(asio::socket_base::max_listen_connections, failed);
    return failed;
  }

  void accept() {
    acceptor.async_accept([self = shared_from_this()](error_code failed, tcp::socket socket) {
      if (!self->acceptor.is_open()) return;
      if (!failed) {
        self->take(std::move(socket));
        return self->accept();
      }
      // Out of descriptors, most likely: some connection has to end first.
      self->retry.expires_after(kAcceptAgain);
      self->retry.async_wait([self](error_code cancelled) {
        if (!cancelled && self->acceptor.is_open()) self->accept();
      });
    });
  }

  void take(tcp::socket socket);
  void close();

  const HttpServerLimits limits;
  HttpServer::Handler handler;
  std::function<void(int)> watcher;
  tcp::acceptor acceptor;
  asio::steady_timer retry;
  std::unordered_set<HttpSession*> sessions;
  int requests = 0;
};

}  // namespace

/// One connection: reads a request, sends the answer, and again. Lives while a handler holds it.
class HttpSession : public std::enable_shared_from_this<HttpSession> {
 public:
  HttpSession(std::shared_ptr<Listener> listener, tcp::socket socket)
      : listener_(std::move(listener)), stream_(std::move(socket)) {
    listener_->sessions.insert(this);
  }
  ~HttpSession() { close(); }
  HttpSession(const HttpSession&) = delete;
  HttpSession& operator=(const HttpSession&) = delete;

  void read() {
    parser_.emplace();
    parser_->header_limit(kMaxHead);
    parser_->eager(false);
    parser_->body_limit(listener_->limits.max_body);
    is_waiting_ = true;
    since_ = steady_clock::now();
    head_bytes_ = 0;
    stream_.expires_after(listener_->limits.head);
    read_head();
  }

  void close() {
    is_waiting_ = false;
    listener_->sessions.erase(this);
    if (reply_.stream) {
      reply_.stream->wake_ = nullptr;
      reply_.stream->end();
    }
    stream_.close();
  }

  bool is_waiting() const { return is_waiting_; }
  steady_clock::time_point since() const { return since_; }

 private:
  /// In steps, for the parser's own limit counts only what it has not yet taken: a head that comes in pieces would grow
  /// without end.
  void read_head() {
    http::async_read_some(stream_, buffer_, *parser_,
                          [self = shared_from_this()](error_code failed, std::size_t count) {
                            self->head_bytes_ += count;
                            if (!failed && self->head_bytes_ > kMaxHead) failed = http::error::header_limit;
                            if (failed || self->parser_->is_header_done()) return self->on_head(failed);
                            self->read_head();
                          });
  }

  void on_head(error_code failed) {
    is_waiting_ = false;
    // Not to be read, whatever its length.
    if (failed == http::error::body_limit && listener_->limits.max_body == 0) failed = {};
    if (failed) return on_body(failed);
    if (parser_->is_done()) return on_body({});
    if (listener_->limits.max_body == 0) return on_body({});
    stream_.expires_after(listener_->limits.body);
    if (!equal_ignoring_case(view(parser_->get()[http::field::expect]), "100-continue")) return read_body();
    chunk_ = "HTTP/1.1 100 Continue\r\n\r\n";
    asio::async_write(stream_, asio::buffer(chunk_), [self = shared_from_this()](error_code broken, std::size_t) {
      if (broken) return self->close();
      self->read_body();
    });
  }

  void read_body() {
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](error_code failed, std::size_t) { self->on_body(failed); });
  }

  void on_body(error_code failed) {
    // A client that goes away, or says nothing for long, is no error; only a malformed request is answered.
    const bool is_malformed = failed &&
                              failed.category() == http::make_error_code(http::error::bad_method).category() &&
                              failed != http::error::end_of_stream && failed != http::error::partial_message;
    if (failed && !is_malformed) return close();
    ++listener_->requests;
    // What follows the head of a request whose body is not read cannot be read either.
    keep_alive_ = !failed && parser_->get().keep_alive() && parser_->is_done();
    if (!failed) return answer();
    if (failed == http::error::body_limit) return send(text_reply(413, "the body is too large\n"));
    const bool is_long = failed == http::error::header_limit || failed == http::error::buffer_overflow;
    send(is_long ? text_reply(431, "the head is too large\n") : text_reply(400, "bad request\n"));
  }

  void answer() {
    if (!listener_->handler) return close();
    const auto& message = parser_->get();
    const auto header = [&message](std::string_view name) {
      const auto [first, last] = message.equal_range(beast::string_view(name.data(), name.size()));
      return first != last && std::next(first) == last ? view(first->value()) : std::string_view();
    };
    send(listener_->handler({view(message.method_string()), view(message.target()), message.body(), header}));
  }

  void send(HttpReply reply) {
    if (listener_->watcher) listener_->watcher(reply.status);
    reply_ = std::move(reply);
    if (!reply_.file) reply_.part = {};
    if (reply_.stream) keep_alive_ = false;
    chunk_ = head_of(reply_, reply_.file ? reply_.part.length : reply_.text.size(), keep_alive_);
    if (parser_->get().method() == http::verb::head) {
      if (reply_.stream) reply_.stream->end();
      reply_ = {};
    } else {
      chunk_ += reply_.text;
    }
    write();
  }

  void send_rest() {
    if (reply_.stream) return send_stream();
    if (reply_.part.length == 0) return finish();
    ByteRange& rest = reply_.part;
    chunk_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(rest.length, kChunk)));
    chunk_.resize(reply_.file->read_at(rest.start, chunk_.data(), chunk_.size()));
    // The file shrank meanwhile: the length that was promised cannot be kept, which only closing can say.
    if (chunk_.empty()) return close();
    rest = {rest.start + chunk_.size(), rest.length - chunk_.size()};
    write();
  }

  void write() {
    const milliseconds limit = listener_->limits.write;
    if (limit.count() > 0) {
      stream_.expires_after(limit);
    } else {
      stream_.expires_never();
    }
    is_writing_ = true;
    asio::async_write(stream_, asio::buffer(chunk_), [self = shared_from_this()](error_code failed, std::size_t) {
      self->is_writing_ = false;
      self->chunk_.clear();
      if (failed) return self->close();
      self->send_rest();
    });
  }

  void send_stream() {
    HttpStream& stream = *reply_.stream;
    if (!std::exchange(is_streaming_, true)) {
      stream.wake_ = [this] {
        if (!is_writing_) send_stream();
      };
      stream_.expires_never();
      drain();  // So that a client that leaves is seen at once.
    }
    if (!stream.pending_.empty()) {
      chunk_ = std::exchange(stream.pending_, {});
      return write();
    }
    if (!stream.is_open_) close();
  }

  void finish() {
    reply_ = {};
    chunk_.shrink_to_fit();  // An idle connection holds no buffer.
    if (keep_alive_) return read();
    // Closing while bytes of the client are unread would reset the connection and could take the answer with it.
    error_code ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    stream_.expires_after(kLinger);
    drain();
  }

  void drain() {
    buffer_.clear();
    stream_.async_read_some(buffer_.prepare(4096), [self = shared_from_this()](error_code failed, std::size_t) {
      if (failed) return self->close();
      self->drain();
    });
  }

  std::shared_ptr<Listener> listener_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  HttpReply reply_;
  std::string chunk_;  ///< What is being written.
  steady_clock::time_point since_;
  std::size_t head_bytes_ = 0;
  bool is_waiting_ = false;  ///< For a request.
  bool is_writing_ = false;
  bool is_streaming_ = false;  ///< Reads meanwhile, too, and that once only.
  bool keep_alive_ = false;
};

namespace {

void Listener::take(tcp::socket socket) {
  if (sessions.size() >= limits.connections) {
    HttpSession* longest = nullptr;
    for (HttpSession* session : sessions) {
      if (session->is_waiting() && (!longest || session->since() < longest->since())) longest = session;
    }
    if (!longest) return;
    longest->close();
  }
  error_code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  std::make_shared<HttpSession>(shared_from_this(), std::move(socket))->read();
}

void Listener::close() {
  error_code ignored;
  acceptor.close(ignored);
  retry.cancel();
  for (HttpSession* session : std::exchange(sessions, {})) session->close();
  handler = nullptr;
  watcher = nullptr;
}

}  // namespace

void HttpStream::write(std::string_view text) {
  if (!is_open_) return;
  pending_ += text;
  if (pending_.size() > kMostPending) {
    pending_.clear();
    is_open_ = false;
  }
  if (const auto wake = wake_) wake();  // A copy: the connection may take it away meanwhile.
}

void HttpStream::end() {
  is_open_ = false;
  if (const auto wake = wake_) wake();  // A copy: the connection may take it away meanwhile.
}

HttpReply text_reply(int status, std::string text, HttpHeaders headers) {
  headers.emplace_back("Content-Type", "text/plain; charset=utf-8");
  headers.emplace_back("Cache-Control", "no-cache");
  HttpReply reply;
  reply.status = status;
  reply.headers = std::move(headers);
  reply.text = std::move(text);
  return reply;
}

struct HttpServer::State {
  std::shared_ptr<Listener> listener;
  int port = 0;
};

Result<std::unique_ptr<HttpServer>> HttpServer::start(EventLoop& loop, const std::string& address, int port,
                                                      const HttpServerLimits& limits, Handler handler) {
  auto state = std::make_shared<State>();
  state->listener = std::make_shared<Listener>(loop.io(), limits, std::move(handler));
  if (const error_code failed = state->listener->listen(address, port)) {
    return Error{ErrorKind::io_error,
                 "cannot listen at " + address + " port " + std::to_string(port) + ": " + failed.message()};
  }
  error_code ignored;
  state->port = state->listener->acceptor.local_endpoint(ignored).port();
  state->listener->accept();
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(state)));
}

HttpServer::HttpServer(std::shared_ptr<State> state) : state_(std::move(state)) {}
HttpServer::~HttpServer() { state_->listener->close(); }

int HttpServer::port() const { return state_->port; }
int HttpServer::request_count() const { return state_->listener->requests; }
void HttpServer::on_answer(std::function<void(int)> watcher) { state_->listener->watcher = std::move(watcher); }

}  // namespace qa
