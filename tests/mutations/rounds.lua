--- Turns and rounds of the standard strategy in real time. See tests/soak/mutations.
local spec = "spec tests/strategies/standard/rounds_spec.lua"

return {
  { "strategies/parts/standard/rounds.lua", "if not is_still then state.key_in_motion = key end",
    "state.key_in_motion = key", spec },
  { "strategies/parts/standard/rounds.lua", "then state.restart_failed = false end", "then return end", spec },
  { "strategies/parts/standard/observe.lua", "if stirred > pressed * STRAY_SHARE then return end", "", spec },
  { "strategies/parts/standard/rounds.lua", "or answered_anew(state))\n    and", ") and", spec },
  { "scripts/qa/input/candidates.lua", "if #keys == 0 then keys = opposites(ctx.state.controls, \"up\", \"down\") end",
    "", spec },
  { "strategies/parts/standard/turns.lua", "and state.was_animated and candidates.to_and_fro(ctx)",
    "and candidates.to_and_fro(ctx)", spec },
  { "strategies/parts/standard/turns.lua", "state.answer, state.last_answer_ms = nil, nil", "", spec },
  { "strategies/parts/standard/turns.lua", "state.seen_still, state.restart_by = {}, nil, 0, nil, nil",
    "state.seen_still = {}, nil, 0, nil", spec },
  { "strategies/parts/standard/rounds.lua", "state.start_by = result.found and result.by or state.start_by", "", spec },
  { "strategies/parts/standard/turns.lua", "and state.turn <= turns_to_and_fro", "", spec },
  { "strategies/parts/standard/turns.lua", "    open_in(ctx, full_width, full_height)", "", spec },
  { "strategies/parts/standard/turns.lua", "crawls and TINY_WIDTH or", "", spec },
  { "strategies/parts/standard/rounds.lua", "(state.was_over or false) ~= is_over", "state.was_over and not is_over",
    spec },
  { "strategies/parts/standard/rounds.lua", "if (state.was_over or false) ~= is_over then state.restart_failed = " ..
    "false end", "", spec },
  { "strategies/parts/standard/rounds.lua", "is_over and not state.has_just_answered", "is_over", spec },
  { "strategies/parts/standard/turns.lua", "local is_cut_short = not state.moves and state.round > 0",
    "local is_cut_short = false", spec },
  { "strategies/parts/standard/turns.lua", "state.turn % 2 == 0 and state.round > 1 and", "state.turn % 2 == 0 and",
    spec },
  { "strategies/parts/standard/turns.lua", "(state.last_answer_ms or 0) < state.round_ms then", "false then", spec },
  { "strategies/parts/standard/turns.lua", "(state.last_answer_ms or 0) < state.round_ms then", "true then", spec },
}
