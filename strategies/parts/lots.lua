--- Lots: in a scene that moves by itself series (qa.series) are played between single inputs.

local facts = require "parts.facts"
local moves = require "qa.moves"
local play = require "qa.play"
local response = require "qa.response"
local rounds = require "parts.rounds"
local scenes = require "qa.scene"
local series = require "qa.series"

local M = {}

---Series of the first round while none looks like an answer, and of each round after it: what they have not shown by then, single inputs may.
local first_in_vain, more_in_vain = 4, 2
---Rounds of moves that a series draws from, so that the pointer goes to several places.
local rounds_of_moves = 4
---What is left of a window after a key that was held in it, in ms.
local release_ms = 60
---The part of a window that a sweep of the pointer takes.
local sweep_share = 0.6
---Draws that are enough to see whether it is worth asking with more.
local few_draws = 2000

---How long a window is: as long as a half of those of a burst.
local function window_ms(ctx) return math.ceil(ctx.state.window_ms / 2) end

---Does any cell move in a window of this series?
local function moves_at_all(windows)
  for _, window in ipairs(windows) do
    if #window.cells > 0 then return true end
  end
  return false
end

---Kinds of input that can be played by lot, of each the moves to choose from. The pointer plays on a canvas only: elsewhere the browser itself
---may show where it is.
---@return table<string, table[]> by_name
---@return table[][] kinds
local function kinds_of(ctx)
  local scene, kinds, by_name, ms = scenes.look(ctx), {}, {}, window_ms(ctx)
  for round = 1, rounds_of_moves do
    for _, move in ipairs(moves.of(ctx, scene, round)) do
      local by_key, name = move.action == "press" or move.action == "mash", play.group(move)
      if by_key or scene.has_canvas and move.action ~= "type" then
        local kind = by_name[name]
        if not kind then
          kind = {}
          by_name[name], kinds[#kinds + 1] = kind, kind
        end
        if move.action == "press" then move.hold_ms, move.count = ms - release_ms, 1 end
        if move.over_ms then move.over_ms = ms * sweep_share end
        if move.action == "move" then move.is_back = move.to.x < move.x end
        if move.axis then move.is_back = kind[1] ~= nil and move.key ~= kind[1].key end
        kind[#kind + 1] = move
      end
    end
  end
  return by_name, kinds
end

---Is it time for a series? Where the scene may rest, or most of it does, single inputs tell more. What looks like an answer is played on until it
---is one. Else two follow each single input at first, and one later.
local function is_due(ctx)
  local state, options = ctx.state, ctx.options
  if options.lots == 0 or not state.was_animated or state.still_bursts > 0 then return false end
  local played, p = #(state.series or {}), state.series and state.series.p or 1
  local inputs = options.repeats + math.max(math.floor(played / 2), played - first_in_vain / 2)
  local is_turn = p <= options.promising or #state.bursts >= inputs and played < first_in_vain + more_in_vain * state.restarts
  return is_turn and p > options.alpha and not response.rests_mostly(state.bursts, facts.rule(ctx))
end

---What is played in the windows of a series, if one has its turn.
---@return (table|false)[]? lots nil: a single input has its turn
function M.deal(ctx)
  if not is_due(ctx) then return nil end
  local by_name, kinds = kinds_of(ctx)
  return #kinds > 0 and series.deal(kinds, ctx.state.series and by_name[ctx.state.series.best], ctx.options.lots) or nil
end

---Plays one series.
---@param dealt (table|false)[] of M.deal
---@return boolean? moved what was played by lot so far looks like an answer; nil: it could not be watched
---@return qa.Error? err
function M.play(ctx, dealt)
  local state, options = ctx.state, ctx.options
  local seen, err = series.watch(ctx, dealt, window_ms(ctx))
  if not seen then return nil, err end
  rounds.notice(ctx, not moves_at_all(seen))
  state.series = state.series or { p = 1 }
  table.insert(state.series, seen)
  local played = 0
  for _, window in ipairs(seen) do
    if window.move then
      played = played + 1
      ctx:event("action", { action = window.move.action, target = play.describe(window.move), success = true, cells = #window.cells })
    end
  end
  state.actions = (state.actions or 0) + played
  local p, best = series.p(state.series, few_draws)
  if p <= options.promising then p = series.p(state.series, options.lot_draws, options.alpha) end
  state.series.p, state.series.best = p, best
  ctx:event("series", { windows = #seen, played = played, p = p, best = best })
  return p <= options.promising
end

return M
