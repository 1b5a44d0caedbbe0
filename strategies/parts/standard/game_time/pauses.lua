--- Keys that pause a game: it stands still after one, and moves again after the same one.
local ending = require "parts.standard.game_time.ending"
local moves = require "qa.input.moves"

local M = {}

---A game that rests for so long after a key may be paused.
local REST_FRAMES = 20

---@return boolean is it a key that pauses some games?
function M.is_likely(move) return move.action == "press" and not move.key:find "^Arrow" end

---Presses a key once more, which lets a game go on that it has paused.
function M.press_again(ctx, move)
  ctx.world:let_go()
  moves.act(ctx.page, move, { window_ms = 0 })
end

---Has this key, which was pressed just now, paused the game? Then it runs again.
---@return boolean
function M.is_one(ctx, move)
  if not M.is_likely(move) or ending.moves(ctx, REST_FRAMES) ~= false then return false end
  M.press_again(ctx, move)
  return ending.moves(ctx, REST_FRAMES) == true
end

return M
