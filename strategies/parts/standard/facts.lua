--- The facts of a run that the judge sees, and whether more play would change them.
local candidates = require "qa.input.candidates"
local response = require "qa.effect.response"
local observe = require "parts.standard.observe"
local rounds = require "parts.standard.rounds"

local M = {}

---The numbers of response.of from the options.
function M.rule(ctx)
  local o = ctx.options
  return { min_cells = o.min_cells, factor = o.noise_factor, add = o.noise_add, repeats = o.repeats,
    noisy_share = o.noisy_share,
    cells = 128 * 72, alpha = o.alpha, doubt = o.doubt, draws = o.draws, enough = o.min_trials,
    enough_busy = o.busy_trials, busy_share = o.busy_share, quiet_noise = o.quiet_noise, uneven = o.uneven }
end

---The same for the look at the end of the play, which may take a chance that is taken once.
function M.last_rule(ctx)
  local rule = M.rule(ctx)
  rule.alpha = math.max(rule.alpha, ctx.options.last_alpha)
  return rule
end

---How much was played: single inputs and series.
local function turns_of(state) return #(state.trials or {}) + #(state.series or {}) end

---Do the inputs have an effect, as far as it was seen?
---@param rule table of M.rule or M.last_rule
function M.response(ctx, rule)
  local state = ctx.state
  local trials, known = state.trials or {}, state.answer
  local turns = turns_of(state)
  -- What is an answer is one to the end of the play, too.
  if known and known.outcome == "yes" and known.turns == turns and known.alpha <= rule.alpha then return known end
  local answer = response.of(trials, rule, state.series)
  answer.turns, answer.alpha, state.answer = turns, rule.alpha, answer
  return answer
end

---Has no window shown any motion at all, with input or without?
local function nothing_moves(trials)
  for _, trial in ipairs(trials) do
    if not trial.still or trial.input_dom then return false end
  end
  return true
end

---Has every key that the game is known to use been pressed by itself, and each thing been done that its pointer does?
---Silence after others proves nothing. Where the scene moves by itself each takes more than one turn: it is held in one
---and tapped in the next, and one hides in the motion.
local function has_tried_all(ctx)
  local trials, tried = ctx.state.trials or {}, {}
  for _, trial in ipairs(trials) do
    local name = trial.aims and trial.aims.key or trial.group or ""
    tried[name] = (tried[name] or 0) + 1
  end
  local is_still = nothing_moves(trials)
  local needed = is_still and 1 or ctx.options.tries
  local places = (tried.click or 0) + candidates.scattered * (tried.scatter or 0)
  for _, control in ipairs(ctx.state.controls or {}) do
    -- Nothing told which keys are listened for: the game may know others.
    if control.kind == "key" and control.source == "listener" then return false end
    local name = control.kind == "key" and control.key or control.kind == "text" and "type" or control.kind
    if (tried[name] or 0) < needed then return false end
    -- A picture that waits for a click may take it in a few places only.
    if control.kind == "click" and is_still and ctx.state.board_cells and places < ctx.options.still_places then
      return false
    end
  end
  return true
end

---Single inputs after which it would be seen that a game stopped answering: series have taken the time of some.
local function least_inputs(ctx)
  local series = ctx.state.series
  return series and series.p > ctx.options.alpha and 2 * ctx.options.late_trials or 0
end

---Is there nothing more to learn from playing on? A clear answer needs no more trials; a busy scene is given those that
---the statistics need, and some more while they are undecided.
---@param overtime_ms number how long the play has gone on beyond its time
function M.is_clear(ctx, overtime_ms)
  local state, options, answer = ctx.state, ctx.options, nil
  local trials = state.trials
  if response.has_answered(trials, M.rule(ctx), state.series) then
    return #trials >= least_inputs(ctx) or overtime_ms >= options.overtime_ms
  end
  if #trials >= 2 * options.min_trials and nothing_moves(trials) then return true end
  local turns = turns_of(state)
  local function is_over(share)
    return turns >= share * options.most_trials or overtime_ms >= share * options.overtime_ms
  end
  -- Looking after every turn would turn chance into answers: the tests are asked every fourth time.
  if turns % 4 == 0 then
    answer = M.response(ctx, M.rule(ctx))
    state.last_p = answer.p
  elseif is_over(1) then
    -- Whether it is worth going on is asked of all that was seen.
    state.last_p = M.response(ctx, M.rule(ctx)).p
  end
  -- What chance would hardly give is worth more trials than what looks like chance.
  if is_over((state.last_p or 1) <= options.promising and options.promising_share or 1) then return true end
  if not answer then return false end
  if answer.outcome == "yes" then return true end
  -- Only a verdict ends the play early: what would stay open is given all the trials there are.
  return #trials >= options.min_trials and answer.p > 0.2 and answer.outcome == "no" and state.is_certain == true
    and has_tried_all(ctx)
end

---Did the game answer at first, and then no more?
function M.has_stopped(ctx)
  local trials = ctx.state.trials or {}
  if #trials < 2 * ctx.options.late_trials then return false end
  -- In a scene that goes on, the probe before the play may have been the first answer.
  local needed = ctx.options.repeats - (ctx.state.probe_answered
    and (ctx.state.still_trials or 0) < ctx.options.dead_trials and 1 or 0)
  return response.has_stopped(trials, M.rule(ctx), math.max(1, needed))
end

---Has the browser itself changed something at an input, as the look of a button that is held? Then silence is not sure.
local function has_native(trials)
  for _, trial in ipairs(trials) do
    if trial.native then return true end
  end
  return false
end

---Did the game answer when it was opened anew (parts/standard/openings.lua)?
---@return boolean
function M.answers_when_opened(ctx)
  local p = ctx.state.reload_trials and ctx.state.reload_trials.p
  return p ~= nil and p <= ctx.options.reload_alpha
end

local summary = "%d of %d inputs beat their control by more than %.0f quiet cells; %d randomised series; %.0f %% of " ..
  "the scene moves by itself; " .. "p = %.4f%s; %s"

---The facts that the judge sees.
---@param is_cut_short? boolean there is no time to ask anew how the game answered
function M.of(ctx, is_cut_short)
  local state = ctx.state
  local trials = state.trials or {}
  local last_rule = M.last_rule(ctx)
  local answer = is_cut_short and state.answer or M.response(ctx, last_rule)
  if is_cut_short and answer.outcome ~= "yes" then
    -- The series are asked whenever one is played.
    answer.p = math.min(answer.p, state.series and state.series.p or 1)
    if answer.p <= last_rule.alpha then
      answer.outcome = "yes"
    elseif answer.p <= last_rule.doubt then
      answer.outcome = "unknown"
    end
  end
  local still_at_end = (state.still_trials or 0) >= 1
  -- A run that was cut short while a model led: its silence proves nothing, for it may have played another game.
  local is_led = state.cap ~= nil
  local stopped = not is_led and M.has_stopped(ctx)
  if stopped then answer.outcome = "yes" end
  if answer.outcome == "no" and (is_led or not has_tried_all(ctx) or has_native(trials)) then
    answer.outcome = "unknown"
  end
  local opened = answer.outcome ~= "yes" and M.answers_when_opened(ctx)
  if opened then
    answer.outcome, answer.p, answer.by = "yes", state.reload_trials.p, "reload trials that were played"
  end
  local tick = not state.decided and ctx.page:probe("frame_tick", { count = 2, limit_ms = 3000 }, { timeout_ms = 4000 })
  local loop_alive = not state.decided and still_at_end and observe.script_runs(ctx)
  local events = ctx.page:events(0)
  local alive
  -- A renderer that says nothing is a hang, or kept waiting: that is not decided here.
  if tick and tick[1] then alive = (tick[1].value.ticks or 0) > 0 end
  return {
    load_error = state.load_error, refusal = state.refusal, ready = state.ready or { ok = false, ms = 0, signals = {} },
    started = state.started or false,
    -- A start hook of the tester's own is taken at its word.
    start_is_certain = state.is_certain or state.start_method == nil, auto = state.auto or not state.started,
    start_summary = state.start_summary,
    response = answer, stopped = stopped, answers_only_when_opened = opened,
    ended_by_exception = state.ended_by_exception or observe.ended_by_exception(ctx),
    response_summary = summary:format(answer.beats, answer.inputs, answer.threshold, answer.series,
      answer.noise_share * 100, answer.p, answer.by and (" by " .. answer.by) or "", answer.method),
    was_animated = state.was_animated or false, still_at_end = still_at_end, loop_alive = loop_alive,
    declared = state.declared or false, failed_before_ready = state.failed_before_ready or false,
    game_over = not state.decided and (state.led_to_end or rounds.is_over(ctx)),
    was_hung = state.decided ~= "hang" and (ctx.page:health().counts.hang or 0) > 0,
    revived = state.revived or false, restart_worked = state.restart_worked or false,
    alive = alive, fps = state.fps, events = events, decided = state.decided,
    no_answer = state.no_answer or false, recovered = state.decided ~= "hang" and not ctx.page:health().hung,
  }
end

return M
