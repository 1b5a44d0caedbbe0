--- What the batched strategy makes of the orchestrator's answers and of failures: keeps the plan, answers questions, remembers what went wrong.

local qa = require "qa"
local failure = require "qa.failure"
local metrics = require "qa.metrics"
local plan_errors = require "parts.plan_errors"
local plans = require "qa.plan"
local utf8 = require "qa.utf8"
local vision = require "parts.page_vision"

local M = {}

---Adds to what went before (B-016); the orchestrator is told the last of it.
function M.say(ctx, role, text)
  local list = ctx.state.batched.messages
  list[#list + 1] = { turn = ctx.state.batched.turn, role = role, text = utf8.shorten(utf8.printable(text):gsub("%s+", " "), 300) }
end

---A failure that keeps the model from answering at all is no failure of the plan.
local function is_final(err) return not (err.kind == "llm_invalid" or err.kind == "llm_truncated" or err.kind == "element_not_found") end

---Money that is gone and a model that declines end the play; a model that cannot be reached is an error of the run.
local function ends_play(err)
  if err.kind == "budget_exceeded" then return "budget_limit" end
  if err.kind == "llm_refused" then return "llm_refused" end
  error(err, 0)
end

---Answers a question of the orchestrator (InfoSeekingQuery): where something is, or what is there instead.
function M.answer(ctx, query)
  local b = ctx.state.batched
  b.queries = b.queries + 1
  metrics.add(ctx, "queries")
  local look = ctx.strategy.observe(ctx, "query")
  local location, err = vision.locate(ctx, look, query.element, query.question)
  look.image:close()
  if not location and is_final(err) then return ends_play(err) end
  if location then
    local elements = b.analysis and b.analysis.elements or {}
    table.insert(elements, 1, { label = query.element, kind = "other", point = location.point, is_interactive = true, confidence = location.confidence })
    b.analysis = b.analysis or { summary = "", screen = "other", elements = elements }
    M.say(ctx, "vision", ("%s is there"):format(query.element))
  else
    M.say(ctx, "vision", failure.text(err))
    for _, other in ipairs(err.detail and err.detail.alternatives or {}) do M.say(ctx, "vision", "there is instead: " .. other.label) end
  end
end

---Something failed: it is kept for the revision. The batches get shorter (B-017).
function M.fail(ctx, told)
  local b = ctx.state.batched
  b.failure, b.plan = told, nil
  b.size = math.max(ctx.options.least_batch, b.size / 2)
  metrics.add(ctx, "error_" .. told.type)
  M.say(ctx, "executor", ("%s: %s"):format(told.type, told.message))
  ctx.this_step.error = { type = told.type, kind = told.kind, message = told.message, done = qa.json.array(told.done or {}) }
end

---Takes an answer of the orchestrator in.
---@return string? reason the play is over
function M.accept(ctx, value, err)
  local b = ctx.state.batched
  if not value then
    if is_final(err) then return ends_play(err) end
    M.fail(ctx, plan_errors.of(err))
    return nil
  end
  M.say(ctx, "orchestrator", value.reasoning)
  ctx.this_step.plan = { kind = value.kind, actions = #value.actions, reasoning = utf8.printable(value.reasoning), revision = value.revision }
  if value.kind == "complete" then return "llm_complete" end
  if value.kind == "query" then
    if b.queries >= ctx.options.max_queries then
      M.fail(ctx, { type = "unknown_error", kind = "llm_invalid", message = "too many questions in a row; give a plan" })
      return nil
    end
    return M.answer(ctx, value.query)
  end
  b.queries, b.failure = 0, nil
  b.plan = plans.new(value.actions, { size = b.size, reasoning = value.reasoning, weights = ctx.lists.batch_weights })
end

return M
