--- Effects told by twins, and the standard strategy on game time. See tests/soak/mutations.
local effect_spec, strategy_spec = "spec tests/lua/effect/effect_spec.lua",
  "spec tests/strategies/standard/game_time_spec.lua"

return {
  { "scripts/qa/effect/effect.lua", "if ok then ok, err = follow(world, twin) end", "", effect_spec },
  { "scripts/qa/effect/effect.lua", "for _, each in ipairs{ world, twin } do\n      local ok, err = each.page:move",
    "for _, each in ipairs{ world } do\n      local ok, err = each.page:move", effect_spec },
  { "scripts/qa/effect/effect.lua", "= { 6, 20, 60 }, 60", "= { 6, 20, 60 }, 600", effect_spec },
  { "scripts/qa/effect/effect.lua", "result.lasts = found ~= nil", "result.lasts = true", effect_spec },
  { "scripts/qa/effect/effect.lua", "if are_equal then twin:is_equal_to(world) else world:let_go() end",
    "world:let_go()", effect_spec },
  { "scripts/qa/effect/effect.lua", "if changed >= (options.enough or math.huge) then break end", "", effect_spec },
  { "scripts/qa/effect/effect.lua", "return (first or second) and shows_same", "return false and look", strategy_spec },
  { "scripts/qa/effect/effect.lua", "(seen.writes or same_inside(world, twin, box))", "same_inside(world, twin, box)",
    strategy_spec },
  { "host/browser/listeners.cpp", "leave_out_clock();\n", "", "spec tests/lua/clock/listening_spec.lua" },
  { "scripts/qa/world/replay.lua", "line.page == page and", "recording.page and line.page == page and",
    "spec tests/lua/clock/world_spec.lua" },
  { "strategies/parts/standard/game_time/reloads.lua", "state.reloads_by_itself = loads > LOADS - 1",
    "state.reloads_by_itself = true", strategy_spec },
  { "strategies/parts/standard/decisive.lua", [[if kind == "reload_loop" and ctx.world then]], "if false then",
    strategy_spec },
  { "strategies/parts/standard/game_time/run.lua", "or named[attempt.method] == true", "", strategy_spec },
  { "strategies/parts/standard/game_time/rules.lua", "c.stopped and c.answered > 0 end", "false end", strategy_spec },
  { "strategies/parts/standard/game_time/rules.lua", "or f.answers_only_when_opened", "", strategy_spec },
  { "scripts/qa/input/controls.lua", [[wheel = "wheel",]], "", strategy_spec },
}
