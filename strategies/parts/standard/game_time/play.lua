--- Plays a game on game time with the inputs that it answers, and asks now and then whether it still does. What is
-- known of the play is kept in two tables of this module, ctx.state.lines = {what the page has said: true} and
-- ctx.state.play = {from_ms, wall_from_ms, segments, checks = [{frame, answered?}], stopped?, restarted?, was_over?,
-- unknown?}.
local controls = require "parts.standard.game_time.controls"
local inputs = require "parts.standard.game_time.inputs"
local decisive = require "parts.standard.decisive"
local cascade = require "qa.start.cascade"
local effects = require "qa.effect.effect"
local failure = require "qa.text.failure"
local moves = require "qa.input.moves"
local opened = require "parts.standard.game_time.opened"
local qa = require "qa"
local reader = require "qa.page.reader"
local rounds = require "parts.standard.rounds"
local time = require "qa.page.time"
local together = require "parts.standard.game_time.together"

local M = {}

---The play is so many parts, after each of which is asked; it takes at most so long of real time.
local PARTS, MOST_WALL_MS = 2, 8000
---Game time from one input to the next: they are drawn from this range, so that they fall into step with nothing.
local LEAST_APART_MS, MOST_APART_MS = 200, 1200
---How often a game is asked that does not answer, and frames between the times.
local ASKED_TIMES, WAIT_FRAMES = 2, 240
---Keys that did nothing so far are not asked once more where a fork takes longer, in ms of real time.
local SLOW_FORK_MS = 3000
---How long it is asked at most, in real time.
local CHECK_WALL_MS = 15000

---What the page says, line by line; numbers all alike.
local function lines_of(ctx)
  local lines = {}
  for line in reader.text(ctx.page):gmatch("[^\n]+") do
    line = line:gsub("%d+", "#"):gsub("%s+", " ")
    if line:find "%S" then lines[line] = true end
  end
  return lines
end

---What the page says now belongs to its play.
local function note_lines(ctx)
  for line in pairs(lines_of(ctx)) do ctx.state.lines[line] = true end
end

---A game that says something new when it stops has come to an end of its own; one that froze has not.
local function says_new(ctx)
  for line in pairs(lines_of(ctx)) do if not ctx.state.lines[line] then return true end end
  return false
end

---Whoever plays it, a round begins.
function M.begin_round(ctx)
  rounds.begin(ctx)
  ctx.state.lines = {}
  note_lines(ctx)
end

---@param ctx table
function M.begin(ctx)
  ctx.state.play = { from_ms = time.now_ms(), wall_from_ms = qa.now_ms(), segments = 0, checks = {} }
  if not ctx.state.lines then M.begin_round(ctx) end
  ctx.state.play_from = ctx.state.play.from_ms
end

local function is_over(ctx, interaction_ms)
  local play = ctx.state.play
  return time.now_ms() - play.from_ms >= interaction_ms or qa.now_ms() - play.wall_from_ms >= MOST_WALL_MS
end

---Plays a part of the time with what works; where nothing is known to, with all there is.
---@return true? ok, qa.Error? err
local function segment(ctx, interaction_ms)
  local play, list = ctx.state.play, controls.working(ctx, true)
  if #list == 0 then list = inputs.moves(ctx, play.segments + 1) end
  play.segments = play.segments + 1
  local until_ms = play.from_ms + interaction_ms * play.segments / PARTS
  effects.keep_up(ctx.world)
  while time.now_ms() < until_ms and not is_over(ctx, interaction_ms) and not decisive.by(ctx) do
    local move = list[math.random(#list)]
    local ok, err = moves.act(ctx.page, move, { window_ms = LEAST_APART_MS })
    ctx.state.actions = ctx.state.actions + 1
    ctx:event("action", { action = move.action, target = moves.describe(move), success = ok ~= nil })
    if not ok and failure.is_loss(err) then return nil, err end
    if not ok and not decisive.still_answers(ctx) then return true end
    time.sleep(math.random(LEAST_APART_MS, MOST_APART_MS), true)
  end
  ctx.world:step(1)  -- Which is looked at.
  return true
end

---Does it still answer? First what is known to work, then what games mostly take.
---@return boolean? answers nil: that cannot be said
local function check(ctx)
  controls.begin(ctx, CHECK_WALL_MS)
  local answered, err = controls.ask_all(ctx, controls.working(ctx), "play", { enough = 1, is_long = true })
  if answered == 0 and not err then
    answered, err = controls.ask_all(ctx, inputs.moves(ctx, ctx.state.play.segments + 1), "play", { enough = 1 })
  end
  if err then
    -- What takes too long to be asked has not stopped answering.
    if err.kind == "trace_mismatch" then ctx.state.play.unknown = failure.text(err) end
    return nil
  end
  if answered == 0 and controls.is_late(ctx) then return nil end
  return answered > 0
end

---No other round was found. Everything is asked, and once more after a while: a turn may be another's.
---@return boolean? answers as of check
local function check_all(ctx)
  for _ = 1, ASKED_TIMES do
    if decisive.by(ctx) or together.ask(ctx, inputs.unusual(ctx), "play") then return true end
    if not effects.wait(ctx.world, WAIT_FRAMES) then return nil end
    local answers = check(ctx)
    if answers ~= false then return answers end
  end
  return false
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

---One part of the play and the question after it.
---@param interaction_ms number
---@return boolean going, string? reason
function M.step(ctx, interaction_ms)
  local play = ctx.state.play
  local ok, err = segment(ctx, interaction_ms)
  if not ok then return false, err.kind end
  if decisive.by(ctx) then return false, ctx.state.decided end
  local answers = check(ctx)
  if answers == false and not decisive.by(ctx) then
    play.was_over = play.was_over or rounds.is_over(ctx) or says_new(ctx)
    answers = restart(ctx)
    play.restarted = play.restarted or answers
    if not answers then answers = check_all(ctx) end
  end
  if decisive.by(ctx) then return false, ctx.state.decided end
  play.checks[#play.checks + 1] = { frame = ctx.world:frame(), answered = answers }
  if answers == nil then return false, play.unknown and "not_repeatable" or "too_slow" end
  if not answers then
    play.stopped = true
    -- An end that the game tells may be one that only the page opened anew leads on from.
    if play.was_over then ctx.state.answers_when_opened = opened.answers(ctx) end
    return false, "no_more_effect"
  end
  note_lines(ctx)
  if not is_over(ctx, interaction_ms) and play.segments < PARTS then return true end
  if ctx.world.twin or ctx.world:fork_ms() < SLOW_FORK_MS then controls.ask_all(ctx, controls.unproven(ctx), "play") end
  return false, "interaction_complete"
end

return M
