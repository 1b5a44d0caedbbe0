// page: navigate reload evaluate probe capture settle watch frame_rate resize health events next_event frames listeners
// node_box resources resource_text load_resource add_preload remove_preload terminate_script metrics emulate_touch cdp
// close is_closed. find, click, wait_for, drag, screenshot, content and clickables are Lua
// (scripts/qa/page/methods.lua).

#include <nlohmann/json.hpp>

#include "bindings/args.h"
#include "bindings/await.h"
#include "bindings/bindings.h"
#include "bindings/convert.h"
#include "host/browser/page.h"

namespace qa::lua {
namespace {

constexpr int kLongestMs = 3600 * 1000;
constexpr int kLargestSide = 8192;
constexpr int kMostText = 16 * 1024 * 1024;  ///< Bytes of a resource.

int push_navigation(lua_State* L, NavigationResult& result) {
  return push_result(
      L, Json{{"url", result.url}, {"status", result.status}, {"ms", result.ms}, {"reached", result.reached}});
}

/// An operation without arguments.
template <class T>
int await_page(Call& call, void (Page::*operation)(Callback<T>)) {
  const auto page = page_self(call);
  return await<T>(call, [&](auto done) { (*page.*operation)(done); });
}

/// One that takes a text, which messages call `name`.
template <class T>
int await_page(Call& call, void (Page::*operation)(std::string, Callback<T>), const char* name) {
  const auto page = page_self(call);
  const std::string text(string_at(call, 2, name));
  return await<T>(call, [&](auto done) { (*page.*operation)(text, done); });
}

NavigateOptions navigate_options(Call& call, int index) {
  OptionTable table(call, index, {"wait", "timeout_ms"});
  NavigateOptions options;
  options.wait = table.one_of("wait", options.wait, {"load", "dom", "commit"});
  options.timeout_ms = table.integer("timeout_ms", options.timeout_ms, 1, kLongestMs);
  return options;
}

int page_navigate(Call& call) {
  const auto page = page_self(call);
  const std::string url(string_at(call, 2, "url"));
  const NavigateOptions options = navigate_options(call, 3);
  return await_change<NavigationResult>(
      call, [&](auto done) { page->navigate(url, options, done); }, push_navigation);
}

int page_reload(Call& call) {
  const auto page = page_self(call);
  const NavigateOptions options = navigate_options(call, 2);
  return await_change<NavigationResult>(
      call, [&](auto done) { page->reload(options, done); }, push_navigation);
}

int page_evaluate(Call& call) {
  const auto page = page_self(call);
  EvaluateRequest request;
  request.source = std::string(string_at(call, 2, "js"));
  OptionTable options(call, 3, {"args", "world", "frame", "timeout_ms", "read_only"});
  if (options.has("args")) {
    options.push("args");
    Json list = to_json(call.L, -1);
    if (list.is_object() && list.empty()) list = Json::array();
    if (!list.is_array()) throw Misuse("option 'args' must be a list");
    request.arguments = dump_json(list);
    lua_pop(call.L, 1);
  }
  request.host_world = options.one_of("world", "page", {"page", "host"}) == "host";
  request.frame = options.string("frame", "");
  request.timeout_ms = options.integer("timeout_ms", request.timeout_ms, 1, kLongestMs);
  request.is_read_only = options.boolean("read_only", false);
  const auto start = [&](auto done) { page->evaluate(request, done); };
  return request.is_read_only ? await<Json>(call, start) : await_change<Json>(call, start);
}

int page_probe(Call& call) {
  const auto page = page_self(call);
  const std::string name(string_at(call, 2, "name"));
  if (!lua_isnoneornil(call.L, 3)) table_at(call, 3, "args");
  const Json args = lua_isnoneornil(call.L, 3) ? Json::object() : to_json(call.L, 3);
  OptionTable options(call, 4, {"timeout_ms"});
  const int timeout_ms = options.integer("timeout_ms", 5000, 1, kLongestMs);
  const auto start = [&](auto done) { page->probe(name, dump_json(args), timeout_ms, done); };
  // It scrolls what it looks for into view.
  return name == "locate" ? await_change<Json>(call, start) : await<Json>(call, start);
}

int page_frames(Call& call) { return await_page(call, &Page::frames); }
int page_listeners(Call& call) { return await_page(call, &Page::listeners); }

FrameRequest frame_request(OptionTable& table) {
  FrameRequest request;
  request.frame = table.string("frame", "");
  request.timeout_ms = table.integer("timeout_ms", request.timeout_ms, 1, kLongestMs);
  return request;
}

FrameRequest frame_options(Call& call, int index) {
  OptionTable table(call, index, {"frame", "timeout_ms"});
  return frame_request(table);
}

int page_cdp(Call& call) {
  const auto page = page_self(call);
  const std::string method(string_at(call, 2, "method"));
  if (!lua_isnoneornil(call.L, 3)) table_at(call, 3, "params");
  const Json params = lua_isnoneornil(call.L, 3) ? Json::object() : to_json(call.L, 3);
  const FrameRequest request = frame_options(call, 4);
  return await_change<Json>(
      call, [&](auto done) { page->cdp(method, dump_json(params), request.frame, request.timeout_ms, done); });
}

int page_node_box(Call& call) {
  const auto page = page_self(call);
  const auto node = static_cast<std::int64_t>(number_at(call, 2, "node", 0, 1e15));
  const FrameRequest request = frame_options(call, 3);
  return await<Json>(call, [&](auto done) { page->node_box(node, request, done); });
}

int page_resources(Call& call) {
  const auto page = page_self(call);
  const FrameRequest request = frame_options(call, 2);
  return await<Json>(call, [&](auto done) { page->resources(request, done); });
}

int page_resource_text(Call& call) {
  const auto page = page_self(call);
  const std::string url(string_at(call, 2, "url"));
  const FrameRequest request = frame_options(call, 3);
  return await<std::string>(call, [&](auto done) { page->resource_text(url, request, done); });
}

int page_load_resource(Call& call) {
  const auto page = page_self(call);
  const std::string url(string_at(call, 2, "url"));
  OptionTable options(call, 3, {"frame", "most_bytes", "timeout_ms"});
  const FrameRequest request = frame_request(options);
  const int most_bytes = options.integer("most_bytes", kMostText, 1, kMostText);
  return await<std::string>(call, [&](auto done) { page->load_resource(url, request, most_bytes, done); });
}

int page_add_preload(Call& call) { return await_page(call, &Page::add_preload, "js"); }
int page_remove_preload(Call& call) { return await_page(call, &Page::remove_preload, "id"); }
int page_terminate_script(Call& call) { return await_page(call, &Page::terminate_script); }

int page_metrics(Call& call) {
  const auto page = page_self(call);
  OptionTable options(call, 2, {"timeout_ms"});
  const int timeout_ms = options.integer("timeout_ms", 10000, 1, kLongestMs);
  return await<Json>(call, [&](auto done) { page->metrics(timeout_ms, done); });
}

int page_emulate_touch(Call& call) {
  const auto page = page_self(call);
  if (!lua_isboolean(call.L, 2)) throw Misuse("is_on must be a boolean, got " + type_word(call.L, 2));
  const bool is_on = lua_toboolean(call.L, 2) != 0;
  return await_change<Unit>(call, [&](auto done) { page->emulate_touch(is_on, done); });
}

int page_capture(Call& call) {
  const auto page = page_self(call);
  OptionTable table(call, 2, {"clip", "format", "quality", "scale", "timeout_ms"});
  ScreenshotOptions options;
  if (table.has("clip")) options.clip = table.rect("clip");
  options.jpeg = table.one_of("format", "png", {"png", "jpeg"}) == "jpeg";
  options.quality = table.integer("quality", options.quality, 1, 100);
  options.scale = table.number("scale", options.scale, 0.01, 4);
  options.timeout_ms = table.integer("timeout_ms", options.timeout_ms, 1, kLongestMs);
  return await<PicturePtr>(call, [&](auto done) { page->screenshot(options, done); });
}

Json watch_json(WatchResult& result) {
  return {{"columns", result.columns},      {"rows", result.rows},
          {"frames", result.frames},        {"first", std::move(result.first)},
          {"last", std::move(result.last)}, {"low", std::move(result.low)},
          {"high", std::move(result.high)}, {"activity", std::move(result.activity)},
          {"moved_ms", result.moved_ms},    {"ms", result.ms}};
}

int push_watch(lua_State* L, WatchResult& result) { return push_result(L, watch_json(result)); }

int push_settle(lua_State* L, SettleResult& result) {
  push_json(L, {{"verdict", result.settled ? "settled" : "animating"},
                {"ms", result.ms},
                {"last_change_ms", result.last_change_ms},
                {"frame_delay_ms", result.frame_delay_ms},
                {"frames", result.frames},
                {"quiet", watch_json(result.quiet)}});
  if (result.picture) {
    push_result(L, result.picture);
    lua_setfield(L, -2, "picture");
  }
  return 1;
}

int page_settle(Call& call) {
  const auto page = page_self(call);
  OptionTable table(call, 2, {"quiet_ms", "max_ms", "min_ms", "area", "picture"});
  SettleOptions options;
  options.quiet_ms = table.integer("quiet_ms", options.quiet_ms, 1, kLongestMs);
  options.max_ms = table.integer("max_ms", options.max_ms, 1, kLongestMs);
  options.min_ms = table.integer("min_ms", options.min_ms, 0, kLongestMs);
  options.area = table.number("area", options.area, 0, 1);
  options.picture = table.boolean("picture", options.picture);
  return await<SettleResult>(
      call, [&](auto done) { page->settle(options, done); }, push_settle);
}

int page_watch(Call& call) {
  const auto page = page_self(call);
  const int ms = integer_at(call, 2, "ms", 1, kLongestMs);
  return await<WatchResult>(
      call, [&](auto done) { page->watch(ms, done); }, push_watch);
}

int page_resize(Call& call) {
  const auto page = page_self(call);
  const Size size{integer_at(call, 2, "width", 1, kLargestSide), integer_at(call, 3, "height", 1, kLargestSide)};
  return await_change<Unit>(call, [&](auto done) { page->resize(size, done); });
}

int page_frame_rate(Call& call) {
  const auto page = page_self(call);
  const int ms = integer_at(call, 2, "ms", 1, kLongestMs);
  return await<double>(call, [&](auto done) { page->frame_rate(ms, done); });
}

int page_health(Call& call) { return push_result(call.L, page_self(call)->health().summary()); }

int page_events(Call& call) {
  const auto page = page_self(call);
  const double after = lua_isnoneornil(call.L, 2) ? 0 : number_at(call, 2, "after", 0);
  return push_result(call.L, page->health().events_after(static_cast<std::int64_t>(after)));
}

int page_next_event(Call& call) {
  const auto page = page_self(call);
  OptionTable options(call, 2, {"after", "kind", "timeout_ms"});
  const auto after = static_cast<std::int64_t>(options.number("after", 0, 0, 1e15));
  const std::string kind = options.string("kind", "");
  const int timeout_ms = options.integer("timeout_ms", 30000, 0, kLongestMs);
  return await<Json>(call, [&](auto done) { page->health().next_event(after, kind, timeout_ms, done); });
}

int page_close(Call& call) {
  const HandleId id = handle_id(call, 1, "page");
  const auto found = call.vm.handles.pages.find(id);
  const auto page = found == call.vm.handles.pages.end() ? nullptr : found->second;
  const auto start = [&](Callback<Unit> done) {
    if (!page || page->closed()) return call.vm.loop.post([done] { done(Unit{}); });  // Closing twice is fine.
    page->close(done);
  };
  const int yielded = await<Unit>(call, start);
  call.vm.handles.pages.erase(id);
  call.vm.handles.input_logs.erase(id);
  return yielded;
}

int page_is_closed(Call& call) {
  const auto found = call.vm.handles.pages.find(handle_id(call, 1, "page"));
  return push_result(call.L, found == call.vm.handles.pages.end() || found->second->closed());
}

}  // namespace

void add_page(lua_State* L) {
  add_functions(L, "page_waits", "page:",
                {{"navigate", bound<page_navigate>},
                 {"reload", bound<page_reload>},
                 {"evaluate", bound<page_evaluate>},
                 {"probe", bound<page_probe>},
                 {"frames", bound<page_frames>},
                 {"listeners", bound<page_listeners>},
                 {"node_box", bound<page_node_box>},
                 {"resources", bound<page_resources>},
                 {"resource_text", bound<page_resource_text>},
                 {"load_resource", bound<page_load_resource>},
                 {"add_preload", bound<page_add_preload>},
                 {"remove_preload", bound<page_remove_preload>},
                 {"terminate_script", bound<page_terminate_script>},
                 {"metrics", bound<page_metrics>},
                 {"emulate_touch", bound<page_emulate_touch>},
                 {"cdp", bound<page_cdp>},
                 {"capture", bound<page_capture>},
                 {"settle", bound<page_settle>},
                 {"watch", bound<page_watch>},
                 {"frame_rate", bound<page_frame_rate>},
                 {"resize", bound<page_resize>},
                 {"next_event", bound<page_next_event>},
                 {"close", bound<page_close>}});
  add_functions(L, "page", "page:",
                {{"health", bound<page_health>}, {"events", bound<page_events>}, {"is_closed", bound<page_is_closed>}});
}

}  // namespace qa::lua
