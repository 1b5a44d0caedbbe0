--- The standard strategy: load, get ready, start, play, judge, at $0. Every number, word and rule below is policy:
-- override an option with --set, a list or a hook in a file of your own (`return { name = "mine", start = function(ctx,
-- base) ... end }`).
local qa = require "qa"
local cascade = require "qa.start.cascade"
local controls = require "qa.input.controls"
local candidates = require "qa.input.candidates"
local ready = require "qa.page.ready"
local scenes = require "qa.page.scene"
local words = require "qa.page.words"
local decisive = require "parts.standard.decisive"
local entrance = require "parts.standard.entrance"
local evidence = require "parts.standard.game_time.evidence"
local facts = require "parts.standard.facts"
local game_time = require "parts.standard.game_time.run"
local judge = require "parts.standard.judge"
local leaving = require "parts.standard.leaving"
local observe = require "parts.standard.observe"
local rounds = require "parts.standard.rounds"
local second_opinion = require "parts.standard.second_opinion"
local seed_cost = require "parts.standard.seed_cost"
local turns = require "parts.standard.turns"
local time = require "qa.page.time"

local lists = {}
for _, part in ipairs{ require "parts.standard.start_lists", require "parts.standard.ready_lists",
  require "parts.standard.control_lists", require "parts.standard.memory_lists" } do
  for name, list in pairs(part) do lists[name] = list end
end

---Longest wait for the picture of the end.
local LAST_SHOT_MS = 2500

---What writing the report takes after the last picture.
local shot_reserve_ms = 500

local hooks = {}

function hooks.prepare(ctx)
  local state = ctx.state
  state.trials, state.controls, state.round, state.window_ms = {}, {}, 0, ctx.options.window_ms
  local result, err = entrance.open(ctx)
  if not result then return result, err end
  state.ready = { ok = result.ok, ms = result.ms, stalled = result.stalled, blank = result.blank or false,
    signals = result.signals,
    summary = ("%d signals"):format(ready.count(result.signals)) .. (result.behind and ", " .. result.behind or "") }
  state.game_type = result.type
  ctx:event("game_type", { type = result.type })
  ctx:event("ready", { ok = result.ok, ms = math.floor(result.ms), signals = result.signals })
  if decisive.by(ctx) then return decisive.decide(ctx, state.decided) end
  local text = result.reading and result.reading.text .. "\n" .. result.reading.painted_text or ""
  state.refusal = ready.refusal(ctx, text)
  state.failed_before_ready = decisive.own_failure(ctx)
  ctx:shot("initial_load")
  if result.blank then return decisive.decide(ctx, "blank_screen") end
  if state.refusal and result.type ~= "canvas" then return decisive.decide(ctx, "webgl_unavailable") end
  observe.frame_rate(ctx)
  turns.ease(ctx)
  state.controls, state.declared = controls.infer(ctx, text)
  state.declared = state.declared
    or #words.instructions(text, ctx.lists.instruction_patterns, ctx.lists.aside_words) > 0
  ctx:event("controls", { controls = state.controls })
  local clickables = result.reading and result.reading.clickables or {}
  if result.stalled and not state.declared and #clickables == 0 then return decisive.decide(ctx, "load_timeout") end
  return true
end

---Does the game answer its controls now? Asked after each start attempt that had an effect; ends at the first answer.
local function answers(ctx)
  -- Blind moves of ours are moves in the game: where somebody looks at it, the effect of the start has to do.
  if ctx.options.probe_moves == 0 then return true end
  local first = candidates.of(ctx, scenes.look(ctx), 1)
  for i = 1, math.min(#first, ctx.options.probe_moves) do
    if decisive.by(ctx) or turns.trial(ctx, first[i]) then return true end
  end
  return false
end

function hooks.start(ctx)
  if ctx.world then return game_time.start(ctx) end
  local state = ctx.state
  ctx:phase("start_button_detection")
  local result = cascade.run(ctx, function() return answers(ctx) end, function() return decisive.by(ctx) end)
  observe.note_start(ctx, result)
  if decisive.by(ctx) then return decisive.decide(ctx, state.decided) end
  observe.controls(ctx)
  -- Nothing to start, nothing to press, and the game's own script is broken: playing on shows nothing more.
  if state.failed_before_ready and not state.declared and not result.found then
    return decisive.decide(ctx, "failed_script")
  end
  ctx:shot("post_start")
  observe.game_type(ctx)
  if result.found then return true end
  return nil, { kind = "element_not_found", op = "start", message = state.start_summary }
end

---What the metadata says about testing this game.
local function testing(ctx) return ctx.metadata and ctx.metadata.testingStrategy or {} end

function hooks.step(ctx)
  local state, options = ctx.state, ctx.options
  if ctx.world then return game_time.step(ctx, testing(ctx).interactionDuration or options.interaction_ms) end
  if decisive.by(ctx) then return leaving.leave(ctx, state.decided) end
  if not state.play_from then
    ctx:phase("gameplay_simulation")
    -- C-016: what the metadata knows of the game's start-up time comes on top of the probe.
    time.sleep(testing(ctx).waitBeforeInteraction or 0)
    state.play_from = time.now_ms()
    rounds.begin(ctx)
  end
  local began = time.now_ms()
  local moved, err = turns.trial(ctx, turns.next_move(ctx))
  local turn_ms = time.now_ms() - began
  if (moved == nil or state.input_failed) and not decisive.still_answers(ctx) then
    return leaving.leave(ctx, state.decided)
  end
  if moved == nil then return leaving.leave(ctx, err and err.kind or "error") end
  state.has_just_answered, state.last_answer_ms = moved, moved and time.now_ms() or state.last_answer_ms
  -- Another view of a page offers other things to click.
  if moved and state.moves and not state.board_cells then
    state.moves = candidates.of(ctx, scenes.look(ctx), state.round)
  end
  local interaction = testing(ctx).interactionDuration or options.interaction_ms
  local elapsed = time.now_ms() - state.play_from
  if rounds.is_due(ctx, interaction) then rounds.again(ctx) end
  local dead = state.still_trials >= rounds.DEAD_TRIALS and state.restarts > 0 and state.round > 1
    and (state.was_animated and state.board_cells or state.failed_before_ready)
  -- A turn that would mostly lie beyond the time is not begun.
  local is_over = elapsed + turn_ms * 0.75 >= interaction and facts.is_clear(ctx, elapsed - interaction)
  local reason = dead and "no_more_effect" or is_over and "interaction_complete"
  if not reason then return true end
  return leaving.leave(ctx, reason)
end

function hooks.conclude(ctx, report)
  ctx:phase("analysis")
  -- A run that was cut short has no facts of its play yet.
  local verdict = second_opinion.apply(judge.judge(ctx.world and game_time.facts(ctx) or ctx.state.facts
    or facts.of(ctx, true)), ctx.state.opinion)
  for _, check in ipairs(verdict.checks) do ctx:check(check.id, check.outcome, check.missing, check.evidence) end
  for _, issue in ipairs(verdict.issues) do
    if ctx.world and issue.severity ~= "minor" then table.insert(issue.evidence, evidence.command(ctx)) end
    ctx:issue(issue)
  end
  -- These give no picture, or a page that reloads all the time late.
  local silent = { crash = true, hang = true, dialog_storm = true }
  local can_shoot = not ctx.page:is_closed() and not silent[ctx.state.decided]
  -- The verdict stands; a picture that comes too late must not take it along.
  local left_ms = ctx.conclude_until_ms - time.now_ms() - shot_reserve_ms
  if can_shoot and left_ms > 0 then
    qa.with_deadline(math.min(LAST_SHOT_MS, left_ms), function() return ctx:shot("final_state") end)
  end
  report.status, report.playability_score, report.missing = verdict.status, verdict.score, verdict.missing
  report.seed_cost = seed_cost.of(ctx.fold.report)
  return report
end

return {
  name = "standard", clock = "auto",
  doc = "Load, get ready, start, play and judge a browser game without a model.",
  prepare = hooks.prepare, start = hooks.start, step = hooks.step, conclude = hooks.conclude, lists = lists,
  limits = { duration_ms = 240000 }, options = require "parts.standard.options",
}
