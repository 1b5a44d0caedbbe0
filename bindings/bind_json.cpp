// qa.json.encode decode array; null is set by the prelude.

#include <nlohmann/json.hpp>

#include "bindings/args.h"
#include "bindings/bindings.h"
#include "bindings/convert.h"

namespace qa::lua {
namespace {

int json_encode(Call& call) {
  push_text(call.L, dump_json(to_json(call.L, 1)));
  return 1;
}

int json_decode(Call& call) {
  push_json(call.L, parse_json(string_at(call, 1, "text")));
  return 1;
}

int json_array(Call& call) {
  table_at(call, 1, "list");
  lua_settop(call.L, 1);
  if (lua_getmetatable(call.L, 1)) {
    luaL_getmetatable(call.L, kArrayType);
    if (!lua_rawequal(call.L, -1, -2)) throw Misuse("list has a metatable of its own");
  }
  lua_settop(call.L, 1);
  luaL_getmetatable(call.L, kArrayType);
  lua_setmetatable(call.L, 1);
  return 1;
}

}  // namespace

void add_json(lua_State* L) {
  add_functions(L, "json", "qa.json.",
                {{"encode", bound<json_encode>}, {"decode", bound<json_decode>}, {"array", bound<json_array>}});
}

}  // namespace qa::lua
