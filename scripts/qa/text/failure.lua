-- Outcomes made in Lua: the same plain table that primitives return,
-- {kind, message, op, detail} with a readable tostring.
local M = {}

local metatable = { __tostring = function(err) return ("%s: %s"):format(tostring(err.kind), tostring(err.message)) end }

---@param kind string one of the closed list
---@param message string
---@param op string
---@param detail? table
---@return qa.Error
function M.new(kind, message, op, detail)
  return setmetatable({ kind = kind, message = message, op = op, detail = detail }, metatable)
end

local losses = { browser_lost = true, deadline = true, cancelled = true }

---True for errors after which nothing in that scope can work.
function M.is_loss(err) return type(err) == "table" and losses[err.kind] == true end

---Any raised or returned error as one line of text.
function M.text(err)
  if type(err) == "table" and err.kind then return ("%s: %s"):format(tostring(err.kind), tostring(err.message)) end
  return tostring(err)
end

return M
