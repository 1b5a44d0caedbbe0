--- Plays a game on game time with the inputs that it answers, and asks at the end whether it still does. What is known
-- of the play is kept in the table of this module: ctx.state.play = {until_ms, wall_until_ms, steps, ones, one_way?,
-- answers?, stopped?, restarted?, was_over?, unknown?, answers_with_other_seed?}.
local confirm = require "parts.standard.game_time.confirm"
local controls = require "parts.standard.game_time.controls"
local inputs = require "parts.standard.game_time.inputs"
local decisive = require "parts.standard.decisive"
local cascade = require "qa.start.cascade"
local effects = require "qa.effect.effect"
local failure = require "qa.text.failure"
local moves = require "qa.input.moves"
local opened = require "parts.standard.game_time.opened"
local qa = require "qa"
local rounds = require "parts.standard.rounds"
local short_input = require "parts.standard.game_time.short_input"
local time = require "qa.page.time"
local told = require "parts.standard.game_time.told"
local together = require "parts.standard.game_time.together"

local M = {}

---How long the play takes at most, in real time; and a step of it, in game time: between two of them a strategy can be
---changed.
local MOST_WALL_MS, STEP_MS = 8000, 5000
---Game time from one input to the next: they are drawn from this range, so that they fall into step with nothing.
local LEAST_APART_MS, MOST_APART_MS = 200, 1200
---How often a key is played that moves something to one side, where none moves it back.
local MOST_ONE_WAY = 5
---Steps of the play after which keys are asked, and how long that takes at most, in real time.
local asks_after, BETWEEN_WALL_MS = { [1] = true, [3] = true }, 1500
---How long keys are held that may bring back what has left the view.
local LONG_HOLD_MS = 1500
---How often a game is asked that does not answer, and frames between the times.
local ASKED_TIMES, WAIT_FRAMES = 2, 240
---How long it is asked at most, in real time.
local CHECK_WALL_MS = 15000

---Somebody else begins to play it.
function M.begin_round(ctx)
  rounds.begin(ctx)
  told.note(ctx, told.lines(ctx))
end

---Is the time of the play used?
local function is_over(play) return time.now_ms() >= play.until_ms or qa.now_ms() >= play.wall_until_ms end

---@return boolean? goes_on nil: the page is lost; false: it does not answer any more
---@return qa.Error? err
local function act(ctx, move)
  local ok, err = moves.act(ctx.page, move, { window_ms = LEAST_APART_MS })
  ctx.state.actions = ctx.state.actions + 1
  ctx:event("action", { action = move.action, target = moves.describe(move), success = ok ~= nil })
  if not ok and failure.is_loss(err) then return nil, err end
  return ok ~= nil or decisive.still_answers(ctx)
end

---Plays a step with what works; where nothing is known to, with all there is.
---@return true? ok, qa.Error? err
local function play_on(ctx)
  local list, play, until_ms = controls.working(ctx, true), ctx.state.play, time.now_ms() + STEP_MS
  if #list == 0 then list = inputs.moves(ctx, 1) end
  play.one_way = inputs.one_way(list)
  effects.keep_up(ctx.world)
  while time.now_ms() < until_ms and not is_over(play) and not decisive.by(ctx) do
    local move = list[math.random(#list)]
    local is_one_way = play.one_way ~= nil and move.key == play.one_way
    play.ones = play.ones + (is_one_way and 1 or 0)
    if not is_one_way or play.ones <= MOST_ONE_WAY then
      local goes_on, err = act(ctx, is_one_way and move or inputs.held(move))
      if not goes_on then return goes_on == false or nil, err end
    end
    time.sleep(math.random(LEAST_APART_MS, MOST_APART_MS), true)
  end
  ctx.world:step(1)  -- Which is looked at.
  return true
end

---Does it still answer? What is known to work is asked first, then what games mostly take.
---@param is_first? boolean before that come keys that it is said to know and that have done nothing so far: what they
---do may depend on what goes on
---@return boolean? answers nil: that cannot be said
local function check(ctx, is_first)
  controls.begin(ctx, CHECK_WALL_MS)
  local answered, err = 0, nil
  if is_first then
    answered, err = controls.ask_all(ctx, controls.unproven(ctx), "play", { enough = 1, in_play = true })
  end
  if answered == 0 and not err then
    answered, err = controls.ask_all(ctx, controls.working(ctx), "play", { enough = 1, is_long = true })
  end
  if answered == 0 and not err then
    answered, err = controls.ask_all(ctx, inputs.moves(ctx, 2), "play", { enough = 1 })
  end
  if err then
    -- What takes too long to be asked has not stopped answering.
    if err.kind == "trace_mismatch" then ctx.state.play.unknown = failure.text(err) end
    return nil
  end
  if answered == 0 and controls.is_late(ctx) then return nil end
  return answered > 0
end

---Inputs that few games take, without drags where none has done anything so far.
local function unusual(ctx)
  local list, has_dragged = {}, ctx.state.answers.by_name.drag ~= nil and ctx.state.answers.by_name.drag.effect ~= nil
  for _, move in ipairs(inputs.unusual(ctx)) do
    if has_dragged or move.action ~= "drag" then list[#list + 1] = move end
  end
  return list
end

---No other round was found. Everything is asked, and what works once more after a while: a turn may be another's.
---@return boolean? answers as of check
local function check_all(ctx)
  if decisive.by(ctx) then return true end
  local back = inputs.families(controls.working(ctx), LONG_HOLD_MS)
  if controls.ask_all(ctx, back, "play", { enough = 1, is_long = true }) > 0 then return true end
  if together.ask(ctx, unusual(ctx), "play") then return true end
  for _ = 1, ctx.state.play.was_over and 1 or ASKED_TIMES do
    if not effects.wait(ctx.world, WAIT_FRAMES) then return nil end
    local answers = check(ctx)
    if answers ~= false then return answers end
  end
  return false
end

---Keys that have done nothing so far are asked between two steps, too: what they do may depend on what goes on.
local function ask_between(ctx)
  local play, list = ctx.state.play, controls.unproven(ctx)
  play.steps = play.steps + 1
  if not asks_after[play.steps] or #list == 0 then return end
  controls.begin(ctx, BETWEEN_WALL_MS)
  controls.ask_all(ctx, list, "play", { is_new = true })
end

---Begins another round, by the page's own buttons and keys.
local function restart(ctx)
  local state = ctx.state
  state.is_restart = true
  local result = cascade.run(ctx, function() return check(ctx) == true end, function() return decisive.by(ctx) end,
    ctx.options.restart_ms)
  state.is_restart = false
  return result.found
end

---@param interaction_ms number
function M.begin(ctx, interaction_ms)
  local now_ms = time.now_ms()
  ctx.state.play = { until_ms = now_ms + interaction_ms, wall_until_ms = qa.now_ms() + MOST_WALL_MS, steps = 0,
    ones = 0 }
  ctx.state.play_from = now_ms
  if not ctx.state.words_in_play then rounds.begin(ctx) end
end

---A step of the play, and the question at its end.
---@return string? reason why it ended; nil: it goes on
function M.step(ctx)
  local play = ctx.state.play
  local ok, err = play_on(ctx)
  if not ok then return err.kind end
  if decisive.by(ctx) then return ctx.state.decided end
  if not is_over(play) then
    ask_between(ctx)
    return nil
  end
  local answers = check(ctx, true)
  if answers == false and not decisive.by(ctx) then
    play.was_over = play.was_over or rounds.is_over(ctx) or told.says_new(ctx)
    answers = restart(ctx)
    play.restarted = play.restarted or answers
    if not answers then answers = check_all(ctx) end
  end
  if decisive.by(ctx) then return ctx.state.decided end
  play.answers = answers
  if answers == nil then return play.unknown and "not_repeatable" or "too_slow" end
  if answers then
    short_input.look(ctx)
    return "interaction_complete"
  end
  play.stopped = true
  if play.was_over then
    -- An end that the game tells may be one that only the page opened anew leads on from.
    ctx.state.answers_when_opened = opened.answers(ctx)
  else
    play.answers_with_other_seed = confirm.answers(ctx)
  end
  return "no_more_effect"
end

return M
