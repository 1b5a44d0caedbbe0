#include "host/browser/health_monitor.h"

#include <deque>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "host/browser/cdp_reply.h"
#include "host/browser/console_text.h"
#include "host/browser/event_ring.h"
#include "host/browser/json_fields.h"
#include "host/browser/navigation_watch.h"
#include "host/browser/network_activity.h"
#include "host/text.h"

namespace qa {
namespace {

constexpr int kEnableTimeoutMs = 30000;
constexpr int kFloodMessages = 1000;  ///< Console messages of one second whose text is still read.
constexpr double kFloodWindowMs = 1000;
constexpr std::size_t kStormDialogs = 5;
constexpr double kStormWindowMs = 2000;
/// A page that asks until it is told something is told what may be a name as well as a number.
constexpr std::string_view kAnswer = "1";
/// Long, so that the answer of a page that recovers after minutes is still recognised.
constexpr int kLifeSignMs = 120000;
constexpr int kProcessInfoMs = 2000;
constexpr std::chrono::milliseconds kProcessorLook{1000};  ///< How long processor time is measured of a silent page.
/// Share of that time in which a thread that draws the page stood in the queue for a processor, beyond which silence
/// proves nothing yet.
constexpr double kStarved = 0.3;
constexpr double kWorks = 0.1;  // Processors: less is no work.
constexpr std::string_view kContextLost = "CONTEXT_LOST_WEBGL";
/// The bodies that Chromium keeps for us are bounded: games may load hundreds of megabytes.
constexpr const char* kNetworkLimits = R"({"maxTotalBufferSize":33554432,"maxResourceBufferSize":8388608})";

/// Adds the seconds that each thread of a process has waited for a processor so far: the second figure of schedstat, in
/// ns (Linux, Documentation/scheduler/sched-stats.rst). Nothing where the kernel does not tell.
void add_queued_seconds(int pid, std::map<std::string, double>& by_thread) {
  std::error_code failed;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task", failed)) {
    double running = 0, queued = 0;
    std::ifstream file(thread.path() / "schedstat");
    if (file >> running >> queued) by_thread[thread.path().filename()] = queued / 1e9;
  }
}

/// The seconds of the thread that waited longest between two looks.
double longest_queue(const std::map<std::string, double>& before, const std::map<std::string, double>& after) {
  double longest = 0;
  for (const auto& [thread, seconds] : after) {
    const auto known = before.find(thread);
    if (known != before.end()) longest = std::max(longest, seconds - known->second);
  }
  return longest;
}

}  // namespace

struct HealthMonitor::State : std::enable_shared_from_this<HealthMonitor::State> {
  State(EventLoop& event_loop, std::shared_ptr<CdpConnection> connection, HealthLimits of_health)
      : loop(event_loop), limits(of_health), cdp(std::move(connection)), ring(loop), navigation(limits) {}

  EventLoop& loop;
  std::function<double()> now_ms = [this] { return loop.now_ms(); };  ///< Of windows; the heartbeat's is real.
  const HealthLimits limits;
  std::shared_ptr<CdpConnection> cdp;
  EventRing ring;
  NetworkActivity network;
  NavigationWatch navigation;
  std::map<std::string, std::string> sessions;  ///< id -> target type
  std::string main_session, main_frame;
  bool crashed = false, webgl_lost = false, loading = false;
  bool dialog_open = false, storm_reported = false;
  int dialog_count = 0;
  double dialog_closed_ms = 0;
  std::deque<double> recent_dialogs;
  double flood_since = 0;
  int flood_count = 0;

  // The heartbeat asks the renderer for a sign of life. Its silence is classified when that has lasted for too long: a
  // renderer that gets no processor is no hung one.
  EventLoop::TimerId beat_timer = 0;
  bool is_waiting = false, is_classifying = false, hung = false;
  bool is_drawing = false;  ///< Of a page that hangs: the GPU process works more than the renderers do.
  int round = 0;            ///< Answers to an earlier one count no more.
  double asked_ms = 0, beat_at_ms = 0;
  int grace_extensions = 0;
  double extended_at_ms = 0;
  /// Processor seconds, all threads, since the browser started.
  struct ProcessorTimes {
    double at_ms = 0, renderer = 0, gpu = 0;
    std::map<std::string, double> queued;  ///< By thread.
  };

  void attach(const std::string& session, const std::string& type) {
    sessions[session] = type;
    const bool page_like = type == "page" || type == "iframe";
    cdp->send(session, "Runtime.enable");
    cdp->send(session, "Network.enable", kNetworkLimits);
    cdp->send(session, "Log.enable");
    if (page_like) {
      cdp->send(session, "Page.enable");
      cdp->send(session, "Inspector.enable");
    }
    if (type != "page" || !main_session.empty()) return;
    main_session = session;
    network.set_main(session, "");
    network.restart(loop.now_ms());
    find_main_frame();
    beat_at_ms = loop.now_ms();
    beat_soon();
  }

  void find_main_frame() {
    cdp->call(main_session, "Page.getFrameTree", "", kEnableTimeoutMs,
              [weak = weak_from_this()](const Result<CdpConnection::Reply>& reply) {
                auto self = weak.lock();
                if (!self || !reply || !self->main_frame.empty()) return;
                const Json& frame = nested_field(nested_field(reply->result, "frameTree"), "frame");
                self->main_frame = text_field(frame, "id");
                self->network.set_main(self->main_session, self->main_frame);
              });
  }

  bool is_worker(const std::string& session) const {
    const auto found = sessions.find(session);
    return found != sessions.end() && found->second != "page" && found->second != "iframe";
  }

  /// True when this second has seen so many messages that reading more of them would cost more than it tells.
  bool is_flood() {
    const double now = now_ms();
    if (now - flood_since > kFloodWindowMs) {
      flood_since = now;
      flood_count = 0;
    }
    return ++flood_count > kFloodMessages;
  }

  void note_webgl(const std::string& text, const std::string& url) {
    if (webgl_lost || text.find(kContextLost) == std::string::npos) return;
    webgl_lost = true;
    ring.push({"webgl_lost", text, url, 0});
  }

  void on_runtime(const std::string& session, std::string_view method, const Json& params) {
    if (method == "Runtime.exceptionThrown") {
      const std::string kind = is_worker(session) ? "worker_exception" : "exception";
      if (is_flood()) return ring.count_only(kind);
      ring.push(exception_event(params, kind));
    } else if (method == "Runtime.consoleAPICalled") {
      const std::string_view type = text_field(params, "type");
      const bool error = type == "error" || type == "assert";
      if (!error && type != "warning") {
        is_flood();
        return;
      }
      const std::string kind = error ? "console_error" : "console_warning";
      if (is_flood()) return ring.count_only(kind);
      HealthEvent event = console_event(params, kind);
      note_webgl(event.message, event.url);
      ring.push(std::move(event));
    }
  }

  void on_log(const Json& params) {
    const Json& entry = nested_field(params, "entry");
    const std::string_view level = text_field(entry, "level"), source = text_field(entry, "source");
    const std::string kind = level == "error" ? "console_error" : "console_warning";
    // Network errors come with more facts as request_failed.
    if ((level != "error" && level != "warning") || source == "network") return;
    if (is_flood()) return ring.count_only(kind);
    HealthEvent event = log_event(entry, kind);
    note_webgl(event.message, event.url);
    ring.push(std::move(event));
  }

  /// Answers at once, since an open dialog stops the whole page: confirm and beforeunload are accepted, alert is
  /// dismissed, prompt gets its default.
  void on_dialog(const std::string& session, const Json& params) {
    const double now = now_ms();
    const std::string type = text_of(params, "type"), url = text_of(params, "url");
    dialog_open = true;
    ++dialog_count;
    // "accept" is what dismisses an alert; for a prompt it needs the default spelt out, or the page would read "".
    Json answer = {{"accept", true}};
    const std::string_view proposed = text_field(params, "defaultPrompt");
    if (type == "prompt") answer["promptText"] = proposed.empty() ? kAnswer : proposed;
    cdp->send(session, "Page.handleJavaScriptDialog", dump_json(answer));

    const std::string message = truncate_text(text_field(params, "message"), 4096);
    Json facts = {{"type", type}, {"message", truncate_text(message, 400)}};
    ring.push({"dialog", message, url, 0, dump_json(facts)});
    recent_dialogs.push_back(now);
    while (now - recent_dialogs.front() > kStormWindowMs) recent_dialogs.pop_front();
    if (recent_dialogs.size() <= kStormDialogs || storm_reported) return;
    storm_reported = true;
    facts["dialogs"] = dialog_count;
    ring.push({"dialog_storm", "the page opened more than 5 dialogs within 2 s", url, 0, dump_json(facts)});
  }

  void dialog_over() {
    dialog_open = false;
    dialog_closed_ms = loop.now_ms();
  }

  void on_page(const std::string& session, std::string_view method, const Json& params) {
    if (method == "Page.javascriptDialogOpening") {
      on_dialog(session, params);
    } else if (method == "Page.javascriptDialogClosed") {
      dialog_over();
    } else if (session == main_session) {
      on_main_frame(method, params);
    }
  }

  void on_request(const std::string& session, const Json& params) {
    if (session != main_session || text_field(params, "type") != "Document") return;
    if (!main_frame.empty() && text_field(params, "frameId") != main_frame) return;
    navigation.requested_document(text_field(nested_field(params, "request"), "url"), text_field(params, "loaderId"));
  }

  void on_main_frame(std::string_view method, const Json& params) {
    const Json& frame = nested_field(params, "frame");
    if (method == "Page.frameNavigated" && text_field(frame, "parentId").empty()) {
      if (main_frame != text_field(frame, "id")) {
        main_frame = text_field(frame, "id");
        network.set_main(main_session, main_frame);
      }
      on_revived();
      webgl_lost = false;
      for (HealthEvent& event : navigation.committed(frame, now_ms())) ring.push(std::move(event));
      return;
    }
    if (main_frame.empty() || text_field(params, "frameId") != main_frame) return;
    if (method == "Page.frameStartedLoading") loading = true;
    if (method == "Page.frameStoppedLoading") loading = false;
    if (method == "Page.frameRequestedNavigation") navigation.requested(text_field(params, "reason"));
    if (method == "Page.navigatedWithinDocument") navigation.moved_within(text_field(params, "url"));
  }

  void on_crash(const std::string& session) {
    const bool main = session == main_session;
    const std::string url = main ? navigation.url() : "";
    if (main && std::exchange(crashed, true)) return;
    if (main) {
      forget_beats();
      dialog_over();
      loading = false;
    }
    network.forget_session(session);
    ring.push({"crash", main ? "the renderer of the page crashed" : "the renderer of a frame crashed", url, 0,
               dump_json({{"main", main}})});
  }

  void beat_soon() {
    beat_timer = loop.after(std::chrono::milliseconds(limits.beat_ms), [weak = weak_from_this()] {
      if (auto self = weak.lock()) self->beat();
    });
  }

  void beat() {
    if (cdp->lost()) return;
    const double now = loop.now_ms();
    for (HealthEvent& event : network.unanswered(now)) ring.push(std::move(event));
    const int silence_ms = std::max(limits.beat_ms, limits.hang_ms - static_cast<int>(kProcessorLook.count()));
    // When this thread itself was held up, answers may lie unread: the renderer is not to blame.
    const bool held_up = now - std::exchange(beat_at_ms, now) > 2.5 * limits.beat_ms;
    const bool is_excused = crashed || dialog_open || now - dialog_closed_ms < kFloodWindowMs;
    if (!is_waiting) {
      ask_for_life();
    } else if (held_up || is_excused) {
      asked_ms = now;
    } else if (!hung && !is_classifying && now - asked_ms >= silence_ms) {
      classify_silence();
    }
    beat_soon();
  }

  void ask_for_life() {
    is_waiting = true;
    asked_ms = loop.now_ms();
    cdp->call(main_session, "Runtime.evaluate", R"({"expression":"1"})", kLifeSignMs,
              [weak = weak_from_this(), asked = round](const Result<CdpConnection::Reply>& reply) {
                auto self = weak.lock();
                if (!self || asked != self->round) return;
                self->is_waiting = false;
                // An error that the renderer sent (navigated away, no context yet) is a sign of life too.
                if (reply || reply.error().kind == ErrorKind::cdp_error) self->hung = false;
              });
  }

  /// The renderer is another one from now on (crash, revival): what is under way counts no more.
  void forget_beats() {
    ++round;
    is_waiting = is_classifying = hung = false;
  }

  /// Which process works while the page is silent? If that is no hang, silence is counted anew.
  void classify_silence() {
    is_classifying = true;
    processor_times([weak = weak_from_this(), asked = round, this](const ProcessorTimes& before) {
      loop.after(kProcessorLook, [weak, asked, before] {
        auto self = weak.lock();
        if (!self) return;
        self->processor_times([asked, before, state = self.get()](const ProcessorTimes& after) {
          const bool is_hung = state->is_hang(before, after);
          if (asked != state->round) return;
          state->is_classifying = false;
          if (!state->is_waiting) return;
          state->hung = is_hung;
          state->asked_ms = state->loop.now_ms();
        });
      });
    });
  }

  /// A page whose processes stood in the queue is given more time. The event of a hang tells a script that does not end
  /// from a picture that takes long to draw.
  bool is_hang(const ProcessorTimes& before, const ProcessorTimes& after) {
    const double now = loop.now_ms(), seconds = std::max(0.001, (after.at_ms - before.at_ms) / 1000);
    if (now - extended_at_ms > 2.0 * limits.hang_ms) grace_extensions = 0;
    if (longest_queue(before.queued, after.queued) / seconds > kStarved && grace_extensions < limits.grace_extensions) {
      ++grace_extensions;
      extended_at_ms = now;
      return false;
    }
    const double renderer_cpu = (after.renderer - before.renderer) / seconds,
                 gpu_cpu = (after.gpu - before.gpu) / seconds;
    is_drawing = gpu_cpu > std::max(kWorks, renderer_cpu);
    const int silent_ms = limits.hang_ms * (grace_extensions + 1);
    grace_extensions = 0;
    ring.push({"hang", "the page's renderer has not answered for " + std::to_string(silent_ms) + " ms",
               navigation.url(), 0, dump_json({{"renderer_cpu", renderer_cpu}, {"gpu_cpu", gpu_cpu}})});
    return true;
  }

  /// Seconds of all renderers and of the GPU process so far; zeros when the browser does not say. `done` runs while
  /// this lives.
  void processor_times(std::function<void(ProcessorTimes)> done) {
    cdp->call("", "SystemInfo.getProcessInfo", "", kProcessInfoMs,
              [weak = weak_from_this(), done = std::move(done)](const Result<CdpConnection::Reply>& reply) {
                auto self = weak.lock();
                if (!self) return;
                ProcessorTimes times;
                times.at_ms = self->loop.now_ms();
                const Json none = Json::object();
                for (const Json& process : nested_field(reply ? reply->result : none, "processInfo")) {
                  const std::string_view type = text_field(process, "type");
                  if (type == "renderer") times.renderer += number_field(process, "cpuTime");
                  if (type == "GPU") times.gpu += number_field(process, "cpuTime");
                  // A renderer waits for the process that draws its picture, too.
                  if (type == "renderer" || type == "GPU")
                    add_queued_seconds(static_cast<int>(number_field(process, "id")), times.queued);
                }
                done(times);
              });
  }

  /// Chromium may leave out frameNavigated for a page that navigates right after its crash, so there are two signs of
  /// new life.
  void on_revived() {
    if (std::exchange(crashed, false)) forget_beats();
  }
};

HealthMonitor::HealthMonitor(EventLoop& loop, std::shared_ptr<CdpConnection> cdp, HealthLimits limits)
    : state_(std::make_shared<State>(loop, std::move(cdp), limits)) {}

HealthMonitor::~HealthMonitor() {
  state_->loop.cancel(state_->beat_timer);
  state_->ring.close({ErrorKind::page_closed, "the page was closed", "page:next_event", ""});
}

void HealthMonitor::use_time(std::function<double()> now_ms) { state_->now_ms = std::move(now_ms); }

void HealthMonitor::attach(const std::string& session, const std::string& target_type) {
  state_->attach(session, target_type);
}

void HealthMonitor::detach(const std::string& session) {
  state_->sessions.erase(session);
  state_->network.forget_session(session);
  if (session == state_->main_session) state_->loop.cancel(state_->beat_timer);
}

void HealthMonitor::on_event(const std::string& session, std::string_view method, const Json& params) {
  if (method.starts_with("Runtime.")) return state_->on_runtime(session, method, params);
  if (method.starts_with("Page.")) return state_->on_page(session, method, params);
  if (method == "Log.entryAdded") return state_->on_log(params);
  if (method == "Inspector.targetCrashed") return state_->on_crash(session);
  if (method == "Inspector.targetReloadedAfterCrash" && session == state_->main_session) return state_->on_revived();
  if (!method.starts_with("Network.")) return;
  if (method == "Network.requestWillBeSent") state_->on_request(session, params);
  auto failure = state_->network.on_event(session, method, params, state_->loop.now_ms());
  if (failure) state_->ring.push(std::move(*failure));
}

void HealthMonitor::expect_navigation(const std::string& url) {
  state_->navigation.expect(url);
  state_->network.restart(state_->loop.now_ms());
  state_->storm_reported = false;
  state_->recent_dialogs.clear();
}

void HealthMonitor::add(const std::string& kind, const std::string& message, const Json& detail) {
  state_->ring.push({kind, message, std::string(text_field(detail, "url")), 0, dump_json(detail)});
}

bool HealthMonitor::crashed() const { return state_->crashed; }
bool HealthMonitor::hung() const { return state_->hung; }
bool HealthMonitor::hangs_in_script() const { return state_->hung && !state_->is_drawing; }
bool HealthMonitor::storms() const { return state_->ring.counts().count("dialog_storm") != 0; }
bool HealthMonitor::dialog_open() const { return state_->dialog_open; }

Json HealthMonitor::summary() const {
  const double now = state_->loop.now_ms();
  return {{"counts", Json(state_->ring.counts())},
          {"requests_in_flight", state_->network.in_flight(now)},
          {"network_idle_ms", state_->network.idle_ms(now)},
          {"loading", state_->loading},
          {"navigations", state_->navigation.count()},
          {"dialogs", state_->dialog_count},
          {"crashed", crashed()},
          {"hung", hung()},
          {"hung_drawing", hung() && state_->is_drawing},
          {"webgl_lost", state_->webgl_lost},
          {"dropped_events", state_->ring.dropped()},
          {"main_status", state_->network.main_status()},
          {"main_url", state_->navigation.url()},
          {"last_seq", state_->ring.last_seq()}};
}

Json HealthMonitor::events_after(std::int64_t after) const { return state_->ring.after(after); }

void HealthMonitor::next_event(std::int64_t after, std::string kind, int timeout_ms, Callback<Json> done) {
  state_->ring.wait(after, std::move(kind), timeout_ms, std::move(done));
}

}  // namespace qa
