#include "host/browser/page_state.h"

#include <nlohmann/json.hpp>

#include "host/browser/cdp_reply.h"
#include "host/browser/json_fields.h"
#include "host/browser/page_access.h"
#include "host/browser/tape_track.h"

namespace qa {
namespace {

constexpr int kSetUpMs = 20000;
constexpr int kPingMs = 500;

/// Chromium answers with these sentences, and no code of their own, when a document goes away under a command.
bool is_context_gone(const std::string& message) {
  for (const char* text :
       {"context was destroyed", "Cannot find context", "navigated or closed", "Cannot find default execution context",
        "uniqueContextId not found", "Promise was collected"}) {
    if (message.find(text) != std::string::npos) return true;
  }
  return false;
}

bool is_session_gone(const std::string& message) { return message.find("Session with given id") != std::string::npos; }

}  // namespace

std::string emulation(const PageOptions& options) {
  return dump_json({{"width", options.width},
                    {"height", options.height},
                    {"deviceScaleFactor", options.scale},
                    {"mobile", false},
                    {"screenWidth", options.width},
                    {"screenHeight", options.height}});
}

std::string touch_emulation(bool is_on) { return dump_json({{"enabled", is_on}, {"maxTouchPoints", 5}}); }

Page::State::State(std::shared_ptr<Browser> browser_handle, std::shared_ptr<Browser::State> browser_state,
                   PageOptions page_options, std::string target_id, std::string session_id)
    : loop(browser_state->loop),
      browser(std::move(browser_handle)),
      host(std::move(browser_state)),
      cdp(host->cdp),
      options(page_options),
      target(std::move(target_id)),
      session(std::move(session_id)),
      health(std::make_shared<HealthMonitor>(loop, cdp, options.health)),
      input(loop, cdp, session),
      captures(std::make_shared<CaptureQueue>(loop, cdp, session)),
      scene(std::make_unique<Scene>(loop, cdp, session, captures,
                                    [this] {
                                      const WorldContext* context = contexts.find(target, true);
                                      return context != nullptr ? context->unique_id : std::string();
                                    })),
      navigation(*this),
      requests(cdp) {
  if (options.clock) clock = std::make_unique<GameClock>(*this, *options.clock);
}

void Page::State::set_up(Callback<Unit> done) {
  input.guard(weak_from_this(), [this](const std::string& op) { return refusal(op); });
  if (clock) {
    const GameTime time{
        clock->least_hold_ms(), [this] { return clock->now_ms(); },
        [this](double ms, bool is_seen, std::function<void()> then) { clock->pause(ms, is_seen, std::move(then)); },
        [this](GameClock::Turn turn) { clock->take_turn(std::move(turn)); }, [this] { return clock->is_thawed(); }};
    input.use_time(time);
    scene->use_time(time);
    health->use_time(time.now_ms);
  }
  open_session(session, {"page", target, ""});
  cdp->send(session, "Emulation.setDeviceMetricsOverride", emulation(options));
  cdp->send(session, "Emulation.setFocusEmulationEnabled", R"({"enabled":true})");
  if (options.touch) cdp->send(session, "Emulation.setTouchEmulationEnabled", touch_emulation(true));
  cdp->send(session, "Runtime.runIfWaitingForDebugger");
  // Commands of a session are answered in order: this answer says that all of the above took effect.
  cdp->call(session, "Page.getFrameTree", "", kSetUpMs,
            [self = shared_from_this(), done = std::move(done)](Result<CdpConnection::Reply> reply) {
              if (self->ended) return done(*self->ended);
              if (!reply) return done(reply.error());
              self->give_cookies(done);
            });
}

/// Once a browser, at its first page: later on the server may have given others of the same names.
void Page::State::give_cookies(Callback<Unit> done) {
  const std::string cookies = options.access ? cookie_parameters(options.access->credentials) : "";
  if (cookies.empty() || std::exchange(host->has_cookies, true)) return done(Unit{});
  cdp->call(session, "Network.setCookies", cookies, kSetUpMs,
            [done = std::move(done)](Result<CdpConnection::Reply> reply) {
              if (reply) return done(Unit{});
              Error error = reply.error();
              if (error.kind == ErrorKind::cdp_error) error.message = "the browser refuses a cookie of --cookie-file";
              done(std::move(error));
            });
}

void Page::State::open_session(const std::string& id, Session facts) {
  const std::string type = facts.type;
  sessions[id] = std::move(facts);
  if (type != "worker") requests.attach(id);  // A worker's requests arrive on its frame's session.
  cdp->on_events(id, [weak = weak_from_this(), id](std::string_view method, const Json& params, std::string base64) {
    if (auto self = weak.lock()) self->on_event(id, method, params, std::move(base64));
  });
  if (type == "service_worker") return;
  if (type != "worker") {
    cdp->send(id, "Page.enable");
    cdp->send(id, "Page.setLifecycleEventsEnabled", R"({"enabled":true})");
    cdp->send(id, "Page.addScriptToEvaluateOnNewDocument",
              dump_json({{"source", options.hold_scroll ? page_function("hold_scroll") : ""},
                         {"worldName", kHostWorld},
                         {"runImmediately", true}}));
    if (clock) {
      cdp->send(id, "Runtime.addBinding", dump_json({{"name", GameClock::kBinding}}));
      run_first(id, clock->script());
      // Of the documents' timelines: animations stand still from their first moment on, until the clock moves them.
      cdp->send(id, "Animation.enable");
      cdp->send(id, "Animation.setPlaybackRate", R"({"playbackRate":0})");
      // What a page makes of a time does not depend on the machine. Refused where another frame of its process has it.
      cdp->send(id, "Emulation.setTimezoneOverride", R"({"timezoneId":"UTC"})");
      cdp->send(id, "Emulation.setLocaleOverride", R"({"locale":"en-US"})");
    }
    run_first(id, page_function("pointer_lock"));
    if (options.tap_text) run_first(id, page_function("text_tap"));
    if (options.count_draws) run_first(id, page_function("draw_tap"));
    if (!gamepad.empty()) show_gamepad(id, [](const Result<Unit>&) {});
  }
  health->attach(id, type);
  // What a service worker answers depends on what it kept from earlier, and on real time.
  if (type != "worker" && clock) cdp->send(id, "Network.setBypassServiceWorker", R"({"bypass":true})");
  if (type == "worker" && clock) {
    // The functions of a worker's global scope are there only when its script begins.
    cdp->send(id, "Debugger.enable");
    cdp->send(id, "Debugger.setInstrumentationBreakpoint", R"({"instrumentation":"beforeScriptExecution"})");
  }
  cdp->send(id, "Target.setAutoAttach", R"({"autoAttach":true,"waitForDebuggerOnStart":true,"flatten":true})");
}

void Page::State::run_first(const std::string& id, std::string_view source) {
  cdp->send(id, "Page.addScriptToEvaluateOnNewDocument", dump_json({{"source", source}, {"runImmediately", true}}));
}

void Page::State::on_event(const std::string& from, std::string_view method, const Json& params, std::string base64) {
  const auto self = shared_from_this();
  if (ended || requests.on_event(from, method, params)) return;
  health->on_event(from, method, params);
  if (method.starts_with("Page.frame") || method == "Page.navigatedWithinDocument") only_frame.reset();
  if (method == "Target.attachedToTarget") return on_attached(from, params);
  if (method == "Target.detachedFromTarget") return close_session(text_of(params, "sessionId"));
  if (method == "Inspector.targetCrashed") return on_crash(from);
  if (method == "Input.dragIntercepted" || method == "Page.javascriptDialogOpening") input.on_event(method, params);
  if (method == "Debugger.paused" && clock) return begin_worker(from);
  if (method == "Runtime.bindingCalled" && clock) return clock->on_told(from, params);
  if (method.starts_with("Runtime.executionContext")) return contexts.on_event(from, method, params);
  if (from != session) return;
  if (method == "Page.screencastFrame") return scene->on_frame(params, std::move(base64));
  if (method == "Page.windowOpen") opened_window = text_of(params, "url");
  navigation.on_event(method, params);
}

void Page::State::on_attached(const std::string& from, const Json& params) {
  const Json& info = nested_field(params, "targetInfo");
  const std::string id = text_of(params, "sessionId");
  const std::string type = text_of(info, "type");
  if (id.empty()) return;
  if (type == "page") return host->on_page_target(id, info);
  const bool is_held = type == "service_worker" && requests.is_active();
  if (type != "iframe" && type != "worker" && !is_held) return host->let_go(id);
  only_frame.reset();
  open_session(id, {type, text_of(info, "targetId"), from});
  cdp->send(id, "Runtime.runIfWaitingForDebugger");
}

void Page::State::begin_worker(const std::string& id) {
  cdp->send(id, "Runtime.addBinding", dump_json({{"name", GameClock::kBinding}}));
  cdp->send(id, "Runtime.evaluate", dump_json({{"expression", clock->worker_script()}}));
  cdp->send(id, "Debugger.disable");  // Lets it run, too.
}

void Page::State::close_session(const std::string& id) {
  if (id == session || sessions.erase(id) == 0) return;
  cdp->on_events(id, {});
  contexts.drop_session(id);
  requests.detach(id);
  health->detach(id);
  if (clock) clock->drop_session(id);
  cdp->fail_session(id, {ErrorKind::js_error, "the frame or worker went away", "", R"({"context_destroyed":true})"});
}

void Page::State::on_crash(const std::string& from) {
  contexts.drop_session(from);
  const Error error{ErrorKind::page_crashed, "the page crashed; navigate to start it again", "", ""};
  // Chromium never answers what a crashed renderer was asked.
  if (from == session) captures->fail(error);
  cdp->fail_session(from, error);
  if (from != session) return;
  crashed = true;
  scene->fail(error);
  navigation.fail(error);
}

void Page::State::end(const Error& why) {
  if (ended) return;
  const auto self = shared_from_this();
  ended = why;
  loop.post([self] { self->requests.set_tape(nullptr); });  // Other worlds ask what it was asking.
  navigation.fail(why);
  scene->fail(why);
  captures->fail(why);
  for (const auto& [id, facts] : std::exchange(sessions, {})) {
    health->detach(id);
    if (cdp->lost()) continue;
    cdp->on_events(id, {});
    cdp->fail_session(id, why);
  }
  host->remove_page(target);
}

std::optional<Error> Page::State::refusal(const std::string& op, bool revivable) const {
  std::optional<Error> error;
  if (ended) {
    error = *ended;
  } else if (host->loss) {
    error = *host->loss;
  } else if (crashed && !revivable) {
    error = Error{ErrorKind::page_crashed, "the page crashed; navigate to start it again", "", ""};
  }
  if (error) error->op = op;
  return error;
}

void Page::State::call(const std::string& op, const std::string& to, const std::string& method,
                       const std::string& params, int timeout_ms, Callback<CdpConnection::Reply> done) {
  if (auto error = refusal(op)) {
    return loop.post([error = std::move(*error), done = std::move(done)] { done(error); });
  }
  auto answered = [self = shared_from_this(), op, to, done = std::move(done)](Result<CdpConnection::Reply> reply) {
    if (reply) return done(std::move(reply));
    Error error = reply.error();
    error.op = op;
    if (error.kind == ErrorKind::browser_lost && self->host->loss) {
      error.message = self->host->loss->message;
      error.detail = self->host->loss->detail;
    } else if (error.kind == ErrorKind::cdp_error && is_context_gone(error.message)) {
      error.kind = ErrorKind::js_error;
      error.detail = R"({"context_destroyed":true})";
    } else if (error.kind == ErrorKind::cdp_error && is_session_gone(error.message)) {
      error.kind = to == self->session ? ErrorKind::page_closed : ErrorKind::js_error;
      error.detail = to == self->session ? "" : R"({"context_destroyed":true})";
    } else if (error.kind == ErrorKind::timeout) {
      return self->explain_silence(op, to, std::move(error), [done](Error why) { done(std::move(why)); });
    }
    done(std::move(error));
  };
  if (method == "Page.captureScreenshot" && to == session) {
    // It would not be given before the page answers again.
    if (health->hangs_in_script()) return explain_silence(op, to, {}, answered);
    return captures->capture(params, timeout_ms, std::move(answered));
  }
  cdp->call(to, method, params, timeout_ms, std::move(answered));
}

void Page::State::explain_silence(const std::string& op, const std::string& to, Error error,
                                  std::function<void(Error)> done) {
  if (auto refused = refusal(op)) return done(std::move(*refused));
  if (health->dialog_open()) {
    return done({ErrorKind::dialog_blocked, "a dialog is open and holds the page", op, ""});
  }
  const Error hung{ErrorKind::page_hung, "the page does not answer; its script may be in an endless loop", op, ""};
  if (health->hung()) return done(hung);
  cdp->call(to, "Runtime.evaluate", R"({"expression":"1","returnByValue":true})", kPingMs,
            [self = shared_from_this(), op, error = std::move(error), hung,
             done = std::move(done)](Result<CdpConnection::Reply> reply) {
              if (auto refused = self->refusal(op)) return done(std::move(*refused));
              done(reply || reply.error().kind != ErrorKind::timeout ? error : hung);
            });
}

std::string Page::State::session_of(const std::string& frame) const {
  if (frame.empty() || frame == target) return session;
  for (const auto& [id, facts] : sessions) {
    if (facts.target == frame && !facts.type.ends_with("worker")) return id;
  }
  const WorldContext* context = contexts.find(frame, false);
  return context != nullptr ? context->session : "";
}

}  // namespace qa
