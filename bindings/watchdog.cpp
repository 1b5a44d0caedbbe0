#include "bindings/watchdog.h"

#include <cstdio>
#include <cstring>

#include "bindings/convert.h"
#include "bindings/vm_state.h"

namespace qa::lua {
namespace {

void push_stretch_error(lua_State* L, int limit_ms) {
  const char* where = nullptr;
  for (int level = 0; level < 8; ++level) {  // The script's line, not one of the prelude.
    luaL_where(L, level);
    where = lua_tostring(L, -1);
    if (where && *where && std::strncmp(where, "prelude:", 8) != 0) break;
  }
  push_error(L, stretch_error(limit_ms, where ? where : ""));
}

}  // namespace

Error stretch_error(int limit_ms, const std::string& where) {
  char text[96];
  std::snprintf(text, sizeof text, "a stretch of pure Lua took longer than %g s", limit_ms / 1000.0);
  return Error{ErrorKind::deadline, where + text, "", ""};
}

void Watchdog::install(lua_State* L) { lua_sethook(L, &Watchdog::hook, LUA_MASKCOUNT, kInstructions); }

void Watchdog::arm(int limit_ms) {
  limit_ms_ = limit_ms;
  end_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(limit_ms);
  armed_ = true;
  fired_ = false;
}

bool Watchdog::disarm(lua_State* L) {
  armed_ = false;
  if (!fired_) return false;
  fired_ = false;
  install(L);
  return true;
}

bool Watchdog::is_over() {
  if (!armed_) return false;
  if (!fired_ && std::chrono::steady_clock::now() >= end_) fired_ = true;
  return fired_;
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
  push_stretch_error(L, self.limit_ms_);
  lua_error(L);
}

}  // namespace qa::lua
