#pragma once
// What each bind_<topic>.cpp offers to the Vm: it adds its tables of functions to the `raw` table at the top of the
// stack, from which prelude.lua makes what a script sees.

#include <functional>
#include <lua.hpp>

#include "bindings/trampoline.h"

namespace qa::lua {

/// bind_<topic>.cpp defines add_<topic>. F(topic).
// clang-format off
#define QA_TOPICS(F) \
  F(qa) F(task) F(browser) F(page) F(clock) F(tape) F(input) F(image) F(grid) F(json) F(log) F(fs) F(folder) \
  F(process) F(store) F(run) F(host) F(model) F(budget) F(statistics) F(native)
// clang-format on
#define QA_DECLARE_TOPIC(topic) void add_##topic(lua_State* L);
QA_TOPICS(QA_DECLARE_TOPIC)

/// Pushes nil and the error table: an outcome of a primitive that does not wait.
int push_outcome(Call& call, Error error);

/// Closes what is open and what is still being launched, then calls `then` (at the latest after 4 s, by killing).
void close_browsers(VmState& vm, std::function<void()> then);

}  // namespace qa::lua
