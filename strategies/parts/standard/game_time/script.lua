--- Does the game's script go on? Its timers and frames are counted by the clock.
local decisive = require "parts.standard.decisive"
local effects = require "qa.effect.effect"
local ending = require "parts.standard.game_time.ending"
local moves = require "qa.input.moves"

local M = {}

---Frames that the game is left alone for.
local ALONE_FRAMES = 60
local RAN, RAN_MS = "__qa_clock.clock.calls()", 2000

---Timers and frame callbacks of the page that have run so far.
---@return integer
local function ran(page)
  local count = page:evaluate(RAN, { read_only = true, timeout_ms = RAN_MS })
  return type(count) == "number" and count or 0
end

---@return boolean does anything of the script run while the world is left alone?
local function runs(world)
  local before = ran(world.page)
  return world:step(ALONE_FRAMES) ~= nil and ran(world.page) > before
end

---Does the script go on in the same world without the placebo?
---@param is_new boolean nothing else was done to it
local function runs_without(world, is_new)
  if world.twin then return runs(world.twin) end
  local other = is_new and world:begin_fork()
  if not other then return false end
  local goes_on = other:step(world:frame()) ~= nil and runs(other)
  other:close()
  return goes_on
end

---Looks at the game before it is played, after an input that no game uses: does it move by itself, and has that input
---stopped its script, which goes on without it? Then it may be a pause, so the same key and a click are tried.
---@param is_new boolean nothing else was done to the game
function M.look_untouched(ctx, is_new)
  local state, world = ctx.state, ctx.world
  local before = ran(world.page)
  state.moved_untouched = ending.moves(ctx, ALONE_FRAMES)
  if ran(world.page) > before or not runs_without(world, is_new) then return end
  for _, move in ipairs{ effects.PLACEBO, { action = "click", x = ctx.width / 2, y = ctx.height / 2, hold_ms = 50 } } do
    if not moves.act(ctx.page, move, { window_ms = 0 }) or runs(world) then return end
  end
  state.script_stopped = true
  decisive.decide(ctx, "frozen")
end

return M
