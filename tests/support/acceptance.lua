-- What the Lua parts of tests/accept share: a row that tests/support/acceptance.sh makes a line of.
local M = {}

---@param id string
---@param value string
---@param goal string
---@param is_met boolean
function M.row(id, value, goal, is_met)
  print(("%s\t%s\t%s\t%s"):format(id, value, goal, is_met and "ok" or "short"))
end

return M
