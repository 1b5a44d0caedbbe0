// Game time of a page: page:step run_for step_until freeze thaw clock_coverage game_time_ms.

#include <cmath>
#include <nlohmann/json.hpp>

#include "bindings/args.h"
#include "bindings/await.h"
#include "bindings/bindings.h"
#include "bindings/convert.h"
#include "host/browser/page.h"

namespace qa::lua {
namespace {

constexpr int kMostFrames = 10'000'000;  ///< Two days at 60 frames a second.

int push_steps(lua_State* L, StepResult& result) {
  return push_result(L, Json{{"frames", result.frames},
                             {"game_ms", result.game_ms},
                             {"met", result.is_met},
                             {"skipping_lost", result.is_skipping_lost}});
}

int await_steps(Call& call, const std::shared_ptr<Page>& page, StepRequest request) {
  return await<StepResult>(
      call, [&](auto done) { page->step(std::move(request), std::move(done)); }, push_steps);
}

std::string draw_option(OptionTable& options) { return options.one_of("draw", "last", {"last", "all", "none"}); }

int page_step(Call& call) {
  const auto page = page_self(call);
  const int frames = lua_isnoneornil(call.L, 2) ? 1 : integer_at(call, 2, "frames", 1, kMostFrames);
  OptionTable options(call, 3, {"draw"});
  return await_steps(call, page, {"page:step", frames, "", draw_option(options)});
}

int page_run_for(Call& call) {
  const auto page = page_self(call);
  const double ms = number_at(call, 2, "ms", 1, 1e9),
               frame_ms = page->clock_options().value_or(ClockOptions{}).frame_ms;
  const int frames = static_cast<int>(std::ceil(ms / frame_ms - 0.001));
  OptionTable options(call, 3, {"draw"});
  return await_steps(call, page, {"page:run_for", frames, "", draw_option(options)});
}

int page_step_until(Call& call) {
  const auto page = page_self(call);
  const std::string until(string_at(call, 2, "predicate"));
  if (until.empty()) throw Misuse("predicate must be an expression of JavaScript, got \"\"");
  OptionTable options(call, 3, {"max_frames", "draw"});
  const int most = options.integer("max_frames", 600, 1, kMostFrames);
  return await_steps(call, page, {"page:step_until", most, until, draw_option(options)});
}

int page_freeze(Call& call) {
  const auto page = page_self(call);
  return await<Unit>(call, [&](auto done) { page->set_thawed(false, done); });
}

int page_thaw(Call& call) {
  const auto page = page_self(call);
  return await<Unit>(call, [&](auto done) { page->set_thawed(true, done); });
}

int page_game_time_ms(Call& call) {
  const auto at = page_self(call)->clock_position();
  at ? lua_pushnumber(call.L, at->ms) : lua_pushnil(call.L);
  return 1;
}

/// {frame, entries = {{frame, op, args, failed}}}: what was done to the page, and where it stands; nil in real time.
int page_input_log(Call& call) {
  const auto at = page_self(call)->clock_position();
  if (!at) return lua_pushnil(call.L), 1;
  Json entries = Json::array();
  for (const std::string& entry : call.vm.handles.input_logs[handle_id(call, 1, "page")]) {
    entries.push_back(Json::parse(entry, nullptr, false));
  }
  return push_result(call.L, Json{{"frame", at->frame}, {"entries", std::move(entries)}});
}

int page_clock_coverage(Call& call) {
  const auto page = page_self(call);
  return await<Json>(call, [&](auto done) { page->clock_coverage(done); });
}

}  // namespace

void add_clock(lua_State* L) {
  add_functions(L, "page_waits", "page:",
                {{"step", bound<page_step>},
                 {"run_for", bound<page_run_for>},
                 {"step_until", bound<page_step_until>},
                 {"freeze", bound<page_freeze>},
                 {"thaw", bound<page_thaw>},
                 {"clock_coverage", bound<page_clock_coverage>}});
  add_functions(L, "page", "page:", {{"game_time_ms", bound<page_game_time_ms>}, {"input_log", bound<page_input_log>}});
}

}  // namespace qa::lua
