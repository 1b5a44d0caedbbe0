#include "host/browser/browser.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "host/browser/browser_state.h"
#include "host/browser/cdp_frame.h"
#include "host/browser/cdp_reply.h"
#include "host/browser/json_fields.h"
#include "host/browser/page_state.h"
#include "host/text.h"

namespace qa {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr int kLaunchMs = 30000;
/// A process of this machine is seen to end; of another machine only silence tells, which is found within 10 s.
constexpr int kBeatMs = 5000, kRemoteBeatMs = 3000;
constexpr int kMissesAllowed = 2;
constexpr int kCloseMs = 1500;
constexpr std::size_t kStderrShown = 4096;

/// A folder of its own for each browser, so that several share one run directory.
Result<std::string> make_folder(const std::string& parent) {
  std::string name = (parent.empty() ? fs::temp_directory_path().string() : parent) + "/chromium-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) {
    return Error{ErrorKind::browser_launch_failed, "cannot make a folder for the browser in " + parent,
                 "browser.launch", ""};
  }
  return name;
}

std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of("\r\n");
  if (end == std::string::npos) return "";
  const std::size_t start = text.rfind('\n', end) + 1;  // 0 for the first one.
  return text.substr(start, end + 1 - start);
}

Error launch_failure(const Browser::State& state, const Error& why) {
  const BrowserProcess& process = *state.process;
  const std::string log = process.stderr_tail(kStderrShown);
  std::string message = "the browser " + state.info.path + " ";
  message += process.exited() ? process.exit_text() : "did not answer (" + why.message + ")";
  if (const std::string line = last_line(log); !line.empty()) message += ": " + terminal_safe(line.substr(0, 300));
  Json detail = Json::parse(process.exit_detail(), nullptr, false);
  detail["path"] = state.info.path;
  detail["stderr"] = log;
  return {ErrorKind::browser_launch_failed, message, "browser.launch", dump_json(detail)};
}

}  // namespace

Browser::Browser() = default;

Browser::~Browser() { kill(); }

std::weak_ptr<Browser> Browser::launch(EventLoop& loop, LaunchOptions options,
                                       Callback<std::shared_ptr<Browser>> done) {
  auto refuse = [&loop, done](Error error) {
    loop.post([error = std::move(error), done] { done(error); });
    return std::weak_ptr<Browser>();
  };
  auto folder = make_folder(options.directory);
  if (!folder) return refuse(folder.error());
  options.directory = *folder;
  auto started = launch_browser(options);
  if (!started) {
    std::error_code ignored;
    fs::remove_all(*folder, ignored);
    return refuse(started.error());
  }
  std::shared_ptr<Browser> browser(new Browser());
  browser->state_ = std::make_shared<State>(loop);
  browser->state_->handle = browser;
  browser->state_->info.headless = !options.headed;
  // The handle lives in the completion until the handshake is over.
  browser->state_->launched = [browser, done = std::move(done)](Result<std::shared_ptr<Browser>> result) {
    done(std::move(result));
  };
  browser->state_->start(std::move(*started), *folder);
  return browser;
}

void Browser::State::start(LaunchedBrowser started, const std::string& folder) {
  info.path = started.path;
  info.no_sandbox = started.no_sandbox;
  info.pid = started.pid;
  process = std::make_unique<BrowserProcess>(loop, started.pid, started.stderr_fd, folder);
  const std::weak_ptr<State> weak = weak_from_this();
  process->on_exit([weak] {
    if (auto self = weak.lock()) self->process_exited();
  });
  attach(make_pipe_wire(loop, started.to_browser, started.from_browser));
  handshake();
}

void Browser::State::attach(std::shared_ptr<MessageWire> wire) {
  cdp = std::make_shared<CdpConnection>(loop, std::move(wire), info.remote ? info.remote->described() : "");
  const std::weak_ptr<State> weak = weak_from_this();
  cdp->on_lost([weak](const Error& error) {
    if (auto self = weak.lock()) self->lose(error);
  });
  cdp->on_events("", [weak](std::string_view method, const Json& params, const std::string&) {
    if (auto self = weak.lock()) self->on_event(method, params);
  });
}

void Browser::State::handshake() {
  const auto self = shared_from_this();
  cdp->call("", "Browser.getVersion", "", kLaunchMs, [self](Result<CdpConnection::Reply> reply) {
    // A pipe that ends says less than the exit that follows it: process_exited() reports that one.
    if (!reply && reply.error().kind == ErrorKind::browser_lost) return;
    if (!reply) return self->finish_launch(reply.error());
    self->info.product = text_of(reply->result, "product");
    self->info.protocol = text_of(reply->result, "protocolVersion");
  });
  deny_downloads("");
  cdp->call("", "Target.setAutoAttach", R"({"autoAttach":true,"waitForDebuggerOnStart":true,"flatten":true})",
            kLaunchMs, [self](Result<CdpConnection::Reply> reply) {
              if (reply) return self->finish_launch(Unit{});
              if (reply.error().kind != ErrorKind::browser_lost) self->finish_launch(reply.error());
            });
}

void Browser::State::finish_launch(Result<Unit> outcome) {
  if (!launched) return;
  const auto done = std::exchange(launched, nullptr);
  if (outcome) {
    beat();
    return done(handle.lock());
  }
  const Error error = process ? launch_failure(*this, outcome.error()) : outcome.error();
  begin_close();
  // The caller hears of it when nothing is left running.
  close_waiters.push_back([done, error](Result<Unit>) { done(error); });
  if (gone) finish_close();
}

void Browser::State::beat() {
  const int beat_ms = process ? kBeatMs : kRemoteBeatMs;
  heartbeat = loop.after(milliseconds(beat_ms), [weak = weak_from_this(), beat_ms] {
    auto self = weak.lock();
    if (!self || self->loss) return;
    const auto before = self->cdp->received_bytes();
    self->cdp->call("", "Browser.getVersion", "", beat_ms - 500, [self, before](Result<CdpConnection::Reply> reply) {
      if (self->loss || self->closing) return;
      // A large answer on a slow line holds this one up, and is a sign of life itself.
      const bool is_silent = !reply && self->cdp->received_bytes() == before;
      self->missed_beats = is_silent ? self->missed_beats + 1 : 0;
      if (self->missed_beats < kMissesAllowed) return;
      self->lose({ErrorKind::browser_lost,
                  (self->info.remote ? self->info.remote->described() : "the browser") + " does not answer any more",
                  "", R"({"frozen":true,"how":"heartbeat"})"});
    });
    self->beat();
  });
}

void Browser::State::lose(const Error& error) {
  if (loss) return;
  const auto self = shared_from_this();
  loss = error;
  loss->kind = ErrorKind::browser_lost;
  loop.cancel(heartbeat);
  if (!process) return lose_remote();
  process->kill_group();
  cdp->close(*loss);
  forget_pages(*loss);
  if (gone) return;
  if (process->exited()) process_exited();
}

/// Always comes last: after the group was killed, whatever the reason.
void Browser::State::process_exited() {
  if (gone) return;
  const auto self = shared_from_this();
  gone = true;
  loop.cancel(kill_timer);
  const Error error{ErrorKind::browser_lost, "the browser " + process->exit_text(), "", process->exit_detail()};
  if (!loss) lose(error);
  // The end of the pipe was seen first; the exit says why. A frozen browser was killed by us.
  if (!closing && loss->detail.find("frozen") == std::string::npos) {
    loss->message = error.message;
    loss->detail = error.detail;
  }
  if (launched) return finish_launch(error);
  finish_close();
}

void Browser::State::forget_pages(const Error& error) {
  for (OpenPage& open : std::exchange(pages, {})) open.state->end(error);
  for (auto& [id, request] : std::exchange(opening, {})) {
    loop.cancel(request.timer);
    loop.post([done = std::move(request.done), error] { done(error); });
  }
  unclaimed.clear();
}

void Browser::State::begin_close() {
  if (closing) return;
  closing = true;
  loop.cancel(heartbeat);
  const Error closed{ErrorKind::page_closed, "the browser was closed", "", ""};
  forget_pages(closed);
  if (!process) return close_remote();
  if (loss) return;
  cdp->send("", "Browser.close");
  kill_timer = loop.after(milliseconds(kCloseMs), [self = shared_from_this()] { self->process->kill_group(); });
}

void Browser::State::finish_close() {
  const auto finished = [self = shared_from_this()] {
    for (auto& waiter : std::exchange(self->close_waiters, {})) waiter(Unit{});
  };
  process ? process->remove_folder(finished) : loop.post(finished);
}

const BrowserInfo& Browser::info() const { return state_->info; }
Error Browser::loss() const { return state_->loss ? *state_->loss : state_->cdp->loss(); }
bool Browser::lost() const { return state_->loss || state_->cdp->lost(); }

std::vector<std::shared_ptr<Page>> Browser::pages() const {
  std::vector<std::shared_ptr<Page>> list;
  for (const auto& open : state_->pages) list.push_back(open.page);
  return list;
}

void Browser::close(Callback<Unit> done) {
  const auto state = state_;
  if (state->gone && !state->process) return state->loop.post([done = std::move(done)] { done(Unit{}); });
  if (state->gone) {
    // The folder may still be on its way out; asking again is harmless and waits for it.
    return state->process->remove_folder([done = std::move(done)] { done(Unit{}); });
  }
  state->close_waiters.push_back(std::move(done));
  state->begin_close();
}

void Browser::kill() {
  if (!state_ || std::exchange(state_->killed, true)) return;
  const auto state = state_;
  Error error{ErrorKind::browser_lost, "the browser was killed", "", ""};
  state->loop.cancel(state->heartbeat);
  state->loop.cancel(state->kill_timer);
  if (!state->loss) state->loss = error;
  state->gone = state->closing = true;
  if (state->process) state->process->destroy_now();
  if (state->source) state->source->release([] {});
  if (state->cdp) state->cdp->on_lost({}), state->cdp->close();
  state->forget_pages(error);
  if (state->launched) state->loop.post([done = std::exchange(state->launched, nullptr), error] { done(error); });
  for (auto& waiter : std::exchange(state->close_waiters, {})) {
    state->loop.post([waiter = std::move(waiter)] { waiter(Unit{}); });
  }
}

}  // namespace qa
