#include "host/browser/cdp_connection.h"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "host/browser/cdp_frame.h"
#include "host/browser/cdp_reply.h"
#include "host/browser/json_fields.h"
#include "host/json_guard.h"

namespace qa {
namespace {

namespace asio = boost::asio;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxQueuedBytes = std::size_t{64} << 20;
constexpr std::size_t kPoolParseBytes = std::size_t{256} << 10;
constexpr int kMaxMalformed = 3;
constexpr int kUnheardMs = 30000;  ///< A command is forgotten then, whose answer nobody needs.

Error lost_error(const std::string& message) { return {ErrorKind::browser_lost, message, "", ""}; }

Error reply_error(const Json& error, const std::string& method) {
  Json detail{{"method", method}};
  std::string message = "no reason given";
  if (const Json* code = find_field(error, "code"); code && code->is_number_integer()) detail["code"] = *code;
  if (const auto data = text_field(error, "data"); !data.empty()) detail["data"] = data;
  if (const auto text = text_field(error, "message"); !text.empty()) message = text;
  return {ErrorKind::cdp_error, method + " failed: " + message, "", dump_json(detail)};
}

}  // namespace

struct CdpConnection::State : std::enable_shared_from_this<State> {
  struct Pending {
    std::string session, method;
    Callback<Reply> done;
    Clock::time_point deadline;
    int timeout_ms = 0;
  };

  State(EventLoop& event_loop, std::shared_ptr<MessageWire> message_wire, std::string peer_name)
      : loop(event_loop), wire(std::move(message_wire)), peer(std::move(peer_name)), timer(loop.io()) {}

  EventLoop& loop;
  std::shared_ptr<MessageWire> wire;
  const std::string peer;
  asio::steady_timer timer;
  Clock::time_point timer_at = Clock::time_point::max();

  std::int64_t next_id = 1;
  std::map<std::int64_t, Pending> pending;
  std::set<std::pair<Clock::time_point, std::int64_t>> deadlines;
  std::unordered_map<std::string, std::shared_ptr<EventHandler>> routes;
  std::function<void(const Error&)> lost_handler;
  Error loss;

  bool holding = false, parsing = false, closed = false, is_lost = false;
  int malformed = 0;

  // ---- Reading.

  void start() {
    wire->on_readable([weak = weak_from_this()] {
      if (auto self = weak.lock(); self && !self->closed) self->process();
    });
    wire->read();
  }

  /// Handles complete frames in order. A large one is parsed on the pool, and everything behind it waits.
  void process() {
    while (!closed && !parsing) {
      auto frame = wire->next();
      if (!frame) break;
      handle(std::move(*frame));
    }
    if (closed || parsing) return;
    if (wire->end()) {
      lose(*wire->end());
    } else {
      wire->read();
    }
  }

  void handle(WireMessage frame) {
    const auto id = leading_id(frame.text);
    const auto call = id ? pending.find(*id) : pending.end();
    if (frame.too_large) {
      if (call == pending.end()) return;
      finish(*id, Error{ErrorKind::cdp_too_large, call->second.method + " answered with more than 128 MiB", "", ""});
      return;
    }
    std::string base64;
    if (call != pending.end() && call->second.method == "Page.captureScreenshot") {
      base64 = cut_screenshot(frame.text);
    } else if (!id) {
      base64 = cut_screencast(frame.text);
    }
    const auto result = call != pending.end() ? reply_result(frame.text) : std::nullopt;
    if (result && result->size() <= kPoolParseBytes) {
      // Most of what comes: no tree is made of what is known.
      if (*result == "{}") return finish(*id, Reply{Json::object(), std::move(base64)});
      std::string text(*result);
      auto parsed = parse_foreign_json(text);
      if (parsed && parsed->is_object()) return finish(*id, Reply{std::move(*parsed), std::move(base64)});
    }
    if (frame.text.size() > kPoolParseBytes) {
      if (id && call == pending.end()) return;  // A late answer: nobody waits for it.
      parse_on_pool(std::move(frame.text), std::move(base64), id);
    } else {
      dispatch(parse_foreign_json(frame.text), std::move(base64), id);
    }
  }

  void parse_on_pool(std::string text, std::string base64, std::optional<std::int64_t> id) {
    struct Work {
      std::string text, base64;
      Result<Json> parsed = Json();
    };
    auto work = std::make_shared<Work>();
    work->text = std::move(text);
    work->base64 = std::move(base64);
    parsing = true;
    loop.compute([work] { work->parsed = parse_foreign_json(work->text); },
                 [self = shared_from_this(), work, id] {
                   self->parsing = false;
                   if (self->closed) return;
                   self->dispatch(std::move(work->parsed), std::move(work->base64), id);
                   self->process();
                 });
  }

  // ---- Dispatch. The wire is not trusted: every type is checked.

  void dispatch(Result<Json> parsed, std::string base64, std::optional<std::int64_t> leading) {
    bool good = false;
    if (parsed && parsed->is_object()) {
      good = parsed->contains("id") ? dispatch_reply(*parsed, std::move(base64))
                                    : dispatch_event(*parsed, std::move(base64));
    }
    if (good) return;
    // A value of the page that nests deeper than can be read is an error of its call, and not the browser's.
    if (!parsed && parsed.error().kind == ErrorKind::cdp_too_large) {
      if (leading && pending.count(*leading) != 0) finish(*leading, parsed.error());
      return;
    }
    ++malformed;
    if (leading && pending.count(*leading) != 0) {
      finish(*leading, Error{ErrorKind::cdp_error, "the browser sent an answer that is no DevTools message", "", ""});
    }
    if (malformed >= kMaxMalformed) lose(lost_error("the browser sent 3 messages that are no DevTools messages"));
  }

  bool dispatch_reply(Json& message, std::string base64) {
    const Json& id_value = message["id"];
    if (!id_value.is_number_integer()) return false;
    const auto id = id_value.get<std::int64_t>();
    const auto call = pending.find(id);
    if (const auto error = message.find("error"); error != message.end()) {
      if (call != pending.end()) finish(id, reply_error(*error, call->second.method));
      return true;
    }
    const auto result = message.find("result");
    if (result == message.end() || !result->is_object()) return false;
    if (call != pending.end()) finish(id, Reply{std::move(*result), std::move(base64)});
    return true;
  }

  bool dispatch_event(Json& message, std::string base64) {
    const auto method = message.find("method");
    // Chromium's answer to a command that it could not read has neither id nor method.
    if (method == message.end()) return message.contains("error");
    if (!method->is_string()) return false;
    const auto session = message.find("sessionId");
    if (session != message.end() && !session->is_string()) return false;
    Json& params = message["params"];
    if (params.is_null()) params = Json::object();
    if (!params.is_object()) return false;
    const auto route = routes.find(text_of(message, "sessionId"));
    if (route == routes.end()) return true;
    const auto handler = route->second;  // It may remove or replace itself.
    (*handler)(message["method"].get_ref<const std::string&>(), params, std::move(base64));
    return true;
  }

  // ---- Calls and their deadlines.

  void finish(std::int64_t id, Result<Reply> result) {
    auto call = pending.extract(id);
    deadlines.erase({call.mapped().deadline, id});
    call.mapped().done(std::move(result));
  }

  /// One timer for all calls. It may fire early, when the call it was set for has been answered.
  void set_timer() {
    if (deadlines.empty() || deadlines.begin()->first >= timer_at) return;
    timer_at = deadlines.begin()->first;
    timer.expires_at(timer_at);
    timer.async_wait([self = shared_from_this()](const boost::system::error_code& failed) {
      if (failed || self->closed) return;
      self->timer_at = Clock::time_point::max();
      self->expire();
      if (!self->closed) self->set_timer();
    });
  }

  void expire() {
    const auto now = Clock::now();
    while (!closed && !deadlines.empty() && deadlines.begin()->first <= now) {
      const std::int64_t id = deadlines.begin()->second;
      const Pending& call = pending.at(id);
      finish(id, Error{ErrorKind::timeout,
                       call.method + " did not answer within " + std::to_string(call.timeout_ms) + " ms", "",
                       dump_json({{"method", call.method}})});
    }
  }

  void post_failures(std::vector<Callback<Reply>> calls, const Error& error) {
    if (calls.empty()) return;
    loop.post([calls = std::move(calls), error] {
      for (const auto& done : calls) done(error);
    });
  }

  // ---- The end.

  void lose(Error error) {
    if (closed) return;
    if (!peer.empty()) error.message = peer + " is lost: " + error.message;
    is_lost = true;
    shut(error);
    loop.post([self = shared_from_this()] { self->report_loss(); });
  }

  void report_loss() {
    if (!is_lost || !lost_handler) return;
    std::exchange(lost_handler, nullptr)(loss);
  }

  void shut(const Error& error) {
    closed = true;
    loss = error;
    wire->close();
    timer.cancel();
    deadlines.clear();
    routes.clear();
    std::vector<Callback<Reply>> calls;
    for (auto& [id, call] : std::exchange(pending, {})) calls.push_back(std::move(call.done));
    post_failures(std::move(calls), error);
  }
};

CdpConnection::CdpConnection(EventLoop& loop, std::shared_ptr<MessageWire> wire, std::string peer)
    : state_(std::make_shared<State>(loop, std::move(wire), std::move(peer))) {
  state_->start();
}

CdpConnection::~CdpConnection() {
  state_->lost_handler = nullptr;
  close();
}

void CdpConnection::call(std::string_view session, std::string_view method, std::string_view params, int timeout_ms,
                         Callback<Reply> done) {
  State& state = *state_;
  if (state.closed) return state.post_failures({std::move(done)}, state.loss);
  const std::int64_t id = state.next_id++;
  std::string command = compose_command(id, session, method, params);
  if (state.wire->queued_bytes() + command.size() > kMaxQueuedBytes) {
    const Error full{ErrorKind::cdp_error, "64 MiB of commands are waiting: the browser has stopped reading", "", ""};
    return state.post_failures({std::move(done)}, full);
  }
  const int wait_ms = std::max(timeout_ms, 1);
  const auto deadline = Clock::now() + std::chrono::milliseconds(wait_ms);
  state.pending.emplace(id,
                        State::Pending{std::string(session), std::string(method), std::move(done), deadline, wait_ms});
  state.deadlines.emplace(deadline, id);
  state.set_timer();
  state.wire->queue(std::move(command));
  if (!state.holding) state.wire->flush();
}

void CdpConnection::send(std::string_view session, std::string_view method, std::string_view params) {
  call(session, method, params, kUnheardMs, [](const Result<Reply>&) {});
}

void CdpConnection::together(const std::function<void()>& calls) {
  const auto state = state_;
  const bool is_first = !std::exchange(state->holding, true);
  calls();
  if (!is_first) return;
  state->holding = false;
  if (!state->closed) state->wire->flush();
}

void CdpConnection::on_events(std::string_view session, EventHandler handler) {
  if (!handler) {
    state_->routes.erase(std::string(session));
  } else if (!state_->closed) {
    state_->routes.insert_or_assign(std::string(session), std::make_shared<EventHandler>(std::move(handler)));
  }
}

void CdpConnection::fail_session(std::string_view session, const Error& error) {
  std::vector<Callback<Reply>> calls;
  for (auto at = state_->pending.begin(); at != state_->pending.end();) {
    if (at->second.session == session) {
      state_->deadlines.erase({at->second.deadline, at->first});
      calls.push_back(std::move(at->second.done));
      at = state_->pending.erase(at);
    } else {
      ++at;
    }
  }
  state_->post_failures(std::move(calls), error);
}

void CdpConnection::on_lost(std::function<void(const Error&)> handler) {
  state_->lost_handler = std::move(handler);
  if (state_->is_lost) state_->loop.post([state = state_] { state->report_loss(); });
}

bool CdpConnection::lost() const { return state_->closed; }

const Error& CdpConnection::loss() const { return state_->loss; }

void CdpConnection::close(std::optional<Error> why) {
  if (!state_->closed) state_->shut(why ? *why : lost_error("the connection to the browser was closed"));
}

int CdpConnection::malformed_count() const { return state_->malformed; }

std::uint64_t CdpConnection::received_bytes() const { return state_->wire->received(); }

}  // namespace qa
