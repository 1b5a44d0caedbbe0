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
---@return {timers: integer, frames: integer}
local function ran(page)
  local count = page:evaluate(RAN, { read_only = true, timeout_ms = RAN_MS })
  return type(count) == "table" and count or { timers = 0, frames = 0 }
end

local function since(page, before)
  local count = ran(page)
  return { timers = count.timers - before.timers, frames = count.frames - before.frames }
end

---How many of them run while a world is left alone?
local function ran_alone(world)
  local before = ran(world.page)
  return world:step(ALONE_FRAMES) and since(world.page, before) or { timers = 0, frames = 0 }
end

---How many in the same world without the placebo?
---@param is_new boolean nothing else was done to it
local function ran_without(world, is_new)
  if world.twin then return ran_alone(world.twin) end
  local other = is_new and world:begin_fork()
  if not other then return { timers = 0, frames = 0 } end
  local count = other:step(world:frame()) and ran_alone(other) or { timers = 0, frames = 0 }
  other:close()
  return count
end

---Does the script of a game go on, which else runs so many? Timers may go on where those of frames have stopped.
local function goes_on(count, without)
  if without.frames > 0 then return count.frames >= without.frames / 2 end
  return count.timers >= without.timers / 2
end

---Frames after an input that stops a script in which what had been begun may still be drawn.
local LAST_FRAMES = 3

---@param picture? qa.Image
local function shows(page, picture)
  local now = picture and page:screenshot()
  local seen = now and picture:diff(now)
  if now then now:close() end
  return seen ~= nil and seen.identical
end

---Does the page show for good what it showed at the placebo? What is shown otherwise was changed by it: an introduction
---that any key ends, say.
---@param before {picture: qa.Image, frame: integer} the page before the placebo
---@param is_new boolean nothing else was done to it
local function shows_what_it_did(world, before, is_new)
  if shows(world.page, before.picture) then return true end
  local other, now, is_same = is_new and world:begin_fork(), world.page:screenshot(), false
  local stepped = other and now and other:step(before.frame)
  for _ = 1, LAST_FRAMES do
    stepped = stepped and not is_same and other:step(1)
    is_same = is_same or stepped and shows(other.page, now)
  end
  if now then now:close() end
  if other then other:close() end
  return is_same or false
end

---Looks at the game before it is played, after an input that no game uses: does it move by itself? And has that input
---stopped its script: is its picture that of then for good, and does it run less than half of the frame callbacks,
---or timers, that it runs without that input? Then it may be a pause, so the same key and a click are tried.
---@param is_new boolean nothing else was done to the game
---@param before {picture?: qa.Image, frame: integer} the page before that input
function M.look_untouched(ctx, is_new, before)
  local state, world = ctx.state, ctx.world
  local ran_before = ran(world.page)
  state.moved_untouched = ending.moves(ctx, ALONE_FRAMES)
  if state.moved_untouched ~= false or not before.picture then return end
  local count, without = since(world.page, ran_before), ran_without(world, is_new)
  if goes_on(count, without) or not shows_what_it_did(world, before, is_new) then return end
  for _, move in ipairs{ effects.PLACEBO, { action = "click", x = ctx.width / 2, y = ctx.height / 2, hold_ms = 50 } } do
    if not moves.act(ctx.page, move, { window_ms = 0 }) or goes_on(ran_alone(world), without) then return end
  end
  state.script_stopped = true
  decisive.decide(ctx, "frozen")
end

return M
