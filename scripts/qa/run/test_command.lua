-- One target from the command line: runs it, prints the result, gives the exit code.
local qa = require "qa"
local failure = require "qa.text.failure"
local reporter = require "qa.run.reporter"

local M = {}

---C-003: the seeds' names of modes, the strongest first. --strategy is stronger than each.
M.modes = { { "ENABLE_STAGEHAND_AGENT", "agent" }, { "ENABLE_ADAPTIVE_QA", "adaptive" } }

---The strategy that a command line and its environment ask for.
---@param command {strategy?: string, environment?: table<string, string>}
---@return string? name nil: the standard one
function M.strategy_of(command)
  if command.strategy and command.strategy ~= "" then return command.strategy end
  for _, mode in ipairs(M.modes) do
    local value = (command.environment or {})[mode[1]]
    if value == "true" or value == "1" then return mode[2] end
  end
end

local function play(command)
  local environment = command.environment or {}
  return require("qa.run.loop").run{
    strategy = command.merged or M.strategy_of(command), target = command.target, metadata = command.metadata,
    set = command.set,
    seed = command.seed, clock = command.clock ~= "" and command.clock or nil, tape = command.tape,
    out = command.out, browser = command.browser, headed = command.headed, watch = command.watch,
    max_duration_ms = command.max_duration_ms, keep_shots = environment.ENABLE_SCREENSHOT_CLEANUP ~= "true",
  }
end

---@param options {strategy?: string, target: string, metadata?: table|string, set?: table, seed?: integer,
---max_duration_ms?: integer}
---@return table report raises a sentence when nothing could begin
function M.report(options)
  require("qa.text.spelling").check_options("options of a run", options, { strategy = "string", target = "string",
    metadata = "any", set = "table", seed = "number", max_duration_ms = "number" })
  local outcome = play(options)
  qa.run.result(outcome.status, outcome.score, outcome.path)
  return outcome.report
end

---@param command table parsed options of `qa-host test`, see host/main
---@return {exit_code: integer}
function M.run(command)
  local ok, outcome = pcall(play, command)
  if not ok then
    if failure.is_loss(outcome) then error(outcome, 0) end
    qa.log.error(failure.text(outcome))
    return { exit_code = 3 }
  end
  reporter.result(outcome.report, outcome.path, command.reporter or "list", command.target)
  qa.run.result(outcome.status, outcome.score, outcome.path)
  return { exit_code = outcome.exit_code }
end

---`qa-host my_strategy.lua URL`: the chunk of a script returned a strategy.
---@param value table
---@param path string
---@param args string[]
---@return {exit_code: integer}
function M.run_strategy(value, path, args)
  local ok, strategy = pcall(require("qa.run.strategy_file").load, path, value)
  if not ok then
    qa.log.error(failure.text(strategy))
    return { exit_code = 3 }
  end
  local target = args and args[1] or strategy.url
  if not target then
    qa.log.error(("%s is a strategy: say what to run it on: qa-host %s URL|FOLDER"):format(path, path))
    return { exit_code = 3 }
  end
  local command = {}
  for key, value_ in pairs(qa.command or {}) do command[key] = value_ end
  command.target, command.strategy, command.merged = target, path, strategy
  return M.run(command)
end

return M
