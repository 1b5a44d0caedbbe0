#pragma once
// Task: one Lua coroutine with its place in the task tree. Owned by the Scheduler and by whoever waits for its values.

#include <cstdint>
#include <functional>
#include <lua.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bindings/ref.h"
#include "host/error.h"

namespace qa::lua {

using TaskId = std::uint64_t;

/// What a finished wait gives back. Complete before the task resumes; turned into Lua values inside the task, where
/// running out of memory is an ordinary Lua error.
struct Outcome {
  std::optional<Error> error;
  std::function<int(lua_State*)> push;  ///< Pushes the results and gives their number, or kRaise.
};

struct Task {
  enum class Phase { ready, running, waiting, joining, ended };

  TaskId id = 0;
  Task* parent = nullptr;  ///< Outlives its children.
  std::vector<Task*> children;
  lua_State* co = nullptr;
  Ref anchor;
  Phase phase = Phase::ready;
  bool started = false;
  bool shielded = false;    ///< A grace scope: the loss of its parent does not reach it.
  bool has_handle = false;  ///< A qa.Task userdata may still ask for its value.

  // The wait it is in.
  std::uint64_t wait = 0;   ///< 0: none. A completion of an earlier wait is stale.
  bool wait_joins = false;  ///< Waits for children: a cancelled task waits until they have ended.
  bool wait_shielded = false;
  std::string wait_op, wait_args;  ///< For the journal; args is JSON text, "" when the wait is not journalled.
  std::string wait_file;           ///< The file that it writes into the run directory, "" for none.
  double wait_began_ms = 0;
  std::uint64_t wait_page = 0;  ///< Handle of the page that it is about, 0 for none.
  bool wait_is_input = false;
  int wait_turn = 0;              ///< Which turn of that page, from 1, is the input's.
  std::function<void()> abandon;  ///< Stops the host operation when the task stops waiting for it.
  std::optional<Outcome> outcome;

  std::optional<Error> loss;  ///< Sticky: every further wait of the task raises it.

  // How it ended: values (or the raised value) are left on co's stack, or an error of the scheduler.
  bool returned = false;
  std::optional<Error> failure;
  Ref value;              ///< The first value or the raised one, once somebody joined.
  bool observed = false;  ///< Somebody took its values or error.
  std::vector<std::function<void()>> on_end;
  std::vector<std::shared_ptr<Task>> failed_children;  ///< Raised, and nobody has joined them yet.

  bool ended() const { return phase == Phase::ended; }
};
using TaskPtr = std::shared_ptr<Task>;

}  // namespace qa::lua
