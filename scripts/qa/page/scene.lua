--- The scene: what a page offers now, and where the game in it is.
local qa = require "qa"
local canvases = require "qa.page.canvas"
local cell_grid = require "qa.page.cell_grid"
local reader = require "qa.page.reader"

local M = {}

local presses = { click = true, mousedown = true, pointerdown = true, mouseup = true, pointerup = true,
  touchstart = true, dblclick = true }

---Elements that listen for presses without any sign of it for the eye, as page:clickables tells others. Those that fill
---the page are its ground.
---@return table[]
local function listening(ctx)
  local items, seen, pressable = {}, {}, {}
  for _, listener in ipairs(ctx.page:listeners() or {}) do
    if presses[listener.type] and listener.node and not seen[listener.node] and #pressable < 40 then
      seen[listener.node] = true
      pressable[#pressable + 1] = listener
    end
  end
  for _, listener in ipairs(pressable) do
    local box = ctx.page:node_box(listener.node, { frame = listener.frame, timeout_ms = 500 })
      or { x = 0, y = 0, width = 0, height = 0 }
    local x, y = box.x + box.width / 2, box.y + box.height / 2
    local is_piece = box.width >= 4 and box.height >= 4 and box.width * box.height < 0.6 * ctx.width * ctx.height
    if is_piece and x >= 0 and y >= 0 and x < ctx.width and y < ctx.height then
      items[#items + 1] = { x = x, y = y, width = box.width, height = box.height, left = box.x, top = box.y,
        tag = listener.target,
        text = "", name = "", id = "", class = "", role = "", in_viewport = true, covered = false, disabled = false }
    end
  end
  return items
end

---The state of its frames, what can be clicked, and what can be read: asked all at once, for a page may answer only
---between two frames.
local function read(page)
  return qa.all(function() return canvases.states(page) end, function() return page:clickables{ limit = 120 } or {} end,
    function() return reader.texts(page) end)
end

---What the page offers now. A game that was scrolled out of view comes back first.
---@param ctx table
---@return {scrolled: boolean, clickables: table[], painted: table[], text: string, centre: qa.Point, area: number,
---board: table?, has_canvas: boolean, is_covered: boolean} scene is_covered: nothing of the canvas can be clicked, for
---it is the backdrop of a page or lies under one
function M.look(ctx)
  local states, clickables, texts = read(ctx.page)
  local board, scroll, is_top = canvases.pick(ctx, states)
  local scrolled = board ~= nil and canvases.bring_back(ctx, board, scroll, is_top)
  if scrolled then
    states, clickables, texts = read(ctx.page)
    board = canvases.pick(ctx, states)
  end
  if #clickables == 0 and not board then clickables = listening(ctx) end
  local part = canvases.clip(ctx, board)
  local centre = { x = ctx.width / 2, y = ctx.height / 2 }
  if part then
    centre = { x = part.x + part.width / 2, y = part.y + part.height / 2 }
  elseif states[2] and states[2].width * states[2].height > 0.1 * ctx.width * ctx.height then
    centre = { x = states[2].x + states[2].width / 2, y = states[2].y + states[2].height / 2 }
  end
  ctx.state.board_cells = part and part.width * part.height / (ctx.width * ctx.height) * cell_grid.cells or nil
  return { scrolled = scrolled, clickables = clickables, painted = texts.painted, centre = centre, board = part,
    text = texts.written .. "\n" .. reader.lines(texts.painted), area = ctx.width * ctx.height,
    has_canvas = board ~= nil, is_covered = board ~= nil and board.covered == true }
end

return M
