--- Random assignment: in a scene that moves by itself series (qa.effect.series) are played between single inputs.
local facts = require "parts.standard.facts"
local candidates = require "qa.input.candidates"
local observe = require "parts.standard.observe"
local moves = require "qa.input.moves"
local response = require "qa.effect.response"
local rounds = require "parts.standard.rounds"
local scenes = require "qa.page.scene"
local series = require "qa.effect.series"

local M = {}

---Series of the first round while none looks like an answer, and of each round after it: what they have not shown by
---then, single inputs may.
local first_in_vain, more_in_vain = 4, 2
---Rounds of moves that a series draws from, so that the pointer goes to several places.
local rounds_of_moves = 4
---Series after which what looks like an answer has another single input: a game may stop answering.
local series_an_input = 4

---How long a window is: as long as a half of those of a trial.
local function window_ms(ctx) return math.ceil(ctx.state.window_ms / 2) end

---Does any cell move in a window of this series, and which key was the last before it rested?
---@return boolean moves, string? key
local function motion_of(windows)
  local moves_at_all, key, last = false, nil, nil
  for _, window in ipairs(windows) do
    last = window.move and window.move.key or last
    if #window.cells > 0 then moves_at_all, key = true, last end
  end
  return moves_at_all, key
end

---Kinds of input that can be assigned at random, of each the moves to choose from, which end before their window does.
---@return table<string, table[]> by_name
---@return table[][] kinds
local function kinds_of(ctx)
  local scene, kinds, by_name, input_ms = scenes.look(ctx), {}, {}, window_ms(ctx) - series.rest_ms
  for round = 1, rounds_of_moves do
    for _, move in ipairs(candidates.for_game(candidates.of(ctx, scene, round))) do
      local name = moves.group(move)
      local kind = by_name[name]
      if not kind then
        kind = {}
        by_name[name], kinds[#kinds + 1] = kind, kind
      end
      if move.action == "press" then move.hold_ms, move.count = input_ms, 1 end
      if move.action == "click" then move.hold_ms = math.min(move.hold_ms, input_ms) end
      if move.over_ms then move.over_ms = input_ms end
      if move.action == "move" then move.is_back = move.to.x < move.x end
      if move.axis then move.is_back = kind[1] ~= nil and move.key ~= kind[1].key end
      kind[#kind + 1] = move
    end
  end
  return by_name, kinds
end

local function is_slow(ctx) return ctx.state.fps ~= nil and ctx.state.fps < ctx.options.slow_fps end

---Is it time for a series? Where the scene may rest, or most of it does, single inputs tell more, and so they do where
---a window so short shows few frames. What looks like an answer is played on, mostly by series, until it is one. Else
---two follow each single input at first, and one later.
local function is_due(ctx)
  local state, options = ctx.state, ctx.options
  if options.series_windows == 0 or is_slow(ctx) or not state.was_animated or state.still_trials > 0 then
    return false
  end
  local played, p = #(state.series or {}), state.series and state.series.p or 1
  local is_promising = p <= options.promising
  local inputs = is_promising and math.floor(played / series_an_input)
    or math.max(math.floor(played / 2), played - first_in_vain / 2)
  local is_turn = #state.trials >= options.repeats + inputs
    and (is_promising or played < first_in_vain + more_in_vain * state.restarts)
  return is_turn and p > options.alpha and not response.rests_mostly(state.trials, facts.rule(ctx))
end

---What is played in the windows of a series, if one has its turn.
---@return (table|false)[]? assignment nil: a single input has its turn
function M.deal(ctx)
  if not is_due(ctx) then return nil end
  -- It takes long, and the game may have got slower since its frames were counted.
  observe.frame_rate(ctx)
  if is_slow(ctx) then return nil end
  local by_name, kinds = kinds_of(ctx)
  return #kinds > 0 and series.deal(kinds, ctx.state.series and by_name[ctx.state.series.best],
    ctx.options.series_windows) or nil
end

---Plays one series.
---@param dealt (table|false)[] of M.deal
---@return boolean? moved it made what was played at random look more like an answer; nil: it could not be watched
---@return qa.Error? err
function M.play(ctx, dealt)
  local state, options = ctx.state, ctx.options
  local seen, err = series.watch(ctx, dealt, window_ms(ctx))
  if not seen then return nil, err end
  local moves_at_all, key = motion_of(seen)
  rounds.notice(ctx, not moves_at_all, key)
  state.series = state.series or { p = 1 }
  table.insert(state.series, seen)
  local played = 0
  state.input_failed = false
  for _, window in ipairs(seen) do
    if window.move then
      played, state.input_failed = played + 1, state.input_failed or window.err ~= nil
      ctx:event("action", { action = window.move.action, target = moves.describe(window.move),
        success = window.err == nil, cells = #window.cells })
    end
  end
  state.actions = (state.actions or 0) + played
  local before = state.series.p
  local p, best = series.p(state.series, options.series_draws, options.promising)
  state.series.p, state.series.best = p, best
  ctx:event("series", { windows = #seen, played = played, p = p, best = best })
  return p <= options.promising and p < before
end

return M
