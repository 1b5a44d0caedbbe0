-- Counters and spans are lines of the journal, and in the report at any time.
local metrics = require "qa.run.metrics"
local qa = require "qa"
local report_of = require "qa.run.report"

local function ctx_of()
  local fold, seq = report_of.new(), 0
  local ctx = { fold = fold, lines = {} }
  function ctx:event(name, data)
    seq = seq + 1
    local line = { seq = seq, t_ms = seq, op = "event", args = { name = name, data = data } }
    self.lines[seq] = line
    report_of.fold(fold, line)
  end
  return ctx
end

return {
  ["B-014: model calls, success rate and actions per screenshot follow from what happened, at any time"] = function(t)
    local ctx = ctx_of()
    t.equal({ metrics.of(ctx).model_calls, metrics.of(ctx).success_rate, metrics.of(ctx).actions_per_screenshot },
      { 0 })
    for i = 1, 6 do ctx:event("action", { action = "click", success = i > 2, stateProgressed = i > 3 }) end
    ctx:event("screenshot", { stage = "a", path = "a.png" })
    metrics.add(ctx, "looks")
    ctx:event("llm_call", { purpose = "action", usd = 0.1 })
    ctx:event("llm_call", { purpose = "repair", usd = 0.1 })
    local seen = metrics.of(ctx)
    t.equal({ seen.actions, seen.actions_succeeded, seen.actions_progressed, seen.screenshots }, { 6, 4, 3, 2 })
    t.equal({ seen.model_calls, seen.model_calls_by_purpose, seen.actions_per_screenshot },
      { 2, { action = 1, repair = 1 }, 3 })
    t.truthy(math.abs(seen.success_rate - 4 / 6) < 1e-9)
    t.equal(report_of.build(ctx.fold).metrics, seen)
  end,

  ["counters add up, spans keep number, sum and longest, and the report of the journal is the same"] = function(t)
    local ctx = ctx_of()
    metrics.add(ctx, "revisions")
    metrics.add(ctx, "revisions", 2)
    local a, b = metrics.span(ctx, "model", function(x)
      qa.sleep(20)
      return x, nil
    end, "answer")
    t.equal({ a, b }, { "answer" })
    metrics.span(ctx, "model", function() end)
    local seen = metrics.of(ctx)
    t.equal(seen.counters, { revisions = 3 })
    t.equal(seen.spans.model.n, 2)
    t.truthy(seen.spans.model.max_ms >= 20 and seen.spans.model.ms >= seen.spans.model.max_ms)
    t.equal(report_of.from_journal(ctx.lines).metrics, seen)
  end,
}
