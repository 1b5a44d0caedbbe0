#include "bindings/args.h"

#include <fmt/format.h>

#include <cmath>

#include "bindings/handle.h"
#include "host/text.h"

namespace qa::lua {
namespace {

[[noreturn]] void refuse_argument(Call& call, int index, const char* what, const std::string& expected) {
  throw Misuse(fmt::format("{} must be {}, got {}", what, expected, type_word(call.L, index)));
}

std::string number_range(double min, double max) {
  if (min <= -1e15 && max >= 1e15) return "a number";
  return fmt::format("a number from {} to {}", min, max);
}

/// Numbers at the top of the stack; NaN is not a number here.
bool is_within(lua_State* L, int index, double min, double max) {
  if (lua_type(L, index) != LUA_TNUMBER) return false;
  const double value = lua_tonumber(L, index);
  return value >= min && value <= max;
}

bool is_integer_within(lua_State* L, int index, int min, int max) {
  return is_within(L, index, min, max) && std::floor(lua_tonumber(L, index)) == lua_tonumber(L, index);
}

void push_field(lua_State* L, int table, const char* key) {
  lua_pushstring(L, key);
  lua_rawget(L, table);
}

double coordinate(Call& call, int table, const char* what, const char* key) {
  push_field(call.L, table, key);
  const bool good = is_within(call.L, -1, -1e9, 1e9);
  const double value = good ? lua_tonumber(call.L, -1) : 0;
  const std::string found = good ? "" : type_word(call.L, -1);
  lua_pop(call.L, 1);
  if (!good) throw Misuse(fmt::format("{}.{} must be a number, got {}", what, key, found));
  return value;
}

}  // namespace

std::string type_word(lua_State* L, int index) {
  if (lua_type(L, index) == LUA_TNONE) return "nil";
  if (lua_type(L, index) == LUA_TLIGHTUSERDATA) return "json.null";
  if (lua_type(L, index) == LUA_TUSERDATA) return handle_word(L, index);
  if (lua_type(L, index) == LUA_TNUMBER) return fmt::format("the number {}", lua_tonumber(L, index));
  return luaL_typename(L, index);
}

std::string_view string_at(Call& call, int index, const char* what) {
  if (lua_type(call.L, index) != LUA_TSTRING) refuse_argument(call, index, what, "a string");
  std::size_t size = 0;
  const char* text = lua_tolstring(call.L, index, &size);
  return {text, size};
}

double number_at(Call& call, int index, const char* what, double min, double max) {
  if (!is_within(call.L, index, min, max)) refuse_argument(call, index, what, number_range(min, max));
  return lua_tonumber(call.L, index);
}

int integer_at(Call& call, int index, const char* what, int min, int max) {
  if (!is_integer_within(call.L, index, min, max)) {
    refuse_argument(call, index, what, fmt::format("an integer from {} to {}", min, max));
  }
  return static_cast<int>(lua_tonumber(call.L, index));
}

void function_at(Call& call, int index, const char* what) {
  if (lua_type(call.L, index) != LUA_TFUNCTION) refuse_argument(call, index, what, "a function");
}

void table_at(Call& call, int index, const char* what) {
  if (lua_type(call.L, index) != LUA_TTABLE) refuse_argument(call, index, what, "a table");
}

Point point_at(Call& call, int index, const char* what) {
  if (lua_type(call.L, index) != LUA_TTABLE) refuse_argument(call, index, what, "a point {x = , y = }");
  const int table = index > 0 ? index : lua_gettop(call.L) + 1 + index;
  return Point{coordinate(call, table, what, "x"), coordinate(call, table, what, "y")};
}

OptionTable::OptionTable(Call& call, int index, std::initializer_list<const char*> known) : call_(call) {
  lua_State* L = call.L;
  if (lua_isnoneornil(L, index)) return;
  if (lua_type(L, index) != LUA_TTABLE) refuse_argument(call, index, "the options", "a table");
  index_ = index;
  const std::vector<std::string> names(known.begin(), known.end());
  lua_pushnil(L);
  while (lua_next(L, index) != 0) {
    lua_pop(L, 1);
    if (lua_type(L, -1) != LUA_TSTRING) throw Misuse("option names must be strings, got " + type_word(L, -1));
    const std::string key = lua_tostring(L, -1);
    bool found = false;
    for (const auto& name : names) found = found || name == key;
    if (found) continue;
    const std::string near = nearest_name(key, names.data(), names.size());
    throw Misuse(near.empty() ? fmt::format("unknown option '{}'", key)
                              : fmt::format("unknown option '{}' (did you mean '{}'?)", key, near));
  }
}

int OptionTable::type_of(const char* key) {
  if (index_ == 0) {
    lua_pushnil(call_.L);
  } else {
    push_field(call_.L, index_, key);
  }
  return lua_type(call_.L, -1);
}

void OptionTable::refuse(const char* key, const std::string& expected) {
  throw Misuse(fmt::format("option '{}' must be {}, got {}", key, expected, type_word(call_.L, -1)));
}

void OptionTable::push(const char* key) { type_of(key); }

bool OptionTable::has(const char* key) {
  const bool found = type_of(key) != LUA_TNIL;
  lua_pop(call_.L, 1);
  return found;
}

int OptionTable::integer(const char* key, int fallback, int min, int max) {
  return value(key, fallback, [&] {
    if (!is_integer_within(call_.L, -1, min, max)) refuse(key, fmt::format("an integer from {} to {}", min, max));
    return static_cast<int>(lua_tonumber(call_.L, -1));
  });
}

double OptionTable::number(const char* key, double fallback, double min, double max) {
  return value(key, fallback, [&] {
    if (!is_within(call_.L, -1, min, max)) refuse(key, number_range(min, max));
    return lua_tonumber(call_.L, -1);
  });
}

bool OptionTable::boolean(const char* key, bool fallback) {
  return value(key, fallback, [&] {
    if (!lua_isboolean(call_.L, -1)) refuse(key, "a boolean");
    return lua_toboolean(call_.L, -1) != 0;
  });
}

std::string OptionTable::string(const char* key, const std::string& fallback) {
  return value(key, fallback, [&] {
    if (lua_type(call_.L, -1) != LUA_TSTRING) refuse(key, "a string");
    return std::string(string_at(call_, -1, key));
  });
}

std::string OptionTable::one_of(const char* key, const std::string& fallback,
                                std::initializer_list<const char*> choices) {
  std::string value = string(key, fallback);
  std::string list;
  for (const char* choice : choices) {
    if (value == choice) return value;
    list += (list.empty() ? "'" : ", '") + std::string(choice) + "'";
  }
  throw Misuse(fmt::format("option '{}' must be one of {}, got '{}'", key, list, value));
}

std::vector<std::string> OptionTable::strings(const char* key) {
  return value(key, std::vector<std::string>(), [&] {
    std::vector<std::string> values;
    if (!lua_istable(call_.L, -1)) refuse(key, "a list of strings");
    each_item(call_, -1, key, [&](int) {
      if (lua_type(call_.L, -1) != LUA_TSTRING) refuse(key, "a list of strings");
      values.emplace_back(string_at(call_, -1, key));
    });
    return values;
  });
}

Rect OptionTable::rect(const char* key) {
  if (type_of(key) != LUA_TTABLE) refuse(key, "a table {x, y, width, height}");
  const Rect rect = rect_on_top(std::string("option '") + key + "'");
  lua_pop(call_.L, 1);
  return rect;
}

Rect OptionTable::rect_on_top(const std::string& what) {
  const int table = lua_gettop(call_.L);
  const auto part = [&](const char* name) {
    return static_cast<int>(std::lround(coordinate(call_, table, what.c_str(), name)));
  };
  const Rect rect{part("x"), part("y"), part("width"), part("height")};
  if (rect.width <= 0 || rect.height <= 0) throw Misuse(what + " must have a positive width and height");
  return rect;
}

void OptionTable::each(const char* key, const std::function<void(int)>& visit) {
  if (type_of(key) != LUA_TNIL) {
    if (!lua_istable(call_.L, -1)) refuse(key, "a list of tables");
    each_item(call_, -1, key, [&](int) {
      if (!lua_istable(call_.L, -1)) refuse(key, "a list of tables");
      visit(lua_gettop(call_.L));
    });
  }
  lua_pop(call_.L, 1);
}

std::vector<Rect> OptionTable::rects(const char* key) {
  std::vector<Rect> list;
  each(key, [&](int) { list.push_back(rect_on_top(std::string("option '") + key + "'")); });
  return list;
}

std::pair<double, double> OptionTable::range(const char* key, double low, double high, double min, double max) {
  const int type = type_of(key);
  const auto take = [&](int index) {
    if (!is_within(call_.L, index, min, max)) refuse(key, number_range(min, max) + ", or a pair of them");
    return lua_tonumber(call_.L, index);
  };
  if (type == LUA_TTABLE) {
    lua_rawgeti(call_.L, -1, 1);
    lua_rawgeti(call_.L, -2, 2);
    low = take(-2);
    high = take(-1);
    lua_pop(call_.L, 2);
    if (low > high) refuse(key, "a pair whose first number is not the larger");
  } else if (type != LUA_TNIL) {
    low = high = take(-1);
  }
  lua_pop(call_.L, 1);
  return {low, high};
}

}  // namespace qa::lua
