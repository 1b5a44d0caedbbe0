#include "bindings/convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "bindings/args.h"
#include "bindings/vm_state.h"
#include "host/json_text.h"
#include "host/text.h"

namespace qa::lua {
namespace {

constexpr double kMaxExact = 9007199254740992.0;  // 2^53: beyond it doubles skip integers.
constexpr std::size_t kSummaryBytes = 200;
constexpr int kSummaryDepth = 5, kSummaryItems = 40;

Json number_to_json(double value) {
  if (!std::isfinite(value)) throw Misuse("NaN and infinity have no JSON form");
  const bool whole = std::floor(value) == value && std::fabs(value) <= kMaxExact;
  return whole ? Json(static_cast<std::int64_t>(value)) : Json(value);
}

bool is_marked_array(lua_State* L, int table) {
  if (!lua_getmetatable(L, table)) return false;
  luaL_getmetatable(L, kArrayType);
  const bool same = lua_rawequal(L, -1, -2) != 0;
  lua_pop(L, 2);
  return same;
}

class Encoder {
 public:
  explicit Encoder(lua_State* L) : L_(L) {}

  Json encode(int index) {
    switch (lua_type(L_, index)) {
      case LUA_TNONE:
      case LUA_TNIL:
        return nullptr;
      case LUA_TBOOLEAN:
        return lua_toboolean(L_, index) != 0;
      case LUA_TNUMBER:
        return number_to_json(lua_tonumber(L_, index));
      case LUA_TSTRING:
        return text(index);
      case LUA_TLIGHTUSERDATA:
        if (!lua_touserdata(L_, index)) return nullptr;
        break;
      case LUA_TTABLE:
        return table(index);
      default:
        break;
    }
    throw Misuse("a " + type_word(L_, index) + " has no JSON form");
  }

 private:
  std::string text(int index) {
    std::size_t size = 0;
    const char* bytes = lua_tolstring(L_, index, &size);
    return {bytes, size};
  }

  Json table(int index) {
    const void* self = lua_topointer(L_, index);
    if (std::find(path_.begin(), path_.end(), self) != path_.end()) throw Misuse("a table contains itself");
    if (path_.size() >= kMaxJsonDepth) throw Misuse(fmt::format("tables are nested deeper than {}", kMaxJsonDepth));
    if (!lua_checkstack(L_, 8)) throw Misuse("tables are nested too deep");
    path_.push_back(self);
    const std::size_t length = lua_objlen(L_, index);
    Json result = length > 0 || is_marked_array(L_, index) ? array(index, length) : object(index);
    path_.pop_back();
    return result;
  }

  Json array(int index, std::size_t length) {
    std::size_t entries = 0;
    lua_pushnil(L_);
    while (lua_next(L_, index) != 0) {
      lua_pop(L_, 1);
      const bool counts = lua_type(L_, -1) == LUA_TNUMBER;
      if (!counts) throw Misuse("a table has both a list and named fields");
      ++entries;
    }
    if (entries != length) throw Misuse("a list has holes; fill them with qa.json.null");
    Json list = Json::array();
    for (std::size_t i = 1; i <= length; ++i) {
      lua_rawgeti(L_, index, static_cast<int>(i));
      list.push_back(encode(lua_gettop(L_)));
      lua_pop(L_, 1);
    }
    return list;
  }

  Json object(int index) {
    Json fields = Json::object();
    lua_pushnil(L_);
    while (lua_next(L_, index) != 0) {
      const int top = lua_gettop(L_);
      if (lua_type(L_, top - 1) != LUA_TSTRING) {
        throw Misuse("a JSON key must be a string, got " + type_word(L_, top - 1));
      }
      fields[text(top - 1)] = encode(top);
      lua_pop(L_, 1);
    }
    return fields;
  }

  lua_State* L_;
  std::vector<const void*> path_;
};

/// nlohmann parses any depth but crashes when it copies 100,000 levels.
void check_depth(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kMaxJsonDepth) throw Misuse(fmt::format("nested deeper than {} at byte {}", kMaxJsonDepth, i + 1));
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
}

void push_marked(lua_State* L, const char* type) {
  luaL_getmetatable(L, type);
  lua_setmetatable(L, -2);
}

int error_tostring(lua_State* L) {
  lua_settop(L, 1);
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_getfield(L, 1, "kind");
  lua_getfield(L, 1, "message");
  const char* kind = lua_tostring(L, 2);
  const char* message = lua_tostring(L, 3);
  lua_pushfstring(L, "%s: %s", kind ? kind : "error", message ? message : "");
  return 1;
}

int null_tostring(lua_State* L) {
  lua_pushliteral(L, "null");
  return 1;
}

}  // namespace

void push_text(lua_State* L, std::string_view text) {
  const Redaction& hidden = VmState::of(L).redaction;
  if (!hidden.finds(text)) return lua_pushlstring(L, text.data(), text.size());
  const std::string clean = hidden.apply(text);
  lua_pushlstring(L, clean.data(), clean.size());
}

Json to_json(lua_State* L, int index) {
  const int top = lua_gettop(L);
  return Encoder(L).encode(index > 0 || index < -top ? index : top + 1 + index);
}

void push_json(lua_State* L, const Json& value) {
  luaL_checkstack(L, 6, "JSON is nested too deep");
  switch (value.type()) {
    case Json::value_t::boolean:
      lua_pushboolean(L, value.get<bool>());
      return;
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned:
    case Json::value_t::number_float:
      lua_pushnumber(L, value.get<double>());
      return;
    case Json::value_t::string:
      push_text(L, value.get_ref<const std::string&>());
      return;
    case Json::value_t::array: {
      lua_createtable(L, static_cast<int>(value.size()), 0);
      int i = 0;
      for (const auto& item : value) {
        push_json(L, item);
        lua_rawseti(L, -2, ++i);
      }
      push_marked(L, kArrayType);
      return;
    }
    case Json::value_t::object:
      lua_createtable(L, 0, static_cast<int>(value.size()));
      for (const auto& [key, item] : value.items()) {
        push_text(L, key);
        push_json(L, item);
        lua_rawset(L, -3);
      }
      return;
    default:
      lua_pushlightuserdata(L, nullptr);
      return;
  }
}

int push_result(lua_State* L, const Json& value) {
  value.is_null() ? lua_pushnil(L) : push_json(L, value);
  return 1;
}

std::string dump_json(const Json& value) {
  return json_safe(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

Json parse_json(std::string_view text) {
  check_depth(text);
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while ..."
    std::string reason = error.what();
    const std::size_t colon = reason.find(": ");
    if (colon != std::string::npos) reason = reason.substr(colon + 2);
    throw Misuse(fmt::format("{} at byte {}", terminal_safe(reason), error.byte));
  } catch (const Json::exception&) {
    throw Misuse("a number is out of range");
  }
}

void push_error(lua_State* L, const Error& error) {
  push_error_of(L, kind_name(error.kind), error.message, error.op, error.detail);
}

void push_error_of(lua_State* L, std::string_view kind, const std::string& message, const std::string& op,
                   const std::string& detail) {
  Json table = {{"kind", kind}, {"message", message}, {"op", op}};
  Json facts = detail.empty() ? Json() : Json::parse(detail, nullptr, false);
  if (facts.is_object()) table["detail"] = std::move(facts);
  push_json(L, table);
  push_marked(L, kErrorType);
}

Json summarize(lua_State* L, int index, int depth) {
  switch (lua_type(L, index)) {
    case LUA_TSTRING: {
      std::size_t size = 0;
      const char* bytes = lua_tolstring(L, index, &size);
      return truncate_text({bytes, size}, kSummaryBytes);
    }
    case LUA_TNUMBER:
      return std::isfinite(lua_tonumber(L, index)) ? number_to_json(lua_tonumber(L, index)) : Json();
    case LUA_TBOOLEAN:
      return lua_toboolean(L, index) != 0;
    case LUA_TTABLE:
      break;
    case LUA_TNONE:
    case LUA_TNIL:
    case LUA_TLIGHTUSERDATA:
      return nullptr;
    default:
      return "<" + type_word(L, index) + ">";
  }
  if (depth >= kSummaryDepth || !lua_checkstack(L, 8)) return "<table>";
  const bool list = lua_objlen(L, index) > 0 || is_marked_array(L, index);
  Json result = list ? Json::array() : Json::object();
  int items = 0;
  lua_pushnil(L);
  while (items < kSummaryItems && lua_next(L, index) != 0) {
    const int top = lua_gettop(L);
    ++items;
    if (list) {
      result.push_back(summarize(L, top, depth + 1));
    } else if (lua_type(L, top - 1) == LUA_TSTRING) {
      result[lua_tostring(L, top - 1)] = summarize(L, top, depth + 1);
    }
    lua_pop(L, 1);
    if (items == kSummaryItems) lua_pop(L, 1);
  }
  return result;
}

void append_summary(std::string& to, lua_State* L, int index) {
  if (lua_type(L, index) != LUA_TSTRING) {
    to += dump_json(summarize(L, index));
    return;
  }
  std::size_t size = 0;
  const char* bytes = lua_tolstring(L, index, &size);
  append_quoted(to, truncate_text({bytes, size}, kSummaryBytes));
}

void open_convert(lua_State* L) {
  luaL_newmetatable(L, kArrayType);
  luaL_newmetatable(L, kErrorType);
  lua_pushcfunction(L, error_tostring);
  lua_setfield(L, -2, "__tostring");
  lua_pushlightuserdata(L, nullptr);
  lua_createtable(L, 0, 2);
  lua_pushcfunction(L, null_tostring);
  lua_setfield(L, -2, "__tostring");
  lua_pushliteral(L, "null");
  lua_setfield(L, -2, "__metatable");
  lua_setmetatable(L, -2);  // Shared by all light userdata; null is the only one.
  lua_pop(L, 3);
}

}  // namespace qa::lua
