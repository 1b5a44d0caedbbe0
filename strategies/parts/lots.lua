--- Lots: in a scene that moves by itself every second turn of the play is a series (qa.series) instead of a single input.

local moves = require "qa.moves"
local play = require "qa.play"
local rounds = require "parts.rounds"
local scenes = require "qa.scene"
local series = require "qa.series"

local M = {}

---Rounds of moves that a series draws from, so that the pointer goes to several places.
local rounds_of_moves = 4
---What is left of a window after a key that was held in it, in ms.
local release_ms = 60
---The part of a window that a sweep of the pointer takes.
local sweep_share = 0.6
---Draws that are enough to choose what is played next.
local few_draws = 2000
---Series of one kind in a row.
local most_in_a_row = 3

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
---@return table<string, table[]> choices by kind
---@return string[] order
local function kinds(ctx)
  local scene, choices, order, ms = scenes.look(ctx), {}, {}, window_ms(ctx)
  for round = 1, rounds_of_moves do
    for _, move in ipairs(moves.of(ctx, scene, round)) do
      local by_key, kind = move.action == "press" or move.action == "mash", play.group(move)
      if by_key or scene.has_canvas and move.action ~= "type" then
        if not choices[kind] then
          choices[kind] = {}
          order[#order + 1] = kind
        end
        local choice = choices[kind]
        if move.action == "press" then move.hold_ms, move.count = ms - release_ms, 1 end
        if move.over_ms then move.over_ms = ms * sweep_share end
        if move.action == "move" then move.is_back = move.to.x < move.x end
        if move.axis then move.is_back = choice[1] ~= nil and move.key ~= choice[1].key end
        choice[#choice + 1] = move
      end
    end
  end
  return choices, order
end

---The kind that comes next: the one that stands out, else each in its turn, which comes once.
---@return string?
local function next_kind(lots, order, choices, promising)
  local best
  for kind, p in pairs(lots.p) do
    if choices[kind] and p <= promising and (not best or p < lots.p[best]) then best = kind end
  end
  if best and not (lots.last == best and lots.in_a_row >= most_in_a_row) then return best end
  lots.turn = lots.turn + 1
  return order[lots.turn] or best
end

---What is played by lot in this turn. Where the scene may rest, single inputs tell more.
---@return string? kind nil: a single input has its turn
---@return table[]? choice
function M.next(ctx)
  local state, options = ctx.state, ctx.options
  if options.lots == 0 or not state.was_animated or state.still_bursts > 0 then return nil end
  if #state.bursts <= (state.series and state.series.played or 0) then return nil end
  local choices, order = kinds(ctx)
  if #order == 0 then return nil end
  state.lots = state.lots or { turn = 0, p = {}, in_a_row = 0 }
  local kind = next_kind(state.lots, order, choices, options.promising)
  return kind, kind and choices[kind]
end

---Plays one series.
---@param kind string
---@param choice table[] moves of that kind
---@return boolean? moved what was played of this kind so far looks like an answer; nil: it could not be watched
---@return qa.Error? err
function M.play(ctx, kind, choice)
  local state, lots, options = ctx.state, ctx.state.lots, ctx.options
  state.series = state.series or { played = 0, windows = {} }
  state.series.played = state.series.played + 1
  local of_kind = state.series.windows
  lots.in_a_row = lots.last == kind and lots.in_a_row + 1 or 1
  lots.last = kind
  local seen, err = series.watch(ctx, choice, window_ms(ctx), options.lots)
  if not seen then return nil, err end
  rounds.notice(ctx, not moves_at_all(seen))
  of_kind[kind] = of_kind[kind] or {}
  table.insert(of_kind[kind], seen)
  local played = 0
  for _, window in ipairs(seen) do
    if window.move then
      played = played + 1
      ctx:event("action", { action = window.move.action, target = play.describe(window.move), success = true, cells = #window.cells })
    end
  end
  state.actions = (state.actions or 0) + played
  lots.p[kind] = series.p({ [kind] = of_kind[kind] }, few_draws)
  ctx:event("series", { kind = kind, windows = #seen, played = played, p = lots.p[kind] })
  return lots.p[kind] <= options.promising
end

return M
