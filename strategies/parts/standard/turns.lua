--- Turns: what is played next, and in a view of which size.
local block_design = require "qa.effect.block_design"
local candidates = require "qa.input.candidates"
local canvases = require "qa.page.canvas"
local cell_grid = require "qa.page.cell_grid"
local decisive = require "parts.standard.decisive"
local observe = require "parts.standard.observe"
local moves = require "qa.input.moves"
local play = require "qa.effect.play"
local rounds = require "parts.standard.rounds"
local scenes = require "qa.page.scene"
local time = require "qa.page.time"

local M = {}

---A canvas that takes this share of the view, and makes fewer frames a second than SLOW_FPS, is played in a smaller
---view, which must show as much of it; with fewer than CRAWLING_FPS in a tiny one. Sizes in CSS pixels.
local FULL_SHARE, SLOW_FPS, CRAWLING_FPS = 0.8, 15, 2
local SMALL_WIDTH, SMALL_HEIGHT, TINY_WIDTH, TINY_HEIGHT = 640, 360, 428, 240

---The page opened anew in a view of this size.
---@return boolean ok
local function open_in(ctx, width, height)
  local state = ctx.state
  if not ctx.page:resize(width, height) then return false end
  ctx.width, ctx.height = width, height
  state.trials, state.rates, state.noise, state.seen_still, state.restart_by = {}, nil, 0, nil, nil
  state.answer, state.last_answer_ms = nil, nil
  rounds.open_anew(ctx)
  return true
end

---Is most of the canvas in view? One of a size of its own does not shrink with the view.
local function has_shrunk(ctx)
  local canvas = canvases.of_game(ctx)
  local shown = canvas and math.min(canvas.width, ctx.width) * math.min(canvas.height, ctx.height)
  return not canvas or shown >= FULL_SHARE * canvas.width * canvas.height
end

---A canvas as large as the view, drawn in software at a few frames a second, shows little of what an input does: it is
---played in a smaller view, where there is less to draw, unless that would show but a part of it.
---@return boolean eased the page was opened anew
function M.ease(ctx)
  local state = ctx.state
  local is_slow = state.fps and state.fps < SLOW_FPS or state.stalled and decisive.still_answers(ctx)
  if state.is_eased or not is_slow then return false end
  scenes.look(ctx)
  if (state.board_cells or 0) < FULL_SHARE * cell_grid.cells then return false end
  state.is_eased = true
  local crawls = state.stalled or state.fps < CRAWLING_FPS
  local width, height = crawls and TINY_WIDTH or SMALL_WIDTH, crawls and TINY_HEIGHT
    or SMALL_HEIGHT
  local full_width, full_height = ctx.width, ctx.height
  if not open_in(ctx, width, height) then return false end
  local small, full = ("%dx%d"):format(width, height), ("%dx%d"):format(full_width, full_height)
  local outcome = ("played in a view of %s instead of %s"):format(small, full)
  if not has_shrunk(ctx) then
    open_in(ctx, full_width, full_height)
    outcome = ("a view of %s would show only a part of it, so it is played in %s"):format(small, full)
  end
  ctx:event("note", { text = ("The game made %s: %s."):format(
    state.stalled and "no frame for a while" or ("%.1f frames per second"):format(state.fps), outcome) })
  observe.frame_rate(ctx)
  return true
end

---The moves that come next: those of the next round, or, when a new start cut a round short, what is left of it: else
---it would be the same few each time. What the game is, and how fast, may have changed with the play.
local function next_moves(ctx)
  local state = ctx.state
  local is_cut_short = not state.moves and state.round > 0
  observe.game_type(ctx)
  observe.frame_rate(ctx)
  if M.ease(ctx) then state.round, state.play_from, is_cut_short = 0, time.now_ms(), false end
  -- A game that loads behind its start listens for keys only then.
  if state.round > 0 and (state.last_answer_ms or 0) < state.round_ms then observe.controls(ctx) end
  state.round_ms = time.now_ms()
  local scene = scenes.look(ctx)
  if is_cut_short then
    state.moves = candidates.of(ctx, scene, state.round)
    if state.next_move <= #state.moves then return end
  end
  state.round = state.round + 1
  state.moves, state.next_move = candidates.of(ctx, scene, state.round), 1
end

---Turns that bring the player to one side or the other; by then it is known whether that shows.
local turns_to_and_fro = 24

---The next move: in turn, but every second one from the kind of input that has changed most so far, or, by turns with
---that at first and where the scene moves by itself, to one side or the other.
---@return table move of qa.input.candidates
function M.next_move(ctx)
  local state = ctx.state
  if not state.moves or state.next_move > #state.moves then next_moves(ctx) end
  state.turn = (state.turn or 0) + 1
  -- Not before each had its turn: what was not tried cannot stand out.
  local is_extra = state.turn % 2 == 0 and state.round > 1 and #state.moves > 1
  local is_to_and_fro = is_extra and state.turn % 4 == 0 and state.turn <= turns_to_and_fro
  local to_and_fro = is_to_and_fro and state.was_animated and candidates.to_and_fro(ctx) or {}
  if #to_and_fro > 0 then return to_and_fro[state.turn / 4 % #to_and_fro + 1] end
  local best = is_extra and block_design.best_kind(state.trials)
  if best then
    local alike = {}
    for _, move in ipairs(state.moves) do
      if moves.group(move) == best then alike[#alike + 1] = move end
    end
    -- Where all moves are of one kind their turn is enough: clicking the same card twice tells nothing.
    if #alike > 0 and #alike < #state.moves then return alike[state.turn / 2 % #alike + 1] end
  end
  local move = state.moves[state.next_move]
  state.next_move = state.next_move + 1
  return move
end

---One trial, recorded as an action of the history and, while the game is played, as evidence.
---@return boolean? moved this trial alone looks like an answer
function M.trial(ctx, move)
  local state = ctx.state
  local result, err = play.trial(ctx, move)
  if not result then return nil, err end
  result.t_ms = time.now_ms()
  state.was_animated = state.was_animated or result.animated
  state.revived = state.revived or state.reopened_ms and not result.still
  rounds.notice(ctx, result.still, result.aims.key)
  state.actions = (state.actions or 0) + 1
  state.input_failed = result.err ~= nil
  local moved = observe.looks_answered(ctx, result)
  -- Before the play begins an answer may just be the start itself, so it is no evidence of control.
  if state.play_from then
    result.moved = moved
    state.trials[#state.trials + 1] = result
  else
    state.probe_answered = state.probe_answered or moved
  end
  ctx:event("action", { action = move.action, target = moves.describe(move), success = result.err == nil,
    stateProgressed = moved, cells = #result.input, control_cells = #result.control })
  return moved
end

return M
