// A session of Browserbase, the hosted browsers. Source: its API reference (Create a Session, Session Live URLs,
// Update a Session). The session also ends when its WebSocket does, for keepAlive is false.

#include "host/browser/json_fields.h"
#include "host/browser/remote_answer.h"
#include "host/llm/retry.h"
#include "host/net/http_url.h"
#include "host/net/websocket.h"
#include "host/text.h"

namespace qa {
namespace {

constexpr int kCreateMs = 60'000;
constexpr int kDebugMs = 5'000;
constexpr int kSessionSeconds = 3600;  ///< Ends a session that nobody ends; 60 to 21600.
constexpr double kPauseMs = 5'000, kMostWaitMs = 60'000;
constexpr std::size_t kReasonShown = 300;

}  // namespace

class BrowserbaseSession : public RemoteSession {
 public:
  BrowserbaseSession(EventLoop& loop, RemoteOptions options) : RemoteSession(loop, std::move(options), "browserbase") {
    headers_.emplace_back("X-BB-API-Key", options_.key);
  }

 private:
  void create(Callback<std::string> done) override {
    if (options_.key.empty() || options_.project.empty()) {
      return loop_.post([error = failure("needs BROWSERBASE_API_KEY and BROWSERBASE_PROJECT_ID in the environment"),
                         done] { done(error); });
    }
    Json body{{"projectId", options_.project},
              {"timeout", kSessionSeconds},
              {"keepAlive", false},
              {"browserSettings", {{"viewport", {{"width", 1280}, {"height", 720}}}}}};
    if (!options_.region.empty()) body["region"] = options_.region;
    ask("POST", "/v1/sessions", dump_json(body), kCreateMs,
        [self = shared_from_this(), this, done](Result<Answer> answer) {
          if (!answer) return done(answer.error());
          if (answer->status == 429) return wait_for_slot(*answer, done);
          if (!answer->ok()) return done(refused(*answer));
          facts_.session = text_field(answer->body, "id");
          const std::string endpoint(text_field(answer->body, "connectUrl"));
          const auto url = parse_http_url(http_form_of(endpoint));
          if (facts_.session.empty() || !url) {
            return done(failure("answered without the id or connectUrl of a session: check QA_BROWSERBASE_URL"));
          }
          if (!url->is_https && !is_loopback(*url)) {
            return done(failure("names a connectUrl that would get its key unencrypted"));
          }
          find_debug_url([done, endpoint] { done(endpoint); });
        });
  }

  HttpRequest end_request() const override {
    return {"POST",
            "/v1/sessions/" + facts_.session,
            {},
            dump_json({{"projectId", options_.project}, {"status", "REQUEST_RELEASE"}})};
  }

  Error refused(const Answer& answer) const {
    if (answer.status == 401 || answer.status == 403) {
      return failure("does not accept the key in BROWSERBASE_API_KEY (status " + std::to_string(answer.status) + ")");
    }
    const std::string reason = truncate_text(text_field(answer.body, "message"), kReasonShown);
    return failure("made no session (status " + std::to_string(answer.status) + ")" +
                   (reason.empty() ? "" : ": " + reason));
  }

  /// 429: the sessions of the plan are in use, or too many were asked for in a minute.
  void wait_for_slot(const Answer& answer, Callback<std::string> done) {
    const double now = static_cast<double>(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()));
    const double pause = std::max(1.0, parse_retry_after(answer.retry_after, now).value_or(kPauseMs));
    if (waited_ms_ + pause > kMostWaitMs) {
      return done(failure("has no session left for this plan now (status 429): end others, or try again later"));
    }
    waited_ms_ += pause;
    loop_.after(std::chrono::milliseconds(static_cast<int>(pause)),
                [self = shared_from_this(), this, done] { create(done); });
  }

  void find_debug_url(std::function<void()> done) {
    ask("GET", "/v1/sessions/" + facts_.session + "/debug", "", kDebugMs,
        [self = shared_from_this(), this, done](Result<Answer> answer) {
          if (answer) facts_.debug_url = terminal_safe(text_field(answer->body, "debuggerFullscreenUrl"));
          done();
        });
  }

  double waited_ms_ = 0;
};

std::shared_ptr<RemoteSession> make_browserbase_session(EventLoop& loop, RemoteOptions options) {
  return std::make_shared<BrowserbaseSession>(loop, std::move(options));
}

}  // namespace qa
