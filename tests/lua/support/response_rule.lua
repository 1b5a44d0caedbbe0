--- Numbers of a scene that specs of the response share: few trials decide.

local M = {}

M.cells = 128 * 72
M.rule = { min_cells = 3, factor = 1.5, add = 2, repeats = 2, noisy_share = 0.85, cells = M.cells, doubt = 0.02,
  enough = 6, enough_busy = 12, busy_share = 0.7, quiet_noise = 8, uneven = 1.2 }

---So many cells from one on.
function M.range(from, count)
  local list = {}
  for i = 0, count - 1 do list[#list + 1] = from + i end
  return list
end

return M
