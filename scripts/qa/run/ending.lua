-- How a run ends: what stopped it, the judgement in a grace scope, the final
-- report. Every run that began gets a report (C-062, C-063).
local qa = require "qa"
local exit_codes = require "qa.run.exit_codes"
local failure = require "qa.text.failure"

local M = {}

---The page went away: what was measured before is judged.
local judged = { page_crashed = true, page_hung = true, page_closed = true }
---Nothing about the game is known when these end a run.
local environment = { navigation_error = 4, browser_launch_failed = 4, browser_lost = 4, navigation_denied = 3,
  cassette_miss = 4, store_error = 4,
  store_locked = 4, llm_unavailable = 4, llm_rate_limited = 4, llm_too_large = 4, llm_invalid = 4, llm_truncated = 4 }

---What a raised value means for the run.
---@param err any
---@return {reason: string, error?: string, exit_code?: integer, partial?: boolean, unseen?: boolean}
function M.classify(err)
  if type(err) ~= "table" then return { reason = "error", error = tostring(err), exit_code = 3 } end
  if err.stop then return { reason = err.stop } end
  local detail = type(err.detail) == "table" and err.detail or {}
  if err.kind == "cancelled" then
    return { reason = "cancelled", partial = true, exit_code = 128 + (tonumber(detail.signal) or 2) }
  elseif err.kind == "deadline" then
    if tostring(err.message):find("pure Lua", 1, true) then
      return { reason = "deadline", error = tostring(err.message), exit_code = 3 }
    end
    return { reason = "max_duration" }
  elseif environment[err.kind] then
    return { reason = err.kind == "browser_lost" and "browser_lost" or "error", error = failure.text(err),
      exit_code = environment[err.kind], unseen = err.kind ~= "browser_lost" }
  elseif judged[err.kind] then
    return { reason = err.kind }
  end
  return { reason = "error", error = failure.text(err), exit_code = 3 }
end

---Console errors and exceptions of the page, for the report.
local function collect_console(ctx)
  if not ctx.page then return end
  local ok, events = pcall(ctx.page.events, ctx.page, 0)
  if not ok or type(events) ~= "table" then return end
  local levels = { exception = "error", worker_exception = "error", console_error = "error",
    console_warning = "warning" }
  local errors = {}
  for _, event in ipairs(events) do
    local level = levels[event.kind]
    if level and #errors < 100 then
      errors[#errors + 1] = { message = tostring(event.message):sub(1, 500), level = level, t_ms = event.t_ms }
    end
  end
  ctx:event("console", { errors = qa.json.array(errors) })
end

---Runs the conclude hook on a copy of the report and gives the verdict event's data.
local function judge(ctx)
  local report = require("qa.run.report").build(ctx.fold)
  local before = {}
  for key, value in pairs(report) do before[key] = qa.json.encode(value) end
  local hook = ctx.strategy.conclude
  local result = hook and hook(ctx, report) or report
  if type(result) ~= "table" then error("conclude: expected the report, got " .. type(result), 0) end
  local changes = {}
  for key, value in pairs(result) do
    if before[key] ~= qa.json.encode(value) then changes[key] = value end
  end
  -- A hook states its verdict in the report that it returns, or by ctx:event("verdict", ...).
  local stated = ctx.fold.report
  local function field(key) return changes[key] ~= nil and changes[key] or stated[key] end
  local status, score, missing = field("status"), field("playability_score"), field("missing")
  for _, key in ipairs { "status", "playability_score", "missing", "partial", "completion_reason", "metadata",
    "clock" } do
    changes[key] = nil
  end
  return { status = exit_codes[status] and status or "inconclusive", score = tonumber(score) or 0,
    missing = qa.json.array(missing or {}), changes = next(changes) and changes or nil }
end

---Calls fn in a scope of its own, which the run's deadline or cancellation does not reach.
local function in_grace(ms, fn)
  return pcall(require("qa.internal").grace, ms, fn)
end

---Judges, writes the final report, and says how the run ended.
---@param ctx table
---@param ending table from classify, or {reason}
---@param notify fun(stage: string)
---@return table outcome {status, score, exit_code, report, path, dir, reason, error}
function M.finish(ctx, ending, notify)
  local verdict
  local grace_ms = ending.reason == "cancelled" and 1000 or 5000
  ctx.conclude_until_ms = qa.now_ms() + grace_ms
  local ok, err, late = in_grace(grace_ms, function()
    collect_console(ctx)
    -- Nothing was seen of the game: a judgement would be about the environment.
    if not ending.unseen then verdict = judge(ctx) end
    return true
  end)
  -- Whoever listens may ask a page that no longer answers: the verdict stands without that.
  in_grace(1000, function() notify("done") return true end)
  if ok and err == nil and late then ok, err = false, late end
  if not ok and not ending.exit_code then
    local again = M.classify(err)
    ending.error, ending.exit_code = again.error or ("conclude: " .. failure.text(err)), again.exit_code or 3
  end
  if ending.error then
    ctx:issue{ severity = "critical", kind = "environment", description = ending.error }
    verdict = { status = "error", score = 0, missing = qa.json.array{} }
  end
  if not verdict then verdict = { status = "inconclusive", score = 0, missing = qa.json.array{} } end
  if verdict.status == "inconclusive" and #verdict.missing == 0 then
    verdict.missing = qa.json.array{
      ("The run ended (%s) before enough was measured. Run it again, or give it more time."):format(
        tostring(ending.reason)) }
  end
  ctx:event("verdict", verdict)
  ctx:event("run_ended",
    { completion_reason = ending.reason, partial = ending.partial, duration_ms = math.floor(ctx:elapsed_ms()) })
  local report = ctx:publish()
  return { status = report.status, score = report.playability_score, report = report, dir = ctx.dir,
    path = ctx.dir .. "/report.json", reason = ending.reason, error = ending.error,
    exit_code = ending.exit_code or exit_codes[report.status] or 3 }
end

return M
