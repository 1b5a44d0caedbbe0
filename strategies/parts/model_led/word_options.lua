--- Options whose value is one of a few words.
local failure = require "qa.text.failure"
local spelling = require "qa.text.spelling"

local M = {}

local function is_one_of(given, allowed)
  for _, word in ipairs(allowed) do
    if given == word then return true end
  end
  return false
end

local function misspelt(given, name, allowed)
  local words = table.concat(allowed, ", "):gsub(", ([^,]*)$", " or %1")
  return failure.new("type_mismatch", ("--set %s: expected %s, got '%s'%s"):format(name, words, tostring(given),
    spelling.hint(given, allowed)), "options")
end

---Is each option one of its words? For `prepare`: a run whose option is misspelt does not begin.
---@param ctx table
---@param words_of table<string, string[]> by name of the option
---@return true?, qa.Error?
function M.check(ctx, words_of)
  for name, allowed in pairs(words_of) do
    local given = ctx.options[name]
    if not is_one_of(given, allowed) then return nil, misspelt(given, name, allowed) end
  end
  return true
end

return M
