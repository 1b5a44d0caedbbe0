#include "host/browser/request_interceptor.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/base64.h"
#include "host/browser/cdp_reply.h"
#include "host/browser/json_fields.h"
#include "host/browser/tape_track.h"
#include "host/json_text.h"

namespace qa {
namespace {

constexpr int kAnswerMs = 60000;             // A large body takes its time on a slow line.
constexpr int kBodyMs = 10000;               // An answer that takes longer is meant to go on.
constexpr std::size_t kMostWaiting = 20000;  // A page may ask faster than it is answered.
constexpr std::size_t kMostUnderWay = std::size_t{4} << 20;
constexpr std::size_t kChallengesKept = 1000;

PausedRequest paused_request(const Json& params) {
  const Json& request = nested_field(params, "request");
  PausedRequest paused{text_of(request, "url"),
                       text_of(request, "method"),
                       text_of(params, "resourceType"),
                       text_of(params, "frameId"),
                       {},
                       text_of(request, "postData"),
                       text_of(params, "networkId")};
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

struct RequestInterceptor::Recorded {
  TapeTrack::Decision asked;
  std::string range, network;
  std::string failure;  ///< The network failed; the browser may yet ask once more by itself.
};

RequestInterceptor::RequestInterceptor(std::shared_ptr<CdpConnection> cdp) : cdp_(std::move(cdp)) {}
RequestInterceptor::~RequestInterceptor() = default;
void RequestInterceptor::set_tape(std::unique_ptr<TapeTrack> track) {
  tape_ = std::move(track);
  recorded_.clear();
}

std::vector<std::string> RequestInterceptor::patterns() const {
  std::vector<std::string> all;
  if (tape_) all = {"http://*", "https://*"};
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
  } else if (tape_ && method.starts_with("Network.loadingF")) {
    // Finished or failed; others want to hear of it, too.
    const std::string_view network = text_field(params, "requestId");
    if (!delivering_.empty() && network == delivering_) end_delivery();
    if (const auto left = find_recorded(network); left != recorded_.end()) end_unanswered(left);
    return false;
  } else {
    return false;
  }
  return true;
}

RequestInterceptor::RecordedRequests::iterator RequestInterceptor::find_recorded(std::string_view network) {
  return std::find_if(recorded_.begin(), recorded_.end(),
                      [&](const auto& entry) { return entry.second->network == network; });
}

/// The page got a failure, or stopped asking before there was an answer.
void RequestInterceptor::end_unanswered(RecordedRequests::iterator left) {
  const auto node = recorded_.extract(left);
  const Recorded& recorded = *node.mapped();
  if (recorded.failure.empty()) return tape_->give_up(recorded.asked, "");
  TapeResponse response;
  response.failure = recorded.failure;
  tape_->keep(recorded.asked, std::move(response), [this] { tape_->on_delivered(); });
}

std::optional<RequestAnswer> RequestInterceptor::answer_of(const PausedRequest& paused) const {
  for (const RequestRule& rule : rules_) {
    if (auto answer = rule.answer(paused)) return answer;
  }
  return std::nullopt;
}

std::optional<RequestAnswer> RequestInterceptor::answer_here(const std::string& url) const {
  auto found = answer_of({url, "GET", "Other", "", {}, "", ""});
  return found && found->status != 0 ? std::move(found) : std::nullopt;
}

void RequestInterceptor::on_paused(const std::string& session, const Json& params) {
  const std::string request = text_of(params, "requestId");
  if (params.contains("responseStatusCode") || params.contains("responseErrorReason")) {
    return on_answered(session, params);
  }
  // A preloaded font, say: the browser's own second attempt is the same request to the page.
  if (const auto again = find_recorded(text_field(params, "networkId"));
      again != recorded_.end() && !again->second->failure.empty()) {
    auto node = recorded_.extract(again);
    node.mapped()->failure.clear();
    node.key() = session + ' ' + request;
    recorded_.insert(std::move(node));
    return answer_by_rules({session, request, paused_request(params)});
  }
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
  if (!tape_) return answer_by_rules(waiting);
  tape_->ask(waiting.paused, [this, waiting](TapeTrack::Decision decision) {
    const bool is_redirect = decision.answer.status / 100 == 3, is_of_page = !waiting.paused.network.empty();
    switch (decision.way) {
      case TapeTrack::Way::pass:
        return answer_by_rules(waiting);
      case TapeTrack::Way::fail:
        delivering_ = waiting.paused.network;
        return fail(waiting.session, waiting.request, decision.failure);
      case TapeTrack::Way::answer:
        if (is_of_page) delivering_ = waiting.paused.network;
        fulfil(waiting.session, waiting.request,
               {decision.answer.status, std::move(decision.answer.headers), std::move(decision.answer.body)});
        if (is_redirect && is_of_page) end_delivery();
        return;
      case TapeTrack::Way::record:
        const std::string range(waiting.paused.header("Range"));
        recorded_[waiting.session + ' ' + waiting.request] =
            std::make_unique<Recorded>(Recorded{std::move(decision), range, waiting.paused.network, ""});
        return answer_by_rules(waiting);
    }
  });
}

void RequestInterceptor::answer_by_rules(const Waiting& waiting) {
  auto answer = answer_of(waiting.paused);
  if (answer && answer->status != 0) return fulfil(waiting.session, waiting.request, *answer);
  const auto recorded = recorded_.find(waiting.session + ' ' + waiting.request);
  HttpHeaders headers = answer ? std::move(answer->headers) : waiting.paused.headers;
  const bool takes_whole = recorded != recorded_.end() && !recorded->second->range.empty();
  if (takes_whole)
    std::erase_if(headers, [](const auto& header) { return equal_ignoring_case(header.first, "range"); });
  go_on(waiting.session, waiting.request, answer || takes_whole ? &headers : nullptr, recorded != recorded_.end());
}

void RequestInterceptor::go_on(const std::string& session, const std::string& request, const HttpHeaders* headers,
                               bool is_recorded) {
  std::string members;
  ObjectText object(members);
  object.text("requestId", request);
  if (headers != nullptr) append_headers(object, "headers", *headers);
  if (is_recorded) object.raw("interceptResponse", "true");
  object.close();
  send(session, request, "Fetch.continueRequest", std::move(members));
}

void RequestInterceptor::fulfil(const std::string& session, const std::string& request, const RequestAnswer& answer) {
  std::string members;
  ObjectText object(members);
  object.text("requestId", request);
  object.number("responseCode", answer.status);
  append_headers(object, "responseHeaders", answer.headers);
  // Base64 needs no escaping.
  object.key("body").append("\"").append(encode_base64(answer.body)).append("\"");
  object.close();
  const std::size_t size = answer.body.size();
  under_way_ += size;
  send(session, request, "Fetch.fulfillRequest", std::move(members), [this, size] {
    under_way_ -= size;
    answer_next();
  });
}

void RequestInterceptor::on_answered(const std::string& session, const Json& params) {
  const std::string request = text_of(params, "requestId");
  const auto found = recorded_.find(session + ' ' + request);
  if (found == recorded_.end()) return go_on(session, request, nullptr, false);
  if (const std::string failure = text_of(params, "responseErrorReason"); !failure.empty()) {
    found->second->failure = failure;
    return go_on(session, request, nullptr, false);
  }
  TapeResponse response;
  response.status = static_cast<int>(number_field(params, "responseStatusCode"));
  std::string length, type, location;
  for (const Json& header : nested_field(params, "responseHeaders")) {
    const std::string name = text_of(header, "name"), value = text_of(header, "value");
    if (equal_ignoring_case(name, "content-length")) length = value;
    if (equal_ignoring_case(name, "content-type")) type = value;
    if (equal_ignoring_case(name, "location")) location = value;
    // The body is kept as the page gets it: whole, and not compressed.
    const bool is_of_transfer = equal_ignoring_case(name, "content-length") ||
                                equal_ignoring_case(name, "content-encoding") ||
                                equal_ignoring_case(name, "transfer-encoding");
    if (!is_of_transfer) response.headers.emplace_back(name, value);
  }
  const bool is_stream = type.starts_with("text/event-stream") || type.starts_with("multipart/");
  if (is_stream || std::strtoull(length.c_str(), nullptr, 10) > kMostBody) {
    const auto node = recorded_.extract(found);
    tape_->give_up(node.mapped()->asked, is_stream ? "a stream has no end that could be taped" : "it is too large");
    return go_on(session, request, nullptr, false);
  }
  const bool is_redirect = response.status / 100 == 3 && !location.empty();
  is_redirect ? record(session, request, std::move(response)) : take_body(session, request, std::move(response));
}

void RequestInterceptor::take_body(const std::string& session, const std::string& request, TapeResponse response) {
  cdp_->call(session, "Fetch.getResponseBody", dump_json({{"requestId", request}}), kBodyMs,
             [this, alive = std::weak_ptr(alive_), session, request,
              response = std::move(response)](const Result<CdpConnection::Reply>& reply) mutable {
               if (alive.expired()) return;
               const auto found = recorded_.find(session + ' ' + request);
               if (found == recorded_.end()) return;
               if (!reply) {
                 tape_->give_up(found->second->asked, "it did not end: " + reply.error().message);
                 recorded_.erase(found);
                 return fail(session, request);
               }
               std::string body = text_of(reply->result, "body");
               if (flag_field(reply->result, "base64Encoded")) body = decode_base64(body).value_or("");
               response.body = std::make_shared<const std::string>(std::move(body));
               record(session, request, std::move(response));
             });
}

/// Also the page that asked the network gets what the tape has, so that it is as any later one.
void RequestInterceptor::record(const std::string& session, const std::string& request, TapeResponse response) {
  const auto node = recorded_.extract(session + ' ' + request);
  const Recorded& recorded = *node.mapped();
  const TapeResponse copy = response;
  tape_->keep(recorded.asked, std::move(response),
              [this, session, request, copy, range = recorded.range, network = recorded.network] {
                delivering_ = network;
                if (copy.body) {
                  TapePart part = cut_range(copy, range);
                  return fulfil(session, request, {part.status, std::move(part.headers), std::move(part.body)});
                }
                go_on(session, request, nullptr, false);
                end_delivery();
              });
}

void RequestInterceptor::end_delivery() {
  delivering_.clear();
  tape_->on_delivered();
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
               if (reply || reply.error().kind != ErrorKind::cdp_error) return;
               if (const auto node = recorded_.extract(session + ' ' + request))
                 tape_->give_up(node.mapped()->asked, "");
               fail(session, request);
             });
}

void RequestInterceptor::fail(const std::string& session, const std::string& request, const std::string& reason) {
  cdp_->send(session, "Fetch.failRequest", dump_json({{"requestId", request}, {"errorReason", reason}}));
}

}  // namespace qa
