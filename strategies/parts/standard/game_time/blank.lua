--- A game whose canvas nothing was ever drawn on.
local canvases = require "qa.page.canvas"
local reader = require "qa.page.reader"

local M = {}

---A smaller canvas is no game, in CSS pixels.
local LEAST_SIDE = 100

---Was nothing drawn on the canvas that the game is played on? Only where nothing else of the page lies above or below
---it: a page may have one for what it shows later.
---@return boolean
function M.is_blank(ctx)
  if ctx.state.game_type ~= "canvas" or reader.drawn(ctx.page) then return false end
  local canvas = canvases.of_game(ctx)
  return canvas ~= nil and canvas.alone and math.min(canvas.width, canvas.height) >= LEAST_SIDE
end

return M
