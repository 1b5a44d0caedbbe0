#pragma once
// HealthMonitor: the Health of one page, fed by the page with every event of its sessions (top-level target,
// out-of-process iframes, workers). Attached before the first navigation. Answers dialogs, watches the renderer's
// heartbeat, and recognises storms and loops. Loop thread only.

#include <memory>
#include <string>

#include "host/browser/cdp_connection.h"
#include "host/browser/health.h"

namespace qa {

class HealthMonitor : public Health {
 public:
  HealthMonitor(EventLoop& loop, std::shared_ptr<CdpConnection> cdp, HealthLimits limits = {});
  ~HealthMonitor() override;

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
  bool dialog_open() const;

  Json summary() const override;
  Json events_after(std::int64_t after) const override;
  void next_event(std::int64_t after, std::string kind, int timeout_ms, Callback<Json> done) override;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace qa
