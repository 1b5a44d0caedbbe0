--- Measures: what is counted of a window, as numbers that qa.permutation_test takes.
local cell_grid = require "qa.page.cell_grid"

local M = {}

local columns, grid_rows = cell_grid.columns, cell_grid.rows
---Half a side of the blocks that the tests of parts look at, in cells, beside whole rows and columns of blocks. Each
---block lies half over the next, so that what moves on the border of two is in the middle of another.
local half = 4

---How much of each region a window touches: by number of the region the logarithm of one more than its cells there.
---@param cells integer[]? none where it is not known
---@return table<integer, number>
function M.sizes_of_regions(cells)
  local across, down, halves, sizes = columns / half - 1, grid_rows / half - 1, {}, {}
  for _, cell in ipairs(cells or {}) do
    local at = math.floor((cell - 1) / columns / half) * (across + 1) + math.floor((cell - 1) % columns / half)
    halves[at] = (halves[at] or 0) + 1
  end
  local function add(region, n) sizes[region] = (sizes[region] or 0) + n end
  for at, n in pairs(halves) do
    local x, y = at % (across + 1), math.floor(at / (across + 1))
    for row = math.max(0, y - 1), math.min(down - 1, y) do
      for column = math.max(0, x - 1), math.min(across - 1, x) do add(1 + row * across + column, n) end
      add(1 + across * down + row, n)
    end
    for column = math.max(0, x - 1), math.min(across - 1, x) do add(1 + across * down + down + column, n) end
  end
  for region, n in pairs(sizes) do sizes[region] = math.log(1 + n) end
  return sizes
end

---Makes the regions of all rows comparable: each by the root of its summed squares. Regions in too few rows go.
function M.standardize(rows, least)
  local squares, touches = {}, {}
  for _, row in ipairs(rows) do
    for region, value in pairs(row) do
      squares[region], touches[region] = (squares[region] or 0) + value * value, (touches[region] or 0) + 1
    end
  end
  for _, row in ipairs(rows) do
    for region, value in pairs(row) do
      row[region] = touches[region] >= least and value / math.sqrt(squares[region]) or nil
    end
  end
  return rows
end

---The place of the whole scene beside its regions.
M.whole_scene = columns * grid_rows

return M
