--- Rounds: notices that a round of the game is over and begins another: by the page's own buttons and keys, else by
-- opening the page anew.
local time = require "qa.page.time"
local cascade = require "qa.start.cascade"
local decisive = require "parts.standard.decisive"
local reader = require "qa.page.reader"
local observe = require "parts.standard.observe"
local ready = require "qa.page.ready"
local words = require "qa.page.words"

local M = {}

---Trials without any motion after which a scene that used to move has come to rest.
local REST_TRIALS = 2
---A page that was ready so soon is not waited for when it is opened anew.
local QUICK_MS = 1000

---Trials without any motion, after a second start, that end the play.
M.DEAD_TRIALS = 4

---The words and results of an end screen that the page shows now.
---@return table<string, true>
local function end_words(ctx)
  local text, found = reader.text(ctx.page):gsub("%s+", " "), {}
  for _, word in ipairs(ctx.lists.game_over_words) do
    if words.first_match(text, { word }) then found[word] = true end
  end
  for _, pattern in ipairs(ctx.lists.result_patterns) do
    if text:lower():find(pattern) then found[pattern] = true end
  end
  return found
end

---Remembers what the page says while a round runs: many games show "restart" all the time.
function M.begin(ctx)
  ctx.state.restarts, ctx.state.still_trials = 0, ctx.state.still_trials or 0
  ctx.state.words_in_play = end_words(ctx)
end

---Told of every turn: a scene that comes to rest or moves again is another one than that which could not be restarted.
---@param is_still boolean nothing moved
---@param key? string the last one that was pressed while something moved
function M.notice(ctx, is_still, key)
  local state = ctx.state
  if not is_still then state.key_in_motion = key end
  local rests = is_still and (state.still_trials or 0) + 1 or 0
  if (rests > 0) ~= ((state.still_trials or 0) > 0) then state.restart_failed = false end
  state.still_trials = rests
end

---Does the page say that the round is over, and did not when it began?
function M.is_over(ctx)
  for word in pairs(ctx.state.words_in_play and end_words(ctx) or {}) do
    if not ctx.state.words_in_play[word] then return true end
  end
  return false
end

---Has the game answered since it was opened anew? Then that is what begins its rounds.
local function answered_anew(state)
  return state.reopened_ms ~= nil and (state.last_answer_ms or 0) > state.reopened_ms
end

---Is it time for another round? An end screen, a scene that has come to rest, or half of the play without any answer.
---@param interaction_ms number how long the game is to be played
function M.is_due(ctx, interaction_ms)
  local state, options, is_over = ctx.state, ctx.options, M.is_over(ctx)
  -- An end screen that came or went since an attempt failed: it is not the scene that failed.
  if (state.was_over or false) ~= is_over then state.restart_failed = false end
  state.was_over = is_over
  if state.restart_failed or state.restarts >= options.most_restarts then return false end
  -- A canvas that moved, or answered when it was opened anew, and rests now has ended its round; a page may well rest
  -- between two clicks.
  local at_rest = state.board_cells and (state.was_animated or answered_anew(state))
    and state.still_trials >= REST_TRIALS
  -- What has just answered is still played, whatever else stands on the page.
  if at_rest or is_over and not state.has_just_answered then return true end
  local silent = time.now_ms() - (state.last_answer_ms or state.play_from)
  return state.restarts == 0 and #state.trials >= options.late_trials and silent >= interaction_ms / 2
end

local function ended(ctx)
  return function() return decisive.by(ctx) end
end

local function always() return true end

---Waits until the page that was opened anew is ready. What was quick is quick again, and not waited for.
function M.wait(ctx)
  local first = ctx.state.ready or {}
  ready.wait(ctx, ended(ctx), (first.ms or 0) <= QUICK_MS and 0 or nil)
end

---Opens the page anew, and starts the game if it has been started before.
function M.open_anew(ctx)
  local state = ctx.state
  state.is_restart, state.band, state.still_trials, state.is_assessed = false, nil, 0, false
  if not observe.navigate(ctx) then return false end
  M.wait(ctx)
  if not state.started or state.auto then return true end
  local result = cascade.run(ctx, always, ended(ctx))
  -- In a view of another size it may stand elsewhere.
  state.start_by = result.found and result.by or state.start_by
  return true
end

---Does the scene move again? One that moved in play and rests now has begun no other round while it rests.
local function is_revived(ctx)
  if not ctx.state.was_animated or ctx.state.still_trials == 0 then return true end
  local seen = ctx.page:watch(2 * ctx.state.window_ms)
  return seen ~= nil and seen.low ~= seen.high
end

---The key after which a moving scene came to rest: what pauses a game mostly lets it go on.
local function paused_by(state)
  local key = state.was_animated and state.still_trials > 0 and state.key_in_motion
  return key and { key = key } or nil
end

---Begins another round. In the middle of a game an effect may be chance: it restarts, but it is no evidence that the
---game ever started.
function M.again(ctx)
  local state = ctx.state
  state.restarts = state.restarts + 1
  -- Now "restart" and "play again" are what starts a game.
  state.is_restart, state.is_assessed, state.band = true, false, nil
  local is_over = M.is_over(ctx)
  local revived = false
  local function has_begun()
    revived = is_revived(ctx)
    return revived
  end
  local anew, known = answered_anew(state), state.restart_by
  state.restart_by = known or paused_by(state)
  local result = anew and { found = false } or cascade.run(ctx, has_begun, ended(ctx), ctx.options.restart_ms)
  -- A probe that was answered needs no more proof.
  local found = result.found and (revived or result.auto == true)
  state.restart_by = known
  if found then
    -- In a scene at rest nothing changes by chance.
    state.restart_worked = state.restart_worked or state.still_trials > 0
    state.restart_by = state.still_trials > 0 and result.by or state.restart_by
    state.still_trials = 0
    -- What rested was the end of the last round: a trial need not wait for the next one to rest.
    if state.was_animated then state.seen_still = nil end
  elseif anew or not state.reopened_ms and state.still_trials > 0
    and (is_over or (state.was_animated or state.auto) and not state.last_answer_ms) then
    -- The round was over before anything could be seen of it, or the game shows its end and no way back. What a page
    -- opened anew may answer does not undo a fault that ended the one before it.
    state.ended_by_exception = state.ended_by_exception or not is_over and observe.ended_by_exception(ctx)
    found = M.open_anew(ctx)
    state.reopened_ms = time.now_ms()
    -- What a page does by itself some time after it was opened must not fall into the same window each time.
    time.sleep(math.random(0, ctx.options.jitter_ms))
  end
  state.restart_failed = not found
  state.moves = nil
end

return M
