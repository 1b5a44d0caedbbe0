// What the program around the Vm adds (VmOptions::functions, modules): its functions as raw["MODULE()"], those that
// wait as raw["MODULE()_waits"], the names of these modules, and the sources of its Lua modules. The prelude makes what
// require gives of them.

#include <nlohmann/json.hpp>
#include <string>

#include "bindings/await.h"
#include "bindings/bindings.h"
#include "bindings/convert.h"
#include "bindings/vm_state.h"

namespace qa::lua {
namespace {

using Answer = NativeFunction::Answer;

std::string arguments_of(Call& call) {
  Json arguments = Json::array();
  for (int i = 1; i <= lua_gettop(call.L); ++i) arguments.push_back(to_json(call.L, i));
  return dump_json(arguments);
}

/// The value, or nil and the error table.
int push_answer(lua_State* L, const std::string& name, const Answer& answer) {
  std::string failure = answer.failure;
  if (failure.empty()) {
    try {
      return push_result(L, parse_json(answer.json));
    } catch (const Misuse& fault) {
      failure = std::string("the function gave no JSON: ") + fault.what();
    }
  }
  lua_pushnil(L);
  push_error_of(L, "native_error", failure, name);
  return 2;
}

int call_now(Call& call) {
  const NativeFunction& function = call.vm.options.functions.at(call.name);
  return push_answer(call.L, call.name, function.now(arguments_of(call)));
}

int call_later(Call& call) {
  const std::string name = call.name, arguments = arguments_of(call);
  const NativeFunction& function = call.vm.options.functions.at(name);
  return await<Answer>(
      call, [&](Callback<Answer> done) { function.later(arguments, std::move(done)); },
      [name](lua_State* L, const Answer& answer) { return push_answer(L, name, answer); });
}

/// raw[module ..] gets a function under the last word of its name.
void add_function(lua_State* L, const std::string& name, bool waits) {
  const std::size_t dot = name.rfind('.');
  const std::string module = name.substr(0, dot + 1), word = name.substr(dot + 1);
  add_functions(L, name.substr(0, dot) + (waits ? "()_waits" : "()"), module.c_str(),
                {{word.c_str(), waits ? bound<call_later> : bound<call_now>}});
}

}  // namespace

void add_native(lua_State* L) {
  const VmOptions& options = VmState::of(L).options;
  Json names = Json::array();
  for (const auto& [name, function] : options.functions) {
    add_function(L, name, function.later != nullptr);
    names.push_back(name.substr(0, name.rfind('.')));
  }
  push_json(L, names);
  lua_setfield(L, -2, "native_modules");
  push_json(L, Json(options.modules));
  lua_setfield(L, -2, "module_sources");
}

}  // namespace qa::lua
