#pragma once
// Scheduler: the task tree and the one place where Lua is resumed. Loop thread only.
//
//   primitive: check arguments -> begin_wait -> start host operation -> yield the sentinel
//   completion (on the loop): finish_wait -> journal -> resume -> shim in prelude.lua -> take() -> values, nil+err, or
//   raise
//
// Coroutines that a script makes itself sit inside a task; the prelude passes the sentinel up through them.

#include <lua.hpp>
#include <memory>
#include <string>
#include <unordered_map>

#include "bindings/task.h"
#include "bindings/trampoline.h"
#include "bindings/watchdog.h"
#include "host/event_loop.h"

namespace qa::lua {

inline constexpr const char* kWaitSentinel = "qa.wait";  ///< Registry name of the value that a primitive yields.

struct WaitKey {
  TaskId task = 0;
  std::uint64_t wait = 0;
};

struct WaitOptions {
  bool journal = true;
  bool joins = false;
  bool shielded = false;
  /// It moves or changes its page: one on game time keeps a log of all that did.
  bool is_input = false;
  std::function<void()> abandon = {};
};

class Scheduler : public std::enable_shared_from_this<Scheduler> {
 public:
  explicit Scheduler(VmState& vm) : vm_(vm) {}

  /// A task that calls the function at the top of L's stack (which is popped). Raises Lua errors: protected context
  /// only.
  TaskPtr create(lua_State* L, Task* parent, bool shielded);
  /// Runs a new task, after the current handler.
  void start(const TaskPtr& task);
  /// The task whose Lua runs now; Misuse when there is none.
  Task& running(Call& call);
  TaskPtr find(TaskId id) const;
  /// Sets a sticky loss on a task and everything below it but grace scopes (all of them with `force`).
  void cancel(Task& task, const Error& loss, bool force = false);

  /// Throws Misuse where nothing can wait, Raised when the task has a loss.
  WaitKey begin_wait(Call& call, WaitOptions options);
  /// Takes back a wait whose operation could not be started.
  void drop_wait(const WaitKey& key);
  /// Ends a wait; stale keys are counted and dropped. Never runs Lua before the caller's caller has returned to the
  /// loop.
  void finish_wait(const WaitKey& key, Outcome outcome);
  int yield(lua_State* L);
  /// The results of the wait that just ended.
  int take(Call& call);

  /// A handle of the task was collected.
  void release_handle(TaskId id);
  /// Forgets every task, for the end of the Vm.
  void clear();

  int stale_count() const { return stale_; }
  std::size_t live_count() const;

 private:
  void resume(const TaskPtr& task);
  Watchdog::Stop stop_of(const Task& task) const;
  void run(const TaskPtr& task);
  void finish(const TaskPtr& task);
  void settle(const TaskPtr& task);
  void abandon(Task& task);
  void record(const Task& task, const Error* error);

  VmState& vm_;
  std::unordered_map<TaskId, TaskPtr> tasks_;
  Task* running_ = nullptr;
  TaskId next_task_ = 1;
  std::uint64_t next_wait_ = 1;
  int stale_ = 0;
};

}  // namespace qa::lua
