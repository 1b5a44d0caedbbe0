#pragma once
// The commands that play events: `test --event`, `serve` and `lambda`. Called once, by main; serve and lambda own the
// signals of the process.

#include "host/main/cli.h"

namespace qa {

/// Set by the process that starts `test --event` for a run: kRunOfFlag + its process id. The run ends with it.
inline constexpr const char* kRunOfFlag = "--qa-host-run-of=";

/// Plays one event and prints {statusCode, body}. @return the exit code of the run, 3 for a bad event
int run_event(const Invocation& run);
/// @return 0 when told to stop, 3 for secrets, folders or ports that cannot be used
int run_serve(const Invocation& run);
/// @return 0 when told to stop, 3 outside of Lambda, 4 when its runtime interface fails
int run_lambda(const Invocation& run);

}  // namespace qa
