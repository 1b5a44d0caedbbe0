#pragma once
// Readers of arguments and option tables. All of them throw Misuse, so a bound function reads everything first and only
// then starts work. They never run Lua: tables are read raw, without metamethods.

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bindings/trampoline.h"
#include "host/browser/input.h"
#include "host/image/image.h"

namespace qa::lua {

/// "string", "number", "page", "image" ... of the value at `index`, for messages.
std::string type_word(lua_State* L, int index);

std::string_view string_at(Call& call, int index, const char* what);
double number_at(Call& call, int index, const char* what, double min = -1e15, double max = 1e15);
int integer_at(Call& call, int index, const char* what, int min, int max);
void function_at(Call& call, int index, const char* what);
void table_at(Call& call, int index, const char* what);
/// Calls visit(i), from 1, for each item of the list at `index`, with the item at the top of the stack.
template <class Visit>
void each_item(Call& call, int index, const char* what, Visit visit) {
  table_at(call, index, what);
  const int list = index > 0 ? index : lua_gettop(call.L) + 1 + index;
  const int count = static_cast<int>(lua_objlen(call.L, list));
  for (int i = 1; i <= count; ++i) {
    lua_rawgeti(call.L, list, i);
    visit(i);
    lua_pop(call.L, 1);
  }
}
/// A table with finite numbers x and y; other fields are allowed (a find result is a point).
Point point_at(Call& call, int index, const char* what);

/// The options table at `index` (nil and none are an empty one). Unknown keys are refused with "did you mean".
class OptionTable {
 public:
  OptionTable(Call& call, int index, std::initializer_list<const char*> known);

  bool has(const char* key);
  int integer(const char* key, int fallback, int min, int max);
  double number(const char* key, double fallback, double min, double max);
  bool boolean(const char* key, bool fallback);
  std::string string(const char* key, const std::string& fallback);
  std::string one_of(const char* key, const std::string& fallback, std::initializer_list<const char*> choices);
  std::vector<std::string> strings(const char* key);
  /// A table {x, y, width, height} of numbers, rounded to pixels.
  Rect rect(const char* key);
  /// A list of such tables; none when the option is not given.
  std::vector<Rect> rects(const char* key);
  /// A number, or {low, high} with low <= high, all within min .. max.
  std::pair<double, double> range(const char* key, double low, double high, double min, double max);
  /// Calls visit(stack index) for each table of a list; not at all when the option is not given.
  void each(const char* key, const std::function<void(int)>& visit);
  /// Pushes the value; the caller pops it.
  void push(const char* key);

 private:
  int type_of(const char* key);  ///< Pushes the value.
  /// What `take` makes of the option's value, which is at the top of the stack meanwhile.
  template <class T, class Take>
  T value(const char* key, T fallback, Take take) {
    if (type_of(key) != LUA_TNIL) fallback = take();
    lua_pop(call_.L, 1);
    return fallback;
  }
  Rect rect_on_top(const std::string& what);
  [[noreturn]] void refuse(const char* key, const std::string& expected);

  Call& call_;
  int index_ = 0;  ///< 0: no table.
};

}  // namespace qa::lua
