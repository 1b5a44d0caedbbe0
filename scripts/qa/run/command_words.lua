-- Words of a subcommand that the binary hands over as they are: `--key value`,
-- `--key=value`, `--set k=v` (repeatable), and plain arguments.
local qa = require "qa"
local failure = require "qa.text.failure"
local spelling = require "qa.text.spelling"

local M = {}

---@param words string[]
---@return boolean
function M.asks_for_help(words)
  for _, word in ipairs(words) do
    if word == "--help" or word == "-h" then return true end
  end
  return false
end

---What `qa-host COMMAND --help` prints: the comment that the command's file begins with.
---@return string
function M.usage()
  local lines = {}
  for line in assert(qa.fs.read(qa.command.source)):gmatch "[^\r\n]+" do
    if not line:find "^%-%-" then break end
    lines[#lines + 1] = line:gsub("^%-%- ?", "")
  end
  return table.concat(lines, "\n")
end

---What a command raises whose words do not say what to do: its usage is told.
M.misuse = { kind = "usage" }

---@param name string the subcommand, for messages
---@param command table
---@param known string[] option names
---@return table options set is a table by key
---@return string[] arguments
function M.parse(name, command, known)
  local words, options, arguments = command.args or qa.args or {}, { set = {} }, {}
  local index = 1
  while index <= #words do
    local word = words[index]
    local key, value = word:match("^%-%-([%w-]+)=(.*)$")
    key = key or word:match("^%-%-([%w-]+)$")
    if key then
      local found = false
      for _, candidate in ipairs(known) do found = found or candidate == key end
      if not found then
        error(("qa-host %s: unknown option '--%s'%s"):format(name, key, spelling.hint(key, known)), 0)
      end
      if not value then
        index = index + 1
        value = words[index]
      end
      if not value then error(("qa-host %s: --%s needs a value"):format(name, key), 0) end
      if key == "set" then
        local option, setting = value:match("^([^=]+)=(.*)$")
        if not option then error(("qa-host %s: --set takes key=value, got '%s'"):format(name, value), 0) end
        options.set[option] = setting
      else
        options[key] = value
      end
    else
      arguments[#arguments + 1] = word
    end
    index = index + 1
  end
  options.out = options.out or command.out
  options.browser = options.browser or command.browser
  options.seed = tonumber(options.seed)
  return options, arguments
end

---A subcommand: what `run` raises is told, and is exit code 3; losses go on.
---@param run fun(command: table): table
---@return fun(command: table): {exit_code: integer}
function M.command(run)
  return function(command)
    local ok, result = pcall(run, command)
    if ok then return result end
    if failure.is_loss(result) then error(result, 0) end
    if result == M.misuse then qa.log.line(M.usage()) else qa.log.error(failure.text(result)) end
    return { exit_code = 3 }
  end
end

return M
