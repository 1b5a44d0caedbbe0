--- Measures: what is counted of windows, as the rows of numbers that qa.permutation_test takes.
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

---Steps of luma that the mean of a picture's block must differ by to tell anything.
M.least_luma = 0.5

---Measures less their mean, in standard deviations: for the statistic "max_abs".
---@param measured table<integer, number>[] places that are missing are 0
---@param least number standard deviation up to which a place tells nothing
---@param groups? integer[] how many in a row have a mean of their own: all have one
---@return table<integer, number>[] rows
function M.deviations(measured, least, groups)
  local rows, squares, first = {}, {}, 1
  for i = 1, #measured do rows[i] = {} end
  for _, size in ipairs(groups or { #measured }) do
    local sums = {}
    for i = first, first + size - 1 do
      for at, value in pairs(measured[i]) do sums[at] = (sums[at] or 0) + value end
    end
    for at, sum in pairs(sums) do
      for i = first, first + size - 1 do
        local d = (measured[i][at] or 0) - sum / size
        rows[i][at], squares[at] = d, (squares[at] or 0) + d * d
      end
    end
    first = first + size
  end
  for at, sum in pairs(squares) do
    local deviation = math.sqrt(sum / #measured)
    for _, row in ipairs(rows) do row[at] = row[at] and deviation > least and row[at] / deviation or nil end
  end
  return rows
end

---Ranks of values less their mean; equal values share theirs.
local function ranks(values)
  local sorted, first, last, all = {}, {}, {}, {}
  for i, value in ipairs(values) do sorted[i] = value end
  table.sort(sorted)
  for i, value in ipairs(sorted) do first[value], last[value] = first[value] or i, i end
  for i, value in ipairs(values) do all[i] = (first[value] + last[value]) / 2 - (#values + 1) / 2 end
  return all
end

---A row keeps the local contrast in time of place `at` at `at + local_contrast`.
local local_contrast = 1000000

---The ranks of each place's values less their mean, and how much they stand out of those right before and after: that
---what changes slowly is gone, and a flash of the whole scene is no more than one high rank.
---@param rows table<integer, number>[] in their order in time; places that are missing are 0
---@return table<integer, number>[]
function M.in_time(rows)
  local places, seen = {}, {}
  for i, row in ipairs(rows) do
    seen[i] = {}
    for at in pairs(row) do places[at] = true end
  end
  for at in pairs(places) do
    local values = {}
    for i, row in ipairs(rows) do values[i] = row[at] or 0 end
    local ranked = ranks(values)
    for i, rank in ipairs(ranked) do
      local before, after = ranked[i - 1] or ranked[i + 1] or rank, ranked[i + 1] or ranked[i - 1] or rank
      seen[i][at], seen[i][at + local_contrast] = rank, rank - (before + after) / 2
    end
  end
  return seen
end

---Rows of one number each as their ranks from below, from above, and by their distance from zero: a round that ends by
---itself is one large number among others.
function M.ranked(rows)
  local values, sizes = {}, {}
  for i, row in ipairs(rows) do values[i], sizes[i] = row[1], math.abs(row[1]) end
  local above, far = ranks(values), ranks(sizes)
  for i in ipairs(rows) do rows[i] = { above[i], -above[i], far[i] } end
  return rows
end

return M
