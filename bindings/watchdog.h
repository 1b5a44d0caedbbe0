#pragma once
// Watchdog: bounds one stretch of pure Lua, from resume to the next yield, and stops it when another thread asks. A
// count hook looks at the clock and the request; from then on it raises at every instruction until control is back in
// the scheduler, so that neither pcall nor a handler can swallow it. Hooks do not fire in compiled loops (the JIT is
// off by default) nor inside C functions.

#include <atomic>
#include <chrono>
#include <lua.hpp>
#include <string>

#include "host/error.h"

namespace qa::lua {

/// The loss of everything that the program around it has stopped.
Error stop_error(const std::string& where);

class Watchdog {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr int kInstructions = 10000;  ///< Between two looks at the clock.

  void install(lua_State* L);
  /// What a request to stop means to the task that runs: the end; where it was stopped before, a moment of Lua to come
  /// to where it may conclude; nothing before `latest` where it does.
  enum class Stop { at_once, in_a_moment, at_latest };
  void arm(int limit_ms, Stop stop = Stop::at_once);
  /// True when Lua was stopped since arm(); loss() says why.
  bool disarm(lua_State* L);
  Error loss(const std::string& where) const;

  /// Any thread. What runs is stopped at its next look; from `latest` on everything is.
  void request_stop(Clock::time_point latest);
  /// Takes the request back, so that what may still run can, until `latest`. False when there was none.
  bool take_stop() { return stop_.exchange(false); }

 private:
  static void hook(lua_State* L, lua_Debug* activation);
  bool is_over();

  Clock::time_point end_;
  std::chrono::nanoseconds moment_end_{};  ///< In this thread's processor time.
  int limit_ms_ = 0;
  Stop means_ = Stop::at_once;
  bool armed_ = false, fired_ = false, stopped_ = false;
  std::atomic<bool> stop_ = false;
  std::atomic<Clock::time_point> latest_ = Clock::time_point::max();
};

}  // namespace qa::lua
