#pragma once
// Supervisor: runs workers and outlives what can go wrong in them: crashes,
// hangs in native code, endless runs. It owns signals, the last deadline and the
// browsers' process groups. No Lua, no JSON, no pixels. One thread, one poll().
//
//   signals --signalfd--+
//   worker 1 <--line----+--> poll --> cancel, kill, recover, exit code
//   worker 2 <--line----+

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace qa {

struct SupervisorOptions {
  std::vector<std::string> words;            ///< The command line that workers get.
  std::vector<std::string> recover_options;  ///< Words before `recover DIR`, e.g. --share.
  std::vector<std::string> targets;          ///< One worker each; empty: one worker without a target.
  int jobs = 1;
  std::optional<std::chrono::milliseconds> max_duration;
  bool stdout_is_json = false;  ///< The summary then goes to stderr.
  int stdout_fd = -1;           ///< Stdout of the workers; -1 for ours.
  /// Told of each worker's end: its report.json, "" where there is none, and what it said went wrong last.
  std::function<void(const std::string& report, const std::string& error)> on_end;
};

/// The worse of two exit codes by the order 70, 4, 3, 1, 2, 0; a signal's code is worst of all.
int worse_exit_code(int a, int b);

/// Runs everything and returns the exit code. Changes the signal mask of the process.
int supervise(const SupervisorOptions& options);

}  // namespace qa
