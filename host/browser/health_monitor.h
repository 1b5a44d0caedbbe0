#pragma once
// HealthMonitor: what went wrong on a page, from CDP events alone and from before the first navigation. Fed by the page
// with every event of its sessions (top-level target, out-of-process iframes, workers). Answers dialogs, watches the
// renderer's heartbeat, and recognises storms and loops. Events are kept in a ring (1,000) with counters, so that a
// flood costs bounded memory. Text is page text: callers escape it before showing it. Loop thread only.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "host/browser/cdp_connection.h"

namespace qa {

struct HealthLimits {
  int beat_ms = 1000,
      hang_ms = 6000;          ///< How often the renderer is asked for a sign of life; how long it may be silent.
  int grace_extensions = 3;    ///< How often it is given hang_ms more while it waits for a processor.
  int reload_loop_loads = 4;   ///< More loads of one address than this, by the page itself ...
  int reload_loop_ms = 10000;  ///< ... within this time are a reload loop.
};

class HealthMonitor {
 public:
  HealthMonitor(EventLoop& loop, std::shared_ptr<CdpConnection> cdp, HealthLimits limits = {});
  ~HealthMonitor();

  /// From now on the time within which dialogs, loads and messages are a storm, a loop or a flood; the loop's until
  /// then.
  void use_time(std::function<double()> now_ms);
  /// Sends the enable commands (Runtime, Network, Log, Page, Inspector ... as the target type allows: "page", "iframe",
  /// "worker") on a session that was just attached. The first "page" session is the one whose heartbeat is watched.
  void attach(const std::string& session, const std::string& target_type);
  void detach(const std::string& session);

  /// Every event of every session of the page goes through here first.
  void on_event(const std::string& session, std::string_view method, const Json& params);

  /// The host is about to navigate (or reload): the navigation that follows is neither a redirect nor a reload loop.
  /// `url` sets the origin that later navigations are compared with.
  void expect_navigation(const std::string& url);
  /// Adds an event that the page itself saw (popup, download ...).
  void add(const std::string& kind, const std::string& message, const Json& detail);
  /// The renderer crashed: event "crash", summary().crashed.
  bool crashed() const;
  bool hung() const;
  /// It is, and not because its picture takes long to draw.
  bool hangs_in_script() const;
  /// Dialogs came faster than a player could close them (event "dialog_storm").
  bool storms() const;
  bool dialog_open() const;

  /// {counts{kind: n}, requests_in_flight, network_idle_ms, loading: bool, navigations, dialogs, crashed, hung,
  /// hung_drawing,
  ///  webgl_lost, dropped_events, main_status, main_url, last_seq}
  Json summary() const;

  /// Events with seq > after, oldest first: {seq, t_ms, kind, message, url?, line?, detail{}}. Kinds: exception
  /// console_error console_warning request_failed dialog dialog_storm crash hang webgl_lost redirect navigation
  /// reload_loop popup worker_exception download. The detail of a hang says which process worked while the page was
  /// silent, in processors: {renderer_cpu, gpu_cpu} (a script that does not end, or a picture that takes long).
  Json events_after(std::int64_t after) const;

  /// The next event with seq > after and of this kind ("" for any), waiting at most timeout_ms (error timeout).
  void next_event(std::int64_t after, std::string kind, int timeout_ms, Callback<Json> done);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace qa
