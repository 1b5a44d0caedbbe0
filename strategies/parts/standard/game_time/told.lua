--- What the page has said while the game answered: kept in ctx.state.told, a set of lines, the table of this module.
-- A game that says something new when it stops has come to an end of its own; one that froze has not.
local reader = require "qa.page.reader"

local M = {}

---What the page says, line by line; numbers all alike.
---@return table<string, true>
function M.lines(ctx)
  local lines = {}
  for line in reader.text(ctx.page):gmatch("[^\n]+") do
    line = line:gsub("%d+", "#"):gsub("%s+", " ")
    if line:find "%S" then lines[line] = true end
  end
  return lines
end

---This was said while the game went on.
---@param lines table<string, true>
function M.note(ctx, lines)
  ctx.state.told = ctx.state.told or {}
  for line in pairs(lines) do ctx.state.told[line] = true end
end

---@return boolean does the page say something that it has not said so far?
function M.says_new(ctx)
  local told = ctx.state.told or {}
  for line in pairs(M.lines(ctx)) do if not told[line] then return true end end
  return false
end

return M
