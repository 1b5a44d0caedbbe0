#include "host/service/lambda.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <utility>

#include "host/files.h"
#include "host/json_text.h"
#include "host/net/http_client.h"
#include "host/service/run_event.h"
#include "host/service/run_queue.h"
#include "host/subprocess.h"

namespace qa {
namespace {

using std::chrono::milliseconds;

/// A sandbox waits frozen for its next event, for hours.
constexpr int kDayMs = 24 * 3600 * 1000;
/// Lambda's limit for an answer is 6 MB; what surrounds the body in it counts.
constexpr std::size_t kLargestResult = 6'000'000;
/// Between the end of the play and Lambda's deadline: the report, the end of the browser, the answer.
constexpr milliseconds kForReport{8'000}, kForAnswer{1'000}, kShortestPlay{2'000};
constexpr int kCrashed = 70;

HttpLimits limits(int first_byte_ms) {
  HttpLimits limits;
  limits.first_byte_ms = first_byte_ms;
  limits.total_ms = kDayMs;
  return limits;
}

/// An id becomes part of an address: letters, digits and dashes.
bool is_request_id(const std::string& text) {
  return !text.empty() && text.size() <= 128 && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
  });
}

milliseconds time_left(const std::string* deadline) {
  std::int64_t ms = 0;
  if (deadline != nullptr) std::from_chars(deadline->data(), deadline->data() + deadline->size(), ms);
  return milliseconds(ms > 0 ? std::clamp<std::int64_t>(ms - unix_ms(), 0, kDayMs) : kDayMs);
}

class Lambda {
 public:
  Lambda(EventLoop& loop, LambdaOptions options, std::function<void(std::string)> on_failed)
      : loop_(loop), options_(std::move(options)), on_failed_(std::move(on_failed)), client_(loop) {}

  void next() {
    HttpRequest request;
    request.method = "GET";
    request.url = url("next");
    client_.send(std::move(request), limits(kDayMs), nullptr, [this](const HttpResult& result) { on_event(result); });
  }

 private:
  void on_event(const HttpResult& result) {
    if (result.failure) return on_failed_("no event from " + options_.api + ": " + result.failure->error.message);
    const HttpResponse& response = result.response;
    const std::string* id = response.header("Lambda-Runtime-Aws-Request-Id");
    if (response.status != 200 || id == nullptr || !is_request_id(*id)) {
      return on_failed_("no event from " + options_.api + ": status " + std::to_string(response.status) +
                        ", and an id of the request is needed");
    }
    id_ = *id;
    const milliseconds left = time_left(response.header("Lambda-Runtime-Deadline-Ms"));
    if (const auto event = parse_run_event(response.body); !event) {
      return respond(lambda_result(400, error_body(event.error().message)));
    }
    if (left < kForReport + kShortestPlay) {
      return fail("Deadline", std::to_string(left.count()) + " ms are left; a run needs 10 s, better 60 s: raise the " +
                                  "function's timeout");
    }
    play(response.body, left);
  }

  void play(const std::string& event, milliseconds left) {
    std::error_code ignored;
    std::filesystem::remove_all(options_.folder, ignored);
    if (const auto written = write_file(options_.folder + "/event.json", event); !written) {
      return fail("Storage", written.error().message);
    }
    SubprocessSpec spec;
    spec.argv = options_.words;
    const milliseconds play = std::min(left - kForReport, options_.limit);
    spec.argv.insert(spec.argv.end(), {"--max-duration", std::to_string(play.count()) + "ms", "--out", options_.folder,
                                       "--event", options_.folder + "/event.json"});
    spec.cwd = options_.folder;
    spec.environment = run_environment();
    spec.environment.emplace_back("TMPDIR", options_.folder);
    spec.environment.emplace_back("XDG_STATE_HOME", options_.folder + "-state");
    spec.timeout = left - kForAnswer;
    spec.output_bytes = 2 * kLargestResult;
    auto started = Subprocess::start(loop_, spec, [this](Result<SubprocessResult> result) { on_end(result); });
    if (!started) return fail("Process", started.error().message);
    process_ = std::move(*started);
  }

  void on_end(const Result<SubprocessResult>& result) {
    loop_.post([process = std::move(process_)] {});  // It is in the middle of this call.
    if (!result) return fail("Process", result.error().message);
    if (result->timed_out) return fail("Deadline", "the run did not end before the function's deadline");
    const std::string& out = result->out.text;
    if (result->exit_code >= kCrashed || !out.starts_with("{\"statusCode\":")) {
      return fail("Crash", "the run crashed (exit code " + std::to_string(result->exit_code) + "); see the log");
    }
    if (out.size() > kLargestResult) return fail("TooLarge", "the report is larger than an answer of Lambda may be");
    respond(out);
  }

  void respond(std::string result) {
    HttpRequest request;
    request.url = url(id_ + "/response");
    request.headers = {{"Content-Type", "application/json"}};
    request.body = std::move(result);
    post(std::move(request));
  }

  void fail(const std::string& type, const std::string& message) {
    HttpRequest request;
    request.url = url(id_ + "/error");
    request.headers = {{"Content-Type", "application/json"}, {"Lambda-Runtime-Function-Error-Type", "QaHost." + type}};
    ObjectText object(request.body);
    object.text("errorMessage", message);
    object.text("errorType", "QaHost." + type);
    object.raw("stackTrace", "[]");
    object.close();
    post(std::move(request));
  }

  void post(HttpRequest request) {
    client_.send(std::move(request), limits(30'000), nullptr, [this](const HttpResult& result) {
      // 4xx: too late, or too large. The next event may do better.
      if (result.failure || result.response.status >= 500) {
        return on_failed_("no answer from " + options_.api + " to a result");
      }
      next();
    });
  }

  std::string url(const std::string& path) const {
    return "http://" + options_.api + "/2018-06-01/runtime/invocation/" + path;
  }

  EventLoop& loop_;
  const LambdaOptions options_;
  std::function<void(std::string)> on_failed_;
  HttpClient client_;
  std::string id_;  ///< Of the invocation under way.
  std::shared_ptr<Subprocess> process_;
};

}  // namespace

std::shared_ptr<void> play_lambda_events(EventLoop& loop, LambdaOptions options,
                                         std::function<void(std::string)> on_failed) {
  const auto lambda = std::make_shared<Lambda>(loop, std::move(options), std::move(on_failed));
  lambda->next();
  return lambda;
}

}  // namespace qa
