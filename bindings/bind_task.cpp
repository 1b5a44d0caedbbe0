// Tasks: qa.all race spawn with_deadline, Task:join and cancel, and what the strategy loop alone may use
// (qa.internal: grace, attempt, deadline_at).

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "bindings/args.h"
#include "bindings/await.h"
#include "bindings/bindings.h"
#include "bindings/convert.h"
#include "bindings/handle.h"

namespace qa::lua {
namespace {

constexpr int kMaxMembers = 1000;
constexpr double kLongestMs = 1e9;

/// Tasks that their parent waits for together.
struct Group {
  WaitKey wait;
  std::vector<TaskPtr> members;
  std::size_t live = 0;
  bool first_wins = false;
  int winner = -1;  ///< First that returned.
  int raised = -1;  ///< First that raised on its own account.
  bool expired = false;
  EventLoop::TimerId timer = 0;
  std::function<int(lua_State*, Group&)> push;
};
using GroupPtr = std::shared_ptr<Group>;

/// Raises what a task raised.
int push_failure(lua_State* L, Task& task) {
  if (task.failure) {
    push_error(L, *task.failure);
  } else {
    luaL_checkstack(L, 2, "error");
    lua_xmove(task.co, L, 1);
  }
  return kRaise;
}

int push_values(lua_State* L, Task& task) {
  const int count = lua_gettop(task.co);
  luaL_checkstack(L, count + 1, "too many values");
  lua_xmove(task.co, L, count);
  return count;
}

void cancel_rest(Scheduler& scheduler, Group& group, std::size_t but) {
  for (std::size_t i = 0; i < group.members.size(); ++i) {
    if (i != but)
      scheduler.cancel(*group.members[i], Error{ErrorKind::cancelled, "a sibling task ended first", "", ""});
  }
}

void member_ended(VmState& vm, const GroupPtr& group, std::size_t index) {
  Task& member = *group->members[index];
  member.observed = true;
  --group->live;
  if (group->raised < 0 && group->winner < 0) {
    if (!member.returned) {
      group->raised = static_cast<int>(index);
      cancel_rest(*vm.scheduler, *group, index);
    } else if (group->first_wins) {
      group->winner = static_cast<int>(index);
      cancel_rest(*vm.scheduler, *group, index);
    }
  }
  if (group->live > 0) return;
  if (group->timer != 0) vm.loop.cancel(group->timer);
  vm.loop.post([weak = vm.scheduler->weak_from_this(), group] {
    const auto scheduler = weak.lock();
    if (!scheduler) return;
    scheduler->finish_wait(group->wait, Outcome{{}, [group](lua_State* L) { return group->push(L, *group); }});
  });
}

/// Starts a task for each function at first..last of the stack and waits for all of them.
GroupPtr begin_group(Call& call, int first, int last, WaitOptions options) {
  Scheduler& scheduler = *call.vm.scheduler;
  const bool shielded = options.shielded;
  options.joins = true;
  options.journal = false;
  auto group = std::make_shared<Group>();
  group->wait = scheduler.begin_wait(call, std::move(options));
  Task& parent = scheduler.running(call);
  for (int i = first; i <= last; ++i) {
    lua_pushvalue(call.L, i);
    group->members.push_back(scheduler.create(call.L, &parent, shielded));
  }
  group->live = group->members.size();
  for (std::size_t i = 0; i < group->members.size(); ++i) {
    const TaskPtr& member = group->members[i];
    // Group and member hold each other until the member has ended, which empties its list of listeners.
    member->on_end.push_back([vm = &call.vm, group, i] { member_ended(*vm, group, i); });
    scheduler.start(member);
  }
  return group;
}

int push_all(lua_State* L, Group& group) {
  if (group.raised >= 0) return push_failure(L, *group.members[static_cast<std::size_t>(group.raised)]);
  const int count = static_cast<int>(group.members.size());
  luaL_checkstack(L, count + 6, "too many tasks");
  lua_newtable(L);
  const int errors = lua_gettop(L);
  bool any = false;
  for (int i = 0; i < count; ++i) {
    Task& member = *group.members[static_cast<std::size_t>(i)];
    lua_settop(member.co, 2);
    lua_xmove(member.co, L, 2);
    if (lua_isnil(L, -2) && !lua_isnil(L, -1)) {
      lua_pushvalue(L, -1);
      lua_rawseti(L, errors, i + 1);
      any = true;
    }
    lua_pop(L, 1);
  }
  if (any) {
    lua_pushvalue(L, errors);
  } else {
    lua_pushnil(L);
  }
  lua_remove(L, errors);
  return count + 1;
}

int push_race(lua_State* L, Group& group) {
  if (group.winner < 0) return push_failure(L, *group.members[static_cast<std::size_t>(group.raised)]);
  lua_pushinteger(L, group.winner + 1);
  return 1 + push_values(L, *group.members[static_cast<std::size_t>(group.winner)]);
}

int qa_all(Call& call) {
  const int count = lua_gettop(call.L);
  if (count > kMaxMembers) throw Misuse(fmt::format("at most {} functions", kMaxMembers));
  for (int i = 1; i <= count; ++i) function_at(call, i, fmt::format("argument {}", i).c_str());
  if (count == 0) {
    return await<Unit>(
        call, [&](Callback<Unit> done) { call.vm.loop.post([done] { done(Unit{}); }); },
        [](lua_State* L, Unit&) { return lua_pushnil(L), 1; }, {.journal = false});
  }
  begin_group(call, 1, count, {})->push = push_all;
  return call.vm.scheduler->yield(call.L);
}

int qa_race(Call& call) {
  const int count = lua_gettop(call.L);
  if (count == 0 || count > kMaxMembers) throw Misuse(fmt::format("needs 1 to {} functions", kMaxMembers));
  for (int i = 1; i <= count; ++i) function_at(call, i, fmt::format("argument {}", i).c_str());
  const GroupPtr group = begin_group(call, 1, count, {});
  group->first_wins = true;
  group->push = push_race;
  return call.vm.scheduler->yield(call.L);
}

/// Runs argument 2, a function, in a task of its own for at most the milliseconds of argument 1.
int run_limited(Call& call, const std::string& what, bool shielded) {
  const double ms = number_at(call, 1, "ms", 0, kLongestMs);
  function_at(call, 2, "fn");
  const GroupPtr group = begin_group(call, 2, 2, {.shielded = shielded});
  const auto expire = [weak = call.vm.scheduler->weak_from_this(), group, what, shielded] {
    const auto scheduler = weak.lock();
    if (!scheduler || group->live == 0) return;
    group->expired = true;
    group->timer = 0;
    // By force, so that it reaches a shielded task as well.
    scheduler->cancel(*group->members[0], Error{ErrorKind::deadline, "the time of " + what + " is over", "", ""},
                      shielded);
  };
  group->timer = call.vm.loop.after(std::chrono::milliseconds(static_cast<std::int64_t>(ms)), expire);
  group->push = [ms, op = std::string(call.name)](lua_State* L, Group& ended) {
    if (!ended.expired) {
      return ended.raised >= 0 ? push_failure(L, *ended.members[0]) : push_values(L, *ended.members[0]);
    }
    lua_pushnil(L);
    push_error(L, Error{ErrorKind::timeout, fmt::format("took longer than {} ms", ms), op, ""});
    return 2;
  };
  return call.vm.scheduler->yield(call.L);
}

int qa_with_deadline(Call& call) { return run_limited(call, "qa.with_deadline", false); }

/// Runs fn in a fresh task that no loss of the caller reaches, for at most ms: `conclude` after a deadline or a signal.
int internal_grace(Call& call) { return run_limited(call, "the grace scope", true); }

/// pcall in a task of its own: a stretch of pure Lua that was stopped in it does not end the caller.
int internal_attempt(Call& call) {
  function_at(call, 1, "fn");
  begin_group(call, 1, 1, {})->push = [](lua_State* L, Group& ended) {
    Task& member = *ended.members[0];
    lua_pushboolean(L, ended.raised < 0);
    if (ended.raised < 0) return 1 + push_values(L, member);
    push_failure(L, member);
    return 2;
  };
  return call.vm.scheduler->yield(call.L);
}

/// After ms, the calling task and everything below it gets the loss `deadline`. nil takes the deadline back.
int internal_deadline_at(Call& call) {
  const bool clear = lua_isnoneornil(call.L, 1);
  const double ms = clear ? 0 : number_at(call, 1, "ms", 0, kLongestMs);
  VmState& vm = call.vm;
  const TaskId id = vm.scheduler->running(call).id;
  if (vm.deadline != 0) vm.loop.cancel(vm.deadline);
  vm.deadline = 0;
  if (clear) return 0;
  const auto expire = [weak = vm.scheduler->weak_from_this(), id, &vm] {
    const auto scheduler = weak.lock();
    if (!scheduler) return;
    vm.deadline = 0;
    const TaskPtr task = scheduler->find(id);
    if (task) scheduler->cancel(*task, Error{ErrorKind::deadline, "the time of the run is over", "", ""});
  };
  vm.deadline = vm.loop.after(std::chrono::milliseconds(static_cast<std::int64_t>(ms)), expire);
  return 0;
}

/// What is open now, the calling task left out: {tasks, pages, browsers, images, refs, stale}.
int internal_leaks(Call& call) {
  std::size_t ancestors = 0, pages = 0;
  for (const Task* task = &call.vm.scheduler->running(call); task; task = task->parent) ++ancestors;
  for (const auto& [id, page] : call.vm.handles.pages) pages += page->closed() ? 0 : 1;
  return push_result(call.L, Json{{"tasks", call.vm.scheduler->live_count() - ancestors},
                                  {"pages", pages},
                                  {"browsers", call.vm.handles.browsers.size()},
                                  {"images", call.vm.handles.images.size()},
                                  {"refs", call.vm.registry->refs},
                                  {"stale", call.vm.scheduler->stale_count()}});
}

int qa_spawn(Call& call) {
  function_at(call, 1, "fn");
  Scheduler& scheduler = *call.vm.scheduler;
  Task& parent = scheduler.running(call);
  if (parent.loss) throw Raised(*parent.loss);
  lua_pushvalue(call.L, 1);
  const TaskPtr task = scheduler.create(call.L, &parent, false);
  scheduler.start(task);
  call.vm.handles.push_task(call.L, *task);
  return 1;
}

int push_joined(lua_State* L, VmState& vm, Task& task) {
  task.observed = true;
  if (task.failure) return push_failure(L, task);
  if (!task.value) {
    if (task.returned) lua_settop(task.co, 1);
    luaL_checkstack(L, 2, "join");
    lua_xmove(task.co, L, 1);
    task.value = Ref(L, vm.registry);
  }
  task.value.push(L);
  return task.returned ? 1 : kRaise;
}

int task_join(Call& call) {
  const TaskPtr task = task_self(call);
  for (const Task* waiter = &call.vm.scheduler->running(call); waiter; waiter = waiter->parent) {
    if (waiter == task.get()) throw Misuse("a task cannot join itself or a task that it runs in");
  }
  VmState* vm = &call.vm;
  const auto start = [&](Callback<Unit> done) {
    const auto finish = [vm, done] { vm->loop.post([done] { done(Unit{}); }); };
    if (task->ended()) {
      finish();
    } else {
      task->on_end.push_back(finish);
    }
  };
  return await<Unit>(call, start, [vm, task](lua_State* L, Unit&) { return push_joined(L, *vm, *task); },
                     {.journal = false});
}

int task_cancel(Call& call) {
  const TaskPtr task = task_self(call);
  call.vm.scheduler->cancel(*task, Error{ErrorKind::cancelled, "the task was cancelled", "", ""});
  return 0;
}

}  // namespace

void add_task(lua_State* L) {
  add_functions(L, "qa_waits", "qa.",
                {{"all", bound<qa_all>}, {"race", bound<qa_race>}, {"with_deadline", bound<qa_with_deadline>}});
  add_functions(L, "qa", "qa.", {{"spawn", bound<qa_spawn>}});
  add_functions(L, "task_waits", "task:", {{"join", bound<task_join>}});
  add_functions(L, "task", "task:", {{"cancel", bound<task_cancel>}});
  add_functions(L, "internal_waits", "qa.internal.",
                {{"grace", bound<internal_grace>}, {"attempt", bound<internal_attempt>}});
  add_functions(L, "internal", "qa.internal.",
                {{"deadline_at", bound<internal_deadline_at>}, {"leaks", bound<internal_leaks>}});
}

}  // namespace qa::lua
