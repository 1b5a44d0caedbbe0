--- The grid: what changed in the scene, cell by cell. A window is what page:watch saw for a while: for each of 128x72
-- cells the smallest and largest luma, blueness and redness. A cell is *novel* in a window when one of them leaves the
-- band that the window before it, of equal length and without input, has shown. Whether many such windows add up to an
-- answer is qa.effect.response's question.
local qa = require "qa"

local M = {}

M.method = "sequential"

---Cells of a window, row by row.
M.columns, M.rows = 128, 72
M.cells = M.columns * M.rows

M.novel, M.lasting, M.restless = qa.grid.novel, qa.grid.lasting, qa.grid.restless

---Two windows in a row as one.
function M.joined(a, b)
  local both, activity, byte, char = M.band(a, b), {}, string.byte, string.char
  for i = 1, math.min(#a.activity, #b.activity) do
    activity[i] = char(math.min(255, byte(a.activity, i) + byte(b.activity, i)))
  end
  both.last, both.activity, both.columns, both.rows = b.last, table.concat(activity), b.columns, b.rows
  return both
end

---The band that covers both windows; that of one where there is no other yet.
function M.band(a, b)
  if not a then return { low = b.low, high = b.high } end
  return qa.grid.band(a, b)
end

---A window reduced to its last frame: what stayed, without what only flashed.
function M.end_of(window)
  return { low = window.last, high = window.last }
end

---Cells without those inside a box of the view and next to it.
---@param cells integer[]
---@param box qa.Rect
---@param view {width: number, height: number}
---@param spared? table<integer, true> cells that are kept all the same
---@return integer[] kept
function M.outside(cells, box, view, spared)
  local kept = {}
  local left, right = math.floor(box.x / view.width * M.columns) - 1,
    math.ceil((box.x + box.width) / view.width * M.columns) + 1
  local top, bottom = math.floor(box.y / view.height * M.rows) - 1,
    math.ceil((box.y + box.height) / view.height * M.rows) + 1
  for _, cell in ipairs(cells) do
    local column, row = (cell - 1) % M.columns, math.floor((cell - 1) / M.columns)
    local is_inside = column >= left and column < right and row >= top and row < bottom
    if not is_inside or spared and spared[cell] then kept[#kept + 1] = cell end
  end
  return kept
end

---Share of cells that moved in a window.
function M.moving_share(window)
  local moving = 0
  for i = 1, #window.activity do
    if window.activity:byte(i) > 0 then moving = moving + 1 end
  end
  return #window.activity > 0 and moving / #window.activity or 0
end

---True when the window went on changing: some cell changed in three frames or more.
function M.is_animated(window)
  return window.activity:find("[^%z\1\2]") ~= nil
end

---True when a window shows one flat colour (blank), within `spread` steps of luma, blueness and redness.
function M.is_flat(window, spread)
  for plane = 1, #window.last, M.cells do
    local low, high = 255, 0
    for i = plane, math.min(plane + M.cells - 1, #window.last) do
      local v = window.last:byte(i)
      if v < low then low = v end
      if v > high then high = v end
    end
    if high - low > spread then return false end
  end
  return true
end

---Boxes of cells as one region in viewport pixels, for reports.
---@return {x: number, y: number, width: number, height: number}?
function M.region(cells, columns, rows, width, height)
  if #cells == 0 then return nil end
  local x1, y1, x2, y2 = columns, rows, 0, 0
  for _, cell in ipairs(cells) do
    local x, y = (cell - 1) % columns, math.floor((cell - 1) / columns)
    x1, x2 = math.min(x1, x), math.max(x2, x)
    y1, y2 = math.min(y1, y), math.max(y2, y)
  end
  local cw, ch = width / columns, height / rows
  return { x = x1 * cw, y = y1 * ch, width = (x2 - x1 + 1) * cw, height = (y2 - y1 + 1) * ch }
end

return M
