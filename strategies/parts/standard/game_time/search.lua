--- Which controls does a game answer? What is likely is asked first, then what few games take, and what begins late.
local controls = require "parts.standard.game_time.controls"
local decisive = require "parts.standard.decisive"
local effects = require "qa.effect.effect"
local inputs = require "parts.standard.game_time.inputs"
local observe = require "parts.standard.observe"
local pauses = require "parts.standard.game_time.pauses"
local together = require "parts.standard.game_time.together"
local view = require "parts.standard.game_time.view"

local M = {}

---How long a game that answers is asked for its other controls, in real time.
local WALL_MS = 12000
---How long games say "get ready", in frames.
local GET_READY_FRAMES = 110
---Frames that a game that answers nothing is given, one after the other: for a loading bar, a "get ready".
local WAITS = { 240, 720 }

---Does the game answer any control now, or when it has said "get ready"? Where none did before, all are asked at once.
function M.answers(ctx)
  local list, options = inputs.moves(ctx, 1), { enough = 1, in_play = true }
  if ctx.state.answers.asked == 0 then
    if controls.ask_all(ctx, list, "controls", options) > 0 then return true end
  elseif together.ask(ctx, list, "controls", options) then
    return true
  end
  if decisive.by(ctx) or controls.is_late(ctx) or not effects.wait(ctx.world, GET_READY_FRAMES) then return false end
  return together.ask(ctx, inputs.keys(ctx), "controls", options)
end

---Inputs that few games take, when nothing else did anything; where one answers, all of its kind are asked.
local function try_unusual(ctx)
  local list = inputs.unusual(ctx)
  if not together.ask(ctx, list, "controls") then return false end
  local kind, alike = controls.working(ctx)[1].action, {}
  for _, move in ipairs(list) do if move.action == kind and kind ~= "press" then alike[#alike + 1] = move end end
  controls.ask_all(ctx, alike, "controls", { is_new = true })
  return true
end

---A single key that answers may have paused the game: it is pressed again, and the others are asked then.
local function try_unpaused(ctx)
  local only = controls.only_pause(ctx)
  if not only or decisive.by(ctx) then return end
  pauses.press_again(ctx, only)
  if not effects.wait(ctx.world, GET_READY_FRAMES) then return end
  if controls.ask_all(ctx, inputs.keys(ctx), "controls", { is_new = true }) > 0 then controls.note_pause(ctx, only) end
end

---Waits for what begins late, and asks again.
local function try_later(ctx)
  for _, frames in ipairs(WAITS) do
    if decisive.by(ctx) or controls.is_late(ctx) then return false end
    if not effects.wait(ctx.world, frames) then return false end
    observe.controls(ctx)
    if together.ask(ctx, together.first(inputs.moves(ctx, 1)), "controls") then return true end
  end
  return false
end

---Asks for the other controls of a game that answers.
function M.learn(ctx)
  observe.controls(ctx)
  view.ease(ctx)
  controls.begin(ctx, WALL_MS)
  local keys, others = {}, {}
  for _, move in ipairs(inputs.moves(ctx, 2)) do
    table.insert((move.action == "press" or move.action == "type") and keys or others, move)
  end
  controls.ask_all(ctx, keys, "controls", { is_new = true })
  -- Each key is a control; of many places to click one that answers is enough.
  together.ask(ctx, controls.unknown(ctx, others), "controls")
  controls.ask_all(ctx, inputs.families(controls.working(ctx)), "controls", { is_new = true })
  try_unpaused(ctx)
end

---Nothing has answered so far: what few games take, and what begins late.
---@return boolean answered
function M.deeper(ctx)
  local answered = try_unusual(ctx) or try_later(ctx)
  ctx.state.answers.is_cut_short = not answered and controls.is_late(ctx)
  return answered
end

return M
