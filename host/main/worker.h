#pragma once
// Worker: one event loop, one Vm, one script, command or target. Runs in a
// process of its own under the supervisor, or in the first process without one.

#include "host/main/cli.h"
#include "host/main/lifeline.h"

namespace qa {

/// Runs `run` and returns its exit code. `index` picks the target of `test`, of `count`.
int run_worker(const Invocation& run, LifeLine& line, int index, int count);

/// `diff A B`: native, no Vm. Prints changed pixels, ratio and regions; 0 same, 1 different, 3 error.
int run_diff(const DiffRequest& request);

/// `trust [DIR]`, --list, --revoke: native, no Vm. 0, 1 when there was nothing to revoke, 3 error.
int run_trust(const TrustRequest& request, const std::string& state, const std::string& share);

}  // namespace qa
