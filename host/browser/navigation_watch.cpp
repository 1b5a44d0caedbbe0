#include "host/browser/navigation_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/browser/json_fields.h"
#include "host/net/http_url.h"

namespace qa {
namespace {

constexpr std::size_t kVisitedLimit = 256;

std::string without_www(const std::string& host) { return host.starts_with("www.") ? host.substr(4) : host; }

std::string without_hash(const std::string& url) { return url.substr(0, url.find('#')); }

}  // namespace

std::string url_origin(std::string_view url) {
  if (url.substr(0, 5) == "blob:") url.remove_prefix(5);
  const std::size_t colon = url.find("://");
  if (colon == std::string_view::npos || colon == 0 || url.substr(0, 5) == "data:") return "null";
  std::string_view authority = url.substr(colon + 3);
  authority = authority.substr(0, authority.find_first_of("/?#\\"));
  if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) authority.remove_prefix(at + 1);
  if (authority.empty()) return "null";
  std::string origin(url.substr(0, colon + 3));
  origin += authority;
  std::transform(origin.begin(), origin.end(), origin.begin(), [](unsigned char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : static_cast<char>(c);
  });
  for (const auto& [scheme, port] : {std::pair{"http://", ":80"}, std::pair{"https://", ":443"}}) {
    if (origin.starts_with(scheme) && origin.ends_with(port)) origin.resize(origin.rfind(':'));
  }
  return origin;
}

bool tolerates_move(std::string_view from_origin, std::string_view to_origin) {
  if (from_origin == to_origin) return true;
  const auto from = parse_http_url(from_origin), to = parse_http_url(to_origin);
  if (!from || !to || without_www(from->authority()) != without_www(to->authority())) return false;
  return from->is_https == to->is_https || to->is_https;
}

void NavigationWatch::expect(const std::string& url) {
  expected_ = true;
  wanted_ = url.empty() ? url_ : url;
  wanted_loader_.clear();
  reason_.clear();
  loop_reported_ = false;
  visits_.clear();
}

void NavigationWatch::requested_document(std::string_view url, std::string_view loader) {
  if (expected_ && wanted_loader_.empty() && without_hash(std::string(url)) == without_hash(wanted_))
    wanted_loader_ = loader;
}

/// A page that leaves at once for another process may be gone before Chromium tells that it was there.
bool NavigationWatch::skipped_own_commit(const nlohmann::json& frame) const {
  const std::string_view loader = text_field(frame, "loaderId");
  return expected_ && !wanted_loader_.empty() && !loader.empty() && loader != wanted_loader_;
}

HealthEvent NavigationWatch::redirect_event(const std::string& from, const std::string& to, const char* by) const {
  return {"redirect", "the page moved from " + from + " to " + to, to, 0,
          dump_json({{"from", from}, {"to", url_origin(to)}, {"by", by}, {"reason", reason_}})};
}

/// Does somebody who plays make the page move, by a link or a form of its own? (CDP ClientNavigationReason)
bool NavigationWatch::is_by_user() const { return reason_ == "anchorClick" || reason_.rfind("formSubmission", 0) == 0; }

bool NavigationWatch::loops(const std::string& url, double now) {
  if (visits_.size() >= kVisitedLimit) visits_.clear();
  auto& times = visits_[without_hash(url)];
  times.push_back(now);
  std::erase_if(times, [&](double time) { return now - time > limits_.reload_loop_ms; });
  if (static_cast<int>(times.size()) <= limits_.reload_loop_loads || loop_reported_) return false;
  return loop_reported_ = true;
}

std::vector<HealthEvent> NavigationWatch::committed(const nlohmann::json& frame, double now) {
  if (skipped_own_commit(frame)) {
    expected_ = false;
    url_ = wanted_;
    home_ = url_origin(wanted_);
    ++count_;
  }
  // An error page stands for the address that could not be reached.
  const std::string_view unreachable = text_field(frame, "unreachableUrl");
  const std::string url(unreachable.empty() ? text_field(frame, "url") : unreachable);
  const std::string before = std::exchange(url_, url);
  const std::string origin = url_origin(url);
  const bool was_expected = std::exchange(expected_, false);
  const bool is_first = home_.empty() || home_ == "null";
  ++count_;
  std::vector<HealthEvent> events;
  if (was_expected || is_first) {
    const std::string wanted = url_origin(wanted_);
    if (was_expected && wanted != "null" && origin != "null" && !tolerates_move(wanted, origin)) {
      events.push_back(redirect_event(wanted, url, "server"));
    }
    home_ = origin;
  } else {
    events.push_back({"navigation", "the page navigated to " + url, url, 0,
                      dump_json({{"from", before}, {"by", "page"}, {"reason", reason_}})});
    const bool is_blank = url.starts_with("about:blank");
    if (is_blank || (origin != "null" && !tolerates_move(home_, origin))) {
      events.push_back(redirect_event(home_, url, "page"));
      home_ = origin;
    }
    if (!is_by_user() && loops(url, now)) {
      const std::string message = fmt::format("the page loaded itself more than {} times within {:g} s",
                                              limits_.reload_loop_loads, limits_.reload_loop_ms / 1000.0);
      events.push_back({"reload_loop", message, url, 0, dump_json({{"navigations", count_}, {"reason", reason_}})});
    }
  }
  reason_.clear();
  return events;
}

}  // namespace qa
