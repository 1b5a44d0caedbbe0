--- A game that does not answer, or not any more, opened anew with another seed: does it answer in its first seconds?
-- Its rounds may end sooner than anybody can ask, and nothing but the page opened anew begin another.
local controls = require "parts.standard.game_time.controls"
local inputs = require "parts.standard.game_time.inputs"
local other_seed = require "parts.standard.game_time.other_seed"
local together = require "parts.standard.game_time.together"
local worlds = require "qa.world.world"

local M = {}

---Frames after the game was loaded, or started, before it is asked.
local FIRST_FRAMES, AFTER_START_FRAMES = 12, 30
---How long it is asked at most, in real time.
local WALL_MS = 10000
---Inputs that must answer: a game that stops with the first one has not been played.
M.ENOUGH = 2

---Starts the game as it was started before.
local function start(ctx, pair)
  local by = ctx.state.start_by
  if not by or ctx.state.auto then return end
  for _, world in ipairs{ pair, pair.twin } do
    if by.key then
      world.page:press(by.key, { hold_ms = ctx.options.hold_ms })
    else
      world.page:mouse_click(by.x, by.y, {})
    end
    world:step(AFTER_START_FRAMES)
  end
  pair.twin:is_equal_to(pair)
end

---A game that never moved, and looks as it did when it was opened, has no round that could be over.
local function is_as_before(ctx, pair)
  if ctx.state.moved_untouched or ctx.state.was_animated then return false end
  local now, first = ctx.page:screenshot(), pair.page:screenshot()
  local seen = now and first and now:diff(first)
  for _, picture in ipairs{ now or false, first or false } do if picture then picture:close() end end
  return seen ~= nil and seen.identical
end

---How many inputs, one after the other, does the game answer when it is opened?
---@return integer answered at most ENOUGH
function M.answers(ctx)
  local pair, answered = other_seed.open(ctx.world), 0
  if not pair then return 0 end
  if not worlds.step({ pair, pair.twin }, FIRST_FRAMES) or is_as_before(ctx, pair) then
    pair:close()
    return 0
  end
  controls.begin(ctx, WALL_MS)
  other_seed.within(ctx, pair, function()
    start(ctx, pair)
    local list = together.first(inputs.moves(ctx, 1))
    answered = controls.ask_all(ctx, list, "opened", { enough = 1, is_brief = true })
    if answered == 0 then return end
    -- What goes on by itself may take another input only; then the same one again.
    local first, others = controls.working(ctx)[1], {}
    for _, move in ipairs(list) do if not controls.is_same(move, first) then others[#others + 1] = move end end
    others[#others + 1] = first
    answered = answered + controls.ask_all(ctx, others, "opened", { enough = M.ENOUGH - answered, is_brief = true })
  end)
  pair:close()
  return answered
end

return M
