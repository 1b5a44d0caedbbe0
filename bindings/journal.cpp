#include "bindings/journal.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "bindings/convert.h"
#include "host/json_text.h"

namespace qa::lua {

Result<Unit> Journal::open(const std::string& parent, const std::string& slug_text) {
  auto made = RunDirectory::create(parent, slug(slug_text));
  if (!made) return made.error();
  run_ = std::move(*made);
  opened_ms_ = loop_.now_ms();
  seq_ = step_ = 0;
  reopened_ = failed_ = false;
  chain_ = {};
  return Unit{};
}

Result<Unit> Journal::reopen(const std::string& path) {
  auto found = RunDirectory::open(path);
  if (!found) return found.error();
  run_ = std::move(*found);
  opened_ms_ = loop_.now_ms();
  reopened_ = true;
  return Unit{};
}

// Lines are composed as text, their fields in the order of their names: one is written for every call of a script.
std::string Journal::line(const std::string& op, const std::string& args, double ms, const std::string& error,
                          const std::string& file, const std::optional<GamePlace>& place) {
  const auto tenths = [](double time) { return std::round(time * 10) / 10; };
  std::string text;
  text.reserve(160 + args.size() + error.size());
  ObjectText object(text);
  object.raw("args", args);
  if (!error.empty()) object.raw("err", error);
  object.key("files").append("[").append(file).append("]");
  place ? object.number("frame", place->frame) : object.raw("frame", "null");
  place ? object.number("game_ms", tenths(place->game_ms)) : object.raw("game_ms", "null");
  if (place && place->is_input) object.raw("input", "true");
  object.number("ms", tenths(ms));
  object.raw("ok", error.empty() ? "true" : "false");
  object.text("op", op);
  if (place) object.number("page", static_cast<double>(place->page));
  object.number("seq", ++seq_);
  object.number("step", step_);
  object.number("t_ms", tenths(loop_.now_ms() - opened_ms_));
  object.close();
  return chain_.seal(std::move(text));
}

Result<Journal::Json> Journal::append_event(const std::string& name, const Json& data) {
  const std::string args = R"({"data":)" + dump_json(data) + R"(,"name":)" + dump_json(name) + "}";
  const std::string text = line("event", args, 0, "", "", {});
  if (!reopened_) {
    auto written = run_->append(text);
    if (!written) return written.error();
  }
  // As recover will read it: with invalid UTF-8 replaced.
  return Json::parse(text, nullptr, false);
}

void Journal::append_operation(const std::string& op, const std::string& args, const std::string& file,
                               const Error* error, double ms, const std::optional<GamePlace>& place) {
  if (reopened_) return;
  const std::string failure =
      error ? dump_json({{"kind", kind_name(error->kind)}, {"message", hidden_.apply(error->message)}}) : "";
  const std::string written_file = error || file.empty() ? "" : dump_json(file);
  const auto written = run_->append(line(op, args, ms, failure, written_file, place));
  if (written || failed_) return;
  failed_ = true;
  if (on_failure) on_failure(written.error());
}

}  // namespace qa::lua
