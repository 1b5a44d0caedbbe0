#include "bindings/journal.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "bindings/convert.h"

namespace qa::lua {
namespace {

/// Tenths of a millisecond: journals stay readable.
double tenths(double ms) { return std::round(ms * 10) / 10; }

}  // namespace

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

Journal::Json Journal::line(const std::string& op, double ms) {
  return Json{{"seq", ++seq_},
              {"t_ms", tenths(loop_.now_ms() - opened_ms_)},
              {"game_ms", nullptr},
              {"frame", nullptr},
              {"step", step_},
              {"op", op},
              {"ok", true},
              {"ms", tenths(ms)},
              {"files", Json::array()}};
}

Result<Journal::Json> Journal::append_event(const std::string& name, const Json& data) {
  Json entry = line("event", 0);
  entry["args"] = Json{{"name", name}, {"data", data}};
  if (reopened_) return entry;
  const std::string text = dump_json(entry);
  auto written = run_->append(text);
  if (!written) return written.error();
  // As recover will read it: with invalid UTF-8 replaced.
  return Json::parse(text, nullptr, false);
}

void Journal::append_operation(const std::string& op, const std::string& args, const std::string& file,
                               const Error* error, double ms) {
  if (reopened_) return;
  Json entry = line(op, ms);
  entry["args"] = Json::parse(args, nullptr, false);
  if (error) {
    entry["ok"] = false;
    entry["err"] = Json{{"kind", kind_name(error->kind)}, {"message", error->message}};
  } else if (!file.empty()) {
    entry["files"].push_back(file);
  }
  const auto written = run_->append(dump_json(entry));
  if (written || failed_) return;
  failed_ = true;
  if (on_failure) on_failure(written.error());
}

}  // namespace qa::lua
