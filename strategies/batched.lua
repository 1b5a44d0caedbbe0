--- The batched strategy (seed 001): a vision model and an orchestrator look at the same picture at the same time; the
-- orchestrator's plan is carried out in batches without pictures in between, until something fails or the scene is
-- another one; plans that fail are revised.
--   look -> vision | orchestrator -> batch -> batch ... -> (error: look, vision, revision) -> ... -> complete
local qa = require "qa"
local executor = require "parts.batched.executor"
local metrics = require "qa.run.metrics"
local led_options = require "parts.model_led.options"
local model_play = require "parts.model_led.play"
local orchestrator = require "parts.batched.orchestrator"
local keeper = require "parts.batched.plan_keeper"
local plans = require "qa.model.batch_plan"
local vision = require "parts.batched.vision"

-- What is told has its own number (history_lines), the page is told of by its analysis, and actions are not paced.
local options = led_options.with(require "parts.batched.options",
  { "history", "html_tokens", "pace_ms" })

local hooks = {}
hooks.prepare = model_play.prepare({ "vision", "orchestrator" }, {
  begin_with = { "explore", "plan", "revision", "query" },
  screenshot_policy = { "on_change", "on_navigation", "per_group", "per_action" },
})

---Looks at the page (B-003): a picture, its hash, what the page offers.
---@return table? look, qa.Error?
function hooks.observe(ctx, stage)
  local look, err = vision.look(ctx, stage or "turn")
  if look then ctx.state.batched.url = look.url end
  return look, err
end

---@return table? analysis, qa.Error?
local function analyse(ctx, look, fresh)
  local kept = keeper.kept(ctx)
  if kept then return kept end
  return vision.analyse(ctx, look, fresh)
end

---Vision and orchestrator on the same picture, at the same time (B-002). A screen that is known costs no vision.
---@return table? orchestration, qa.Error?
function hooks.propose(ctx, look)
  local known = keeper.kept(ctx) or vision.known(ctx, look.key)
  local seen, value, errs = qa.all(function() return analyse(ctx, look) end,
    function() return orchestrator.ask(ctx, look, known) end)
  local blind = keeper.see(ctx, seen, errs and errs[1])
  if blind then return nil, blind end
  return value, errs and errs[2]
end

---Looks again after a failure and has the plan revised (B-009). Vision comes first: the revision is told what there is.
---@return table? orchestration, qa.Error?
function hooks.recover(ctx)
  local look, err = ctx.strategy.observe(ctx, "error")
  if not look then return nil, err end
  local seen, value
  seen, err = analyse(ctx, look, true)
  local blind = keeper.see(ctx, seen, err)
  -- Asked even so: whoever only looks at the questions (qa-host prompt) is to see this one, too.
  value, err = orchestrator.ask(ctx, look, seen, ctx.state.batched.failure)
  look.image:close()
  if blind then return nil, blind end
  return value, err
end

---Carries out the next batch of the plan.
---@return string? reason the play is over
function hooks.act(ctx)
  local b, o = ctx.state.batched, ctx.options
  local batch, leads_on = plans.next_batch(b.plan)
  local result = executor.execute(ctx, batch, b.plan.at == #b.plan.batches)
  metrics.add(ctx, "batches")
  ctx.this_step.batch = { actions = result.total, done = result.done, progressed = result.progressed,
    scene_changed = result.scene_changed, size = b.size }
  if result.complete then return "llm_complete" end
  if result.stop then return result.stop end
  plans.advance(b.plan, result.done)
  if result.error then
    metrics.add(ctx, result.done > 0 and "partial_batches" or "failed_batches")
    return keeper.fail(ctx, result.error)
  end
  b.silent = result.progressed == "no" and b.silent + 1 or 0
  keeper.say(ctx, "executor", ("%d of %d actions done%s"):format(result.done, result.total,
    result.scene_changed and ", the scene is another one" or result.progressed == "no" and ", nothing changed" or ""))
  if b.silent >= o.stuck_after then
    b.silent = 0
    return keeper.fail(ctx, { type = "unknown_error", kind = "no_progress",
      message = ("%d batches in a row changed nothing"):format(o.stuck_after) })
  end
  b.revisions = b.silent > 0 and b.revisions or 0
  local size = math.min(o.most_batch, b.size * 2)
  if size ~= b.size then
    b.size = size
    if plans.is_valid(b.plan) then plans.recut(b.plan, size, ctx.lists.batch_weights) end
  end
  -- What is left was made for this screen, unless the plan itself leads on to the next.
  if result.scene_changed and not (leads_on and result.done == result.total) then plans.drop(b.plan) end
end

local function begin(ctx)
  local state, first = ctx.state, ctx.options.begin_with
  state.batched = { turn = 0, messages = {}, revisions = 0, queries = 0, silent = 0, size = ctx.options.batch_size,
    goal = ctx.options.goal, url = ctx.url }
  if first == "revision" then
    state.batched.failure = { type = "element_not_found", kind = "element_not_found", message = "stands for a failure",
      done = {} }
  elseif first == "query" then
    keeper.answer(ctx, { element = "start", question = "Where is it?" })
  end
end

---One turn (B-003).
---@return boolean going, string? reason
local function turn(ctx)
  if not ctx.state.batched then begin(ctx) end
  local b, strategy = ctx.state.batched, ctx.strategy
  if b.turn >= ctx.options.max_turns then return false, "max_steps" end
  if b.failure and b.revisions >= ctx.options.max_revisions then return false, "revision_limit" end
  b.turn = b.turn + 1
  local value, err, reason
  if b.failure then
    value, err = strategy.recover(ctx)
    reason = keeper.accept(ctx, value, err)
  elseif not plans.is_valid(b.plan) then
    local look
    look, err = strategy.observe(ctx, "turn")
    if look then
      value, err = metrics.span(ctx, "propose", strategy.propose, ctx, look)
      look.image:close()
    end
    reason = keeper.accept(ctx, value, err)
  else
    metrics.add(ctx, "orchestrator_skipped")
  end
  if not reason and plans.is_valid(b.plan) then reason = strategy.act(ctx) end
  return not reason, reason
end

function hooks.step(ctx, base) return model_play.step(ctx, base, turn) end

---A plan that could not be saved is told in full (B-011).
function hooks.conclude(ctx, report, base)
  report = base(ctx, report)
  local b = ctx.state.batched
  if b and b.failure then
    report.failure = { type = b.failure.type, kind = b.failure.kind, message = b.failure.message,
      revisions = b.revisions, done = qa.json.array(b.failure.done or {}),
      alternatives = qa.json.array(b.failure.alternatives or {}), messages = qa.json.array(b.messages) }
  end
  return report
end

return {
  name = "batched",
  clock = "auto",
  doc = "Plans by a vision model and an orchestrator, carried out in batches.",
  extends = "standard",
  prepare = hooks.prepare,
  observe = hooks.observe,
  propose = hooks.propose,
  act = hooks.act,
  recover = hooks.recover,
  step = hooks.step,
  conclude = hooks.conclude,
  limits = { usd = 0.50 },
  options = options,
  lists = {
    exploratory_actions = { "click", "press", "move", "scroll", "wait" },
    plan_actions = { "click", "double_click", "drag", "press", "hold", "type", "scroll", "move", "wait", "burst",
      "complete" },
    batch_weights = plans.weights,
  },
}
