-- The report is a function of the journal: fold its event lines, build the
-- table. `recover` therefore makes the report of a dead run, and the same
-- report again of a finished one.
--
--   qa.run.event(name, data) -> line -> fold(state, line) ... build(state) -> report.json
local qa = require "qa"

local M = {}

M.severities = { critical = true, major = true, minor = true }
M.kinds = {}
for kind in ([[load_failed load_timeout blank_screen exception console_error request_failed start_not_found unresponsive
  frozen soft_lock hang crash dialog_storm redirect reload_loop popup webgl_unavailable low_frame_rate
  input_lost analysis_unavailable environment]]):gmatch("%S+") do M.kinds[kind] = true end
M.check_ids = { "loaded", "ready", "started", "responsive", "alive", "healthy" }

---Days since 1970-01-01 of a civil date.
local function days(year, month, day)
  if month <= 2 then year, month = year - 1, month + 12 end
  local era_day = 365 * year + math.floor(year / 4) - math.floor(year / 100) + math.floor(year / 400)
  return era_day + math.floor((153 * (month - 3) + 2) / 5) + day - 719469
end

---ISO 8601 UTC of `utc` plus milliseconds; pure arithmetic, so that recover gives the same text.
---@param utc string
---@param ms number
---@return string
function M.moment(utc, ms)
  local year, month, day, hour, minute, second, fraction =
    tostring(utc):match("^(%d+)-(%d+)-(%d+)T(%d+):(%d+):(%d+)%.?(%d*)")
  if not year then return "" end
  local seconds = days(tonumber(year), tonumber(month), tonumber(day)) * 86400 + hour * 3600 + minute * 60 + second
  local total = seconds * 1000 + (tonumber((fraction .. "000"):sub(1, 3)) or 0) + math.floor(ms or 0)
  return os.date("!%Y-%m-%dT%H:%M:%S", math.floor(total / 1000)) .. (".%03dZ"):format(total % 1000)
end

local function array(list) return qa.json.array(list or {}) end

---A state to fold lines into.
function M.new()
  return {
    utc = "", last_ms = 0, limits = {},
    report = {
      status = "inconclusive", playability_score = 0, partial = true, completion_reason = "unfinished",
      timestamp = "", issues = array(), screenshots = array(), missing = array(), checks = array(), steps = array(),
      controls = array(), strategy = "", policy = array(), phases = array(),
      start = { found = false, method = "none", attempts = array() }, ready = { ok = false, signals = {} },
      budget = { limit_usd = 0, spent_usd = 0, calls = array() }, clock = { kind = "real", wall_ms = 0 },
      environment = { notes = array() }, metrics = { counters = {}, spans = {} },
      metadata = {
        sessionId = "", gameUrl = "", duration = 0, gameType = "unknown", consoleErrors = array(),
        visionAnalysisTokens = 0, actionHistory = array(), estimatedCost = 0,
      },
    },
  }
end

local function copy_into(target, data, skip)
  for key, value in pairs(data) do
    if not (skip and skip[key]) then target[key] = value end
  end
  return target
end

local events = {}

function events.run_started(state, data)
  local report = state.report
  state.utc = data.utc or ""
  state.origin = data.origin
  report.timestamp = M.moment(state.utc, 0)
  report.strategy = data.strategy or ""
  report.metadata.sessionId = data.session_id or ""
  report.metadata.gameUrl = data.url or ""
  report.environment.options, report.environment.limits = data.options, data.limits
  report.environment.seed, report.environment.version = data.seed, data.version
  report.budget.limit_usd = type(data.limits) == "table" and data.limits.usd or 0
  if data.browser then report.environment.browser = data.browser end
  for _, note in ipairs(data.notes or {}) do table.insert(report.environment.notes, note) end
end

function events.browser(state, data)
  state.report.environment.browser = data.info
  local remote = type(data.info) == "table" and data.info.remote
  if remote then
    state.report.metadata.session = { sessionId = remote.session, wsEndpoint = remote.address,
      debugUrl = remote.debug_url }
  end
  for _, note in ipairs(data.notes or {}) do table.insert(state.report.environment.notes, note) end
end

function events.recording(state) state.report.clock.kind = "game" end

function events.real_time(state, data)
  state.report.clock = { kind = "real", wall_ms = 0 }
  table.insert(state.report.environment.notes, data.note)
end

function events.recording_ended(state, data)
  local clock, tape = state.report.clock, type(data.tape) == "table" and data.tape or {}
  clock.game_ms, clock.frames, clock.coverage = data.game_ms, data.frame, array(data.coverage)
  clock.build, clock.gaps = tape.files_sha256, array(tape.gaps)
end

function events.note(state, data) table.insert(state.report.environment.notes, data.text) end

function events.phase(state, data, line) table.insert(state.report.phases, { name = data.name, t_ms = line.t_ms }) end

function events.game_type(state, data) state.report.metadata.gameType = data.type end

function events.ready(state, data) state.report.ready = copy_into({}, data) end

function events.start_attempt(state, data) table.insert(state.report.start.attempts, copy_into({}, data)) end

function events.start(state, data) copy_into(state.report.start, data, { attempts = true }) end

function events.controls(state, data) state.report.controls = array(data.controls) end

function events.screenshot(state, data) table.insert(state.report.screenshots, copy_into({}, data)) end

function events.action(state, data, line)
  table.insert(state.report.metadata.actionHistory, copy_into({ t_ms = line.t_ms, step = line.step }, data))
end

---What the memory had to say, did and learned; the key is there only where a strategy uses it.
local function remembered(state)
  local report = state.report
  report.memory = report.memory or { replayed = array(), healed = array(), choices = array() }
  return report.memory
end

function events.memory(state, data) copy_into(remembered(state), data, { choices = true, exploration_rate = true }) end
function events.choice(state, data) table.insert(remembered(state).choices, copy_into({}, data)) end
function events.replayed(state, data) table.insert(remembered(state).replayed, copy_into({}, data)) end
function events.healed(state, data) table.insert(remembered(state).healed, copy_into({}, data)) end
function events.learned(state, data)
  remembered(state).learned = { passed = data.passed, steps = data.steps, choices = data.choices,
    exploration_rate = data.exploration_rate }
end

function events.step(state, data, line) table.insert(state.report.steps, copy_into({ t_ms = line.t_ms }, data)) end

function events.check(state, data)
  local checks = state.report.checks
  local entry = { id = data.id, outcome = data.outcome, missing = data.missing, evidence = array(data.evidence) }
  for index, check in ipairs(checks) do
    if check.id == data.id then
      checks[index] = entry
      return
    end
  end
  table.insert(checks, entry)
end

function events.issue(state, data, line)
  for _, issue in ipairs(state.report.issues) do
    if issue.kind == data.kind and issue.description == data.description then return end
  end
  table.insert(state.report.issues, {
    severity = data.severity, kind = data.kind, description = data.description,
    timestamp = M.moment(state.utc, line.t_ms), evidence = array(data.evidence),
  })
end

function events.count(state, data)
  local counters = state.report.metrics.counters
  counters[data.name] = (counters[data.name] or 0) + (tonumber(data.n) or 1)
end

function events.span(state, data)
  local spans, ms = state.report.metrics.spans, tonumber(data.ms) or 0
  local span = spans[data.name] or { n = 0, ms = 0, max_ms = 0 }
  spans[data.name] = { n = span.n + 1, ms = span.ms + ms, max_ms = math.max(span.max_ms, ms) }
end

function events.policy(state, data) state.report.policy = array(data.files) end

function events.prompt(state, data)
  state.report.prompts = state.report.prompts or array()
  for _, known in ipairs(state.report.prompts) do
    if known.sha256 == data.sha256 then return end
  end
  table.insert(state.report.prompts, copy_into({}, data))
end

function events.swap(state, data)
  state.report.policy = array(data.files or state.report.policy)
  state.report.swaps = state.report.swaps or array()
  table.insert(state.report.swaps, { file = data.file, sha256 = data.sha256, step = data.step })
end

function events.console(state, data)
  local list = array()
  for _, entry in ipairs(data.errors or {}) do
    table.insert(list,
      { message = entry.message, level = entry.level, timestamp = M.moment(state.utc, entry.t_ms or 0) })
  end
  state.report.metadata.consoleErrors = list
end

---Money that a call has set aside: spent, as far as is known, should the process die before it says what the call cost.
function events.llm_reserved(state, data) state.held_usd = (state.held_usd or 0) + (tonumber(data.usd) or 0) end

function events.llm_call(state, data, line)
  local report = state.report
  local tokens = type(data.usage) == "table" and data.usage.input + data.usage.output or 0
  for _, attempt in ipairs(data.attempts or {}) do
    state.held_usd = (state.held_usd or 0) - (attempt.reserved_usd or 0)
  end
  report.budget.spent_usd = report.budget.spent_usd + (tonumber(data.usd) or 0)
  report.budget.limit_usd = tonumber(data.cap_usd) or report.budget.limit_usd
  report.metadata.estimatedCost = report.budget.spent_usd
  if data.purpose == "analysis" then
    report.metadata.visionAnalysisTokens = report.metadata.visionAnalysisTokens + tokens
  end
  table.insert(report.budget.calls, copy_into({ t_ms = line.t_ms, tokens = tokens }, data))
end

---What an agent did (C-042).
function events.agent(state, data) state.report.metadata.stagehandAgent = copy_into({}, data) end

function events.opinion(state, data) state.report.opinion = copy_into({}, data) end

---The judgement. `changes` are the fields that conclude gave another value.
function events.verdict(state, data)
  for key, value in pairs(data.changes or {}) do state.report[key] = value end
  state.report.status = data.status
  state.report.playability_score = data.score
  state.report.missing = array(data.missing)
end

function events.run_ended(state, data, line)
  state.report.completion_reason = data.completion_reason
  state.report.partial = data.partial == true
  state.duration_ms = data.duration_ms or line.t_ms
end

---Takes one journal line in; lines that are not events, and events that are not known, only move time.
---@param state table from M.new
---@param line table a journal line
function M.fold(state, line)
  if type(line.t_ms) == "number" and not state.duration_ms then state.last_ms = math.max(state.last_ms, line.t_ms) end
  local args = line.op == "event" and line.args
  if type(args) ~= "table" then return end
  local handler = events[args.name]
  if handler then handler(state, type(args.data) == "table" and args.data or {}, line) end
end

---The local server's origin has a random port, which says nothing about the game.
local function neutral(value, patterns)
  if type(value) == "string" then
    for _, pattern in ipairs(patterns) do value = value:gsub(pattern, "http://game.local") end
    return value
  elseif type(value) == "table" then
    if value == qa.json.null then return value end
    local copy = setmetatable({}, getmetatable(value))
    for key, item in pairs(value) do copy[key] = neutral(item, patterns) end
    return copy
  end
  return value
end

---The report of what was folded so far: a copy, free for the caller to change.
---@param state table
---@return table report
function M.build(state)
  local patterns = {}
  local port = state.origin and state.origin:match(":(%d+)$")
  if port then
    for _, host in ipairs { "127%.0%.0%.1", "localhost" } do
      patterns[#patterns + 1] = "http://" .. host .. ":" .. port .. "%f[%D]"
    end
  end
  local report = neutral(state.report, patterns)
  report.metadata.duration = math.floor(state.duration_ms or state.last_ms)
  report.clock.wall_ms = report.metadata.duration
  require("qa.run.metrics").derive(report)
  -- Nano-dollars are the unit of money; what is below is an error of sums.
  if state.held_usd and state.held_usd > 1e-9 then
    report.budget.unsettled_usd = state.held_usd
    report.budget.spent_usd = report.budget.spent_usd + state.held_usd
  end
  return report
end

---Folds a whole journal.
---@param lines table[]
---@return table report
function M.from_journal(lines)
  local state = M.new()
  for _, line in ipairs(lines) do M.fold(state, line) end
  return M.build(state)
end

---The text of report.json.
function M.encode(report) return qa.json.encode(report) .. "\n" end


return M
