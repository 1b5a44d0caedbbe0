#include "host/llm/retry.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ctime>

#include "host/llm/dialect.h"

namespace qa {
namespace {

constexpr double kFirstPauseMs = 500, kLongestPauseMs = 8000;
constexpr double kLongestAskedMs = 1e12;  ///< Beyond all use; keeps sums finite.

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc{} || end != text.data() + text.size() || !std::isfinite(value) || value < 0)
    return std::nullopt;
  return std::min(value, kLongestAskedMs);
}

std::string_view header(const HttpResponse& response, std::string_view name) {
  const std::string* value = response.header(name);
  return value ? std::string_view(*value) : std::string_view();
}

bool is_busy(int status) { return status == 408 || status == 409 || status == 425 || status == 429 || status >= 500; }

std::string reason(const ApiError& api) {
  const std::string kind = api.code.empty() ? api.type : api.code;
  return api.message + (kind.empty() ? "" : " [" + kind + "]");
}

std::string advice(int status, const ApiError& api) {
  if (api.about_money() || status == 402) return "the account has no money or quota left; asking again does not help";
  if (status == 401 || status == 403) return "check the key in the environment variable of this endpoint";
  if (status == 404) return "check the endpoint's base_url and model";
  if (status == 413) return "send less: smaller pictures or a shorter text";
  if (status == 400 || status == 422)
    return "the request is not one that this model takes; see its data in models.json";
  return "try later, or another endpoint";
}

}  // namespace

std::optional<double> parse_retry_after(std::string_view value, double now_unix) {
  if (value.empty()) return std::nullopt;
  if (const auto seconds = number(value)) return std::min(*seconds * 1000, kLongestAskedMs);
  std::tm date{};
  const std::string text(value);
  const char* end = ::strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &date);
  if (end == nullptr || *end != '\0') return std::nullopt;
  const double wait = (static_cast<double>(::timegm(&date)) - now_unix) * 1000;
  return wait < 0 ? std::nullopt : std::optional<double>(wait);
}

Verdict judge_answer(const HttpResponse& response, double now_unix) {
  const int status = response.status;
  Verdict verdict;
  if (status >= 200 && status < 300) {
    verdict.ok = true;
    return verdict;
  }
  if (status >= 300 && status < 400) {
    verdict.error = {
        ErrorKind::llm_unavailable,
        fmt::format("the endpoint redirects ({}) elsewhere; a key is not sent after it: set base_url to where it "
                    "really answers",
                    status)};
    return verdict;
  }
  const ApiError api = read_api_error(response.body);
  const bool money = api.about_money() || status == 402;
  const std::string_view should_retry = header(response, "x-should-retry");
  verdict.again = is_busy(status) && !money;
  if (should_retry == "true" && !money) verdict.again = true;
  if (should_retry == "false") verdict.again = false;
  verdict.retry_after_ms = number(header(response, "retry-after-ms"));
  if (!verdict.retry_after_ms) verdict.retry_after_ms = parse_retry_after(header(response, "retry-after"), now_unix);
  ErrorKind kind = ErrorKind::llm_unavailable;
  if (status == 429 || money) kind = ErrorKind::llm_rate_limited;
  if (status == 413) kind = ErrorKind::llm_too_large;
  verdict.error = {kind,
                   fmt::format("the model's server answered {}: {}; {}", status, reason(api), advice(status, api)), "",
                   fmt::format(R"({{"status":{}}})", status)};
  return verdict;
}

Verdict judge_failure(const HttpFailure& failure) {
  Verdict verdict;
  verdict.error = failure.error;
  verdict.may_be_billed = failure.request_sent;
  // Once the answer has begun the model has worked; asking again would pay twice for what may be the same fault.
  verdict.again = !failure.response_begun && failure.error.kind == ErrorKind::llm_unavailable;
  return verdict;
}

double pause_ms(const Verdict& verdict, int attempt, double random) {
  if (verdict.retry_after_ms) return *verdict.retry_after_ms;
  const double doubled = kFirstPauseMs * std::pow(2.0, std::max(0, attempt - 2));
  return std::min(doubled, kLongestPauseMs) * (1 - 0.25 * random);
}

}  // namespace qa
