#pragma once
// NavigationWatch: which main-frame navigations the host asked for and which the page made by itself, to another origin
// or again and again. Pure state; the caller gives the time.

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "host/browser/event_ring.h"
#include "host/browser/health_monitor.h"

namespace qa {

/// "scheme://host[:port]" in lower case without default port; "null" for about:, data: and what has no host.
std::string url_origin(std::string_view url);

/// Equal hosts apart from "www." where the scheme is equal or http became https: how sites usually move a visitor.
bool tolerates_move(std::string_view from_origin, std::string_view to_origin);

class NavigationWatch {
 public:
  explicit NavigationWatch(const HealthLimits& limits = {}) : limits_(limits) {}

  /// The next commit is the host's own; its origin is what later ones are compared with.
  void expect(const std::string& url);
  /// Page.frameRequestedNavigation of the main frame: why the page navigates.
  void requested(std::string_view reason) { reason_ = reason; }
  /// The first request for a document of the main frame: tells the host's own load from one that the page begins.
  void requested_document(std::string_view url, std::string_view loader);
  /// Page.frameNavigated of the main frame. Gives navigation, redirect and reload_loop events.
  std::vector<HealthEvent> committed(const nlohmann::json& frame, double now);
  /// Page.navigatedWithinDocument of the main frame.
  void moved_within(std::string_view url) { url_ = url; }

  const std::string& url() const { return url_; }
  int count() const { return count_; }

 private:
  HealthEvent redirect_event(const std::string& from, const std::string& to, const char* by) const;
  bool skipped_own_commit(const nlohmann::json& frame) const;
  bool is_by_user() const;
  bool loops(const std::string& url, double now);

  const HealthLimits limits_;
  std::string url_, home_, wanted_, wanted_loader_, reason_;
  bool expected_ = false, loop_reported_ = false;
  std::map<std::string, std::vector<double>> visits_;
  int count_ = 0;
};

}  // namespace qa
