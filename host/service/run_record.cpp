#include "host/service/run_record.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "host/files.h"
#include "host/folder.h"
#include "host/json_guard.h"

namespace qa {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kRecord = "run.json";
constexpr const char* kEvent = "event.json";
constexpr std::array<std::string_view, 5> kStates = {"queued", "running", "done", "cancelled", "not_run"};

bool is_id(const std::string& text) {
  return text.size() == 16 && text.find_first_not_of("0123456789abcdef") == text.npos;
}

json as_json(const RunRecord& record) {
  json fields{{"id", record.id},
              {"state", state_name(record.state)},
              {"gameUrl", record.game_url},
              {"accepted_ms", record.accepted_ms}};
  if (record.started_ms != 0) fields["started_ms"] = record.started_ms;
  if (record.ended_ms != 0) fields["ended_ms"] = record.ended_ms;
  if (!record.reason.empty()) fields["reason"] = record.reason;
  if (record.has_report() && record.exit_code) {
    fields["result"] = {{"status", status_name(*record.exit_code)},
                        {"exit_code", *record.exit_code},
                        {"report", "/runs/" + record.id + "/report"},
                        {"files", "/runs/" + record.id + "/files/"}};
  }
  return fields;
}

std::string dumped(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

}  // namespace

std::string_view state_name(RunState state) { return kStates.at(static_cast<std::size_t>(state)); }

std::string_view status_name(int exit_code) {
  constexpr std::array<std::string_view, 3> names = {"pass", "fail", "inconclusive"};
  return exit_code >= 0 && exit_code < 3 ? names.at(static_cast<std::size_t>(exit_code)) : "error";
}

std::string public_json(const RunRecord& record) { return dumped(as_json(record)); }

Result<RunStore> RunStore::open(const std::string& path) {
  auto folder = QA_TRY(Folder::open(path, true));
  RunStore store;
  store.folder_ = folder.path();
  store.lock_ = QA_TRY(folder.lock(".service.lock"));
  return Result<RunStore>(std::move(store));
}

Result<Unit> RunStore::create(const RunRecord& record, const std::string& event) const {
  const auto folder = QA_TRY(Folder::open(path(record.id), true));
  QA_TRY(folder.write(kEvent, event));
  return save(record);
}

Result<Unit> RunStore::save(const RunRecord& record) const {
  json fields = as_json(record);
  fields["folder"] = record.folder;
  fields["webhook"] = record.webhook;
  if (record.exit_code) fields["exit_code"] = *record.exit_code;
  return QA_TRY(Folder::open(path(record.id))).write(kRecord, dumped(fields));
}

std::optional<RunRecord> RunStore::load(const std::string& id) const {
  if (!is_id(id)) return std::nullopt;
  auto text = read_file(path(id) + "/" + kRecord);
  auto fields = text ? parse_foreign_json(*text) : Result<json>(text.error());
  if (!fields || !fields->is_object()) return std::nullopt;
  try {
    RunRecord record;
    const auto* state = std::find(kStates.begin(), kStates.end(), fields->at("state").get<std::string>());
    if (state == kStates.end()) return std::nullopt;
    record.id = id;
    record.state = static_cast<RunState>(state - kStates.begin());
    record.game_url = fields->at("gameUrl").get<std::string>();
    record.webhook = fields->value("webhook", "");
    record.folder = fields->value("folder", "");
    record.reason = fields->value("reason", "");
    if (fields->contains("exit_code")) record.exit_code = fields->at("exit_code").get<int>();
    record.accepted_ms = fields->value("accepted_ms", std::int64_t{0});
    record.started_ms = fields->value("started_ms", std::int64_t{0});
    record.ended_ms = fields->value("ended_ms", std::int64_t{0});
    return record;
  } catch (const json::exception&) {
    return std::nullopt;  // Not written by us.
  }
}

std::vector<RunRecord> RunStore::unfinished() const {
  std::vector<RunRecord> records;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder_, failed)) {
    auto record = load(entry.path().filename().string());
    if (record && !record->is_over()) records.push_back(std::move(*record));
  }
  return records;
}

std::string RunStore::find_run(const std::string& id) const {
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(path(id), failed)) {
    if (fs::is_regular_file(entry.path() / "report.json", failed)) return entry.path().filename().string();
  }
  return "";
}

}  // namespace qa
