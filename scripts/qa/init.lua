-- What scripts add to the host's primitives, and what the root task does. The prelude knows this module alone; nothing
-- named here is read from disk before it is used.
local qa = require "qa"
local is_embedded = require("qa.internal").is_embedded

local M = {}

---Members of the qa table: a module, or a function of one.
local members = {
  llm = { "qa.model.llm" }, budget = { "qa.model.budget" }, schema = { "qa.model.schema" },
  store = { "qa.memory.store" }, progress = { "qa.effect.progress", "measure" }, inherit = { "qa.run.inherit", "mark" },
  effect = { "qa.effect.effect" },
}

---Methods of handles that are sequences of primitives.
local methods = { page = "qa.page.methods" }

---@param name string
---@return any? member of the qa table; nil: it has no such member
function M.member(name)
  local found = members[name]
  local module = found and require(found[1])
  return found and found[2] and module[found[2]] or module
end

---@param kind "browser"|"page"|"image"|"task"
---@param name string
---@return function? method nil: scripts add no such method
function M.method(kind, name) return methods[kind] and require(methods[kind])[name] end

---@param name string a module that is not there, "qa.ready"
---@return string? sentence that names where it is now
function M.former_name(name) return require("qa.run.former_names").sentence(name) end

local function exit_code(value)
  if value == false then return 1 end
  if type(value) ~= "table" then return 0 end
  if type(value.exit_code) == "number" then return value.exit_code end
  return require("qa.run.exit_codes")[value.status] or 0
end

local function load_or_raise(path)
  local chunk, err = qa.load_chunk(path)
  if not chunk then error(err.kind == "script_error" and err.message or err, 0) end
  return chunk
end

---A script requires modules beside it, as a strategy file does: the same file may be both.
local function require_beside(path)
  local beside
  return function(name)
    if type(name) ~= "string" or name:match "^qa%." or is_embedded(name) then return require(name) end
    beside = beside or require("qa.run.strategy_file").require_beside(path)
    return beside(name)
  end
end

---What the root task runs, by the kind of its argument.
local bodies = {}

function bodies.file(path)
  local chunk = load_or_raise(path)
  getfenv(chunk).require = require_beside(path)  -- luacheck: globals getfenv
  local value = chunk(unpack(qa.args))
  if type(value) ~= "table" or value.status ~= nil or value.exit_code ~= nil then return value end
  if not require("qa.run.strategy_file").is_strategy(value) then return value end
  return require("qa.run.test_command").run_strategy(value, path, qa.args)
end

function bodies.code(text)
  local chunk, message = load(text, "=-e")
  if not chunk then error(message, 0) end
  return chunk(unpack(qa.args))
end

function bodies.command(name)
  local path = qa.fs.share() .. "/scripts/commands/" .. name .. ".lua"
  local own = qa.internal.project_path("scripts/commands")
  if own and not qa.fs.stat(path) then path = ("%s/%s.lua"):format(own, name) end
  qa.command.source = path
  local words = require "qa.run.command_words"
  if words.asks_for_help(qa.args) then
    print(words.usage())
    return { exit_code = 0 }
  end
  local command = load_or_raise(path)()
  local run = type(command) == "table" and command.run or command
  if type(run) ~= "function" then error(path .. ": a command returns a function or a table with run", 0) end
  return run(qa.command)
end

---One run of a strategy for the program around the Vm: the report is its value.
function bodies.strategy(options) return require("qa.run.test_command").report(qa.json.decode(options)) end

local function with_exit_code(...) return exit_code((...)), ... end

---@param kind "file"|"code"|"command"|"strategy"
---@param argument string a path, a text, a name, options as JSON
---@return integer exit_code followed by what the chunk returned
function M.run(kind, argument) return with_exit_code(bodies[kind](argument)) end

return M
