#include "host/browser/dialog_answerer.h"

#include <nlohmann/json.hpp>

#include "host/browser/cdp_reply.h"
#include "host/browser/json_fields.h"
#include "host/text.h"

namespace qa {
namespace {

constexpr std::size_t kStormDialogs = 5;
constexpr double kStormWindowMs = 2000;
constexpr std::string_view kAnswer = "1";

}  // namespace

void DialogAnswerer::opening(const std::string& session, const Json& params, EventRing& ring) {
  const double now = loop_.now_ms();
  const std::string type(text_field(params, "type"));
  open_ = true;
  ++count_;
  // "accept" is what dismisses an alert; for a prompt it needs the default spelt out, or the page would read "".
  // A page that asks until it is told something is told what may be a name as well as a number.
  Json answer = {{"accept", true}};
  const std::string_view proposed = text_field(params, "defaultPrompt");
  if (type == "prompt") answer["promptText"] = proposed.empty() ? kAnswer : proposed;
  cdp_->send(session, "Page.handleJavaScriptDialog", dump_json(answer));

  const std::string url(text_field(params, "url"));
  const std::string message = truncate_text(text_field(params, "message"), 4096);
  ring.push({"dialog", message, url, 0, dump_json({{"type", type}, {"message", truncate_text(message, 400)}})});
  recent_.push_back(now);
  while (now - recent_.front() > kStormWindowMs) recent_.pop_front();
  if (recent_.size() <= kStormDialogs || storm_reported_) return;
  storm_reported_ = true;
  ring.push({"dialog_storm", "the page opened more than 5 dialogs within 2 s", url, 0,
             dump_json({{"type", type}, {"message", truncate_text(message, 400)}, {"dialogs", count_}})});
}

void DialogAnswerer::closed() {
  open_ = false;
  closed_ms_ = loop_.now_ms();
}

void DialogAnswerer::restart() {
  storm_reported_ = false;
  recent_.clear();
}

}  // namespace qa
