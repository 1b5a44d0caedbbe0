-- Who does a part of a project: executor, bug_hunter, planner. A role is a command of the tester's (an agent, a
-- script), an endpoint of a model, or nobody. Set by --executor, --bug-hunter, --planner or configuration.
local qa = require "qa"
local config = require "qa.model.config"
local endpoints = require "qa.model.endpoints"
local failure = require "qa.text.failure"
local test_report = require "qa.project.test_report"

local M = {}

---A role from the command line: the name of an endpoint, or a command with blanks between its words.
---@param text string
---@return table role {command} or {endpoint}
function M.parse(text)
  for _, name in ipairs(endpoints.names()) do
    if name == text then return { endpoint = name } end
  end
  local words = {}
  for word in text:gmatch "%S+" do words[#words + 1] = word end
  if #words == 0 then error("a role is the name of an endpoint or a command, got nothing", 0) end
  return { command = words }
end

---Who has the role: {command, timeout_ms?}, {endpoint}, or nil.
---@param name "executor"|"bug_hunter"|"planner"
---@param given? table<string, table> by name, from the command line
function M.find(name, given)
  if given and given[name] then return given[name] end
  local configured = config.get().roles[name]
  if type(configured) == "table" and configured.command then
    require("qa.project.plan_file").words_of("roles." .. name, configured.command)
    return { command = configured.command, timeout_ms = configured.timeout_ms }
  end
  if configured then return { endpoint = configured } end
  -- Making things is asked for by name; mending and planning fall to whoever answers at all.
  if name ~= "executor" and endpoints.of_role(name) then return { endpoint = endpoints.of_role(name) } end
  return nil
end

---Runs a role's command. A word "{prompt}" of it becomes the prompt; stdin has the request as JSON.
---@param role {command: string[], timeout_ms?: integer}
---@param request table with prompt
---@param opts {cwd?: string, timeout_ms: integer}
---@return {output: string, stdout: string, exit_code: integer, ms: number}?, qa.Error?
function M.command(role, request, opts)
  local argv = {}
  for i, word in ipairs(role.command) do argv[i] = word == "{prompt}" and request.prompt or word end
  local done, err = qa.process.run{ argv = argv, cwd = opts.cwd, input = qa.json.encode(request) .. "\n",
    timeout_ms = role.timeout_ms or opts.timeout_ms }
  if not done then return nil, err end
  local said = test_report.tail(done.stdout .. (done.stderr ~= "" and "\n" .. done.stderr or ""))
  return { output = said, stdout = done.stdout, exit_code = done.exit_code, ms = done.ms }
end

---Asks a role's model for a value.
---@return table? value, table|qa.Error
function M.model(role, request, schema, opts)
  return qa.llm.object{ endpoint = role.endpoint, prompt = request.prompt, schema = schema, purpose = opts.purpose,
    max_output = opts.max_output or 4096, timeout_ms = opts.timeout_ms }
end

---Nobody has the role.
function M.missing(name)
  return failure.new("llm_unavailable", ("nobody is the %s: give --%s COMMAND or an endpoint, or name it in roles " ..
    "of your configuration"):format(name:gsub("_", " "), (name:gsub("_", "-"))), "qa.roles")
end

return M
