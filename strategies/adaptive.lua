--- The adaptive strategy (seed 002): after the start a model looks at the game, recommends one action with
-- alternatives, and sees what came of it, again and again; everything else is the standard strategy. Numbers are
-- options (--set), lists may be replaced by `extends = "adaptive"`.
local time = require "qa.page.time"
local actions = require "qa.input.actions"
local led_options = require "parts.model_led.options"
local model_play = require "parts.model_led.play"
local question = require "parts.model_led.question"
local rounds = require "parts.standard.rounds"
local schema = require "qa.model.schema"

local hooks = {}
hooks.prepare = model_play.prepare({ "vision" }, { screenshots = { "fixed", "adaptive" },
  model_calls = { "eager", "lazy" } })

---C-034: an action, why, how sure, and what else might be done. Alternatives have an order, no confidence (C-X10).
local function recommendation_of(ctx, check)
  local names = ctx.lists.action_names
  local other = actions.schema{ actions = names, confidence = false, reasoning = { max = 200 } }
  local texts = schema.array(other, { max = ctx.options.alternatives })
  return schema.object({
    { "recommendation", actions.schema{ actions = names, reasoning = { max = 400 } } },
    { "alternatives", texts },
  }, { check = function(value) return check{ value.recommendation.reasoning } end })
end

---What the model is told when nothing has changed for a while: one hint more with each round of it.
local function hint_of(ctx)
  local hints, o = ctx.lists.stuck_hints, ctx.options
  local round = math.floor(ctx.state.stuck / o.stuck_after)
  return round > 0 and hints[math.min(round, #hints)] or "(nothing)"
end

---The model's next recommendation.
---@return table? action, string? reason why the play of the model ends
local function ask(ctx, seen)
  local state, o = ctx.state, ctx.options
  local value, answer = question.ask(ctx, seen, { prompt = "adaptive", name = "recommendation",
    images = { seen.image }, vars = { history = question.history_of(ctx), hint = hint_of(ctx) },
    make_schema = function(check) return recommendation_of(ctx, check) end })
  if value then
    state.unusable, state.asked_at = 0, seen.hash
    state.alternatives = value.alternatives
    return value.recommendation
  end
  -- A model that talks nonsense may come to its senses; one that does not answer, or has no money left, will not.
  state.unusable = (state.unusable or 0) + 1
  local is_nonsense = answer.kind == "llm_invalid" or answer.kind == "llm_refused" or answer.kind == "llm_truncated"
  if is_nonsense and state.unusable < o.most_unusable then return nil end
  return nil, model_play.reason_of(ctx, answer)
end

---The next action: an alternative where the last recommendation got nowhere (C-036), else what the model says.
local function next_action(ctx)
  local state, o = ctx.state, ctx.options
  local is_kept = o.screenshots == "fixed" or state.stuck == 0
  local seen, err = question.look(ctx, ("state_%02d"):format(state.iteration), is_kept)
  if not seen then return nil, err.kind end
  local is_same = state.asked_at == seen.hash
  local others = state.alternatives or {}
  local action, reason
  if #others > 0 and (state.stuck >= o.stuck_after or o.model_calls == "lazy" and is_same and state.stuck > 0) then
    action = table.remove(others, 1)
    ctx:event("alternative", { stuck = state.stuck, action = actions.describe(action) })
  else
    action, reason = ask(ctx, seen)
  end
  seen.image:close()
  return action, reason
end

local function iterate(ctx)
  local state, o = ctx.state, ctx.options
  state.iteration = state.iteration + 1
  ctx.this_step.iteration = state.iteration
  if state.stuck - (state.stuck_at_restart or 0) >= 2 * o.stuck_after and state.restarts < o.most_restarts then
    -- The next strategy: what looks dead may want to be started again.
    ctx:event("stuck", { iterations = state.stuck })
    rounds.again(ctx)
    state.stuck_at_restart, state.alternatives, state.play_from = state.stuck, {}, time.now_ms()
  end
  local action, reason = next_action(ctx)
  if not action then return reason == nil, reason end
  if action.action == "complete" then return false, "llm_complete" end
  local done, result, err = model_play.perform(ctx, { action })
  ctx.this_step.action, ctx.this_step.progressed = actions.describe(action), result and result.progressed or "unknown"
  if done.stop then return false, done.stop end
  if not result then return false, err.kind end
  if result.progressed == "yes" then
    state.stuck, state.stuck_at_restart, state.alternatives = 0, 0, {}
  elseif result.progressed == "no" then
    state.stuck = state.stuck + 1
  end
  return true
end

function hooks.step(ctx, base) return model_play.step(ctx, base, iterate) end

local options = led_options.with{
  max_actions = { default = 20, doc = "actions of the model at most (C-030)" },
  alternatives = { default = 3, doc = "alternatives that it may name with a recommendation" },
  stuck_after = { default = 3, doc = "actions without effect after which its alternatives are tried (C-036)" },
  most_unusable = { default = 3,
    doc = "answers in a row that cannot be used, after which the model is not asked again" },
  screenshots = { default = "fixed", doc = "keep a screenshot of each iteration (fixed), or only after progress " ..
    "(adaptive)" },
  model_calls = { default = "eager", doc = "ask in each iteration (eager), or not while nothing has changed and an " ..
    "alternative is left (lazy)" },
}

return {
  name = "adaptive",
  clock = "auto",
  doc = "A model looks, recommends an action, sees what came of it, and so on; the verdict is measured.",
  extends = "standard",
  prepare = hooks.prepare,
  step = hooks.step,
  limits = { usd = 0.50 },
  options = options,
  lists = {
    action_names = led_options.action_names,
    stuck_hints = {
      "Your last actions changed nothing. Do something of another kind: another place, a key instead of the mouse, " ..
        "a longer hold.",
      "Still nothing changes. Look for a dialog to close, an end screen, a button that starts again, or a place " ..
        "outside the game itself.",
      "Nothing that was tried works. If there is nothing else to try, say complete.",
    },
  },
}
