--- A canvas on which nothing is drawn: what it shows, as far as it is in view, is one colour.
local canvases = require "qa.page.canvas"
local reader = require "qa.page.reader"

local M = {}

---Left out at the edges of the canvas, in CSS pixels: it may have a border. Cells that are compared, and the steps of
---luma within which they are one colour.
local INSET, COLUMNS, ROWS, SPREAD = 6, 64, 36, 3
---A smaller one is no game, in CSS pixels.
local LEAST_SIDE = 100

---The share of the cells that have the colour which most of them have.
---@param grid string luma, a byte a cell
local function share_of_one(grid)
  local counts, most = {}, 0
  for i = 1, #grid do
    local luma = grid:byte(i)
    counts[luma] = (counts[luma] or 0) + 1
  end
  for luma in pairs(counts) do
    local near = 0
    for other = luma - SPREAD, luma + SPREAD do near = near + (counts[other] or 0) end
    most = math.max(most, near)
  end
  return most / #grid
end

---How much of the game's canvas is one colour, where no frame of it was drawn on?
---@return number? share nil: there is no such canvas, or it was drawn on
function M.share(ctx)
  if reader.drawn(ctx.page) then return nil end
  local clip = canvases.clip(ctx, canvases.of_game(ctx))
  if not clip or math.min(clip.width, clip.height) < LEAST_SIDE then return nil end
  local picture = ctx.page:screenshot{ clip = { x = clip.x + INSET, y = clip.y + INSET, width = clip.width - 2 * INSET,
    height = clip.height - 2 * INSET } }
  local grid = picture and picture:grid(COLUMNS, ROWS)
  if picture then picture:close() end
  return grid and share_of_one(grid)
end

return M
