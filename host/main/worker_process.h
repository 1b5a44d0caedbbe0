#pragma once
// WorkerProcess: what the supervisor knows of one worker, and the few things it
// does to it: start, read its messages, cancel, kill.
//
//   supervisor --"cancel N"--> [ seqpacket socket pair ] <--messages-- worker
//
// One packet is one message, all from the worker but `cancel`:
//   beat | group PGID | group_gone PGID | run PATH | result STATUS SCORE PATH | error TEXT
// Supervisor process only; no Lua, no JSON.

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "host/unique_fd.h"

namespace qa {

using SteadyTime = std::chrono::steady_clock::time_point;

/// First argument of a worker: kWorkerFlag + "<supervisor pid>:<line fd>:<target index>:<target count>".
inline constexpr const char* kWorkerFlag = "--qa-host-worker=";
inline constexpr int kLineFd = 3;

struct WorkerProcess {
  enum class Kill { none, hang, overdue, cancel };

  pid_t pid = -1;
  UniqueFd line;
  int index = 0;              ///< Which target.
  bool recovering = false;    ///< Runs `recover` for a worker that died.
  std::vector<pid_t> groups;  ///< Browsers and programs that are alive.
  std::string run_directory;
  bool has_result = false;  ///< The run of run_directory has published its final report.
  std::string status, report;
  std::string error;  ///< The last that it said went wrong.
  int score = 0;
  int exit_code = 0;
  SteadyTime started, last_beat;
  std::optional<SteadyTime> kill_at;  ///< Set by cancel.
  Kill kill = Kill::none;             ///< Why the supervisor killed it.
  UniqueFd output;                    ///< Its stdout when that is kept back until it ends.
};

/// Starts this program again as a worker on `words`. `stdout_fd` -1 inherits. False when the system refuses.
bool start_worker(WorkerProcess& worker, const std::vector<std::string>& words, int count, int stdout_fd);

/// Takes in every message that is waiting.
void read_messages(WorkerProcess& worker, SteadyTime now);

void send_cancel(const WorkerProcess& worker, int signal_number);

/// SIGKILL to its browsers' process groups.
void kill_browsers(WorkerProcess& worker);

std::vector<pid_t> child_processes();

/// Kills children of this process but `spared` (orphans of dead workers) until none is left, at most `limit`.
void kill_orphans(const std::vector<pid_t>& spared, std::chrono::milliseconds limit);

/// Copies a kept-back stdout to ours.
void copy_output(const WorkerProcess& worker);

}  // namespace qa
