#include "bindings/watchdog.h"

#include <fmt/format.h>
#include <time.h>

#include <cstring>

#include "bindings/convert.h"
#include "bindings/vm_state.h"

namespace qa::lua {
namespace {

/// "file:line: " of the script, not of the prelude. Left on the stack.
const char* push_where(lua_State* L) {
  const char* where = nullptr;
  for (int level = 0; level < 8; ++level) {
    luaL_where(L, level);
    where = lua_tostring(L, -1);
    if (where && *where && std::strncmp(where, "prelude:", 8) != 0) break;
  }
  return where ? where : "";
}

/// A loaded machine does not shorten the moment of a stopped task, so it is counted in processor time.
constexpr std::chrono::milliseconds kMoment{10};

std::chrono::nanoseconds processor_time() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

Error stop_error(const std::string& where) {
  return Error{ErrorKind::cancelled, where + "stopped by the program that runs it", "", ""};
}

void Watchdog::install(lua_State* L) { lua_sethook(L, &Watchdog::hook, LUA_MASKCOUNT, kInstructions); }

void Watchdog::arm(int limit_ms, Stop stop) {
  limit_ms_ = limit_ms;
  end_ = Clock::now() + std::chrono::milliseconds(limit_ms);
  means_ = stop;
  if (stop == Stop::in_a_moment) moment_end_ = processor_time() + kMoment;
  armed_ = true;
  fired_ = stopped_ = false;
}

bool Watchdog::disarm(lua_State* L) {
  armed_ = false;
  if (!fired_) return false;
  fired_ = false;
  install(L);
  return true;
}

bool Watchdog::is_over() {
  if (!armed_ || fired_) return fired_;
  const auto now = Clock::now();
  stopped_ = now >= latest_.load() || (means_ == Stop::at_once && stop_) ||
             (means_ == Stop::in_a_moment && processor_time() >= moment_end_);
  fired_ = stopped_ || now >= end_;
  return fired_;
}

Error Watchdog::loss(const std::string& where) const {
  if (stopped_) return stop_error(where);
  return {ErrorKind::deadline,
          fmt::format("{}a stretch of pure Lua took longer than {:g} s", where, limit_ms_ / 1000.0), "", ""};
}

void Watchdog::request_stop(Clock::time_point latest) {
  auto known = latest_.load();
  while (latest < known && !latest_.compare_exchange_weak(known, latest)) {
  }
  stop_ = true;
}

void Watchdog::hook(lua_State* L, lua_Debug*) {
  VmState& vm = VmState::of(L);
  Watchdog& self = vm.watchdog;
  if (vm.memory.refused) {
    lua_gc(L, LUA_GCCOLLECT, 0);
    vm.memory.refused = vm.memory.used > vm.memory.limit / 4 * 3;
  }
  if (!self.is_over()) return;
  lua_sethook(L, &Watchdog::hook, LUA_MASKCOUNT, 1);
  push_error(L, self.loss(push_where(L)));
  lua_error(L);
}

}  // namespace qa::lua
