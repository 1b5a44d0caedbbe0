-- Prompts: files that a tester edits, those of a trusted project (strategies/prompts/NAME.md) before the shipped ones,
-- with {{names}} filled in.
local qa = require "qa"
local failure = require "qa.text.failure"
local internal = require "qa.internal"
local spelling = require "qa.text.spelling"

local M = {}

local function paths(name)
  local found = {}
  for _, root in ipairs{ internal.project_path("strategies") or false, qa.fs.share() .. "/strategies" } do
    if root then found[#found + 1] = ("%s/prompts/%s.md"):format(root, name) end
  end
  return found
end

---Where the prompt is; nil when there is none of that name.
---@param name string
---@return string? path
function M.find(name)
  for _, path in ipairs(paths(name)) do
    if qa.fs.stat(path) then return path end
  end
end

---The text of a prompt and where it is from. Raises when there is none.
---@param name string
---@return string text, string path, string sha256
function M.load(name)
  local path = M.find(name)
  if not path then error(("prompt '%s' not found: looked for %s"):format(name, table.concat(paths(name), ", ")), 0) end
  local text, err = qa.fs.read(path)
  if not text then error(("%s: %s"):format(path, failure.text(err)), 0) end
  return text, path, qa.fs.sha256(text)
end

---Fills in the names of a prompt. Raises on a name that the prompt has and vars lack, or the other way round.
---@param name string
---@param vars table<string, string|number>
---@return string text, {name: string, file: string, sha256: string} identity
function M.render(name, vars)
  local text, path, sha256 = M.load(name)
  local used = {}
  text = text:gsub("{{([%w_]+)}}", function(key)
    local value = vars[key]
    if value == nil then
      error(("%s: nothing is known for {{%s}}%s"):format(path, key, spelling.hint(key, spelling.names(vars))), 0)
    end
    used[key] = true
    return tostring(value)
  end)
  for key in pairs(vars) do
    if not used[key] then qa.log.debug(("%s does not use {{%s}}"):format(path, key)) end
  end
  return text, { name = name, file = path, sha256 = sha256 }
end

---Does an answer repeat what stands in the prompt? Long texts of the answer are looked for, word for word.
---@param prompt string
---@param texts string[]
---@return string? quoted
function M.quoted(prompt, texts)
  local function plain(text) return (text:lower():gsub("%s+", " ")) end
  local whole = plain(prompt)
  for _, text in ipairs(texts) do
    local wanted = plain(text)
    if #wanted >= 20 and whole:find(wanted, 1, true) then return text end
  end
  return nil
end

return M
