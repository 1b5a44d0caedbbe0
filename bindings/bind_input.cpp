// page: move press type wheel touch mouse_click mouse_drag gamepad. Every one but the last of them releases what is
// down when its task stops waiting for it.

#include <fmt/format.h>

#include "bindings/args.h"
#include "bindings/await.h"
#include "bindings/bindings.h"
#include "host/browser/page.h"

namespace qa::lua {
namespace {

constexpr int kLongestMs = 600 * 1000, kMostPresses = 10000, kMostFingers = 10, kMostStops = 100, kMostText = 10000;
constexpr double kFar = 1e6;

/// Starts an operation of the input; what is down is released when the task stops waiting for it.
template <class Start>
int await_input(Call& call, const std::shared_ptr<Page>& page, Start start) {
  const auto release = [page] {
    if (!page->closed()) page->input().release_all([](const Result<Unit>&) {});
  };
  return await_change<Unit>(
      call, [&](auto done) { start(page->input(), done); }, PushResult(), release);
}

int page_move(Call& call) {
  const auto page = page_self(call);
  const Point to = point_at(call, 2, "point");
  OptionTable options(call, 3, {"steps"});
  const int steps = options.integer("steps", 1, 1, 1000);
  return await_input(call, page, [&](Input& input, auto done) { input.move(to, steps, done); });
}

int page_mouse_click(Call& call) {
  const auto page = page_self(call);
  const Point at{number_at(call, 2, "x", -kFar, kFar), number_at(call, 3, "y", -kFar, kFar)};
  OptionTable table(call, 4, {"button", "count", "hold_ms", "modifiers"});
  ClickOptions options;
  options.button = table.one_of("button", options.button, {"left", "middle", "right"});
  options.count = table.integer("count", options.count, 1, 100);
  options.hold_ms = table.integer("hold_ms", options.hold_ms, 0, kLongestMs);
  options.modifiers = table.strings("modifiers");
  return await_input(call, page, [&](Input& input, auto done) { input.click(at, options, done); });
}

int page_mouse_drag(Call& call) {
  const auto page = page_self(call);
  const Point from{number_at(call, 2, "x1", -kFar, kFar), number_at(call, 3, "y1", -kFar, kFar)};
  const Point to{number_at(call, 4, "x2", -kFar, kFar), number_at(call, 5, "y2", -kFar, kFar)};
  OptionTable table(call, 6, {"steps", "hold_ms", "duration_ms"});
  DragOptions options;
  options.steps = table.integer("steps", options.steps, 1, 1000);
  options.hold_ms = table.integer("hold_ms", options.hold_ms, 0, kLongestMs);
  options.duration_ms = table.integer("duration_ms", options.duration_ms, 0, kLongestMs);
  return await_input(call, page, [&](Input& input, auto done) { input.drag(from, to, options, done); });
}

int page_wheel(Call& call) {
  const auto page = page_self(call);
  const Point at = point_at(call, 2, "point");
  OptionTable options(call, 3, {"dx", "dy"});
  const double dx = options.number("dx", 0, -kFar, kFar), dy = options.number("dy", 0, -kFar, kFar);
  return await_input(call, page, [&](Input& input, auto done) { input.wheel(at, dx, dy, done); });
}

/// One point or a list of at most `most`.
std::vector<Point> points_at(Call& call, int index, const char* name, int most) {
  table_at(call, index, name);
  const auto count = static_cast<int>(lua_objlen(call.L, index));
  if (count == 0) return {point_at(call, index, name)};
  if (count > most) throw Misuse(fmt::format("{} must be at most {}, got {}", name, most, count));
  std::vector<Point> points;
  each_item(call, index, name,
            [&](int i) { points.push_back(point_at(call, -1, fmt::format("{}[{}]", name, i).c_str())); });
  return points;
}

int page_touch(Call& call) {
  const auto page = page_self(call);
  const std::vector<Point> points = points_at(call, 2, "points", kMostFingers);
  OptionTable table(call, 3, {"hold_ms", "path", "steps", "duration_ms"});
  TouchOptions options;
  options.hold_ms = table.integer("hold_ms", options.hold_ms, 0, kLongestMs);
  options.steps = table.integer("steps", options.steps, 1, 1000);
  options.duration_ms = table.integer("duration_ms", options.duration_ms, 0, kLongestMs);
  if (table.has("path")) {
    table.push("path");
    options.path = points_at(call, lua_gettop(call.L), "path", kMostStops);
    lua_pop(call.L, 1);
    if (points.size() > 1) throw Misuse("only one finger has a path");
  }
  return await_input(call, page, [&](Input& input, auto done) { input.touch(points, options, done); });
}

/// A key name, or a chord as a list of them.
std::vector<std::string> keys_at(Call& call, int index) {
  if (lua_type(call.L, index) == LUA_TSTRING) return {std::string(string_at(call, index, "key"))};
  if (lua_type(call.L, index) != LUA_TTABLE) {
    throw Misuse("key must be a key name or a list of them, got " + type_word(call.L, index));
  }
  const auto count = static_cast<int>(lua_objlen(call.L, index));
  if (count == 0 || count > kMostFingers)
    throw Misuse(fmt::format("a chord has 1 to {} keys, got {}", kMostFingers, count));
  std::vector<std::string> keys;
  each_item(call, index, "key",
            [&](int i) { keys.emplace_back(string_at(call, -1, fmt::format("key[{}]", i).c_str())); });
  return keys;
}

int page_press(Call& call) {
  const auto page = page_self(call);
  const std::vector<std::string> keys = keys_at(call, 2);
  OptionTable table(call, 3, {"hold_ms", "count", "gap_ms"});
  PressOptions options;
  options.hold_ms = table.integer("hold_ms", options.hold_ms, 0, kLongestMs);
  options.count = table.integer("count", options.count, 1, kMostPresses);
  options.gap_ms = table.integer("gap_ms", options.gap_ms, 0, kLongestMs);
  return await_input(call, page, [&](Input& input, auto done) { input.press(keys, options, done); });
}

int page_type(Call& call) {
  const auto page = page_self(call);
  const std::string text(string_at(call, 2, "text"));
  if (text.size() > kMostText)
    throw Misuse(fmt::format("text must be at most {} bytes, got {}", kMostText, text.size()));
  OptionTable options(call, 3, {"gap_ms"});
  const int gap_ms = options.integer("gap_ms", 0, 0, kLongestMs);
  return await_input(call, page, [&](Input& input, auto done) { input.type(text, gap_ms, done); });
}

int page_gamepad(Call& call) {
  const auto page = page_self(call);
  OptionTable options(call, 2, {"buttons", "axes"});
  GamepadState pad;
  const auto read = [&](const char* key, std::initializer_list<const char*> names, double least, double* values) {
    if (!options.has(key)) return;
    options.push(key);
    OptionTable given(call, lua_gettop(call.L), names);
    for (const char* name : names) *values++ = given.number(name, 0, least, 1);
    lua_pop(call.L, 1);
  };
  read("buttons",
       {"a", "b", "x", "y", "lb", "rb", "lt", "rt", "back", "start", "ls", "rs", "up", "down", "left", "right", "home"},
       0, pad.buttons.data());
  read("axes", {"left_x", "left_y", "right_x", "right_y"}, -1, pad.axes.data());
  return await_change<Unit>(call, [&](auto done) { page->gamepad(pad, done); });
}

}  // namespace

void add_input(lua_State* L) {
  add_functions(L, "page_waits", "page:",
                {{"move", bound<page_move>},
                 {"mouse_click", bound<page_mouse_click>},
                 {"mouse_drag", bound<page_mouse_drag>},
                 {"wheel", bound<page_wheel>},
                 {"touch", bound<page_touch>},
                 {"press", bound<page_press>},
                 {"type", bound<page_type>},
                 {"gamepad", bound<page_gamepad>}});
}

}  // namespace qa::lua
