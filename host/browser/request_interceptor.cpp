#include "host/browser/request_interceptor.h"

#include <nlohmann/json.hpp>

#include "host/base64.h"
#include "host/browser/cdp_reply.h"
#include "host/browser/json_fields.h"
#include "host/json_text.h"

namespace qa {
namespace {

constexpr int kAnswerMs = 60000;             // A large body takes its time on a slow line.
constexpr std::size_t kMostWaiting = 20000;  // A page may ask faster than it is answered.
constexpr std::size_t kMostUnderWay = std::size_t{4} << 20;
constexpr std::size_t kChallengesKept = 1000;

PausedRequest paused_request(const Json& params) {
  const Json& request = nested_field(params, "request");
  PausedRequest paused{text_of(request, "url"),
                       text_of(request, "method"),
                       text_of(params, "resourceType"),
                       text_of(params, "frameId"),
                       {}};
  for (const auto& [name, value] : nested_field(request, "headers").items()) {
    if (value.is_string()) paused.headers.emplace_back(name, value.get<std::string>());
  }
  return paused;
}

/// `"NAME":[{"name":…,"value":…}…]` as the protocol wants headers.
void append_headers(ObjectText& object, std::string_view name, const HttpHeaders& headers) {
  std::string& text = object.key(name);
  text += '[';
  for (const auto& [header, value] : headers) {
    if (text.back() != '[') text += ',';
    ObjectText entry(text);
    entry.text("name", header);
    entry.text("value", value);
    entry.close();
  }
  text += ']';
}

}  // namespace

std::string_view PausedRequest::header(std::string_view name) const {
  for (const auto& [known, value] : headers) {
    if (equal_ignoring_case(known, name)) return value;
  }
  return {};
}

std::vector<std::string> RequestInterceptor::patterns() const {
  std::vector<std::string> all;
  for (const RequestRule& rule : rules_) {
    for (std::string& pattern : rule.patterns()) all.push_back(std::move(pattern));
  }
  return all;
}

void RequestInterceptor::attach(const std::string& session) {
  sessions_.insert(session);
  refresh();
  if (!enabled_.empty()) enable(session);
}

void RequestInterceptor::refresh() {
  auto wanted = patterns();
  if (wanted == enabled_) return;
  enabled_ = std::move(wanted);
  for (const std::string& session : sessions_) enable(session);
}

void RequestInterceptor::enable(const std::string& session) {
  Json patterns = Json::array();
  for (const std::string& pattern : enabled_) patterns.push_back({{"urlPattern", pattern}});
  bool answers_challenges = false;
  for (const RequestRule& rule : rules_) answers_challenges = answers_challenges || rule.authenticate;
  cdp_->send(session, "Fetch.enable", dump_json({{"patterns", patterns}, {"handleAuthRequests", answers_challenges}}));
}

bool RequestInterceptor::on_event(const std::string& session, std::string_view method, const Json& params) {
  if (method == "Fetch.requestPaused") {
    on_paused(session, params);
  } else if (method == "Fetch.authRequired") {
    on_challenge(session, params);
  } else {
    return false;
  }
  return true;
}

std::optional<RequestAnswer> RequestInterceptor::answer_of(const PausedRequest& paused) const {
  for (const RequestRule& rule : rules_) {
    if (auto answer = rule.answer(paused)) return answer;
  }
  return std::nullopt;
}

std::optional<RequestAnswer> RequestInterceptor::answer_here(const std::string& url) const {
  auto found = answer_of({url, "GET", "Other", "", {}});
  return found && found->status != 0 ? std::move(found) : std::nullopt;
}

void RequestInterceptor::on_paused(const std::string& session, const Json& params) {
  const std::string request = text_of(params, "requestId");
  if (waiting_.size() >= kMostWaiting) return fail(session, request);
  waiting_.push_back({session, request, paused_request(params)});
  answer_next();
}

/// Bodies are read when the browser has taken most of the earlier ones, so that they do not pile up in memory.
void RequestInterceptor::answer_next() {
  while (!waiting_.empty() && under_way_ < kMostUnderWay) {
    const Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    answer(next);
  }
}

void RequestInterceptor::answer(const Waiting& waiting) {
  const auto answer = answer_of(waiting.paused);
  const bool is_fulfilled = answer && answer->status != 0;
  std::string members;
  ObjectText object(members);
  object.text("requestId", waiting.request);
  if (answer && !is_fulfilled) append_headers(object, "headers", answer->headers);
  if (is_fulfilled) {
    object.number("responseCode", answer->status);
    append_headers(object, "responseHeaders", answer->headers);
    // Base64 needs no escaping.
    object.key("body").append("\"").append(encode_base64(answer->body)).append("\"");
  }
  object.close();
  const std::size_t size = is_fulfilled ? answer->body.size() : 0;
  under_way_ += size;
  send(waiting.session, waiting.request, is_fulfilled ? "Fetch.fulfillRequest" : "Fetch.continueRequest",
       std::move(members), [this, size] {
         under_way_ -= size;
         answer_next();
       });
}

void RequestInterceptor::on_challenge(const std::string& session, const Json& params) {
  const Json& asked = nested_field(params, "authChallenge");
  const AuthChallenge challenge{text_of(asked, "origin"), text_of(asked, "scheme")};
  const std::string request = text_of(params, "requestId");
  Json response = {{"response", "Default"}};
  if (text_field(asked, "source") == "Server") {
    for (const RequestRule& rule : rules_) {
      const auto known = rule.authenticate ? rule.authenticate(challenge) : std::nullopt;
      if (!known) continue;
      if (challenged_.size() >= kChallengesKept) challenged_.clear();
      response = {{"response", "CancelAuth"}};
      if (!challenged_.insert(session + ' ' + request).second) break;
      response = {{"response", "ProvideCredentials"}, {"username", known->first}, {"password", known->second}};
      break;
    }
  }
  send(session, request, "Fetch.continueWithAuth",
       dump_json({{"requestId", request}, {"authChallengeResponse", response}}));
}

/// A command that the browser refuses would leave its request waiting for ever. One that is gone meanwhile is fine.
void RequestInterceptor::send(const std::string& session, const std::string& request, std::string_view method,
                              std::string members, std::function<void()> then) {
  cdp_->call(session, method, members, kAnswerMs,
             [this, alive = std::weak_ptr(alive_), session, request, then = std::move(then)](const auto& reply) {
               if (alive.expired()) return;
               if (then) then();
               if (!reply && reply.error().kind == ErrorKind::cdp_error) fail(session, request);
             });
}

void RequestInterceptor::fail(const std::string& session, const std::string& request) {
  cdp_->send(session, "Fetch.failRequest", dump_json({{"requestId", request}, {"errorReason", "Failed"}}));
}

}  // namespace qa
