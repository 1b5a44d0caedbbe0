--- Metrics: counters and spans of a run. Each is a line of the journal when it happens, and all of them are in the
-- report at any time (`report.metrics`), with what follows from the rest of it: model calls, success rate, actions per
-- screenshot (B-014).
local qa = require "qa"

local M = {}

---Adds to a counter.
---@param ctx table
---@param name string
---@param n? number 1
function M.add(ctx, name, n) ctx:event("count", { name = name, n = n or 1 }) end

---Runs fn and records how long it took.
---@param ctx table
---@param name string
---@param fn fun(...): any
---@return any ... what fn returned
function M.span(ctx, name, fn, ...)
  local began = qa.now_ms()
  local function done(...)
    ctx:event("span", { name = name, ms = math.floor(qa.now_ms() - began + 0.5) })
    return ...
  end
  return done(fn(...))
end

---Fills in what follows from the rest of a report.
---@param report table
---@return table metrics
function M.derive(report)
  local metrics, history = report.metrics, report.metadata.actionHistory
  local succeeded, progressed = 0, 0
  for _, action in ipairs(history) do
    if action.success then succeeded = succeeded + 1 end
    if action.stateProgressed then progressed = progressed + 1 end
  end
  local by_purpose = {}
  for _, call in ipairs(report.budget.calls) do
    local purpose = call.purpose or "other"
    by_purpose[purpose] = (by_purpose[purpose] or 0) + 1
  end
  metrics.model_calls, metrics.model_calls_by_purpose = #report.budget.calls, by_purpose
  metrics.actions, metrics.actions_succeeded, metrics.actions_progressed = #history, succeeded, progressed
  metrics.screenshots = #report.screenshots + (metrics.counters.looks or 0)
  metrics.success_rate = #history > 0 and succeeded / #history or nil
  metrics.actions_per_screenshot = metrics.screenshots > 0 and #history / metrics.screenshots or nil
  return metrics
end

---The metrics of a run so far.
---@param ctx table
---@return table
function M.of(ctx)
  return M.derive{ metrics = ctx.fold.report.metrics, metadata = ctx.fold.report.metadata,
    budget = ctx.fold.report.budget, screenshots = ctx.fold.report.screenshots }
end

return M
