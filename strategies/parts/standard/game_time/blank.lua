--- A game whose canvas nothing was ever drawn on.
local canvases = require "qa.page.canvas"
local reader = require "qa.page.reader"

local M = {}

---A smaller canvas is no game, in CSS pixels.
local LEAST_SIDE = 100

---Looks whether nothing else of the page lies above or below the canvas of the game. Something does at times, in
---a menu or a pause, and always where a page has a canvas for what it shows later.
function M.look(ctx)
  local canvas = not ctx.state.stands_alone and canvases.of_game(ctx)
  if not canvas then return end
  ctx.state.stands_alone = canvas.alone and math.min(canvas.width, canvas.height) >= LEAST_SIDE
end

---Was nothing drawn on the canvas that the game is played on?
---@return boolean
function M.is_blank(ctx)
  if ctx.state.game_type ~= "canvas" or reader.drawn(ctx.page) then return false end
  M.look(ctx)
  return ctx.state.stands_alone or false
end

return M
