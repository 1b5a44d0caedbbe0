--- The facts of a run that the judge sees, and whether more play would change them.
local block_design = require "qa.effect.block_design"
local candidates = require "qa.input.candidates"
local response = require "qa.effect.response"
local observe = require "parts.standard.observe"
local rounds = require "parts.standard.rounds"

local M = {}

---Times that each control is tried before its silence counts, where the scene moves by itself.
local TRIES = 2
---Places of a canvas at rest that are clicked before it is said not to answer clicks.
local STILL_PLACES = 16

---The numbers of response.of.
function M.rule(ctx) return setmetatable({ enough = ctx.options.min_trials }, { __index = response.RULE }) end

---Do the inputs have an effect, as far as it was seen?
function M.response(ctx)
  local state = ctx.state
  local trials, known = state.trials or {}, state.answer
  -- What is an answer at one look is one to the end of the play, too.
  if known and (known.outcome == "yes" and known.by or known.inputs == #trials) then return known end
  state.answer = response.of(trials, M.rule(ctx))
  return state.answer
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
  local needed = is_still and 1 or TRIES
  local places = (tried.click or 0) + candidates.scattered * (tried.scatter or 0)
  for _, control in ipairs(ctx.state.controls or {}) do
    -- Nothing told which keys are listened for: the game may know others.
    if control.kind == "key" and control.source == "listener" then return false end
    local name = control.kind == "key" and control.key or control.kind == "text" and "type" or control.kind
    if (tried[name] or 0) < needed then return false end
    -- A picture that waits for a click may take it in a few places only.
    if control.kind == "click" and is_still and ctx.state.board_cells and places < STILL_PLACES then
      return false
    end
  end
  return true
end

---Is there nothing more to learn from playing on? A clear answer needs no more trials; a busy scene is given those that
---the test needs.
---@param overtime_ms number how long the play has gone on beyond its time
function M.is_clear(ctx, overtime_ms)
  local state, options = ctx.state, ctx.options
  local trials = state.trials
  if response.has_answered(trials, M.rule(ctx)) then return true end
  if #trials >= 2 * options.min_trials and nothing_moves(trials) then return true end
  if #trials >= block_design.LOOKS[#block_design.LOOKS] or overtime_ms >= options.overtime_ms then return true end
  if not block_design.is_look(#trials) then return false end
  local answer = M.response(ctx)
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
  local needed = response.RULE.repeats - (ctx.state.probe_answered
    and (ctx.state.still_trials or 0) < rounds.DEAD_TRIALS and 1 or 0)
  return response.has_stopped(trials, M.rule(ctx), math.max(1, needed))
end

---Has the browser itself changed something at an input, as the look of a button that is held? Then silence is not sure.
local function has_native(trials)
  for _, trial in ipairs(trials) do
    if trial.native then return true end
  end
  return false
end

local summary = "%d of %d inputs beat their control by more than %.0f quiet cells; %.0f %% of the scene moves by " ..
  "itself; p = %.4f%s; %s"

---The facts that the judge sees.
---@param is_cut_short? boolean there is no time to ask anew how the game answered
function M.of(ctx, is_cut_short)
  local state = ctx.state
  local trials = state.trials or {}
  local answer = {}
  for name, value in pairs(is_cut_short and state.answer or M.response(ctx)) do answer[name] = value end
  local still_at_end = (state.still_trials or 0) >= 1
  -- A run that was cut short while a model led: its silence proves nothing, for it may have played another game.
  local is_led = state.cap ~= nil
  local stopped = not is_led and M.has_stopped(ctx)
  if stopped then answer.outcome = "yes" end
  if answer.outcome == "no" and (is_led or not has_tried_all(ctx) or has_native(trials)) then
    answer.outcome = "unknown"
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
    response = answer, stopped = stopped,
    ended_by_exception = state.ended_by_exception or observe.ended_by_exception(ctx),
    response_summary = summary:format(answer.beats, answer.inputs, answer.threshold,
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
