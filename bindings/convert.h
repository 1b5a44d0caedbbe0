#pragma once
// JSON <-> Lua. null inside tables is qa.json.null (light userdata NULL); arrays carry a shared metatable so that an
// empty one stays []. Key order is sorted, integers stay integers, invalid UTF-8 is replaced when encoding only.

#include <lua.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "host/error.h"

namespace qa::lua {

using Json = nlohmann::json;

inline constexpr int kMaxJsonDepth = 200;
inline constexpr const char* kErrorType = "qa.error";  ///< Registry name of the metatable of error tables.
inline constexpr const char* kArrayType = "qa.array";  ///< Registry name of the metatable of arrays.

/// Throws Misuse: values without a JSON form, cycles, depth over kMaxJsonDepth.
Json to_json(lua_State* L, int index);
void push_json(lua_State* L, const Json& value);
/// As push_json, but null at the top becomes nil; gives 1, as the others of await.h.
int push_result(lua_State* L, const Json& value);

/// Text with invalid UTF-8 replaced, and without what could drive a terminal that it is printed on (json_safe).
std::string dump_json(const Json& value);
/// Throws Misuse: "... at byte N".
Json parse_json(std::string_view text);

/// An error table {kind, message, op, detail}.
void push_error(lua_State* L, const Error& error);
/// The same with a kind that the host itself has no failure of: "script_error", "native_error".
void push_error_of(lua_State* L, std::string_view kind, const std::string& message, const std::string& op,
                   const std::string& detail = "");
/// The journal's form of an argument: strings cut at 200 bytes, handles and functions by their word.
Json summarize(lua_State* L, int index, int depth = 0);
/// The same as JSON text.
void append_summary(std::string& to, lua_State* L, int index);
void push_text(lua_State* L, std::string_view text);

/// Makes the metatables of arrays, errors and null.
void open_convert(lua_State* L);

}  // namespace qa::lua
