--- Does the game miss what a human taps? Only keys that were held longer have worked so far: the same one is tapped and
-- then held once more, in the same state of the game.
local controls = require "parts.standard.game_time.controls"
local inputs = require "parts.standard.game_time.inputs"

local M = {}

---How long a short tap of a human is, in ms, and how often it is tried.
local HUMAN_TAP_MS, TIMES = 80, 2

---A key that has worked only when it was held; nil where any key has worked that was tapped.
local function only_held(ctx)
  local found
  for _, entry in ipairs(ctx.state.answers.list) do
    if entry.move.action == "press" and entry.stage ~= "start" then
      if entry.move.hold_ms < inputs.HOLD_MS then return nil end
      found = found or entry.move
    end
  end
  return found
end

---Notes a key whose taps are lost, in ctx.state.lost_input.
function M.look(ctx)
  local move = only_held(ctx)
  if not move then return end
  local tap = setmetatable({ hold_ms = HUMAN_TAP_MS }, { __index = move })
  for _ = 1, TIMES do
    local effect = controls.ask(ctx, tap, "play", { is_long = true })
    if not effect or effect.counts then return end
  end
  local effect = controls.ask(ctx, move, "play", { is_long = true })
  if not (effect and effect.counts) then return end
  ctx.state.lost_input = { key = move.key, tap_ms = HUMAN_TAP_MS, hold_ms = move.hold_ms }
end

return M
