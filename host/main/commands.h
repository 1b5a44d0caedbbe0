#pragma once
// What main runs: a worker, which is one event loop, one Vm, and one script, command or target; or a command without a
// Vm. `serve` and `lambda` own the signals of the process.

#include "host/main/cli.h"
#include "host/main/lifeline.h"

namespace qa {

/// Runs `run` and returns its exit code. `index` picks the target of `test`, of `count`. Runs in a process of its own
/// under the supervisor, or in the first process without one.
int run_worker(const Invocation& run, LifeLine& line, int index, int count);

/// `diff A B`: native, no Vm. Prints changed pixels, ratio and regions; 0 same, 1 different, 3 error.
int run_diff(const DiffRequest& request);

/// `trust [DIR]`, --list, --revoke: native, no Vm. 0, 1 when there was nothing to revoke, 3 error.
int run_trust(const TrustRequest& request, const std::string& state, const std::string& share);

/// Set by the process that starts `test --event` for a run: kRunOfFlag + its process id. The run ends with it.
inline constexpr const char* kRunOfFlag = "--qa-host-run-of=";

/// Plays one event and prints {statusCode, body}. @return the exit code of the run, 3 for a bad event
int run_event(const Invocation& run);
/// @return 0 when told to stop, 3 for secrets, folders or ports that cannot be used
int run_serve(const Invocation& run);
/// @return 0 when told to stop, 3 outside of Lambda, 4 when its runtime interface fails
int run_lambda(const Invocation& run);

}  // namespace qa
