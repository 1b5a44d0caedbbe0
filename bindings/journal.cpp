#include "bindings/journal.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bindings/convert.h"

namespace qa::lua {

Result<Unit> Journal::open(const std::string& parent, const std::string& slug_text) {
  auto made = RunDirectory::create(parent, slug(slug_text));
  if (!made) return made.error();
  run_ = std::move(*made);
  opened_ms_ = loop_.now_ms();
  seq_ = step_ = 0;
  reopened_ = failed_ = false;
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
std::string Journal::line(const Call& call) {
  return fmt::format(R"({{"args":{}{},"files":[{}],"frame":null,"game_ms":null,"ms":{:.1f},"ok":{},"op":"{}","seq":{},)"
                     R"("step":{},"t_ms":{:.1f}}})",
                     call.args, call.error, call.file, call.ms, call.error.empty(), call.op, ++seq_, step_,
                     loop_.now_ms() - opened_ms_);
}

Result<Journal::Json> Journal::append_event(const std::string& name, const Json& data) {
  const std::string args = R"({"data":)" + dump_json(data) + R"(,"name":)" + dump_json(name) + "}";
  const std::string text = line({"event", args, "", "", 0});
  if (!reopened_) {
    auto written = run_->append(text);
    if (!written) return written.error();
  }
  // As recover will read it: with invalid UTF-8 replaced.
  return Json::parse(text, nullptr, false);
}

void Journal::append_operation(const std::string& op, const std::string& args, const std::string& file,
                               const Error* error, double ms) {
  if (reopened_) return;
  Call call{op, args, "", "", ms};
  if (error) {
    call.error = R"(,"err":)" + dump_json({{"kind", kind_name(error->kind)}, {"message", error->message}});
  } else if (!file.empty()) {
    call.file = dump_json(file);
  }
  const auto written = run_->append(line(call));
  if (written || failed_) return;
  failed_ = true;
  if (on_failure) on_failure(written.error());
}

}  // namespace qa::lua
