--- The end of the play: what takes its time is measured here, so that `conclude` has only to judge.
local decisive = require "parts.standard.decisive"
local facts = require "parts.standard.facts"
local judge = require "parts.standard.judge"
local observe = require "parts.standard.observe"
local ready = require "qa.page.ready"
local second_opinion = require "parts.standard.second_opinion"

local M = {}

---Ends the play; gives what a step returns to end the run.
---@return boolean going, string reason
function M.leave(ctx, reason)
  local state = ctx.state
  if not state.decided and not ctx.page:is_closed() and decisive.still_answers(ctx) then
    ctx:shot("after_interaction")
    if state.game_type then observe.game_type(ctx) end
    observe.frame_rate(ctx)
    observe.unused_keys(ctx)
    -- It may have gone on while it was played.
    local reading = state.ready.stalled and ready.read(ctx)
    if reading then state.ready.stalled = reading.loader end
    state.facts = facts.of(ctx)
    second_opinion.ask(ctx, judge.judge(state.facts))
  end
  return false, reason
end

return M
