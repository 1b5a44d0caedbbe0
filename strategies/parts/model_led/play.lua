--- A play that a model leads: what adaptive, action_groups and their like share. The model leads until it is done or a
-- limit is reached; what is still open then is played as the standard strategy plays, for a verdict rests on measured
-- evidence alone.
local qa = require "qa"
local actions = require "qa.input.actions"
local by_cause = require "parts.model_led.by_cause"
local decisive = require "parts.standard.decisive"
local facts = require "parts.standard.facts"
local failure = require "qa.text.failure"
local leaving = require "parts.standard.leaving"
local measured_play = require "parts.model_led.measured_play"
local metrics = require "qa.run.metrics"
local rounds = require "parts.standard.rounds"
local scenes = require "qa.page.scene"
local seed_cost = require "parts.standard.seed_cost"
local utf8 = require "qa.text.utf8"
local words_option = require "parts.model_led.word_options"
local time = require "qa.page.time"

local M = {}

---Why nobody can be asked for a role, before anything is played: nobody is named, or has no known price.
---@param who table {role, otherwise?} as qa.llm.ask takes them
---@return qa.Error? err nil when all is well
function M.refusal(ctx, who)
  local most, err = qa.llm.estimate{ prompt = "?", role = who.role, otherwise = who.otherwise }
  if most then return nil end
  return failure.new("llm_unavailable",
    ("strategy %s asks a model: %s; or play without one (--set use_models=false)"):format(ctx.strategy.name,
    err.message), "qa.llm")
end

---The `prepare` of a strategy that asks these roles: where one of them cannot be asked, or an option is misspelt, it
---does not begin.
---@param roles string[]
---@param words_of? table<string, string[]> options that are one of a few words
function M.prepare(roles, words_of)
  return function(ctx, base)
    local ok, why = words_option.check(ctx, { cost_rule = { "measured", "seed" } })
    if ok and words_of then ok, why = words_option.check(ctx, words_of) end
    if not ok then return nil, why end
    for _, role in ipairs(ctx.options.use_models and roles or {}) do
      local err = M.refusal(ctx, { role = role })
      if err then return nil, err end
    end
    return base(ctx)
  end
end

---The model takes over. Limits of its part are the run's, less what the proof and the last analysis need.
local function begin(ctx)
  local state, o = ctx.state, ctx.options
  ctx:phase("adaptive_qa_loop")
  time.sleep(ctx.metadata and ctx.metadata.testingStrategy and ctx.metadata.testingStrategy.waitBeforeInteraction or 0)
  state.play_from = time.now_ms()
  if ctx.world then by_cause.begin(ctx) else rounds.begin(ctx) end
  scenes.look(ctx)
  local duration_ms = math.min(o.max_duration_ms, ctx.time_limit_ms or math.huge, ctx.limits.duration_ms or math.huge)
  state.cap = { actions = (state.actions or 0) + o.max_actions,
    duration_ms = duration_ms - math.min(o.reserve_ms, duration_ms / 3) }
  state.stuck, state.history, state.iteration = 0, {}, 0
  -- The last look at the run is not to starve (P-01).
  ctx.budget:keep(math.min(o.analysis_usd, 0.1 * ctx.budget:state().cap))
end

---What ends the model's part now, between two of its iterations.
---@return string? reason
function M.limit(ctx)
  local reason = decisive.by(ctx) or actions.limit(ctx)
  if reason then return reason end
  if ctx.budget:is_near_cap() then return "budget_limit" end
  local cap = ctx.limits.usd or ctx.budget:state().cap
  if ctx.options.cost_rule == "seed" and seed_cost.is_near(seed_cost.of(ctx.fold.report).usd, cap) then
    return "budget_limit"
  end
end

---What failed answers end the model's part with: budget_limit where the money is gone, max_duration where its time is,
---else error; said in the report. Raised where the model was never reached: no model led the run.
function M.reason_of(ctx, err)
  if err.kind == "budget_exceeded" then return "budget_limit" end
  local limit = actions.limit(ctx)
  if limit or err.kind == "max_duration" then return limit or err.kind end
  if err.kind == "llm_unavailable" and not ctx.state.was_answered then error(err, 0) end
  ctx:issue{ severity = "minor", kind = "analysis_unavailable", description = "The model gave no usable answer: "
    .. utf8.shorten(utf8.printable(failure.text(err)), 300) }
  return "error"
end

---- Done --------------------------------------------------------------------------------------------------------------

---Waits for an action to take effect: until the scene rests, or a moment where it never does.
function M.take_effect(ctx)
  if ctx.state.scene_moves then return ctx:wait(ctx.options.pace_ms) end
  ctx.state.is_assessed = false
  measured_play.rest(ctx)
end

---Tells the report of what was done, and the next question (A-018: one result for all actions of a group).
local function tell(ctx, list, done, result)
  local words = { yes = "the scene changed", no = "nothing changed", unknown = "too much moves to tell" }
  for i, outcome in ipairs(done.outcomes) do
    local action = list[i]
    local progressed = nil
    if result and result.progressed ~= "unknown" then progressed = result.progressed == "yes" end
    actions.record(ctx, action, outcome, progressed)
    table.insert(ctx.state.history, actions.describe(action) .. ": "
      .. (outcome.error and utf8.shorten(failure.text(outcome.error), 120)
      or words[result and result.progressed or "unknown"]))
  end
end

---Performs actions as one group and assesses it; keeps what that proves. The next look follows.
---@param list table[]
---@param opts? table as actions.perform_all
---@return table done of actions.perform_all
---@return table? result of groups.assess
---@return qa.Error? err where the scene could not be watched
function M.perform(ctx, list, opts)
  local done
  local result, err = metrics.span(ctx, "act", measured_play.assessed, ctx, list, function()
    done = actions.perform_all(ctx, list, opts)
    return done.done > 0
  end, true)
  tell(ctx, list, done, result)
  return done, result, err
end

---- Ended -------------------------------------------------------------------------------------------------------------

---What a play in real time did not prove is played as the standard strategy would.
local function prove_in_real_time(ctx, base)
  local state = ctx.state
  if decisive.by(ctx) then return leaving.leave(ctx, state.decided) end
  local overtime = time.now_ms() - state.proof_from - ctx.options.interaction_ms
  if not facts.has_stopped(ctx) and facts.is_clear(ctx, overtime) then return leaving.leave(ctx, state.led_until) end
  return base(ctx)
end

---The model's part is over; its reason is that of the run, unless the proof met something worse.
local function prove(ctx, base)
  local state = ctx.state
  local going, reason
  if ctx.world then
    going, reason = by_cause.prove(ctx, base, state.led_until)
  else
    going, reason = prove_in_real_time(ctx, base)
  end
  if going then return true end
  return false, state.decided or reason ~= "interaction_complete" and reason ~= "no_more_effect"
    and reason ~= "no_effect" and reason or state.led_until
end

---The `step` of such a strategy: one iteration of the model's part, and afterwards of the proof.
---@param iterate fun(ctx: table): boolean, string? true to go on, or false and why the model's part ends
function M.step(ctx, base, iterate)
  local state = ctx.state
  if not ctx.options.use_models then return base(ctx) end
  if state.led_until then return prove(ctx, base) end
  if not state.cap then begin(ctx) end
  local reason, going = M.limit(ctx), nil
  if not reason then
    if ctx.world then by_cause.keep_up(ctx) end
    going, reason = iterate(ctx)
  end
  if going then return true end
  -- The game answered up to the last input, and the model saw its end: the silence now is that of an end screen.
  state.led_to_end = reason == "llm_complete" and state.answered_last or false
  state.led_until, state.cap, state.proof_from, state.play_from, state.moves = reason, nil, time.now_ms(),
    time.now_ms(),
    nil
  measured_play.weigh(ctx)
  ctx:event("model_play_over", { reason = reason, iterations = state.iteration, usd = ctx.budget:spent() })
  return true
end

return M
