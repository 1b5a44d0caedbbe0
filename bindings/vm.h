#pragma once
// Vm: one Lua machine on one EventLoop: the sandbox, the scheduler and every qa.* primitive. Used by the binary's
// worker and by embedders. Loop thread only. Several Vms per process work; nothing here is process-wide.
//
//   run_file --> root task --> primitive --> host operation ... completion --> scheduler --> task goes on
//                    |                                                                        |
//                    +--> ends: children joined, browsers closed, done(RunOutcome) <----------+

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/native_function.h"
#include "host/browser/remote_session.h"
#include "host/event_loop.h"
#include "host/llm/model_options.h"
#include "host/net/target_credentials.h"
#include "host/trust.h"

namespace qa::lua {

/// How a root task ended. exit_code follows the table of exit codes for scripts.
struct RunOutcome {
  int exit_code = 0;
  std::string error;        ///< Empty when the chunk returned; else one line: what was raised.
  std::string traceback;    ///< Of a raised string or misuse; may be empty.
  bool is_stopped = false;  ///< By Vm::stop().
  std::string failure;      ///< JSON object {kind, message, op, detail, traceback} of the error, or empty.
  std::string value;  ///< With VmOptions::wants_value: JSON of what the chunk returned, several values as an array.
};

struct VmOptions {
  std::string share;            ///< Folder with scripts/ and strategies/.
  std::string out = "qa-runs";  ///< Parent of run directories.
  /// The folder whose qa-host.lua, strategies/ and scripts/commands/ may be used by name. As it is made here nothing of
  /// the working folder is read but what a script names; open_project() of host/trust.h makes one of a folder.
  Project project;
  std::string browser_path;  ///< Default of qa.browser.launch{path}.
  bool headed = false;       ///< Default of qa.browser.launch{headed}.
  /// The remote browser that qa.browser.launch{} gives instead of one of this machine; the Vm fills in its network.
  std::optional<RemoteOptions> remote;
  int max_stretch_ms = 5000;  ///< Longest stretch of pure Lua.
  std::size_t memory_bytes = std::size_t{256} << 20;
  ModelOptions models;            ///< Without what the Vm fills in.
  TargetCredentials credentials;  ///< For requests of pages to the target's origin; no script sees them.
  /// The value of an environment variable, "" when it is not set. Keys are read with it when a call is sent.
  std::function<std::string(const std::string& name)> environment;
  bool jit = false;               ///< Compiled loops cannot be interrupted.
  std::vector<std::string> args;  ///< qa.args.
  std::string command_name;       ///< qa.command.name.
  std::string command_json;       ///< Other fields of qa.command: JSON object text, or empty.
  /// Programs that qa.process.run may start: none without a value, any when it is empty.
  std::optional<std::vector<std::string>> allow_process;
  /// Process groups of browsers and programs, which somebody must kill when this process cannot.
  std::function<void(int pgid)> on_group_started;
  std::function<void(int pgid)> on_group_gone;
  std::function<void(const std::string& path)> on_run_directory;
  std::function<void(const std::string& status, int score, const std::string& report)> on_result;
  /// level: debug info warn error, or "line" for a progress line as it is. stderr when not set.
  std::function<void(std::string_view level, std::string_view text)> log;
  std::function<void(std::string_view text)> print;  ///< stdout when not set.
  /// A line of the run's journal that tells an event, as JSON.
  std::function<void(const std::string& line)> on_event;
  std::map<std::string, NativeFunction> functions;  ///< By "module.name".
  std::map<std::string, std::string> modules;       ///< Lua sources by module name.
  bool wants_value = false;                         ///< See RunOutcome::value.
};

struct VmState;

class Vm {
 public:
  using Done = std::function<void(RunOutcome)>;

  Vm(EventLoop& loop, VmOptions options);
  /// Kills browsers that are still open; completions that arrive later are dropped.
  ~Vm();
  Vm(const Vm&) = delete;
  Vm& operator=(const Vm&) = delete;

  /// Each starts the root task; `done` runs on the loop thread after the browsers are closed. One root at a time.
  void run_file(const std::string& path, Done done);
  void run_code(const std::string& code, Done done);
  /// <share>/scripts/commands/NAME.lua, else that of the project, called with qa.command.
  void run_command(const std::string& name, Done done);
  /// One run of a strategy, whose value is the report. `options` is JSON: {strategy, target, metadata, set, seed,
  /// max_duration_ms}.
  void run_strategy(const std::string& options, Done done);

  /// Cancels the root task and everything below it, as a signal does: exit code 128 + signal_number.
  void cancel(int signal_number);
  /// Any thread: the same for a program that runs a Vm, also while Lua runs without a pause. From `latest` on no Lua
  /// runs any more; who waits for `done` gives it up then.
  void stop(std::chrono::steady_clock::time_point latest);

  /// For tests of the bindings.
  VmState& state() { return *state_; }

 private:
  void run(const char* kind, const std::string& argument, Done done);
  std::unique_ptr<VmState> state_;
};

}  // namespace qa::lua
