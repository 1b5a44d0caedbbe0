-- qa.inherit{...}: marks a declared list that adds to the list of the strategy
-- it extends, instead of replacing it.
local M = {}

local marked = { __index = { qa_inherit = true } }

---@param list table
---@return table list the same table, marked
function M.mark(list)
  if type(list) ~= "table" then error("qa.inherit: expected a table, got " .. type(list), 2) end
  return setmetatable(list, marked)
end

---@return boolean
function M.is_marked(list) return type(list) == "table" and list.qa_inherit == true end

---The list in force: arrays are appended, the new entries first (they are tried first); maps are merged key by key,
---the extending strategy's values winning.
---@param parent? table
---@param child table
---@return table
function M.merge(parent, child)
  if not M.is_marked(child) or type(parent) ~= "table" then
    local copy = {}
    for key, value in pairs(child) do copy[key] = value end
    return copy
  end
  local merged = {}
  for key, value in pairs(child) do merged[key] = value end
  local offset = #child
  for key, value in pairs(parent) do
    if type(key) == "number" then
      merged[offset + key] = value
    elseif merged[key] == nil then
      merged[key] = value
    end
  end
  return merged
end

return M
