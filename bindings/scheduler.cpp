#include "bindings/scheduler.h"

#include <algorithm>
#include <cassert>
#include <nlohmann/json.hpp>

#include "bindings/convert.h"
#include "bindings/vm_state.h"

namespace qa::lua {
namespace {

/// Nothing for a page that is closed, or not on game time.
std::optional<ClockPosition> clock_position_of(const VmState& vm, HandleId page) {
  const auto found = vm.handles.pages.find(page);
  return found == vm.handles.pages.end() ? std::nullopt : found->second->clock_position();
}

}  // namespace

TaskPtr Scheduler::create(lua_State* L, Task* parent, bool shielded) {
  lua_State* co = lua_newthread(L);
  lua_insert(L, -2);
  lua_xmove(L, co, 1);
  auto task = std::make_shared<Task>();
  task->anchor = Ref(L, vm_.registry);
  task->id = next_task_++;
  task->co = co;
  task->parent = parent;
  task->shielded = shielded;
  if (parent && !shielded) task->loss = parent->loss;
  if (parent) parent->children.push_back(task.get());
  tasks_.emplace(task->id, task);
  return task;
}

void Scheduler::start(const TaskPtr& task) {
  vm_.loop.post([weak = weak_from_this(), task] {
    if (auto self = weak.lock()) self->resume(task);
  });
}

Task& Scheduler::running(Call& call) {
  if (!running_) throw Misuse(std::string("qa: ") + call.name + "() works inside a task only", true);
  return *running_;
}

TaskPtr Scheduler::find(TaskId id) const {
  const auto found = tasks_.find(id);
  return found == tasks_.end() ? nullptr : found->second;
}

std::size_t Scheduler::live_count() const {
  return static_cast<std::size_t>(
      std::count_if(tasks_.begin(), tasks_.end(), [](const auto& entry) { return !entry.second->ended(); }));
}

WaitKey Scheduler::begin_wait(Call& call, WaitOptions options) {
  if (!running_ || vm_.blocked > 0 || !lua_isyieldable(call.L)) {
    throw Misuse(std::string("qa: ") + call.name + "() cannot wait here (inside table.sort, string.gsub or require)",
                 true);
  }
  Task& task = *running_;
  if (task.loss && !options.shielded) {
    Error loss = *task.loss;
    loss.op = call.name;
    throw Raised(std::move(loss));
  }
  task.wait = next_wait_++;
  task.wait_joins = options.joins;
  task.wait_shielded = options.shielded;
  task.wait_op = call.name;
  task.wait_began_ms = vm_.loop.now_ms();
  task.abandon = std::move(options.abandon);
  task.outcome.reset();
  task.wait_file = call.file;
  task.wait_args.clear();
  const std::string_view name = call.name;
  task.wait_page = name.starts_with("page:") ? handle_id(call, 1, "page") : 0;
  const auto at = clock_position_of(vm_, task.wait_page);
  task.wait_is_input = options.is_input && at;
  task.wait_turn = at ? at->turns_asked + 1 : 0;
  if (task.wait_is_input || (options.journal && vm_.journal.is_open())) {
    const int first = name.find(':') == name.npos ? 1 : 2;
    for (int i = first; i <= lua_gettop(call.L); ++i) {
      task.wait_args += i == first ? '[' : ',';
      // What is played again is kept whole.
      task.wait_is_input ? void(task.wait_args += dump_json(to_json(call.L, i)))
                         : append_summary(task.wait_args, call.L, i);
    }
    task.wait_args += task.wait_args.empty() ? "[]" : "]";
  }
  return WaitKey{task.id, task.wait};
}

void Scheduler::drop_wait(const WaitKey& key) {
  const TaskPtr task = find(key.task);
  if (!task || task->wait != key.wait) return;
  task->wait = 0;
  task->abandon = nullptr;
}

int Scheduler::yield(lua_State* L) {
  if (running_ && running_->wait_is_input) {
    const auto at = clock_position_of(vm_, running_->wait_page);
    if (at && at->turns_asked < running_->wait_turn) running_->wait_turn = 0;  // It did not ask for one.
  }
  luaL_getmetatable(L, kWaitSentinel);
  return lua_yield(L, 1);
}

void Scheduler::finish_wait(const WaitKey& key, Outcome outcome) {
  if (running_) {
    // A completion that came before its primitive yielded, or while other Lua runs: later.
    auto held = std::make_shared<Outcome>(std::move(outcome));
    vm_.loop.post([weak = weak_from_this(), key, held] {
      if (auto self = weak.lock()) self->finish_wait(key, std::move(*held));
    });
    return;
  }
  const TaskPtr task = find(key.task);
  if (!task || task->wait != key.wait || task->phase != Task::Phase::waiting) {
    ++stale_;
    return;
  }
  if (outcome.error) outcome.error->op = task->wait_op;
  record(*task, outcome.error ? &*outcome.error : nullptr);
  task->outcome = std::move(outcome);
  task->wait = 0;
  task->abandon = nullptr;
  task->phase = Task::Phase::ready;
  resume(task);
}

void Scheduler::record(const Task& task, const Error* error) {
  if (task.wait_args.empty()) return;
  std::optional<GamePlace> place;
  if (const auto at = clock_position_of(vm_, task.wait_page)) {
    const bool is_done = task.wait_is_input && at->turns_begun >= task.wait_turn;  // Else nothing came of it.
    const bool had_turn = is_done && task.wait_turn > 0;
    place = GamePlace{task.wait_page, had_turn ? at->turn_frame : at->frame, at->ms, is_done};
    if (is_done) vm_.handles.log_input(*place, task.wait_op, task.wait_args, error != nullptr);
  }
  if (!vm_.journal.is_open()) return;
  vm_.journal.append_operation(task.wait_op, task.wait_args, task.wait_file, error,
                               vm_.loop.now_ms() - task.wait_began_ms, place);
}

int Scheduler::take(Call& call) {
  Task& task = running(call);
  std::optional<Outcome> outcome = std::move(task.outcome);
  task.outcome.reset();
  if (task.loss && !task.wait_shielded) {
    Error loss = *task.loss;
    loss.op = task.wait_op;
    throw Raised(std::move(loss));
  }
  if (!outcome) throw Misuse("qa: this coroutine was resumed while it waited", true);
  if (!outcome->error) return outcome->push(call.L);
  if (is_loss(outcome->error->kind)) throw Raised(*outcome->error);
  lua_pushnil(call.L);
  push_error(call.L, *outcome->error);
  return 2;
}

void Scheduler::resume(const TaskPtr& task) {
  if (task->phase != Task::Phase::ready) return;
  if (task->loss && !task->started) {
    task->failure = task->loss;  // Cancelled before it began.
    finish(task);
    return;
  }
  run(task);
}

Watchdog::Stop Scheduler::stop_of(const Task& task) const {
  for (const Task* scope = &task; scope; scope = scope->parent) {
    if (scope->shielded) return Watchdog::Stop::at_latest;
  }
  return vm_.is_stopped && task.loss ? Watchdog::Stop::in_a_moment : Watchdog::Stop::at_once;
}

void Scheduler::run(const TaskPtr& task) {
  lua_State* co = task->co;
  if (!task->started) {
    task->started = true;
  } else {
    assert(lua_status(co) == LUA_YIELD);
    lua_settop(co, 0);
  }
  vm_.reclaim();
  task->phase = Task::Phase::running;
  running_ = task.get();
  vm_.blocked = 0;
  vm_.watchdog.arm(vm_.options.max_stretch_ms, stop_of(*task));
  const int status = lua_resume(co, 0);
  const bool over = vm_.watchdog.disarm(vm_.L);
  running_ = nullptr;
  if (status == LUA_YIELD && task->wait != 0 && !over) {
    task->phase = Task::Phase::waiting;
    // Cancelled by itself or by a sibling that it started while it ran.
    if (task->loss && !task->wait_shielded && !task->wait_joins) abandon(*task);
    return;
  }
  task->wait = 0;
  task->abandon = nullptr;
  task->returned = status == 0 && !over;
  if (over && vm_.watchdog.take_stop()) vm_.stop_root();
  if (over && !task->loss) task->loss = vm_.watchdog.loss("");
  if (over && (status == 0 || status == LUA_YIELD)) {
    task->failure = task->loss;  // A tail call of pcall returned what the watchdog raised.
  } else if (status == LUA_YIELD) {
    task->failure = Error{ErrorKind::cancelled, "a task yielded outside of a primitive", "coroutine.yield", ""};
  }
  finish(task);
}

void Scheduler::finish(const TaskPtr& task) {
  task->phase = Task::Phase::joining;
  const auto children = task->children;
  for (Task* child : children) cancel(*child, Error{ErrorKind::cancelled, "its parent task has ended", "", ""}, true);
  if (task->children.empty()) settle(task);
}

void Scheduler::settle(const TaskPtr& task) {
  task->phase = Task::Phase::ended;
  Task* parent = task->parent;
  task->parent = nullptr;
  if (!task->has_handle) tasks_.erase(task->id);
  const auto listeners = std::move(task->on_end);
  task->on_end.clear();
  for (const auto& listener : listeners) listener();
  for (const auto& failed : task->failed_children) {
    if (!failed->observed) vm_.log_lost_error(failed->co);
  }
  task->failed_children.clear();
  if (!parent) return;
  if (!task->returned && !task->failure && !task->loss && !task->observed) parent->failed_children.push_back(task);
  std::erase(parent->children, task.get());
  if (parent->phase != Task::Phase::joining || !parent->children.empty()) return;
  if (const TaskPtr owner = find(parent->id)) settle(owner);
}

void Scheduler::cancel(Task& task, const Error& loss, bool force) {
  if (task.ended() || (task.shielded && !force)) return;
  if (!task.loss) task.loss = loss;
  const auto children = task.children;
  for (Task* child : children) cancel(*child, loss, force);
  if (task.phase == Task::Phase::waiting && !task.wait_joins && !task.wait_shielded) abandon(task);
}

void Scheduler::abandon(Task& task) {
  const auto stop = std::move(task.abandon);
  task.abandon = nullptr;
  task.wait = 0;
  task.phase = Task::Phase::ready;
  task.outcome.reset();
  const Error cut{ErrorKind::cancelled, "it was cut short"};
  if (task.wait_is_input) record(task, &cut);
  task.wait_is_input = false;
  if (stop) stop();
  if (const TaskPtr owner = find(task.id)) start(owner);
}

void Scheduler::release_handle(TaskId id) {
  const TaskPtr task = find(id);
  if (!task) return;
  task->has_handle = false;
  if (task->ended()) tasks_.erase(id);
}

void Scheduler::clear() {
  const auto tasks = std::move(tasks_);
  tasks_.clear();
  for (const auto& [id, task] : tasks) {
    task->on_end.clear();
    task->outcome.reset();
    task->abandon = nullptr;
    task->anchor.reset();
    task->value.reset();
    task->failed_children.clear();
    task->phase = Task::Phase::ended;
  }
}

}  // namespace qa::lua
