#pragma once
// Watchdog: bounds one stretch of pure Lua, from resume to the next yield. A count hook looks at the clock; once the
// time is over it raises at every instruction until control is back in the scheduler, so that neither pcall nor a
// handler can swallow it. Hooks do not fire in compiled loops (the JIT is off by default) nor inside C functions.

#include <chrono>
#include <lua.hpp>
#include <string>

#include "host/error.h"

namespace qa::lua {

/// The loss of a task that ran too long; `where` is "file:line: " or empty.
Error stretch_error(int limit_ms, const std::string& where);

class Watchdog {
 public:
  static constexpr int kInstructions = 10000;  ///< Between two looks at the clock.

  void install(lua_State* L);
  void arm(int limit_ms);
  /// True when the time was over since arm().
  bool disarm(lua_State* L);
  int limit_ms() const { return limit_ms_; }

 private:
  static void hook(lua_State* L, lua_Debug* activation);
  bool is_over();

  std::chrono::steady_clock::time_point end_;
  int limit_ms_ = 0;
  bool armed_ = false, fired_ = false;
};

}  // namespace qa::lua
