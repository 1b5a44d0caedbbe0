--- The standard strategy: load, get ready, start, play, judge, at $0. Every number, word and rule below is policy:
-- override an option with --set, a list or a hook in a file of your own (`return { name = "mine", start = function(ctx, base) ... end }`).

local qa = require "qa"
local cascade = require "qa.cascade"
local controls = require "qa.controls"
local evidence = require "qa.evidence"
local play = require "qa.play"
local ready = require "qa.ready"
local words = require "qa.words"
local judge = require "parts.judge"

local lists = {}
for _, part in ipairs{ require "parts.start_lists", require "parts.ready_lists", require "parts.control_lists" } do
  for name, list in pairs(part) do lists[name] = list end
end

local hooks = {}

---The health event kinds that decide a run at once.
local decisive = { "crash", "dialog_storm", "reload_loop", "redirect" }

---What has already decided this run, if anything. A page that stopped answering gets hang_confirm_ms to come back.
local function decided(ctx)
  if ctx.state.decided then return ctx.state.decided end
  local health = ctx.page:health()
  for _, kind in ipairs(decisive) do
    if (health.counts[kind] or 0) > 0 then ctx.state.decided = kind end
  end
  if not ctx.state.decided and health.hung then
    local until_ms = qa.now_ms() + ctx.options.hang_confirm_ms
    repeat qa.sleep(100) until not ctx.page:health().hung or qa.now_ms() > until_ms
    if ctx.page:health().hung then ctx.state.decided = "hang" end
  end
  return ctx.state.decided
end

---Does the page answer? A page that does not within answer_ms has hung.
local function answers_host(ctx)
  local until_ms = qa.now_ms() + ctx.options.answer_ms
  repeat
    if decided(ctx) then return false end
    if ctx.page:evaluate("1", { world = "host", timeout_ms = 1500 }) then return true end
  until qa.now_ms() > until_ms
  ctx.state.decided = "hang"
  ctx.state.no_answer = true
  return false
end

local function decide(ctx, kind)
  ctx.state.decided = ctx.state.decided or kind
  return false, ctx.state.decided
end

local function navigate(ctx)
  local result, err = ctx.page:navigate(ctx.url, { wait = "dom", timeout_ms = ctx.options.navigation_ms })
  if result and result.status < 400 then return true end
  if result then
    ctx.state.load_error = { kind = "load_failed", message = ("The server answered %d for the page."):format(result.status) }
    return decide(ctx, "load_failed")
  end
  if err.kind == "timeout" and err.detail and err.detail.reached and err.detail.reached ~= "" then return true end
  if decided(ctx) then return decide(ctx, ctx.state.decided) end
  if err.kind == "timeout" or err.kind == "page_hung" then
    ctx.state.load_error = { kind = "load_timeout", message = "The page did not load: " .. err.message }
    return decide(ctx, "load_timeout")
  end
  return nil, err
end

function hooks.prepare(ctx)
  local state = ctx.state
  state.bursts, state.controls, state.round, state.window_ms = {}, {}, 0, ctx.options.window_ms
  ctx:phase("navigation")
  local ok, err = navigate(ctx)
  if not ok then return ok, err end
  ctx:phase("game_detection")
  local result = ready.wait(ctx, function() return decided(ctx) end)
  state.ready = { ok = result.ok, ms = result.ms, stalled = result.stalled, blank = result.blank or false, signals = result.signals,
    summary = ("%d signals in %.1f s"):format(ready.count(result.signals), result.ms / 1000) }
  state.game_type = result.type
  ctx:event("game_type", { type = result.type })
  ctx:event("ready", { ok = result.ok, ms = math.floor(result.ms), signals = result.signals })
  if decided(ctx) then return decide(ctx, state.decided) end
  local text = result.reading and result.reading.text or ""
  for _, pattern in ipairs(ctx.lists.webgl_refusals) do
    state.refusal = state.refusal or text:lower():gsub("%s+", " "):match(pattern)
  end
  state.failed_before_ready = hooks.own_failure(ctx)
  ctx:shot("initial_load")
  if result.blank then return decide(ctx, "blank_screen") end
  if state.refusal and result.type ~= "canvas" then return decide(ctx, "webgl_unavailable") end
  state.fps = ctx.page:frame_rate(ctx.options.frame_rate_ms)
  if state.fps and state.fps > 0 then
    -- A window shows at least five frames, so that slow games are given the time that they need to answer.
    state.window_ms = math.floor(math.max(ctx.options.window_ms, math.min(ctx.options.most_window_ms, 5000 / state.fps)))
  end
  state.controls, state.declared = controls.infer(ctx, text)
  state.declared = state.declared or #words.instructions(text, ctx.lists.instruction_patterns) > 0
  ctx:event("controls", { controls = state.controls })
  local offers = state.declared or #(result.reading and result.reading.clickables or {}) > 0
  if result.stalled and not offers then return decide(ctx, "load_timeout") end
  return true
end

---Did the page's own script fail to load or throw?
function hooks.own_failure(ctx)
  for _, event in ipairs(ctx.page:events(0)) do
    local detail = event.detail or {}
    if event.kind == "exception" or event.kind == "request_failed" and detail.type == "Script" and detail.same_origin ~= false then return true end
  end
  return false
end

---One burst, recorded as an action of the history and, while the game is played, as evidence.
---@return boolean? moved this burst alone looks like an answer
local function burst(ctx, move)
  local state = ctx.state
  local result, err = play.burst(ctx, move)
  if not result then return nil, err end
  result.t_ms = qa.now_ms()
  state.was_animated = state.was_animated or result.animated
  state.still_bursts = result.still and (state.still_bursts or 0) + 1 or 0
  state.actions = (state.actions or 0) + 1
  state.noise = math.max(state.noise or 0, #result.control)
  state.input_failed = result.err ~= nil
  local moved = #result.input > ctx.options.min_cells and #result.input > 2 * state.noise or result.input_dom and not result.control_dom
  -- Before the play begins an answer may just be the start itself, so it is no evidence of control.
  if state.play_from then state.bursts[#state.bursts + 1] = result end
  ctx:event("action", { action = move.action, target = play.describe(move), success = result.err == nil, stateProgressed = moved,
    cells = #result.input, control_cells = #result.control })
  return moved
end

---Does the game answer its controls now? Asked after each start attempt that had an effect; ends at the first answer.
local function answers(ctx)
  local moves = play.moves(ctx, cascade.scene(ctx), 1)
  for i = 1, math.min(#moves, ctx.options.probe_moves) do
    if decided(ctx) then return true end
    if burst(ctx, moves[i]) then return true end
  end
  return false
end

---Looks again at what the page offers: scripts and instructions may have come with the start.
local function refresh_controls(ctx)
  local text = ctx.page:content{ format = "text" } or ""
  local found, declared = controls.infer(ctx, text)
  if #found >= #ctx.state.controls then ctx.state.controls = found end
  ctx.state.declared = ctx.state.declared or declared
  ctx:event("controls", { controls = ctx.state.controls })
end

function hooks.start(ctx)
  local state = ctx.state
  ctx:phase("start_button_detection")
  local result = cascade.run(ctx, function() return answers(ctx) end, function() return decided(ctx) end)
  state.started, state.auto, state.start_method = result.found, result.auto, result.method
  state.start_summary = result.found and ("%s: %s"):format(result.method, result.target) or ("%d attempts without effect"):format(result.attempts)
  ctx:event("start", { found = result.found, method = result.auto and "auto" or result.method, attempts = result.attempts })
  if decided(ctx) then return decide(ctx, state.decided) end
  refresh_controls(ctx)
  -- Nothing to start, nothing to press, and the game's own script is broken: playing on shows nothing more.
  if state.failed_before_ready and not state.declared and not result.found then return decide(ctx, "failed_script") end
  ctx:shot("post_start")
  local states = ctx.page:probe("page_state", {}, { timeout_ms = 2500 })
  local kind = states and ready.game_type(states, 1)
  -- Many games make their canvas only when they start.
  if kind and kind ~= state.game_type and (kind == "canvas" or state.game_type == "unknown") then
    state.game_type = kind
    ctx:event("game_type", { type = kind })
  end
  if result.found then return true end
  return nil, { kind = "element_not_found", op = "start", message = state.start_summary }
end

---Starts once more: a round may have ended, or the start may have had a second level.
local function start_again(ctx)
  ctx.state.started_again = true
  -- Now "restart" and "play again" are what starts a game.
  ctx.state.is_restart = true
  local result = cascade.run(ctx, function() return true end, function() return decided(ctx) end)
  ctx.state.started = ctx.state.started or result.found
end

local function rule(ctx)
  local o = ctx.options
  return { min_cells = o.min_cells, factor = o.noise_factor, add = o.noise_add, repeats = o.repeats, noisy_share = o.noisy_share,
    cells = 128 * 72, alpha = o.alpha, doubt = o.doubt, draws = o.draws, enough = o.min_bursts, quiet_noise = o.quiet_noise, uneven = o.uneven }
end

---The bursts from a position on.
local function bursts_from(ctx, first)
  local part = {}
  for i = first, #ctx.state.bursts do part[#part + 1] = ctx.state.bursts[i] end
  return part
end

---Did the game answer clearly at first and not at all in the second half?
local function has_stopped(ctx, early, late)
  return early.beats >= ctx.options.repeats and late.inputs >= ctx.options.late_bursts and late.beats == 0 and late.p > 0.1
end

---The next move: in turn, but every second one from the kind of input that has changed most so far.
local function next_move(state)
  state.turn = (state.turn or 0) + 1
  local best = state.turn % 2 == 0 and evidence.best_group(state.bursts, 2)
  if best then
    local alike = {}
    for _, move in ipairs(state.moves) do
      if play.group(move) == best then alike[#alike + 1] = move end
    end
    if #alike > 0 then return alike[state.turn / 2 % #alike + 1] end
  end
  local move = state.moves[state.next_move]
  state.next_move = state.next_move + 1
  return move
end

---Is there nothing more to learn from playing on? A clear answer needs no more bursts; a busy scene is given those that the
---statistics need, and some more while they are undecided.
local function is_clear(ctx)
  local bursts, options = ctx.state.bursts, ctx.options
  local response = evidence.response(bursts, rule(ctx))
  if response.outcome == "yes" or #bursts >= options.most_bursts then return true end
  return #bursts >= options.min_bursts and response.p > 0.2
end

function hooks.step(ctx)
  local state, options = ctx.state, ctx.options
  if decided(ctx) then return false, state.decided end
  if not state.play_from then
    state.play_from = qa.now_ms()
    ctx:phase("gameplay_simulation")
  end
  if not state.moves or state.next_move > #state.moves then
    state.round = state.round + 1
    state.moves, state.next_move = play.moves(ctx, cascade.scene(ctx), state.round), 1
  end
  local move = next_move(state)
  local moved, err = burst(ctx, move)
  if (moved == nil or state.input_failed) and not answers_host(ctx) then return false, state.decided end
  if moved == nil then return false, err and err.kind or "error" end
  if moved then state.last_answer_ms = qa.now_ms() end
  local interaction = ctx.metadata and ctx.metadata.testingStrategy and ctx.metadata.testingStrategy.interactionDuration or options.interaction_ms
  local elapsed = qa.now_ms() - state.play_from
  local silent = qa.now_ms() - (state.last_answer_ms or state.play_from)
  if not state.started_again and #state.bursts >= options.late_bursts and silent >= interaction / 2 then
    start_again(ctx)
    state.moves = nil
  end
  local dead = state.still_bursts >= options.dead_bursts and state.started_again and state.round > 1
    and (state.was_animated or state.failed_before_ready)
  if dead then return false, "no_more_effect" end
  if elapsed >= interaction and is_clear(ctx) then return false, "interaction_complete" end
  return true
end

---Does script of the page still run by itself? A loop that does has not frozen, whatever its picture shows.
function hooks.script_runs(ctx)
  local function script_seconds()
    local reply = ctx.page:cdp("Performance.getMetrics", {}, { timeout_ms = 2000 })
    for _, metric in ipairs(reply and reply.metrics or {}) do
      if metric.name == "ScriptDuration" then return metric.value end
    end
    return nil
  end
  ctx.page:cdp("Performance.enable", {}, { timeout_ms = 2000 })
  local before = script_seconds()
  qa.sleep(ctx.options.loop_ms)
  local after = script_seconds()
  return before ~= nil and after ~= nil and after - before > 0.0005
end

---The facts that the judge sees.
local function facts(ctx)
  local state = ctx.state
  if not state.decided and not ctx.page:evaluate("1", { world = "host", timeout_ms = 1000 }) and not decided(ctx) then
    state.decided, state.no_answer = "hang", true
  end
  local bursts = state.bursts or {}
  local half = math.floor(#bursts / 2)
  local response = evidence.response(bursts, rule(ctx))
  local first_half = {}
  for i = 1, half do first_half[i] = bursts[i] end
  local early, late = evidence.response(first_half, rule(ctx)), evidence.response(bursts_from(ctx, half + 1), rule(ctx))
  local stopped = has_stopped(ctx, early, late)
  if stopped then response.outcome = "yes" end
  local still_at_end = (state.still_bursts or 0) >= 1
  local page_text = not state.decided and ctx.page:content{ format = "text" } or ""
  local tick = not state.decided and ctx.page:probe("frame_tick", { count = 2, limit_ms = 3000 }, { timeout_ms = 4000 })
  local loop_alive = not state.decided and still_at_end and hooks.script_runs(ctx)
  local alive
  if state.decided == nil then alive = tick and tick[1] and (tick[1].value.ticks or 0) > 0 or false end
  return {
    load_error = state.load_error, refusal = state.refusal, ready = state.ready or { ok = false, ms = 0, signals = {} },
    started = state.started or false, auto = state.auto or not state.started, start_summary = state.start_summary,
    response = response, stopped = stopped,
    response_summary = ("%d of %d inputs beat their control by more than %.0f quiet cells; %.0f %% of the scene moves by itself; p = %.4f%s; %s")
      :format(response.beats, response.inputs, response.threshold, response.noise_share * 100, response.p,
        response.by and (" by " .. response.by) or "", response.method),
    was_animated = state.was_animated or false, still_at_end = still_at_end, loop_alive = loop_alive,
    declared = state.declared or false, failed_before_ready = state.failed_before_ready or false,
    game_over = words.first_match(page_text:gsub("%s+", " "), ctx.lists.game_over_words) ~= nil,
    alive = alive, fps = state.fps, events = ctx.page:events(0), decided = state.decided,
    no_answer = state.no_answer or false, recovered = state.decided ~= "hang" and not ctx.page:health().hung,
  }
end

function hooks.conclude(ctx, report)
  local page_works = not ctx.page:is_closed()
  if page_works and not ctx.state.decided then
    ctx:shot("after_interaction")
  end
  ctx:phase("analysis")
  local verdict = judge.judge(facts(ctx))
  for _, check in ipairs(verdict.checks) do ctx:check(check.id, check.outcome, check.missing, check.evidence) end
  for _, issue in ipairs(verdict.issues) do ctx:issue(issue) end
  if page_works and ctx.state.decided ~= "crash" and ctx.state.decided ~= "hang" then ctx:shot("final_state") end
  report.status, report.playability_score, report.missing = verdict.status, verdict.score, verdict.missing
  return report
end

return {
  name = "standard",
  doc = "Load, get ready, start, play and judge a browser game without a model.",
  prepare = hooks.prepare,
  start = hooks.start,
  step = hooks.step,
  conclude = hooks.conclude,
  lists = lists,
  limits = { duration_ms = 240000 },
  options = {
    navigation_ms = { default = 30000, doc = "longest wait for the document" },
    ready_ms = { default = 60000, doc = "longest wait for the game to be ready (C-015)" },
    ready_signals = { default = 4, doc = "signals of the seven that must hold (C-015)" },
    ready_watch_ms = { default = 120, doc = "how long the scene is watched per reading" },
    network_idle_ms = { default = 500, doc = "quiet time that counts as an idle network" },
    unknown_ms = { default = 1500, doc = "a page without canvas, clickables or game elements is ready when unchanged for so long" },
    stall_ms = { default = 5000, doc = "a loader or a blank page that does not change for so long, with an idle network, is stuck" },
    loop_ms = { default = 500, doc = "how long the page's own script time is measured when its picture stands still" },
    answer_ms = { default = 9000, doc = "a page that answers nothing for so long has hung" },
    hang_confirm_ms = { default = 1500, doc = "a page that stopped answering gets this long to come back" },
    frame_rate_ms = { default = 300, doc = "how long frames are counted" },
    window_ms = { default = 450, doc = "length of control and input windows" },
    most_window_ms = { default = 1500, doc = "the same for games with few frames a second" },
    start_ms = { default = 25000, doc = "longest time for one pass of the start cascade" },
    start_levels = { default = 4, doc = "menus deep that a start may be" },
    start_cells = { default = 150, doc = "cells of 9216 that must change for a start to count" },
    probe_cells = { default = 8, doc = "the same when asking whether the game already answers its controls" },
    probe_moves = { default = 3, doc = "moves tried after a start to see whether input is alive" },
    hold_ms = { default = 400, doc = "how long the cascade holds a key" },
    most_keys = { default = 6, doc = "keys taken from scripts that name more" },
    interaction_ms = { default = 30000, doc = "how long the game is played (C-019)" },
    min_bursts = { default = 10, doc = "bursts played before a game counts as not answering, however short interaction_ms is" },
    late_bursts = { default = 4, doc = "bursts without an answer that call for a second start, or show that a game stopped" },
    jitter_ms = { default = 250, doc = "longest random pause before a burst of an animated game" },
    most_bursts = { default = 36, doc = "bursts played at most beyond interaction_ms while the answer is undecided" },
    quiet_noise = { default = 24, doc = "quiet cells that a control may touch for the quiet-cell rule to hold" },
    uneven = { default = 0.9, doc = "spread of the controls beyond which a scene moves too unevenly to call a game dead" },
    doubt = { default = 0.02, doc = "below this p a game is not called dead" },
    alpha = { default = 0.004, doc = "chance of a false answer that each randomization test may have" },
    draws = { default = 2000, doc = "random draws per test" },
    dead_bursts = { default = 4, doc = "bursts without any motion, after a second start, that end the play" },
    margin = { default = 10, doc = "luma steps by which a cell must leave its band" },
    min_cells = { default = 4, doc = "quiet cells that an input must change" },
    noise_factor = { default = 1.5, doc = "an input must beat the noisiest control by this factor" },
    noise_add = { default = 4, doc = "and by so many cells" },
    repeats = { default = 2, doc = "inputs that must beat their control" },
    noisy_share = { default = 0.85, doc = "share of the scene that moves by itself beyond which input cannot be told" },
  },
}
