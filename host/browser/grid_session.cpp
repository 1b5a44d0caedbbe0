// A session of Selenium Grid 4: one of its browsers, reached by the WebSocket that its router offers as se:cdp.
// Sources: the W3C's WebDriver (New Session, Delete Session), and Grid 4.48 for se:cdp, /status and its queue.

#include "host/browser/json_fields.h"
#include "host/browser/launcher.h"
#include "host/browser/remote_answer.h"
#include "host/net/websocket.h"
#include "host/text.h"

namespace qa {
namespace {

constexpr int kStatusMs = 5'000;
constexpr std::size_t kReasonShown = 300;

std::string request_body() {
  // Dialogs are answered by the host, not by the driver.
  const Json always = {{"browserName", "chrome"},
                       {"unhandledPromptBehavior", "ignore"},
                       {"goog:chromeOptions", {{"args", remote_arguments()}}}};
  return dump_json({{"capabilities", {{"alwaysMatch", always}}}});
}

/// The first line of what a driver says.
std::string reason_of(const Json& body) {
  const std::string message(text_field(nested_field(body, "value"), "message"));
  return truncate_text(message.substr(0, message.find('\n')), kReasonShown);
}

}  // namespace

class GridSession : public RemoteSession {
 public:
  GridSession(EventLoop& loop, RemoteOptions options) : RemoteSession(loop, std::move(options), "grid") {}

 private:
  void create(Callback<std::string> done) override {
    const auto on_answer = [self = shared_from_this(), this, done](Result<Answer> answer) {
      if (!answer) {
        return answer.error().kind == ErrorKind::timeout ? explain_wait(done) : done(answer.error());
      }
      const Json& value = nested_field(answer->body, "value");
      facts_.session = text_field(value, "sessionId");
      if (!answer->ok() || facts_.session.empty()) {
        facts_.session.clear();
        return done(
            failure("gave no session (status " + std::to_string(answer->status) + "): " + reason_of(answer->body)));
      }
      const std::string given(text_field(nested_field(value, "capabilities"), "se:cdp"));
      const auto url = parse_http_url(http_form_of(given));
      if (!url) return done(failure("offers no se:cdp for its browser: qa-host needs Selenium Grid 4 with Chrome"));
      // A Grid often names itself by an address that only its own network knows.
      find_node([done, endpoint = socket_url(url->target)] { done(endpoint); });
    };
    ask("POST", "/session", request_body(), options_.queue_ms, on_answer);
  }

  HttpRequest end_request() const override { return {"DELETE", "/session/" + facts_.session, {}, ""}; }

  void find_node(std::function<void()> done) {
    ask("GET", "/status", "", kStatusMs, [self = shared_from_this(), this, done](Result<Answer> answer) {
      if (!answer) return done();
      for (const Json& node : nested_field(nested_field(answer->body, "value"), "nodes")) {
        for (const Json& slot : nested_field(node, "slots")) {
          if (text_field(nested_field(slot, "session"), "sessionId") != facts_.session) continue;
          facts_.node = terminal_safe(text_field(node, "uri"));
        }
      }
      done();
    });
  }

  void explain_wait(Callback<std::string> done) {
    ask("GET", "/status", "", kStatusMs, [self = shared_from_this(), this, done](Result<Answer> answer) {
      std::string found = "it does not answer /status";
      if (answer) {
        std::size_t nodes = 0, slots = 0, taken = 0;
        for (const Json& node : nested_field(nested_field(answer->body, "value"), "nodes")) {
          ++nodes;
          for (const Json& slot : nested_field(node, "slots")) {
            ++slots;
            if (!nested_field(slot, "session").empty()) ++taken;
          }
        }
        found = std::to_string(taken) + " of " + std::to_string(slots) + " slots on " + std::to_string(nodes) +
                " nodes are taken";
      }
      done(failure("gave no session within " + std::to_string(options_.queue_ms) + " ms: " + found +
                   "; start more nodes with Chrome, or try again later"));
    });
  }
};

std::shared_ptr<RemoteSession> make_grid_session(EventLoop& loop, RemoteOptions options) {
  return std::make_shared<GridSession>(loop, std::move(options));
}

}  // namespace qa
