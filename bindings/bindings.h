#pragma once
// What each bind_<topic>.cpp offers to the Vm: it adds its tables of functions to the `raw` table at the top of the
// stack, from which prelude.lua makes what a script sees.

#include <functional>
#include <lua.hpp>

#include "bindings/trampoline.h"

namespace qa::lua {

void add_qa(lua_State* L);
void add_task(lua_State* L);
void add_browser(lua_State* L);
void add_page(lua_State* L);
void add_input(lua_State* L);
void add_image(lua_State* L);
void add_json(lua_State* L);
void add_grid(lua_State* L);
void add_log(lua_State* L);
void add_fs(lua_State* L);
void add_folder(lua_State* L);
void add_process(lua_State* L);
void add_run(lua_State* L);
void add_host(lua_State* L);
void add_model(lua_State* L);
void add_budget(lua_State* L);
void add_statistics(lua_State* L);
void add_store(lua_State* L);
void add_native(lua_State* L);

/// Pushes nil and the error table: an outcome of a primitive that does not wait.
int push_outcome(Call& call, Error error);

/// Closes what is open and what is still being launched, then calls `then` (at the latest after 4 s, by killing).
void close_browsers(VmState& vm, std::function<void()> then);

}  // namespace qa::lua
