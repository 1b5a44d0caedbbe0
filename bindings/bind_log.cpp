// qa.log.debug info warn error line. The first four take any values, joined like print's.

#include "bindings/args.h"
#include "bindings/bindings.h"
#include "bindings/convert.h"
#include "bindings/vm_state.h"

namespace qa::lua {
namespace {

/// tostring() of every argument, joined by tabs, at the top of the stack. __tostring may raise: no C++ object lives
/// meanwhile.
std::string_view join_arguments(lua_State* L) {
  const int count = lua_gettop(L);
  luaL_checkstack(L, count + 4, "too many values");
  for (int i = 1; i <= count; ++i) {
    if (i > 1) lua_pushliteral(L, "\t");
    lua_getglobal(L, "tostring");
    lua_pushvalue(L, i);
    lua_call(L, 1, 1);
    if (!lua_isstring(L, -1)) {
      lua_pop(L, 1);
      lua_pushliteral(L, "?");
    }
  }
  if (count == 0) {
    lua_pushliteral(L, "");
  } else {
    lua_concat(L, 2 * count - 1);
  }
  std::size_t size = 0;
  const char* text = lua_tolstring(L, -1, &size);
  return {text, size};
}

int write_level(Call& call, const char* level) {
  call.vm.log(level, join_arguments(call.L));
  return 0;
}

int log_debug(Call& call) { return write_level(call, "debug"); }
int log_info(Call& call) { return write_level(call, "info"); }
int log_warn(Call& call) { return write_level(call, "warn"); }
int log_error(Call& call) { return write_level(call, "error"); }

int log_line(Call& call) {
  call.vm.log("line", string_at(call, 1, "text"));
  return 0;
}

int host_print(Call& call) {
  call.vm.print(join_arguments(call.L));
  return 0;
}

}  // namespace

void add_log(lua_State* L) {
  add_functions(L, "log", "qa.log.",
                {{"debug", bound<log_debug>},
                 {"info", bound<log_info>},
                 {"warn", bound<log_warn>},
                 {"error", bound<log_error>},
                 {"line", bound<log_line>}});
  add_functions(L, "host", "", {{"print", bound<host_print>}});
}

}  // namespace qa::lua
