#include "bindings/user_configuration.h"

#include <filesystem>
#include <lua.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "bindings/convert.h"
#include "bindings/trampoline.h"
#include "host/files.h"

namespace qa::lua {
namespace {

constexpr int kMostInstructions = 50'000'000;

Error wrong(const std::string& path, const std::string& why) {
  return {ErrorKind::io_error, path + ": " + why, "", ""};
}

int open_libraries(lua_State* L) {
  const luaL_Reg libraries[] = {{"", luaopen_base},
                                {LUA_TABLIBNAME, luaopen_table},
                                {LUA_STRLIBNAME, luaopen_string},
                                {LUA_MATHLIBNAME, luaopen_math}};
  for (const auto& library : libraries) {
    lua_pushcfunction(L, library.func);
    lua_pushstring(L, library.name);
    lua_call(L, 1, 0);
  }
  for (const char* name : {"dofile", "loadfile", "load", "loadstring", "newproxy"}) {
    lua_pushnil(L);
    lua_setglobal(L, name);
  }
  luaJIT_setmode(L, 0, LUAJIT_MODE_ENGINE | LUAJIT_MODE_OFF);  // Compiled loops run no hook.
  return 0;
}

void stop(lua_State* L, lua_Debug*) { luaL_error(L, "the configuration does not end"); }

}  // namespace

std::string user_configuration_path(const std::function<std::string(const std::string&)>& environment) {
  std::string base = environment("XDG_CONFIG_HOME");
  if (!base.starts_with('/')) base = environment("HOME") + "/.config";
  return base + "/qa-host/config.lua";
}

Result<std::string> read_user_configuration(const std::string& path) {
  std::error_code failed;
  if (!path.starts_with('/') || !std::filesystem::exists(path, failed)) return std::string("{}");
  const auto text = read_file(path);
  if (!text) return text.error();
  const std::unique_ptr<lua_State, void (*)(lua_State*)> machine(luaL_newstate(), lua_close);
  lua_State* L = machine.get();
  if (!L || lua_cpcall(L, open_libraries, nullptr) != 0) return wrong(path, "not enough memory");
  lua_sethook(L, stop, LUA_MASKCOUNT, kMostInstructions);
  if (luaL_loadbufferx(L, text->data(), text->size(), "@config.lua", "t") != 0 || lua_pcall(L, 0, 1, 0) != 0) {
    const char* why = lua_tostring(L, -1);
    return wrong(path, why ? why : "an error without text");
  }
  if (lua_type(L, -1) != LUA_TTABLE)
    return wrong(path, "a configuration returns a table {endpoints, roles, prices, models}");
  try {
    const Json values = to_json(L, -1);
    if (!values.is_object()) return wrong(path, "a configuration is a table with names");
    return dump_json(values);
  } catch (const Misuse& misuse) {
    return wrong(path, misuse.what());
  }
}

}  // namespace qa::lua
