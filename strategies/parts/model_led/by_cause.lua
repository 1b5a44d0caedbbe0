--- A model's play on game time. The game stands still while the model thinks; meanwhile a twin is made equal to it.
-- Actions are played in the game and not in the twin (qa.effect), so what differs then is what they changed.
local controls = require "parts.standard.game_time.controls"
local decisive = require "parts.standard.decisive"
local effects = require "qa.effect.effect"
local game_time = require "parts.standard.game_time.run"
local play = require "parts.standard.game_time.play"

local M = {}

---Frames after actions up to which their effect is waited for.
local FRAMES = 60

---The model takes over. The list of inputs that are answered begins, where the start has begun none.
function M.begin(ctx)
  if not ctx.state.answers then controls.begin(ctx, 0) end
  play.begin_round(ctx)
end

---From here on, the twin that the next actions need is made beside all that goes on.
function M.keep_up(ctx) effects.keep_up(ctx.world) end

---Calls act, which does the actions, and tells whether they changed the game.
---@param move? table what they are called in the evidence; nil: they are no input
---@param act fun(before: qa.Window?): boolean? false when none of them was sent
---@return {progressed: "yes"|"no"|"unknown"} result
function M.assessed(ctx, move, act)
  local state, sent, effect = ctx.state, nil, nil
  local function once()
    sent = act(ctx.page:watch(1)) ~= false
    return true
  end
  if move then effect = controls.ask_of(ctx, move, "play", { act = once, frames = FRAMES, is_brief = true }) end
  if sent == nil then once() end
  state.is_assessed = false
  if not sent then return { progressed = "no" } end
  state.answered_last = effect ~= nil and effect.counts
  if not effect then return { progressed = "unknown" } end
  return { progressed = effect.changed and not effect.is_native and "yes" or "no" }
end

---Is there nothing more to ask? The model's last input was answered, or the tester wants no other inputs than its.
local function is_over(ctx) return ctx.state.answered_last or ctx.options.interaction_ms == 0 end

---After the model's part: what it has not proven is played as the standard strategy plays.
---@param base fun(ctx: table): boolean, string? step of the standard strategy
---@param reason string why the model's part ended
---@return boolean going, string? reason
function M.prove(ctx, base, reason)
  local state = ctx.state
  if state.play or decisive.by(ctx) or not is_over(ctx) then return base(ctx) end
  state.play = { answers = state.answered_last or false }
  return game_time.leave(ctx, reason)
end

return M
