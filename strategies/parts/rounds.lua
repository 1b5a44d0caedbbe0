--- Rounds: notices that a round of the game is over and begins another: by the page's own buttons and keys, else by opening the page anew.

local qa = require "qa"
local cascade = require "qa.cascade"
local decisive = require "parts.decisive"
local eyes = require "qa.eyes"
local observe = require "parts.observe"
local ready = require "qa.ready"
local words = require "qa.words"

local M = {}

---The words of an end screen that the page shows now.
---@return table<string, true>
local function end_words(ctx)
  local text, found = eyes.text(ctx.page):gsub("%s+", " "), {}
  for _, word in ipairs(ctx.lists.game_over_words) do
    if words.first_match(text, { word }) then found[word] = true end
  end
  return found
end

---Remembers what the page says while a round runs: many games show "restart" all the time.
function M.begin(ctx)
  ctx.state.restarts = 0
  ctx.state.words_in_play = end_words(ctx)
end

---Does the page say that the round is over, and did not when it began?
function M.is_over(ctx)
  for word in pairs(ctx.state.words_in_play and end_words(ctx) or {}) do
    if not ctx.state.words_in_play[word] then return true end
  end
  return false
end

---Is it time for another round? An end screen, a scene that has come to rest, or half of the play without any answer.
---@param interaction_ms number how long the game is to be played
function M.is_due(ctx, interaction_ms)
  local state, options = ctx.state, ctx.options
  if state.restart_failed or state.restarts >= options.most_restarts then return false end
  -- A canvas that moved and rests now has ended its round; a page may well rest between two clicks.
  local at_rest = state.board_cells and state.was_animated and state.still_bursts >= options.rest_bursts
  if at_rest or M.is_over(ctx) then return true end
  local silent = qa.now_ms() - (state.last_answer_ms or state.play_from)
  return state.restarts == 0 and #state.bursts >= options.late_bursts and silent >= interaction_ms / 2
end

local function ended(ctx)
  return function() return decisive.by(ctx) end
end

local function always() return true end

---Opens the page anew: for rounds that were over before anything could be seen of them.
local function reload(ctx)
  local state = ctx.state
  state.reloaded, state.is_restart, state.band = true, false, nil
  if not observe.navigate(ctx) then return false end
  ready.wait(ctx, ended(ctx))
  if state.started and not state.auto then cascade.run(ctx, always, ended(ctx)) end
  state.still_bursts = 0
  return true
end

---Begins another round. In the middle of a game an effect may be chance: it restarts, but it is no evidence that the game ever started.
function M.again(ctx)
  local state = ctx.state
  state.restarts = state.restarts + 1
  -- Now "restart" and "play again" are what starts a game.
  state.is_restart = true
  local found = cascade.run(ctx, always, ended(ctx), ctx.options.restart_ms).found
  if found then
    -- In a scene at rest nothing changes by chance.
    state.restart_worked = state.restart_worked or state.still_bursts > 0
    state.still_bursts = 0
  elseif state.still_bursts > 0 and state.was_animated and not state.last_answer_ms and not state.reloaded then
    found = reload(ctx)
  end
  state.restart_failed = not found
  state.moves = nil
end

return M
