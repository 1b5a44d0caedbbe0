-- ctx: what every hook of a strategy gets. It belongs to one run; ctx.state is
-- the only place where a strategy keeps things, and survives a hot swap.
--
--   url page browser world  what is tested         options limits lists metadata seed goal   what was asked for
--   state this_step         plain data             report log strategy                       what is known so far
local qa = require "qa"
local failure = require "qa.text.failure"
local report_of = require "qa.run.report"
local reporter = require "qa.run.reporter"
local spelling = require "qa.text.spelling"
local time = require "qa.page.time"

local M = {}

local Context = {}
Context.__index = Context

---@param fields table url, strategy, options, limits, lists, metadata, seed, goal, dir, keep_shots, quiet
---@return table ctx
function M.new(fields)
  local fold = report_of.new()
  local ctx = {
    state = { actions = 0 }, this_step = {}, log = qa.log,
    fold = fold, report = fold.report, started_ms = qa.now_ms(), shots = 0,
  }
  ctx.budget = require("qa.model.budget").run
  for key, value in pairs(fields) do ctx[key] = value end
  return setmetatable(ctx, Context)
end

---Game time where the run is on it, real time else.
function Context.wait(_, ms) time.sleep(ms) end

---Journals an event and takes it into the report.
---@param name string
---@param data? table plain data
function Context:event(name, data)
  local line = qa.run.event(name, data or {})
  if type(line) == "table" then report_of.fold(self.fold, line) end
  return line
end

function Context:elapsed_ms() return qa.now_ms() - self.started_ms end

---A phase begins: an event, and a progress line.
function Context:phase(name)
  self:event("phase", { name = name })
  if not self.quiet then reporter.phase(name, self:elapsed_ms()) end
end

---A screenshot to look at, kept for the report where screenshots are. The caller closes it.
---@param stage string
---@param taken? qa.Image one that was taken just now
---@return qa.Image? image
---@return string|qa.Error|nil path inside the run directory, or why there is no image
function Context:picture(stage, taken)
  local image, err = taken, nil
  if not image then image, err = self.page:screenshot() end
  if not image then
    self.log.debug("no screenshot of " .. stage .. ": " .. failure.text(err))
    return nil, err
  end
  if self.keep_shots == false then
    require("qa.run.metrics").add(self, "looks")
    return image
  end
  self.shots = self.shots + 1
  local path = ("shots/%03d_%s.png"):format(self.shots, (stage:gsub("[^%w_-]", "_")))
  local ok
  ok, err = image:save(path)
  if not ok then
    self.log.debug("the screenshot of " .. stage .. " was not written: " .. failure.text(err))
    return image
  end
  self:event("screenshot", { stage = stage, path = path })
  return image, path
end

---Takes a screenshot for the report. A failure is returned, and the run goes on without it.
---@param stage string initial_load, after_interaction, final_state, ...
---@return string? path inside the run directory
---@return qa.Error? err
function Context:shot(stage)
  if self.keep_shots == false then return nil, failure.new("io_error", "screenshots are not kept", "ctx:shot") end
  local image, path = self:picture(stage)
  if not image then return nil, path end
  image:close()
  if not path then return nil, failure.new("io_error", "the screenshot was not written", "ctx:shot") end
  return path
end

local function known(op, what, value, set)
  if not set[value] then
    error(("%s: unknown %s '%s'%s"):format(op, what, tostring(value), spelling.hint(value, spelling.names(set))), 3)
  end
end

---Adds an issue. The same kind and description twice is one issue.
---@param issue {severity: string, kind: string, description: string, evidence?: string[]}
function Context:issue(issue)
  known("ctx:issue", "severity", issue.severity, report_of.severities)
  known("ctx:issue", "kind", issue.kind, report_of.kinds)
  self:event("issue", { severity = issue.severity, kind = issue.kind, description = tostring(issue.description),
    evidence = qa.json.array(issue.evidence or {}) })
end

---States a check's outcome; the last statement about an id stands.
---@param id "loaded"|"ready"|"started"|"responsive"|"alive"|"healthy"
---@param outcome "pass"|"fail"|"unknown"
---@param missing? string the signal that is missing
---@param evidence? string[]
function Context:check(id, outcome, missing, evidence)
  known("ctx:check", "outcome", outcome, { pass = true, fail = true, unknown = true })
  local ids = {}
  for _, name in ipairs(report_of.check_ids) do ids[name] = true end
  known("ctx:check", "id", id, ids)
  self:event("check", { id = id, outcome = outcome, missing = missing, evidence = qa.json.array(evidence or {}) })
end

---Ends the run here; what was measured is still judged.
---@param reason string the completion_reason
function Context:stop(reason)
  self.stopped = reason or "stopped"
  error(setmetatable({ stop = self.stopped },
    { __tostring = function() return "the run was stopped: " .. self.stopped end }), 0)
end

---A prompt of strategies/prompts with its {{names}} filled in; its hash goes into the report.
---@param name string
---@param vars table
---@return string
function Context:prompt(name, vars)
  local text, identity = require("qa.model.prompt").render(name, vars)
  self:event("prompt", identity)
  return text
end

---Writes report.json as it is now.
---@return table report
function Context:publish()
  for _, line in ipairs(require("qa.internal").model_lines()) do report_of.fold(self.fold, line) end
  local report = report_of.build(self.fold)
  local ok, err = qa.run.publish("report.json", report_of.encode(report))
  if not ok then self.log.error("report.json: " .. failure.text(err)) end
  return report
end

return M
