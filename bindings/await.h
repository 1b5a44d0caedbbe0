#pragma once
// await<T>: starts a host operation that completes with Result<T> and makes the calling task wait for it.
//
//   return await<NavigationResult>(call, [&](auto done) { page->navigate(url, options, done); }, push_navigation);
//
// Read and check all arguments before. `push(lua_State*, T&)` pushes the results and gives their number; it runs inside
// the task. The completion holds ids, never a lua_State.

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "bindings/scheduler.h"
#include "bindings/vm_state.h"
#include "host/error.h"
#include "host/event_loop.h"

namespace qa::lua {

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

template <class T, class Start, class Push>
int await(Call& call, Start start, Push push, WaitOptions options = {}) {
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

/// Results of operations that only succeed: true.
inline int push_true(lua_State* L, Unit&) {
  lua_pushboolean(L, 1);
  return 1;
}

}  // namespace qa::lua
