--- A game whose canvas fills the view, and that takes long to draw in software: it is played in a smaller view, where
-- there is less to draw, unless that would show but a part of it.
local canvases = require "qa.page.canvas"
local qa = require "qa"
local worlds = require "qa.world.world"

local M = {}

---So long a frame may take to draw, in real time; the smaller view; the share of the canvas that it must show.
local SLOW_MS, WIDTH, HEIGHT, LEAST_SHARE = 250, 640, 360, 0.8

---How long a frame takes that is drawn; 0 where that is not known. It is asked before there is a twin: a game may take
---too long for two.
local function frame_ms(ctx)
  local world = ctx.world
  local began, group = qa.now_ms(), world.twin and { world, world.twin } or { world }
  if not worlds.step(group, 1) then return 0 end
  local picture = ctx.page:screenshot()
  if picture then picture:close() end
  return (qa.now_ms() - began) / #group
end

---Is the game in view?
local function shows_all(ctx)
  local canvas = canvases.of_game(ctx)
  if not canvas then return true end
  local shown = math.min(canvas.width, ctx.width) * math.min(canvas.height, ctx.height)
  return shown >= LEAST_SHARE * canvas.width * canvas.height
end

---@return boolean ok
local function resize(ctx, width, height)
  if not ctx.page:resize(width, height) then return false end
  ctx.width, ctx.height = width, height
  return ctx.world:step(2) ~= nil
end

---Does a frame take too long to be drawn, as far as it is known?
function M.is_slow(ctx) return (ctx.state.frame_ms or 0) > SLOW_MS end

---Asked when the game may have begun.
function M.ease(ctx)
  local state = ctx.state
  if state.is_eased then return end
  local width, height, ms = ctx.width, ctx.height, frame_ms(ctx)
  state.frame_ms = ms
  -- A page that loads beside it would slow it down.
  ctx.world.game.opens_none_ahead = M.is_slow(ctx)
  state.is_eased = M.is_slow(ctx) and width > WIDTH
  if not state.is_eased then return end
  ctx.world:let_go()
  if not resize(ctx, WIDTH, HEIGHT) then return end
  local small = ("%dx%d"):format(WIDTH, HEIGHT)
  local what = ("it is played in a view of %s"):format(small)
  if not shows_all(ctx) then
    resize(ctx, width, height)
    what = ("a view of %s would show only a part of it, so it is played as it is"):format(small)
  end
  state.frame_ms = frame_ms(ctx)
  ctx:event("note", { text = ("A frame takes %d ms to draw here: %s."):format(ms, what) })
end

return M
