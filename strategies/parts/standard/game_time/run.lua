--- The standard strategy on game time: the play and its end, of a run whose page stands still between our steps.
local blank = require "parts.standard.game_time.blank"
local controls = require "parts.standard.game_time.controls"
local decisive = require "parts.standard.decisive"
local evidence = require "parts.standard.game_time.evidence"
local ending = require "parts.standard.game_time.ending"
local facts = require "parts.standard.game_time.facts"
local listing = require "parts.standard.game_time.listing"
local observe = require "parts.standard.observe"
local play = require "parts.standard.game_time.play"
local second_opinion = require "parts.standard.second_opinion"
local start = require "parts.standard.game_time.start"
local view = require "parts.standard.game_time.view"

local M = { start = start.run }

---A game that took so long to start, and answered, is too slow here to be played on.
local SLOW_START_MS = 35000

---What is measured after the play, so that `conclude` has only to judge.
---@param reason string "not_repeatable": the loop may play it once more, in real time
function M.leave(ctx, reason)
  local state = ctx.state
  if not state.decided and not ctx.page:is_closed() and decisive.still_answers(ctx) then
    if state.is_silent or state.play and state.play.stopped then evidence.keep_last(ctx) end
    ctx:shot("after_interaction")
    if state.game_type then observe.game_type(ctx) end
    listing.all(ctx)
    if not view.is_slow(ctx) then
      state.draws_nothing = blank.is_blank(ctx)
      if state.draws_nothing then reason = "blank_screen" end
      state.moves_at_end, state.draw_rate = ending.watch(ctx, controls.working(ctx, true)[1])
      ending.thaw(ctx)
    end
    state.facts = facts.of(ctx)
    second_opinion.ask(ctx, require("parts.standard.judge").judge(state.facts))
  end
  return false, reason
end

---@param interaction_ms number
function M.step(ctx, interaction_ms)
  local state = ctx.state
  if decisive.by(ctx) then return M.leave(ctx, state.decided) end
  if not state.is_explored then start.explore(ctx) end
  if decisive.by(ctx) then return M.leave(ctx, state.decided) end
  if state.draws_nothing then return M.leave(ctx, "blank_screen") end
  if state.is_silent then
    state.play = { stopped = true }
    return M.leave(ctx, state.answers.refusal and "not_repeatable" or "no_effect")
  end
  if not state.play then
    ctx:phase("gameplay_simulation")
    if view.is_slow(ctx) or (state.started_at_ms or 0) > SLOW_START_MS then
      ctx:event("note", { text = "The game is slow here: it was asked for its controls, and not played on." })
      return M.leave(ctx, "too_slow")
    end
    play.begin(ctx, interaction_ms)
  end
  local reason = play.step(ctx)
  if not reason then return true end
  return M.leave(ctx, reason)
end

---@return table facts of the judge
function M.facts(ctx) return ctx.state.facts or facts.of(ctx) end

return M
