--- The start of a game on game time.
local blank = require "parts.standard.game_time.blank"
local cascade = require "qa.start.cascade"
local controls = require "parts.standard.game_time.controls"
local decisive = require "parts.standard.decisive"
local effects = require "qa.effect.effect"
local inputs = require "parts.standard.game_time.inputs"
local observe = require "parts.standard.observe"
local opened = require "parts.standard.game_time.opened"
local script = require "parts.standard.game_time.script"
local search = require "parts.standard.game_time.search"
local together = require "parts.standard.game_time.together"
local view = require "parts.standard.game_time.view"

local M = {}

---How long a game is asked for its start, in real time.
local START_WALL_MS = 40000
---Attempts to start that could not be asked, after which no more are made.
local MOST_UNASKED = 2

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

---Ways to start a game that it names itself: where one does nothing, there is something that should.
local named = { dom_exact = true, dom_attribute = true, dom_text = true, instruction = true, canvas_text = true }

local function note_start(ctx, result)
  local state = ctx.state
  for _, attempt in ipairs(ctx.report.start.attempts) do
    state.declared = state.declared or named[attempt.method] == true
  end
  observe.note_start(ctx, result)
end

---Frames that a game is given to draw something.
local BLANK_FRAMES = 240

---Is still nothing drawn on the canvas of the game, some seconds after all that could start it?
local function is_blank_for_good(ctx)
  return blank.is_blank(ctx) and effects.wait(ctx.world, BLANK_FRAMES) ~= nil and blank.is_blank(ctx)
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
  local answered = search.answers(ctx) or search.deeper(ctx)
  -- How a hook starts the game is not known, so that it cannot be done in a page opened anew.
  if not answered and state.start_by then state.answers_when_opened = opened.answers(ctx) end
  state.is_silent = not answered
  if answered and not decisive.by(ctx) then search.learn(ctx) end
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
    answered = answered or is_led or search.answers(ctx)
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
  if not answered then answered = result.found and is_answered() or search.deeper(ctx) end
  if not answered then state.answers_when_opened = opened.answers(ctx) end
  if not result.found and answered then
    result.found, result.auto, result.method, result.target = true, true, "probe", "a control"
  end
  note_start(ctx, result)
  if decisive.by(ctx) then return decisive.decide(ctx, state.decided) end
  if answered then search.learn(ctx) end
  if decisive.by(ctx) then return decisive.decide(ctx, state.decided) end
  state.is_silent = not answered
  return told(ctx, result)
end

return M
