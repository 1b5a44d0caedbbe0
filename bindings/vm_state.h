#pragma once
// VmState: what the bindings share: the Lua machine, its limits, the scheduler, the handles and the open run. Reached
// from any bound function through the allocator's user pointer, so that there is no process-wide state.

#include <functional>
#include <lua.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "bindings/handle.h"
#include "bindings/journal.h"
#include "bindings/scheduler.h"
#include "bindings/vm.h"
#include "bindings/watchdog.h"
#include "host/browser/page_access.h"
#include "host/net/static_files.h"
#include "host/redaction.h"
#include "host/subprocess.h"
#include "host/unique_fd.h"

namespace qa {
class ModelService;
}

namespace qa::lua {

/// Counts what Lua holds and refuses more than the limit: "not enough memory" in Lua, never a dead process.
struct Memory {
  VmState* vm = nullptr;
  std::size_t used = 0, limit = 0;
  bool refused = false;  ///< Something was refused since the last full collection; LuaJIT itself does not collect then.
};

class LazyStore;

struct VmState {
  VmState(EventLoop& event_loop, VmOptions vm_options);
  ~VmState();
  VmState(const VmState&) = delete;
  VmState& operator=(const VmState&) = delete;

  static VmState& of(lua_State* L) {
    void* memory = nullptr;
    lua_getallocf(L, &memory);
    return *static_cast<Memory*>(memory)->vm;
  }

  void log(std::string_view level, std::string_view text) const;
  void print(std::string_view text) const;
  /// A spawned task raised and nobody joined it.
  void log_lost_error(lua_State* co);
  /// A full collection when memory was refused: what a failed task held is garbage that no step has found yet.
  void reclaim();
  /// lua_cpcall with memory to spare, so that an error can be told when Lua has none left.
  int protected_call(lua_CFunction function, void* argument);
  /// Opens a run directory for a script that has none.
  Result<Unit> ensure_run();
  /// Cancels the root task and everything below it.
  void cancel_root(const Error& loss);
  /// What Vm::stop() asks for, on the loop.
  void stop_root();
  /// JSON object text of the user's configuration, with the endpoints of the options; read once, Raised when it cannot.
  const std::string& user_configuration();
  /// Opened at the first call of a model; Raised when its options or data cannot be used.
  ModelService& model_service();

  EventLoop& loop;
  VmOptions options;
  Redaction redaction;                 ///< Values of options.credentials: taken out of all that goes to Lua.
  std::shared_ptr<PageAccess> access;  ///< Of every page.
  Memory memory;
  lua_State* L = nullptr;
  std::shared_ptr<Registry> registry = std::make_shared<Registry>();
  int blocked = 0;  ///< Depth of places where a primitive cannot wait: require, coroutines resumed inside table.sort.
  Watchdog watchdog;
  std::shared_ptr<Scheduler> scheduler;
  Handles handles;
  Journal journal;
  std::map<std::string, std::unique_ptr<StaticServer>> servers;  ///< By root folder.
  std::map<int, std::shared_ptr<Subprocess>> processes;          ///< By process group.
  std::map<std::string, UniqueFd> locks;                         ///< Files that other processes are kept out with.
  std::shared_ptr<std::mutex> append_order = std::make_shared<std::mutex>();
  std::shared_ptr<ModelService> models;      ///< See model_service().
  std::optional<std::string> configuration;  ///< See user_configuration().
  std::shared_ptr<LazyStore> store;          ///< Since its first use.
  std::vector<std::string> model_lines;      ///< Journal lines of calls that the report has not taken in.
  int next_launch = 1;
  std::map<int, std::weak_ptr<Browser>> launching;  ///< Browsers that are on their way.
  std::function<void()> on_launched;                ///< Set while the end of a run waits for them.
  EventLoop::TimerId deadline = 0;

  // The run of the root task.
  Vm::Done done;
  int cancelled_by = 0;
  bool is_stopped = false;
  TaskPtr root;
};

}  // namespace qa::lua
