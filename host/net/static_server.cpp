#include "host/net/static_server.h"

#include <algorithm>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/serializer.hpp>
#include <boost/beast/http/write.hpp>
#include <optional>
#include <unordered_set>
#include <utility>

#include "host/net/served_file.h"

namespace qa {
namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;
using tcp = asio::ip::tcp;

namespace {

constexpr std::size_t kChunk = 256 * 1024;
constexpr std::uint32_t kMaxHead = 64 * 1024;
constexpr auto kIdle = std::chrono::minutes(2);
constexpr auto kLinger = std::chrono::seconds(2);
constexpr auto kAcceptAgain = std::chrono::milliseconds(50);

class Session;

/// The listening side; handlers and sessions share it, so it outlives the StaticServer until the last is done.
struct Listener : std::enable_shared_from_this<Listener> {
  Listener(asio::io_context& io, std::string folder) : root(std::move(folder)), acceptor(io), retry(io) {}

  error_code listen();
  void accept();
  void close();

  const std::string root;  ///< Real path, ends in "/".
  tcp::acceptor acceptor;
  asio::steady_timer retry;
  std::unordered_set<Session*> sessions;
  int requests = 0;
};

/// One connection: reads a request head, answers it, streams the file, and again. Lives while a handler holds it.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(std::shared_ptr<Listener> listener, tcp::socket socket)
      : listener_(std::move(listener)), stream_(std::move(socket)) {
    listener_->sessions.insert(this);
  }
  ~Session() { listener_->sessions.erase(this); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void read();
  void close() { stream_.close(); }

 private:
  void on_head(error_code failed);
  void answer();
  void answer_folder(std::string_view escaped, std::string_view target, const std::string& path);
  void answer_file(const std::string& path, std::string_view name);
  void answer_text(http::status status, std::string text);
  void send();
  void send_chunk();
  void finish();
  void drain();

  std::shared_ptr<Listener> listener_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::empty_body>> parser_;
  http::response<http::empty_body> response_;
  std::optional<http::response_serializer<http::empty_body>> head_;
  std::string chunk_;  ///< A text answer, or the part of the file under way.
  ServedFile file_;
  ByteRange rest_;  ///< Of the file, still to send.
  bool keep_alive_ = false;
  bool is_head_request_ = false;
};

void Session::read() {
  parser_.emplace();
  parser_->header_limit(kMaxHead);
  stream_.expires_after(kIdle);
  http::async_read_header(stream_, buffer_, *parser_,
                          [self = shared_from_this()](error_code failed, std::size_t) { self->on_head(failed); });
}

void Session::on_head(error_code failed) {
  // A client that goes away, or says nothing for long, is no error; only a malformed head is answered.
  const bool is_malformed = failed && failed.category() == http::make_error_code(http::error::bad_method).category() &&
                            failed != http::error::end_of_stream && failed != http::error::partial_message;
  if (failed && !is_malformed) return close();
  stream_.expires_never();  // A media element may read its file as slowly as it plays.
  ++listener_->requests;
  response_ = {};
  const auto& request = parser_->get();
  is_head_request_ = !failed && request.method() == http::verb::head;
  // What follows the head of a request with a body is not read, so nothing more can be read at all.
  keep_alive_ = !failed && request.keep_alive() && parser_->is_done();
  if (!failed) return answer();
  const bool is_long = failed == http::error::header_limit || failed == http::error::buffer_overflow;
  answer_text(is_long ? http::status::request_header_fields_too_large : http::status::bad_request, "bad request\n");
}

void Session::answer() {
  const auto& request = parser_->get();
  if (request.method() != http::verb::get && !is_head_request_) {
    response_.set(http::field::allow, "GET, HEAD");
    return answer_text(http::status::method_not_allowed, "only GET and HEAD\n");
  }
  const std::string_view target(request.target().data(), request.target().size());
  const auto escaped = target_path(target);
  const auto path = escaped ? unescape_path(*escaped) : std::nullopt;
  if (!path) return answer_text(http::status::bad_request, "bad request\n");
  const Located located = locate(listener_->root, *path);
  switch (located.kind) {
    case Located::Kind::file:
      return answer_file(located.path, *path);
    case Located::Kind::folder:
      return answer_folder(*escaped, target, *path);
    case Located::Kind::missing:
      return answer_text(http::status::not_found, "not found\n");
  }
}

void Session::answer_folder(std::string_view escaped, std::string_view target, const std::string& path) {
  if (escaped.back() != '/') {
    // Relative links of the page need the slash. Only one leading slash: "//name" would name another host.
    std::string location = "/" + std::string(escaped.substr(std::min(escaped.find_first_not_of('/'), escaped.size())));
    location += '/';
    const std::size_t query = target.find('?');
    if (query != target.npos) location += target.substr(query);
    response_.set(http::field::location, location);
    return answer_text(http::status::moved_permanently, "moved\n");
  }
  for (const char* name : {"index.html", "index.htm"}) {
    const Located index = locate(listener_->root, path + name);
    if (index.kind == Located::Kind::file) return answer_file(index.path, name);
  }
  answer_text(http::status::not_found, "not found: this folder has no index.html\n");
}

void Session::answer_file(const std::string& path, std::string_view name) {
  if (!file_.open(path)) return answer_text(http::status::not_found, "not found\n");
  const auto& request = parser_->get();
  rest_ = {0, file_.size()};
  auto wanted = RangeAnswer::whole;
  // Without validators of our own, If-Range can never match: the whole file is the answer.
  if (request.count(http::field::range) == 1 && request.count(http::field::if_range) == 0) {
    const auto header = request[http::field::range];
    wanted = parse_range({header.data(), header.size()}, file_.size(), rest_);
  }
  const std::string size = std::to_string(file_.size());
  response_.set(http::field::accept_ranges, "bytes");
  if (wanted == RangeAnswer::unsatisfiable) {
    file_.close();
    response_.set(http::field::content_range, "bytes */" + size);
    return answer_text(http::status::range_not_satisfiable, "range not satisfiable\n");
  }
  if (wanted == RangeAnswer::part) {
    response_.set(http::field::content_range, "bytes " + std::to_string(rest_.start) + "-" +
                                                  std::to_string(rest_.start + rest_.length - 1) + "/" + size);
  }
  response_.result(wanted == RangeAnswer::part ? http::status::partial_content : http::status::ok);
  const std::string_view type = mime_type(name);
  response_.set(http::field::content_type, beast::string_view(type.data(), type.size()));
  response_.content_length(rest_.length);
  chunk_.clear();
  send();
}

void Session::answer_text(http::status status, std::string text) {
  rest_ = {};
  response_.result(status);
  response_.set(http::field::content_type, "text/plain; charset=utf-8");
  response_.content_length(text.size());
  chunk_ = std::move(text);
  send();
}

void Session::send() {
  response_.version(11);
  response_.set(http::field::cache_control, "no-cache");
  response_.keep_alive(keep_alive_);
  if (is_head_request_) {
    rest_ = {};
    chunk_.clear();
  }
  head_.emplace(response_);
  http::async_write_header(stream_, *head_, [self = shared_from_this()](error_code failed, std::size_t) {
    if (failed) return self->close();
    self->send_chunk();
  });
}

void Session::send_chunk() {
  if (chunk_.empty() && rest_.length > 0) {
    chunk_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(rest_.length, kChunk)));
    chunk_.resize(file_.read_at(rest_.start, chunk_.data(), chunk_.size()));
    // The file shrank meanwhile: the length that was promised cannot be kept, which only closing can say.
    if (chunk_.empty()) return close();
    rest_ = {rest_.start + chunk_.size(), rest_.length - chunk_.size()};
  }
  if (chunk_.empty()) return finish();
  asio::async_write(stream_, asio::buffer(chunk_), [self = shared_from_this()](error_code failed, std::size_t) {
    if (failed) return self->close();
    self->chunk_.clear();
    self->send_chunk();
  });
}

void Session::finish() {
  file_.close();
  chunk_.shrink_to_fit();  // An idle connection holds no buffer.
  if (keep_alive_) return read();
  // Closing while bytes of the client are unread would reset the connection and could take the answer with it.
  error_code ignored;
  stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
  stream_.expires_after(kLinger);
  drain();
}

void Session::drain() {
  buffer_.clear();
  stream_.async_read_some(buffer_.prepare(4096), [self = shared_from_this()](error_code failed, std::size_t) {
    if (failed) return self->close();
    self->drain();
  });
}

error_code Listener::listen() {
  error_code failed;
  const tcp::endpoint endpoint(asio::ip::address_v4::loopback(), 0);
  acceptor.open(endpoint.protocol(), failed);
  if (!failed) acceptor.bind(endpoint, failed);
  if (!failed) acceptor.listen(asio::socket_base::max_listen_connections, failed);
  return failed;
}

void Listener::accept() {
  acceptor.async_accept([self = shared_from_this()](error_code failed, tcp::socket socket) {
    if (!self->acceptor.is_open()) return;
    if (!failed) {
      error_code ignored;
      socket.set_option(tcp::no_delay(true), ignored);
      std::make_shared<Session>(self, std::move(socket))->read();
      return self->accept();
    }
    // Out of descriptors, most likely: some connection has to end first.
    self->retry.expires_after(kAcceptAgain);
    self->retry.async_wait([self](error_code cancelled) {
      if (!cancelled && self->acceptor.is_open()) self->accept();
    });
  });
}

void Listener::close() {
  error_code ignored;
  acceptor.close(ignored);
  retry.cancel();
  for (Session* session : sessions) session->close();
}

}  // namespace

struct StaticServer::State {
  std::shared_ptr<Listener> listener;
  std::string origin;
  int port = 0;
};

Result<std::unique_ptr<StaticServer>> StaticServer::start(EventLoop& loop, const std::string& root) {
  const std::string real = real_path(root);
  const auto failure = [&](const std::string& why) {
    return Error{ErrorKind::io_error, "cannot serve " + root + ": " + why, "", ""};
  };
  if (real.empty()) return failure("there is no such folder");
  const std::string folder = real == "/" ? real : real + "/";
  if (locate(folder, "/").kind != Located::Kind::folder) return failure("it is not a folder");

  auto state = std::make_shared<State>();
  state->listener = std::make_shared<Listener>(loop.io(), folder);
  if (const error_code failed = state->listener->listen()) return failure(failed.message());
  error_code ignored;
  state->port = state->listener->acceptor.local_endpoint(ignored).port();
  state->origin = "http://127.0.0.1:" + std::to_string(state->port);
  state->listener->accept();
  return std::unique_ptr<StaticServer>(new StaticServer(std::move(state)));
}

StaticServer::StaticServer(std::shared_ptr<State> state) : state_(std::move(state)) {}
StaticServer::~StaticServer() { state_->listener->close(); }

const std::string& StaticServer::origin() const { return state_->origin; }
int StaticServer::port() const { return state_->port; }
int StaticServer::request_count() const { return state_->listener->requests; }

}  // namespace qa
