#include "host/browser/network_activity.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/browser/json_fields.h"
#include "host/browser/navigation_watch.h"

namespace qa {
namespace {

using Json = nlohmann::json;

constexpr double kLongRequestMs = 10000;
constexpr double kUnansweredMs = 8000;
constexpr std::size_t kRequestLimit = 20000;

bool stays_open(std::string_view type, std::string_view url) {
  return type == "WebSocket" || type == "EventSource" || type == "Ping" || url.starts_with("data:");
}

/// Failures that say nothing about the game: beacons, and preflights, whose request reports itself.
bool is_silent(std::string_view type) { return type == "Preflight" || type == "Ping" || type == "CSPViolationReport"; }

/// Browsers ask for it on their own; a game without one is fine.
bool is_favicon(std::string_view url) {
  const std::string_view path = url.substr(0, url.find_first_of("?#"));
  return path.ends_with("/favicon.ico");
}

}  // namespace

void NetworkActivity::restart(double now) {
  ended_ms_ = now;
  main_status_ = 0;
}

void NetworkActivity::set_main(std::string session, std::string frame) {
  main_session_ = std::move(session);
  main_frame_ = std::move(frame);
}

std::string NetworkActivity::key_of(const std::string& session, const Json& params) const {
  const std::string id(text_field(params, "requestId"));
  std::string key = session + ' ' + id;
  if (requests_.count(key) != 0 || id.find('.') != std::string::npos) return key;
  // The document of an out-of-process frame begins on its parent's session and ends on its own; such ids are unique.
  const std::string suffix = ' ' + id;
  for (const auto& [other, request] : requests_) {
    if (other.ends_with(suffix)) return other;
  }
  return key;
}

std::optional<HealthEvent> NetworkActivity::on_event(const std::string& session, std::string_view method,
                                                     const Json& params, double now) {
  if (method == "Network.requestWillBeSent") {
    begin(session, params, now);
  } else if (method == "Network.responseReceived") {
    return answered(key_of(session, params), params);
  } else if (method == "Network.loadingFinished") {
    end(key_of(session, params), now);
  } else if (method == "Network.loadingFailed") {
    const std::string key = key_of(session, params);
    auto event = failed(key, params);
    end(key, now);
    return event;
  }
  return std::nullopt;
}

void NetworkActivity::begin(const std::string& session, const Json& params, double now) {
  const std::string key = session + ' ' + std::string(text_field(params, "requestId"));
  const Json& sent = nested_field(params, "request");
  Request request;
  request.url = text_field(sent, "url");
  request.type = text_field(params, "type");
  request.document = text_field(params, "documentURL");
  request.session = session;
  request.start_ms = now;
  request.counts = !stays_open(request.type, request.url);
  request.main = request.type == "Document" && session == main_session_ &&
                 (main_frame_.empty() || text_field(params, "frameId") == main_frame_);
  if (requests_.size() >= kRequestLimit && requests_.count(key) == 0) return;
  // A redirect comes with the id of the request that it continues, so the entry is replaced.
  requests_[key] = std::move(request);
}

void NetworkActivity::end(const std::string& id, double now) {
  const auto found = requests_.find(id);
  if (found == requests_.end()) return;
  if (found->second.counts) ended_ms_ = std::max(ended_ms_, std::min(now, found->second.start_ms + kLongRequestMs));
  requests_.erase(found);
}

HealthEvent NetworkActivity::failure(const Request& request, std::string message, Json detail) const {
  detail["type"] = request.type;
  detail["main"] = request.main;
  const std::string home = url_origin(request.main ? request.url : request.document);
  detail["same_origin"] = home == url_origin(request.url);
  return HealthEvent{"request_failed", std::move(message), request.url, 0, dump_json(detail)};
}

std::optional<HealthEvent> NetworkActivity::answered(const std::string& id, const Json& params) {
  const Json& response = nested_field(params, "response");
  // A parser's early request can be answered without its beginning having been told: the answer names the URL too.
  Request untold;
  untold.url = text_field(response, "url");
  untold.document = untold.url;
  const auto found = requests_.find(id);
  Request& request = found != requests_.end() ? found->second : untold;
  request.is_answered = true;
  const int status = static_cast<int>(number_field(response, "status"));
  if (const auto type = text_field(params, "type"); !type.empty()) request.type = type;
  if (stays_open(request.type, request.url)) request.counts = false;
  if (request.main) main_status_ = status;
  if (status < 400 || request.reported || is_silent(request.type) || is_favicon(request.url)) return std::nullopt;
  request.reported = true;
  return failure(request, "HTTP " + std::to_string(status) + " for " + request.url, {{"status", status}});
}

std::vector<HealthEvent> NetworkActivity::unanswered(double now) {
  std::vector<HealthEvent> events;
  for (auto& [id, request] : requests_) {
    const bool is_due = request.counts && !request.is_answered && now - request.start_ms > kUnansweredMs;
    if (!is_due || request.reported || is_silent(request.type) || is_favicon(request.url)) continue;
    request.reported = true;
    events.push_back(failure(request, fmt::format("no answer within {:g} s for {}", kUnansweredMs / 1000, request.url),
                             {{"status", 0}, {"net_error", "no answer"}}));
  }
  return events;
}

std::optional<HealthEvent> NetworkActivity::failed(const std::string& id, const Json& params) {
  const auto found = requests_.find(id);
  const std::string_view reason = text_field(params, "errorText");
  if (found == requests_.end() || flag_field(params, "canceled") || reason == "net::ERR_ABORTED") return std::nullopt;
  const Request& request = found->second;
  if (request.reported || is_silent(request.type) || is_favicon(request.url)) return std::nullopt;
  Json detail = {{"status", 0}, {"net_error", reason}};
  if (const auto blocked = text_field(params, "blockedReason"); !blocked.empty()) detail["blocked"] = blocked;
  const auto cors = text_field(nested_field(params, "corsErrorStatus"), "corsError");
  if (!cors.empty()) detail["cors"] = cors;
  return failure(request, std::string(reason) + " for " + request.url, std::move(detail));
}

void NetworkActivity::forget_session(const std::string& session) {
  std::erase_if(requests_, [&](const auto& entry) { return entry.second.session == session; });
}

int NetworkActivity::in_flight(double now) const {
  return static_cast<int>(std::count_if(requests_.begin(), requests_.end(), [now](const auto& entry) {
    return entry.second.counts && now - entry.second.start_ms < kLongRequestMs;
  }));
}

double NetworkActivity::idle_ms(double now) const {
  double ended = ended_ms_;
  for (const auto& [id, request] : requests_) {
    if (!request.counts) continue;
    if (now - request.start_ms < kLongRequestMs) return 0;
    ended = std::max(ended, request.start_ms + kLongRequestMs);
  }
  return now - ended;
}

}  // namespace qa
