--- The start of a game on game time, and the search for the controls that it answers.
local blank = require "parts.standard.game_time.blank"
local cascade = require "qa.start.cascade"
local controls = require "parts.standard.game_time.controls"
local decisive = require "parts.standard.decisive"
local effects = require "qa.effect.effect"
local inputs = require "parts.standard.game_time.inputs"
local observe = require "parts.standard.observe"
local opened = require "parts.standard.game_time.opened"
local pauses = require "parts.standard.game_time.pauses"
local script = require "parts.standard.game_time.script"
local together = require "parts.standard.game_time.together"
local view = require "parts.standard.game_time.view"

local M = {}

---How long a game is asked for its start, and then for its other controls, in real time.
local START_WALL_MS, CONTROLS_WALL_MS = 40000, 12000
---Attempts to start that could not be asked, after which no more are made.
local MOST_UNASKED = 2
---How long games say "get ready", in frames.
local GET_READY_FRAMES = 110
---Frames that a game that answers nothing is given, one after the other: for a loading bar, a "get ready".
local WAITS = { 240, 720 }

---@param effect qa.Effect
local function tell_placebo(ctx, effect)
  ctx:event("effect", { stage = "placebo", input = effects.PLACEBO.key, changed = effect.changed,
    sentence = effects.sentence(effects.PLACEBO, effect), frame = effect.frame })
end

---Does an input that no game uses change anything here? It is told, for others prove less then; and the game is looked
---at as it is after it.
---@param is_new boolean nothing was done to the game so far
local function press_placebo(ctx, is_new)
  controls.begin(ctx, START_WALL_MS)
  local before = { picture = ctx.page:screenshot(), frame = ctx.world:frame() }
  local effect = effects.of(ctx.world, effects.PLACEBO)
  if effect then tell_placebo(ctx, effect) end
  -- A page that hangs, or does nothing but open dialogs, would be asked in vain.
  if not decisive.by(ctx) then
    script.look_untouched(ctx, is_new, before)
    blank.look(ctx)
  end
  if before.picture then before.picture:close() end
end

---Does the game answer any control now, or when it has said "get ready"? Where none did before, all are asked at once.
local function answers(ctx)
  local list, options = inputs.moves(ctx, 1), { enough = 1, in_play = true }
  if ctx.state.answers.asked == 0 then
    if controls.ask_all(ctx, list, "controls", options) > 0 then return true end
  elseif together.ask(ctx, list, "controls", options) then
    return true
  end
  if decisive.by(ctx) or controls.is_late(ctx) or not effects.wait(ctx.world, GET_READY_FRAMES) then return false end
  return together.ask(ctx, inputs.keys(ctx), "controls", options)
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
  pauses.press_again(ctx, only)
  if not effects.wait(ctx.world, GET_READY_FRAMES) then return end
  if controls.ask_all(ctx, inputs.keys(ctx), "controls", { is_new = true }) > 0 then controls.note_pause(ctx, only) end
end

---Waits for what begins late, and asks again.
local function try_later(ctx)
  for _, frames in ipairs(WAITS) do
    if decisive.by(ctx) or controls.is_late(ctx) then return false end
    if not effects.wait(ctx.world, frames) then return false end
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
  observe.note_start(ctx, result)
end

---Asks for the other controls of a game that answers.
local function learn_controls(ctx)
  observe.controls(ctx)
  view.ease(ctx)
  controls.begin(ctx, CONTROLS_WALL_MS)
  controls.ask_all(ctx, inputs.moves(ctx, 2), "controls", { is_new = true })
  controls.ask_all(ctx, inputs.families(controls.working(ctx)), "controls", { is_new = true })
  try_unpaused(ctx)
end

---Is still nothing drawn on the canvas of the game, some seconds after all that could start it?
local function is_blank_for_good(ctx)
  return blank.is_blank(ctx) and effects.wait(ctx.world, WAITS[1]) ~= nil and blank.is_blank(ctx)
end

---Nothing has answered so far: what few games take, and what begins late.
---@return boolean answered
local function search(ctx)
  local answered = try_unusual(ctx) or try_later(ctx)
  ctx.state.answers.is_cut_short = not answered and controls.is_late(ctx)
  return answered
end

---Which controls does a game answer that others started, a hook of the tester's own or a model?
function M.explore(ctx)
  local state = ctx.state
  state.is_explored = true
  -- What has answered a model needs no search: the play asks whether it still does.
  if state.answers and controls.count_in_game(state.answers) > 0 then return end
  press_placebo(ctx, false)
  if decisive.by(ctx) then return end
  observe.controls(ctx)
  local answered = answers(ctx) or search(ctx)
  -- How a hook starts the game is not known, so that it cannot be done in a page opened anew.
  if not answered and state.start_by then state.answers_when_opened = opened.answers(ctx) end
  state.is_silent = not answered
  if answered and not decisive.by(ctx) then learn_controls(ctx) end
end

---@return true? started, table? err
local function told(ctx, result)
  blank.look(ctx)
  ctx.state.started_at_ms = ctx:elapsed_ms()
  ctx:shot("post_start")
  observe.game_type(ctx)
  if result.found then return true end
  return nil, { kind = "element_not_found", op = "start", message = ctx.state.start_summary }
end

function M.run(ctx)
  local state = ctx.state
  ctx:phase("start_button_detection")
  press_placebo(ctx, true)
  -- Blind moves of ours are moves in the game: where somebody else plays it, the effect of the start has to do.
  local is_led, answered = ctx.options.probe_moves == 0, false
  local function is_answered()
    view.ease(ctx)
    answered = answered or is_led or answers(ctx)
    return answered
  end
  -- Pages made anew that do not come as far as this one: nothing can be asked, and real time tells more.
  local function is_lost() return (state.unasked or 0) >= MOST_UNASKED and state.answers.asked == 0 end
  local result = cascade.run(ctx, is_answered, function() return decisive.by(ctx) or is_lost() end)
  if decisive.by(ctx) then return decisive.decide(ctx, state.decided) end
  if is_lost() then
    state.answers.refusal, state.is_silent = "no input could be asked", true
    note_start(ctx, result)
    state.is_explored = true
    return nil, { kind = "element_not_found", op = "start", message = state.start_summary }
  end
  if is_led then
    note_start(ctx, result)
    observe.controls(ctx)
    return told(ctx, result)
  end
  state.is_explored = true
  state.draws_nothing = is_blank_for_good(ctx)
  if state.draws_nothing then
    note_start(ctx, result)
    return told(ctx, result)
  end
  if not answered then observe.controls(ctx) end
  -- Where no attempt did anything, one control alone will hardly do: they are asked together.
  if not answered and not result.found then answered = together.ask(ctx, inputs.moves(ctx, 1), "controls") end
  if not answered then answered = result.found and is_answered() or search(ctx) end
  if not answered then state.answers_when_opened = opened.answers(ctx) end
  if not result.found and answered then
    result.found, result.auto, result.method, result.target = true, true, "probe", "a control"
  end
  note_start(ctx, result)
  if decisive.by(ctx) then return decisive.decide(ctx, state.decided) end
  if answered then learn_controls(ctx) end
  if decisive.by(ctx) then return decisive.decide(ctx, state.decided) end
  state.is_silent = not answered
  return told(ctx, result)
end

return M
