--- The standard strategy on game time: start, play and end of a run whose page stands still between our steps.
local blank = require "parts.standard.game_time.blank"
local cascade = require "qa.start.cascade"
local controls = require "parts.standard.game_time.controls"
local inputs = require "parts.standard.game_time.inputs"
local decisive = require "parts.standard.decisive"
local effects = require "qa.effect.effect"
local ending = require "parts.standard.game_time.ending"
local facts = require "parts.standard.game_time.facts"
local listing = require "parts.standard.game_time.listing"
local observe = require "parts.standard.observe"
local opened = require "parts.standard.game_time.opened"
local play = require "parts.standard.game_time.play"
local qa = require "qa"
local second_opinion = require "parts.standard.second_opinion"
local together = require "parts.standard.game_time.together"
local view = require "parts.standard.game_time.view"

local M = {}

---How long a game is asked for its start, and then for its other controls, in real time.
local START_WALL_MS, CONTROLS_WALL_MS = 40000, 12000
---Attempts to start that could not be asked, after which no more are made.
local MOST_UNASKED = 2
---A game that took so long to start, and answered, is too slow here to be played on.
local SLOW_START_MS = 35000
---How long games say "get ready", in frames.
local GET_READY_FRAMES = 110
---A game that answers nothing is given so much time, so often: a loading bar, a "get ready".
local WAIT_FRAMES, MOST_WAITS = 240, 4

---Does an input that no game uses change anything here? It is told, for others prove less then.
local function press_placebo(ctx)
  controls.begin(ctx, START_WALL_MS)
  local effect = effects.of(ctx.world, effects.PLACEBO)
  if not effect then return end
  ctx:event("effect", { stage = "placebo", input = effects.PLACEBO.key, changed = effect.changed,
    sentence = effects.sentence(effects.PLACEBO, effect), frame = effect.frame })
end

---Does the game answer any control now, or when it has said "get ready"?
local function answers(ctx)
  if controls.ask_all(ctx, inputs.moves(ctx, 1), "controls", { enough = 1, in_play = true }) > 0 then return true end
  if decisive.by(ctx) or controls.is_late(ctx) or not effects.wait(ctx.world, GET_READY_FRAMES) then return false end
  return controls.ask_all(ctx, inputs.keys(ctx), "controls", { enough = 1, in_play = true }) > 0
end

---Inputs that few games take, when nothing else did anything; where one answers, all of its kind are asked.
local function try_unusual(ctx)
  local list = inputs.unusual(ctx)
  if not together.ask(ctx, list, "controls") then return false end
  local kind, alike = controls.working(ctx)[1].action, {}
  for _, move in ipairs(list) do if move.action == kind and kind ~= "press" then alike[#alike + 1] = move end end
  controls.ask_all(ctx, alike, "controls", { is_new = true })
  return true
end

---A single key that answers may have paused the game: it is pressed again, and the others are asked then.
local function try_unpaused(ctx)
  local only = controls.only_pause(ctx)
  if not only or decisive.by(ctx) then return end
  controls.press_again(ctx, only)
  if not effects.wait(ctx.world, GET_READY_FRAMES) then return end
  if controls.ask_all(ctx, inputs.keys(ctx), "controls", { is_new = true }) > 0 then controls.note_pause(ctx, only) end
end

---Waits for what begins late, and asks again.
local function try_later(ctx)
  for _ = 1, MOST_WAITS do
    if decisive.by(ctx) or controls.is_late(ctx) then return false end
    if not effects.wait(ctx.world, WAIT_FRAMES) then return false end
    observe.controls(ctx)
    if together.ask(ctx, together.first(inputs.moves(ctx, 1)), "controls") then return true end
  end
  return false
end

---Ways to start a game that it names itself: where one does nothing, there is something that should.
local named = { dom_exact = true, dom_attribute = true, dom_text = true, instruction = true, canvas_text = true }

local function note_start(ctx, result)
  local state = ctx.state
  for _, attempt in ipairs(ctx.report.start.attempts) do
    state.declared = state.declared or named[attempt.method] == true
  end
  state.is_certain, state.start_by = result.is_certain, result.by
  state.started, state.auto, state.start_method = result.found, result.auto, result.method
  state.start_summary = result.found and ("%s: %s"):format(result.method, result.target)
    or ("%d attempts without effect"):format(result.attempts)
  ctx:event("start", { found = result.found, method = result.auto and "auto" or result.method,
    attempts = result.attempts })
end

function M.start(ctx)
  local state = ctx.state
  ctx:phase("start_button_detection")
  press_placebo(ctx)
  state.moved_untouched = ending.moves(ctx, 60)
  local answered = false
  local function is_answered()
    view.ease(ctx)
    answered = answered or answers(ctx)
    return answered
  end
  -- Pages made anew that do not come as far as this one: nothing can be asked, and real time tells more.
  local function is_lost() return (state.unasked or 0) >= MOST_UNASKED and state.answers.asked == 0 end
  local result = cascade.run(ctx, is_answered, function() return decisive.by(ctx) or is_lost() end)
  if decisive.by(ctx) then return decisive.decide(ctx, state.decided) end
  if is_lost() then
    state.answers.refusal, state.is_silent = "no input could be asked", true
    note_start(ctx, result)
    return nil, { kind = "element_not_found", op = "start", message = state.start_summary }
  end
  if not answered then observe.controls(ctx) end
  -- Where no attempt did anything, one control alone will hardly do: they are asked together.
  if not answered and not result.found then answered = together.ask(ctx, inputs.moves(ctx, 1), "controls") end
  if not answered and (result.found and is_answered() or try_unusual(ctx) or try_later(ctx)) then answered = true end
  state.answers.is_cut_short = not answered and controls.is_late(ctx)
  if not answered then state.answers_when_opened = opened.answers(ctx) end
  if not result.found and answered then
    result.found, result.auto, result.method, result.target = true, true, "probe", "a control"
  end
  note_start(ctx, result)
  if decisive.by(ctx) then return decisive.decide(ctx, state.decided) end
  if answered then
    observe.controls(ctx)
    view.ease(ctx)
    controls.begin(ctx, CONTROLS_WALL_MS)
    controls.ask_all(ctx, inputs.moves(ctx, 2), "controls", { is_new = true })
    try_unpaused(ctx)
  end
  if decisive.by(ctx) then return decisive.decide(ctx, state.decided) end
  ctx:shot("post_start")
  observe.game_type(ctx)
  state.is_silent = not answered
  if result.found then return true end
  return nil, { kind = "element_not_found", op = "start", message = state.start_summary }
end

---What is measured after the play, so that `conclude` has only to judge.
---@param reason string "not_repeatable": the loop may play it once more, in real time
local function leave(ctx, reason)
  local state = ctx.state
  if not state.decided and not ctx.page:is_closed() and decisive.still_answers(ctx) then
    ctx:shot("after_interaction")
    if state.game_type then observe.game_type(ctx) end
    listing.all(ctx)
    if not view.is_slow(ctx) then
      state.blank_share = blank.share(ctx)
      state.moves_at_end, state.draw_rate = ending.watch(ctx, controls.working(ctx, true)[1])
      ending.thaw(ctx)
    end
    state.facts = facts.of(ctx)
    second_opinion.ask(ctx, require("parts.standard.judge").judge(state.facts))
  end
  return false, reason
end

---@param interaction_ms number
function M.step(ctx, interaction_ms)
  local state = ctx.state
  if decisive.by(ctx) then return leave(ctx, state.decided) end
  if state.is_silent then
    state.play = { checks = {}, stopped = true, from_ms = 0, wall_from_ms = qa.now_ms(), segments = 0 }
    return leave(ctx, state.answers.refusal and "not_repeatable" or "no_effect")
  end
  if not state.play then
    ctx:phase("gameplay_simulation")
    if view.is_slow(ctx) or ctx:elapsed_ms() > SLOW_START_MS then
      ctx:event("note", { text = "The game is slow here: it was asked for its controls, and not played on." })
      return leave(ctx, "too_slow")
    end
    play.begin(ctx)
  end
  local going, reason = play.step(ctx, interaction_ms)
  if going then return true end
  return leave(ctx, reason)
end

---@return table facts of the judge
function M.facts(ctx) return ctx.state.facts or facts.of(ctx) end

return M
