--- What the batched strategy makes of the orchestrator's answers and of failures: keeps the plan, answers questions,
-- remembers what went wrong.
local qa = require "qa"
local failure = require "qa.text.failure"
local metrics = require "qa.run.metrics"
local plan_errors = require "parts.batched.plan_errors"
local plans = require "qa.model.batch_plan"
local utf8 = require "qa.text.utf8"
local vision = require "parts.batched.vision"

local M = {}

---Adds to what went before (B-016); the orchestrator is told the last of it.
function M.say(ctx, role, text)
  local list = ctx.state.batched.messages
  list[#list + 1] = { turn = ctx.state.batched.turn, role = role,
    text = utf8.shorten(utf8.printable(text):gsub("%s+", " "), 300) }
end

---What is known of the screen since the orchestrator asked for something on it: nothing was done in between.
---@return table? analysis
function M.kept(ctx)
  local b = ctx.state.batched
  return b.queries > 0 and b.analysis or nil
end

---Takes in what vision sees.
---@return qa.Error? err that ends the play
function M.see(ctx, analysis, err)
  ctx.state.batched.analysis = analysis
  if analysis then return nil end
  metrics.add(ctx, "vision_failures")
  M.say(ctx, "vision", "no analysis: " .. failure.text(err))
  return plan_errors.ending(err) and err or nil
end

---Answers a question of the orchestrator (InfoSeekingQuery): where something is, or what is there instead.
---@return string? reason the play is over
function M.answer(ctx, query)
  local b = ctx.state.batched
  b.queries = b.queries + 1
  metrics.add(ctx, "queries")
  local look, err = ctx.strategy.observe(ctx, "query")
  if not look then return plan_errors.ending(err) end
  local location
  location, err = vision.locate(ctx, look, query.element, query.question)
  look.image:close()
  local reason = not location and plan_errors.ending(err) or nil
  if reason then return reason end
  if location then
    local elements = b.analysis and b.analysis.elements or {}
    table.insert(elements, 1, { label = query.element, kind = "other", point = location.point, is_interactive = true,
      confidence = location.confidence })
    b.analysis = b.analysis or { summary = "", screen = "other", elements = elements }
    M.say(ctx, "vision", ("%s is there"):format(query.element))
  else
    M.say(ctx, "vision", failure.text(err))
    for _, other in ipairs(err.detail and err.detail.alternatives or {}) do
      M.say(ctx, "vision", "there is instead: " .. other.label)
    end
  end
end

---Something failed: it is kept for the revision. The batches get shorter (B-017).
function M.fail(ctx, told)
  local b = ctx.state.batched
  b.failure, b.plan = told, nil
  b.size = math.max(ctx.options.least_batch, b.size / 2)
  metrics.add(ctx, "error_" .. told.type)
  M.say(ctx, "executor", ("%s: %s"):format(told.type, told.message))
  ctx.this_step.error = { type = told.type, kind = told.kind, message = told.message,
    done = qa.json.array(told.done or {}) }
end

---Takes an answer of the orchestrator in. Every answer to a failure is a revision, but for a question.
---@return string? reason the play is over
function M.accept(ctx, value, err)
  local b = ctx.state.batched
  local is_question = value ~= nil and value.kind == "query" and b.queries < ctx.options.max_queries
  if b.failure and not is_question then
    b.revisions = b.revisions + 1
    metrics.add(ctx, "revisions")
  end
  if not value then
    local reason = plan_errors.ending(err)
    if not reason then M.fail(ctx, plan_errors.of(err)) end
    return reason
  end
  M.say(ctx, "orchestrator", value.reasoning)
  ctx.this_step.plan = { kind = value.kind, actions = #value.actions, reasoning = utf8.printable(value.reasoning),
    revision = value.revision }
  if is_question then return M.answer(ctx, value.query) end
  if value.kind == "query" then
    M.fail(ctx, { type = "unknown_error", kind = "llm_invalid", message = "too many questions in a row; give a plan" })
    return nil
  end
  b.queries, b.failure = 0, nil
  if value.kind == "complete" then return "llm_complete" end
  b.has_explored = true
  b.plan = plans.new(value.actions, { size = b.size, reasoning = value.reasoning, weights = ctx.lists.batch_weights })
end

return M
