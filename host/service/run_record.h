#pragma once
// RunRecord: what the service knows of a run, and run.json, where it is kept: <folder>/<id>/run.json, replaced whole at
// each change, so that a service that starts again finds what it had accepted. Blocks on the disk.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/error.h"
#include "host/unique_fd.h"

namespace qa {

enum class RunState { queued, running, done, cancelled, not_run };

struct RunRecord {
  std::string id;  ///< 16 hex digits.
  RunState state = RunState::queued;
  std::string game_url, webhook;
  std::string folder;            ///< Of the run itself, below that of the record; "" while there is none.
  std::string reason;            ///< Of `not_run`.
  std::optional<int> exit_code;  ///< Of `qa-host test`.
  std::int64_t accepted_ms = 0, started_ms = 0, ended_ms = 0;  ///< Unix time; 0 for not yet.

  bool is_over() const { return state != RunState::queued && state != RunState::running; }
  /// There is a report exactly in these two states.
  bool has_report() const { return state == RunState::done || state == RunState::cancelled; }
};

std::string_view state_name(RunState state);
/// "pass", "fail", "inconclusive" or "error" of an exit code.
std::string_view status_name(int exit_code);

/// What clients see: no webhook, whose address may hold a secret.
std::string public_json(const RunRecord& record);

/// The folder of all runs. One process at a time holds it.
class RunStore {
 public:
  /// Makes the folder. store_locked when another service works in it.
  static Result<RunStore> open(const std::string& folder);

  /// A folder of its own for a new run, with the event beside the record.
  Result<Unit> create(const RunRecord& record, const std::string& event) const;
  Result<Unit> save(const RunRecord& record) const;
  /// nothing for an id that is none, or unknown.
  std::optional<RunRecord> load(const std::string& id) const;
  /// Every record that is not over: what a service left that ended before its runs.
  std::vector<RunRecord> unfinished() const;

  /// The folder of a record, absolute.
  std::string path(const std::string& id) const { return folder_ + "/" + id; }
  /// Below path(id): the folder that a run made, when it holds a report; else "".
  std::string find_run(const std::string& id) const;

 private:
  std::string folder_;
  UniqueFd lock_;
};

}  // namespace qa
