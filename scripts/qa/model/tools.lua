--- Tools: functions that a model may call, written in Lua: {doc = "...", parameters = qa.schema type, run =
-- function(ctx, arguments) ... end}. run returns what the model is told; nil, err tells it what went wrong. A tool with
-- action instead of run returns an action of the vocabulary (qa.input.actions), which is done like any other. Arguments
-- fit the schema; points are CSS pixels of the page.
local failure = require "qa.text.failure"
local schema = require "qa.model.schema"
local spelling = require "qa.text.spelling"
local structured = require "qa.model.structured"
local utf8 = require "qa.text.utf8"

local M = {}

local fields = { doc = "string", parameters = "table", run = "function", action = "function" }

local function check(name, tool)
  if type(tool) ~= "table" then
    error(("tool '%s': expected a table {doc, parameters, run or action}, got %s"):format(name, type(tool)), 0)
  end
  spelling.check_options(("tool '%s'"):format(name), tool, fields, 4)
  if not tool.doc or not tool.run == not tool.action then
    error(("tool '%s': give doc, and run or action"):format(name), 0)
  end
end

local function parameters_of(tool) return tool.parameters or schema.object{} end

---As a request declares them, in the order of their names.
---@param tools table<string, table>
---@param space? qa.Space of the picture that the model sees
---@return {name: string, description: string, parameters: string}[]
function M.declare(tools, space)
  local list = {}
  for _, name in ipairs(spelling.names(tools)) do
    check(name, tools[name])
    local parameters = schema.compile(parameters_of(tools[name]), { name = name, space = space }).text
    list[#list + 1] = { name = name, description = tools[name].doc, parameters = parameters }
  end
  return list
end

---Reads the arguments of a call.
---@param tools table<string, table>
---@param call qa.llm.ToolCall
---@param space? qa.Space
---@return table? arguments, qa.Error?
function M.arguments(tools, call, space)
  local tool = tools[call.name]
  if not tool then
    return nil, failure.new("type_mismatch",
      ("there is no tool '%s'%s"):format(utf8.shorten(utf8.printable(call.name), 40),
      spelling.hint(call.name, spelling.names(tools))), "qa.tools")
  end
  local text = call.arguments ~= "" and call.arguments or "{}"
  local read, err = structured.read(text, schema.compile(parameters_of(tool), { name = call.name, space = space }),
    { coerce = true })
  if not read then return nil, failure.new("type_mismatch", err.message, "qa.tools") end
  return read.value
end

return M
