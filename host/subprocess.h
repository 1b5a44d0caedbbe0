#pragma once
// Subprocess: one program that a script asked for (a test, a tool that mends code): no shell, a process group of its
// own, a clean environment, bounded output, a time limit. Its end is seen through a pidfd. Loop thread only.
//
//   start --posix_spawn--> [group: leader + whatever it starts] --pidfd--> ended --> rest of the group killed
//            stdout, stderr --pipes--> head and tail kept                        --> what the pipes hold is read -->
//            done
//
// What starts a session of its own leaves the group; the supervisor, which inherits orphans, kills it when the run
// ends.

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/error.h"
#include "host/event_loop.h"

namespace qa {

struct SubprocessSpec {
  std::vector<std::string> argv;  ///< Not empty. argv[0] without a slash is looked up in PATH.
  std::string cwd;                ///< "" for ours.
  std::string input;              ///< What it reads from stdin.
  /// Over the inherited ones (inherited_environment()); an empty value takes a variable away.
  std::vector<std::pair<std::string, std::string>> environment;
  std::chrono::milliseconds timeout{60'000};
  std::size_t output_bytes = 256 * 1024;         ///< Kept of stdout, and again of stderr.
  std::function<void(std::string_view)> on_err;  ///< Gets stderr as it comes, besides.
};

/// The beginning and the end of what was written.
struct CapturedOutput {
  std::string text;         ///< With a line that says how much is missing, where something is.
  std::uint64_t bytes = 0;  ///< All that was written.
  bool is_cut = false;
};

struct SubprocessResult {
  int exit_code = 0;  ///< 128 + N when signal N ended it.
  int signal = 0;
  bool timed_out = false;
  CapturedOutput out, err;
  double ms = 0;
};

class Subprocess {
 public:
  /// process_failed when it cannot be started (no such program, no such folder). `done` is called once, unless stop()
  /// comes first.
  static Result<std::shared_ptr<Subprocess>> start(EventLoop& loop, const SubprocessSpec& spec,
                                                   Callback<SubprocessResult> done);
  /// Kills what still runs.
  ~Subprocess();
  Subprocess(const Subprocess&) = delete;
  Subprocess& operator=(const Subprocess&) = delete;

  /// The process group, which is the leader's id.
  pid_t group() const;
  /// Asks the leader to end (SIGTERM) and kills the group where it has not after `grace`. `done` is called as ever.
  void end(std::chrono::milliseconds grace);
  /// Kills the group and reaps the leader; at most half a second. `done` is not called any more.
  void stop();

 private:
  struct State;
  explicit Subprocess(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

/// Variables that every subprocess gets, as NAME=value: PATH (absolute entries only), HOME, LANG, LC_*, TMPDIR, TZ,
/// USER, LOGNAME. Keys are not among them.
std::vector<std::string> inherited_environment();

/// The file that a program name means; "" when there is none. `path` is a PATH value.
std::string find_program(const std::string& name, const std::string& path);

/// Is it a regular file that may be executed?
bool is_program(const std::string& path);

/// Starts a program in a process group of its own, with no signal ignored or blocked: those would be inherited from us.
/// Its descriptor N is files[N], and it gets no other one of ours. `cwd` "" for ours. 0 or an errno.
int spawn_group(pid_t& pid, const std::string& program, std::vector<std::string> arguments,
                std::vector<std::string> environment, const std::vector<int>& files, const std::string& cwd = "");

}  // namespace qa
