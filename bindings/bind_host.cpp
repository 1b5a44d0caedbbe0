// What only prelude.lua sees: results of waits, text-only loaders, and where nothing may wait.

#include <string>

#include "bindings/args.h"
#include "bindings/await.h"
#include "bindings/bindings.h"
#include "bindings/convert.h"
#include "bindings/vm_state.h"
#include "host/files.h"

namespace qa::lua {
namespace {

/// The results of the wait that just ended; the shim around every waiting primitive calls it.
int host_take(Call& call) { return call.vm.scheduler->take(call); }

/// Enters (1) or leaves (-1) a place where a primitive cannot wait.
int host_block(Call& call) {
  call.vm.blocked += static_cast<int>(lua_tointeger(call.L, 1));
  return 0;
}

int host_can_yield(Call& call) { return push_result(call.L, call.vm.blocked == 0 && lua_isyieldable(call.L)); }

/// Loads text; nil and the message of the parser otherwise.
int load_text(lua_State* L, std::string_view text, const std::string& chunk_name) {
  if (luaL_loadbufferx(L, text.data(), text.size(), chunk_name.c_str(), "t") == 0) return 1;
  lua_pushnil(L);
  lua_insert(L, -2);
  return 2;
}

/// load_file(path): chunk, or nil and {kind = "io_error" | "script_error", message}.
int host_load_file(Call& call) {
  const std::string path(string_at(call, 1, "path"));
  const auto text = read_file(path);
  if (!text) return push_outcome(call, text.error());
  const std::string why = call.vm.options.project.refusal(path, *text);
  if (!why.empty()) return push_outcome(call, Error{ErrorKind::io_error, why, "", ""});
  if (load_text(call.L, *text, "@" + path) == 1) return 1;
  push_error_of(call.L, "script_error", lua_tostring(call.L, -1), call.name);
  lua_remove(call.L, -2);
  return 2;
}

int host_load_text(Call& call) {
  return load_text(call.L, string_at(call, 1, "text"), std::string(string_at(call, 2, "name")));
}

}  // namespace

void add_host(lua_State* L) {
  add_functions(L, "host", "qa.",
                {{"take", bound<host_take>},
                 {"block", bound<host_block>},
                 {"can_yield", bound<host_can_yield>},
                 {"load_chunk", bound<host_load_file>},
                 {"load_text", bound<host_load_text>}});
}

}  // namespace qa::lua
