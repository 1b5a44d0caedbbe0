#include "host/net/http_client.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <unordered_map>

#include "host/net/connection.h"
#include "host/net/http_answer.h"
#include "host/net/http_url.h"
#include "host/net/tls.h"

namespace qa {
namespace asio = boost::asio;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::size_t kReadSize = 16 * 1024;   // One TLS record.
constexpr std::size_t kJoinedBody = 8 * 1024;  // A body up to this size shares packet and record with the head.
constexpr int kIdleEach = 4;
constexpr std::chrono::seconds kIdleLife(30);

class Call;

/// A connection that belongs to a call or waits for the next one to the same origin.
struct KeptConnection {
  KeptConnection(std::unique_ptr<Connection> opened, std::string origin_key)
      : open(std::move(opened)), origin(std::move(origin_key)) {}

  /// Neither closed by the peer nor holding bytes that nobody asked for.
  bool is_quiet() {
    if (open->tls && has_tls_leftovers(open->tls->native_handle())) return false;
    char byte;
    return ::recv(open->socket.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN;
  }
  template <class Handler>
  void write(const std::array<asio::const_buffer, 2>& bytes, Handler handler) {
    open->tls ? asio::async_write(*open->tls, bytes, std::move(handler))
              : asio::async_write(open->socket, bytes, std::move(handler));
  }

  const std::unique_ptr<Connection> open;
  const std::string origin;
  bool is_reused = false;
  Clock::time_point idle_since;
};

/// What the calls of a client share.
struct Shared {
  Shared(EventLoop& event_loop, HttpClientOptions given) : loop(event_loop), plan(std::move(given)) {}
  ~Shared();

  std::unique_ptr<KeptConnection> take_idle(const std::string& origin) {
    sweep();
    for (auto it = idle.end(); it != idle.begin();) {
      --it;
      if ((*it)->origin != origin) continue;
      std::unique_ptr<KeptConnection> found = std::move(*it);
      it = idle.erase(it);
      if (found->is_quiet()) return found;
    }
    return nullptr;
  }

  void give_back(std::unique_ptr<KeptConnection> connection) {
    const auto same = [&](const auto& other) { return other->origin == connection->origin; };
    if (std::count_if(idle.begin(), idle.end(), same) >= kIdleEach) return;
    connection->is_reused = true;
    connection->idle_since = Clock::now();
    idle.push_back(std::move(connection));
    sweep();
  }

  /// Closes what has been idle too long, and looks again when the next one may have been.
  void sweep() {
    const auto now = Clock::now();
    const auto fresh =
        std::find_if(idle.begin(), idle.end(), [&](const auto& one) { return one->idle_since + kIdleLife > now; });
    idle.erase(idle.begin(), fresh);
    if (idle.empty() || sweeping != 0) return;
    const auto rest = std::chrono::ceil<std::chrono::milliseconds>(idle.front()->idle_since + kIdleLife - now);
    sweeping = loop.after(rest, [this] {
      sweeping = 0;
      sweep();
    });
  }

  EventLoop& loop;
  DialPlan plan;
  std::vector<std::unique_ptr<KeptConnection>> idle;  ///< Longest idle first.
  EventLoop::TimerId sweeping = 0;
  std::unordered_map<HttpClient::CallId, std::shared_ptr<Call>> calls;
  HttpClient::CallId next_id = 1;
};

/// One call, from its address to its result. Lives while a handler or the client holds it; handlers that run after its
/// end find `is_over_`. The answer is read while the request is still being written: a server may refuse early.
class Call : public std::enable_shared_from_this<Call> {
 public:
  Call(Shared& shared, HttpClient::CallId id, HttpRequest request, const HttpLimits& limits)
      : shared_(&shared), id_(id), request_(std::move(request)), limits_(limits), timer_(shared.loop.io()) {}

  void start(HttpClient::OnBody on_body, HttpClient::Done done) {
    on_body_ = std::move(on_body);
    done_ = std::move(done);
    call_end_ = Clock::now() + std::chrono::milliseconds(limits_.total_ms);
    if (!accept_address()) return;
    dial_ = std::make_shared<Dial>(shared_->loop, shared_->plan, url_);
    peers_ = dial_->peers();
    phase_ = dial_->phase();
    if (std::string fault = dial_->refusal(); !fault.empty()) return unavailable(std::move(fault));
    connection_ = shared_->take_idle(origin_);
    connection_ ? exchange() : connect();
  }

  void fail(ErrorKind kind, std::string message) {
    if (is_over_) return;
    failure_ = HttpFailure{Error{kind, std::move(message)}, phase_, false, is_begun_};
    finish();
  }

  void drop() {
    is_over_ = true;
    close();
    shared_ = nullptr;
  }

 private:
  // ---- To a connection.

  bool accept_address() {
    const auto url = parse_http_url(request_.url);
    if (!url) {
      unavailable("the address of the endpoint is no http:// or https:// address: correct it");
      return false;
    }
    url_ = *url;
    peers_.host = url_.host_and_port();
    origin_ = (url_.is_https ? "https " : "http ") + peers_.host;
    const std::string_view fault = request_fault(request_, url_);
    if (fault.empty()) return true;
    unavailable("a request to " + peers_.host + " cannot be sent (" + std::string(fault) + "): correct the endpoint");
    return false;
  }

  void connect() {
    allow(limits_.connect_ms);
    connection_.reset();
    dial_->start([self = shared_from_this()](std::unique_ptr<Connection> open, std::string fault) {
      self->phase_ = self->dial_->phase();
      if (!open) return self->unavailable(std::move(fault));
      self->connection_ = std::make_unique<KeptConnection>(std::move(open), self->origin_);
      self->exchange();
    });
  }

  // ---- Request and answer.

  void exchange() {
    phase_ = HttpPhase::send;
    allow(limits_.first_byte_ms);
    read_error_ = {};
    answer_ = std::make_unique<HttpAnswer>(limits_.max_header, limits_.max_body, request_.method != "HEAD",
                                           [this](std::string_view piece) { return on_piece(piece); });
    write(request_head(request_, url_), request_.body);
    read();
  }

  void write(const std::string& head, const std::string& body) {
    const bool is_joined = body.size() <= kJoinedBody;
    head_ = is_joined ? head + body : head;
    to_write_ = head.size() + body.size();
    written_ = 0;
    is_writing_ = true;
    connection_->write(
        {asio::buffer(head_), is_joined ? asio::const_buffer() : asio::buffer(body)},
        [self = shared_from_this()](error_code failed, std::size_t count) { self->on_written(failed, count); });
  }

  /// A write that fails says less than what the peer said before, or than its end: the read tells.
  void on_written(error_code failed, std::size_t count) {
    is_writing_ = false;
    written_ = count;
    if (is_over_) return deliver();
    if (read_error_) return lost();
    if (!failed && phase_ == HttpPhase::send) phase_ = HttpPhase::head;
  }

  void read() {
    connection_->open->read_some(
        asio::buffer(answer_->room(kReadSize), kReadSize),
        [self = shared_from_this()](error_code failed, std::size_t count) { self->on_read(failed, count); });
  }

  void on_read(error_code failed, std::size_t count) {
    if (is_over_) return;
    if (failed) {
      read_error_ = failed;
      return is_writing_ ? close() : lost();  // The write cannot succeed any more, and will say how far it came.
    }
    is_begun_ = true;
    const bool was_early = phase_ == HttpPhase::send || phase_ == HttpPhase::head;
    answer_->take(count);
    if (is_over_) return;
    if (was_early && answer_->has_head()) {
      phase_ = HttpPhase::body;
      allow(limits_.idle_ms);
    }
    on_answer();
  }

  BodyStep on_piece(std::string_view piece) {
    if (is_over_) return BodyStep::stop;
    phase_ = HttpPhase::body;
    HttpResponse& response = answer_->response();
    if (!on_body_ || response.status / 100 != 2) {
      response.body.append(piece);
      allow(limits_.idle_ms);
      return BodyStep::more;
    }
    const BodyStep step = on_body_(piece);
    if (step == BodyStep::more) allow(limits_.idle_ms);
    return step;
  }

  void on_answer() {
    switch (answer_->state()) {
      case HttpAnswer::State::head:
      case HttpAnswer::State::body:
        return read();
      case HttpAnswer::State::complete:
        return complete();
      case HttpAnswer::State::stopped:
        return complete();
      case HttpAnswer::State::malformed:
        return unavailable(malformed_text(phase_, peers_, answer_->fault()));
      case HttpAnswer::State::too_large:
        return fail(ErrorKind::llm_too_large, "the answer of " + peers_.host + " is longer than " +
                                                  std::to_string(limits_.max_body) + " bytes: ask for a shorter one");
    }
  }

  /// The connection has ended, and nothing is being written any more.
  void lost() {
    // It ended between the look at the idle connection and the first byte of the request, so that nothing can happen
    // twice; or what happens twice does no harm (RFC 9110, 9.2.2).
    const bool may_repeat = written_ == 0 || request_.method == "GET" || request_.method == "DELETE";
    if (connection_->is_reused && may_repeat && !is_begun_) return connect();
    const bool is_orderly = read_error_ == asio::error::eof;
    if (is_orderly && answer_->end() == HttpAnswer::State::complete) return complete();
    broken(read_error_);
  }

  // ---- Its limits and its end.

  void allow(int ms) {
    if (is_over_) return;
    phase_ms_ = ms;
    phase_end_ = Clock::now() + std::chrono::milliseconds(ms);
    if (std::min(phase_end_, call_end_) < armed_for_) watch();
  }

  /// The timer is left alone while limits move away from it: most calls arm it twice, however many pieces come.
  void watch() {
    armed_for_ = std::min(phase_end_, call_end_);
    timer_.expires_at(armed_for_);
    timer_.async_wait([self = shared_from_this()](error_code cancelled) {
      if (!cancelled && !self->is_over_) self->on_timer();
    });
  }

  void on_timer() {
    const auto now = Clock::now();
    if (now < phase_end_ && now < call_end_) return watch();
    if (!connection_) phase_ = dial_->phase();
    const bool is_whole = now >= call_end_;
    fail(ErrorKind::timeout,
         is_whole ? overdue_text(phase_, peers_, limits_.total_ms) : late_text(phase_, peers_, phase_ms_));
  }

  void unavailable(std::string message) { fail(ErrorKind::llm_unavailable, std::move(message)); }
  void broken(error_code cause) { unavailable(broken_text(phase_, peers_, cause.message())); }
  void complete() {
    if (answer_->leaves_connection() && !is_writing_) shared_->give_back(std::move(connection_));
    finish();
  }

  void finish() {
    is_over_ = true;
    close();
    if (!is_writing_) deliver();  // Else once the write has said how much went out.
  }

  void close() {
    if (connection_) connection_->open->close();
    if (!is_over_) return;
    timer_.cancel();
    if (dial_) dial_->cancel();
  }

  void deliver() {
    if (failure_) failure_->request_sent = phase_ >= HttpPhase::send && written_ == to_write_;
    if (shared_) shared_->loop.post([self = shared_from_this()] { self->tell(); });
  }

  void tell() {
    if (!shared_) return;
    shared_->calls.erase(id_);
    HttpResult result{{}, std::move(failure_)};
    if (answer_ && phase_ >= HttpPhase::send) result.response = std::move(answer_->response());
    done_(std::move(result));
  }

  Shared* shared_;  ///< Null once the client is gone.
  const HttpClient::CallId id_;
  const HttpRequest request_;
  const HttpLimits limits_;
  HttpClient::OnBody on_body_;
  HttpClient::Done done_;

  HttpUrl url_;
  HttpPeers peers_;
  std::string origin_;
  HttpPhase phase_ = HttpPhase::resolve;  ///< Until the dial is over, that one's counts.
  std::shared_ptr<Dial> dial_;
  std::unique_ptr<KeptConnection> connection_;
  std::string head_;  ///< Being written; with a small body.
  std::size_t to_write_ = 0, written_ = 0;
  bool is_writing_ = false;
  error_code read_error_;
  std::unique_ptr<HttpAnswer> answer_;

  asio::steady_timer timer_;
  Clock::time_point phase_end_, call_end_, armed_for_ = Clock::time_point::max();
  int phase_ms_ = 0;

  std::optional<HttpFailure> failure_;
  bool is_begun_ = false, is_over_ = false;
};

Shared::~Shared() {
  loop.cancel(sweeping);
  for (auto& [id, call] : calls) call->drop();
}

}  // namespace

struct HttpClient::State : Shared {
  using Shared::Shared;
};

HttpClient::HttpClient(EventLoop& loop, HttpClientOptions options)
    : state_(std::make_unique<State>(loop, std::move(options))) {}
HttpClient::~HttpClient() = default;

HttpClient::CallId HttpClient::send(HttpRequest request, const HttpLimits& limits, OnBody on_body, Done done) {
  const CallId id = state_->next_id++;
  auto call = std::make_shared<Call>(*state_, id, std::move(request), limits);
  state_->calls.emplace(id, call);
  call->start(std::move(on_body), std::move(done));
  return id;
}

void HttpClient::cancel(CallId id) {
  const auto found = state_->calls.find(id);
  if (found != state_->calls.end()) found->second->fail(ErrorKind::cancelled, "the call was cancelled");
}

}  // namespace qa
