-- Declared options: their values for a run, from defaults and `--set key=value`.
local spelling = require "qa.text.spelling"

local M = {}

local function parse(key, text, kind)
  if type(text) == kind then return text end
  text = tostring(text)
  if kind == "number" then
    local number = tonumber(text)
    if not number or number ~= number then error(("--set %s: expected a number, got '%s'"):format(key, text), 0) end
    return number
  elseif kind == "boolean" then
    if text == "true" or text == "1" or text == "yes" then return true end
    if text == "false" or text == "0" or text == "no" then return false end
    error(("--set %s: expected true or false, got '%s'"):format(key, text), 0)
  end
  return text
end

---@param strategy table merged: its options are declarations, its limits numbers
---@param set? table<string, any> by key: an option's name, or "limits.NAME"
---@return table options, table limits
function M.resolve(strategy, set)
  local options, limits = {}, {}
  for name, option in pairs(strategy.options or {}) do options[name] = option.default end
  for name, value in pairs(strategy.limits or {}) do limits[name] = value end
  local known = spelling.names(options)
  for _, name in ipairs(spelling.names(require("qa.run.contract").limits)) do known[#known + 1] = "limits." .. name end
  for _, key in ipairs(spelling.names(set or {})) do
    local value = set[key]
    local limit = key:match("^limits%.(.+)$")
    if limit and require("qa.run.contract").limits[limit] then
      limits[limit] = parse(key, value, "number")
    elseif options[key] ~= nil then
      options[key] = parse(key, value, type(options[key]))
    else
      error(("--set %s: %s has no such option%s"):format(key, strategy.name or "the strategy",
        spelling.hint(key, known)), 0)
    end
  end
  return options, limits
end

return M
