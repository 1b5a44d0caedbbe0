#pragma once
// await<T>: starts a host operation that completes with Result<T> and makes the calling task wait for it.
//
//   return await<NavigationResult>(call, [&](auto done) { page->navigate(url, options, done); }, push_navigation);
//
// Read and check all arguments before. `push(lua_State*, T&)` pushes the results and gives their number, push_result
// where none is given; it runs inside the task. The completion holds ids, never a lua_State.

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "bindings/bindings.h"
#include "bindings/convert.h"
#include "bindings/scheduler.h"
#include "bindings/vm_state.h"
#include "host/error.h"
#include "host/event_loop.h"

namespace qa::lua {

/// Pushes one value and gives 1: true for an operation that only succeeds, nil for null and for what is not there.
inline int push_result(lua_State* L, const Unit&) { return lua_pushboolean(L, 1), 1; }
inline int push_result(lua_State* L, bool value) { return lua_pushboolean(L, value ? 1 : 0), 1; }
inline int push_result(lua_State* L, double value) { return lua_pushnumber(L, value), 1; }
inline int push_result(lua_State* L, const std::string& value) { return push_text(L, value), 1; }
inline int push_result(lua_State* L, const PicturePtr& value) { return VmState::of(L).handles.push_image(L, value), 1; }
inline int push_result(lua_State* L, const std::shared_ptr<Page>& value) {
  return VmState::of(L).handles.push_page(L, value), 1;
}
template <class T>
int push_result(lua_State* L, const std::optional<T>& value) {
  return value ? push_result(L, *value) : (lua_pushnil(L), 1);
}

/// A list of what `push` pushes of each item.
template <class Items, class Push>
int push_list(lua_State* L, const Items& items, Push push) {
  lua_createtable(L, static_cast<int>(items.size()), 0);
  int i = 0;
  for (const auto& item : items) {
    push(item);
    lua_rawseti(L, -2, ++i);
  }
  return 1;
}

struct PushResult {
  template <class T>
  int operator()(lua_State* L, const T& value) const {
    return push_result(L, value);
  }
};

/// The outcome of a primitive that does not wait: its value, or nil and the error table.
template <class T>
int push_outcome(Call& call, const Result<T>& outcome) {
  return outcome ? push_result(call.L, *outcome) : push_outcome(call, outcome.error());
}

template <class T, class Push>
Callback<T> completion(Call& call, const WaitKey& key, Push push) {
  return [weak = call.vm.scheduler->weak_from_this(), key, push](Result<T> result) {
    const auto scheduler = weak.lock();
    if (!scheduler) return;
    Outcome outcome;
    if (result) {
      auto value = std::make_shared<T>(std::move(*result));
      outcome.push = [value, push](lua_State* L) { return push(L, *value); };
    } else {
      outcome.error = std::move(result.error());
    }
    scheduler->finish_wait(key, std::move(outcome));
  };
}

template <class T, class Start, class Push = PushResult>
int await(Call& call, Start start, Push push = {}, WaitOptions options = {}) {
  Scheduler& scheduler = *call.vm.scheduler;
  const WaitKey key = scheduler.begin_wait(call, std::move(options));
  try {
    start(completion<T>(call, key, push));
  } catch (const std::exception&) {
    scheduler.drop_wait(key);
    throw;
  }
  return scheduler.yield(call.L);
}

/// The same for what moves or changes the page of argument 1: a page on game time has it in its log.
template <class T, class Start, class Push = PushResult>
int await_change(Call& call, Start start, Push push = {}, std::function<void()> abandon = {}) {
  return await<T>(call, std::move(start), std::move(push), {.is_input = true, .abandon = std::move(abandon)});
}

/// Runs `job` on the pool and completes with what it returns; what it throws (no memory is left) is an error.
template <class T>
void compute(EventLoop& loop, std::function<Result<T>()> job, Callback<T> done) {
  auto result = std::make_shared<std::optional<Result<T>>>();
  loop.compute(
      [result, job = std::move(job)] {
        try {
          result->emplace(job());
        } catch (const std::exception& problem) {
          result->emplace(Error{ErrorKind::io_error, std::string("the work failed: ") + problem.what(), "", ""});
        }
      },
      [result, done = std::move(done)] { done(std::move(**result)); });
}

/// Runs `job` on the pool; the task waits.
template <class T, class Push = PushResult>
int on_pool(Call& call, std::function<Result<T>()> job, Push push = {}, WaitOptions options = {}) {
  const auto start = [&](Callback<T> done) { compute<T>(call.vm.loop, std::move(job), std::move(done)); };
  return await<T>(call, start, std::move(push), std::move(options));
}

}  // namespace qa::lua
