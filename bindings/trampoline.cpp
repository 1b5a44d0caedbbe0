#include "bindings/trampoline.h"

#include <optional>

#include "bindings/convert.h"
#include "bindings/vm_state.h"

namespace qa::lua {
int run_guarded(lua_State* L, Function body) {
  const char* name = lua_tostring(L, lua_upvalueindex(1));
  const int level = static_cast<int>(lua_tointeger(L, lua_upvalueindex(2)));
  std::string text;
  std::optional<Error> error;
  try {
    Call call{L, VmState::of(L), name, level, ""};
    return body(call);
  } catch (const Raised& raised) {
    error = raised.error();
  } catch (const Misuse& misuse) {
    text = misuse.whole() ? misuse.what() : std::string(name) + "(): " + misuse.what();
  } catch (const std::exception& broken) {
    text = std::string(name) + "(): " + broken.what();
  }
  // Outside of the catch block: raising inside one is undefined where errors are longjmp.
  if (error) return push_error(L, *error), kRaise;
  luaL_where(L, level);
  lua_pushlstring(L, text.data(), text.size());
  lua_concat(L, 2);
  return kRaise;
}

void add_functions(lua_State* L, const std::string& field, const char* prefix,
                   std::initializer_list<luaL_Reg> functions) {
  lua_getfield(L, -1, field.c_str());
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, field.c_str());
  }
  for (const luaL_Reg& function : functions) {
    lua_pushfstring(L, "%s%s", prefix, function.name);
    lua_pushinteger(L, field.ends_with("_waits") ? 2 : 1);
    lua_pushcclosure(L, function.func, 2);
    lua_setfield(L, -2, function.name);
  }
  lua_pop(L, 1);
}

}  // namespace qa::lua
