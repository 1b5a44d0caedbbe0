--- Keys that pause a game: it stands still after one, and moves again after the same one.
local ending = require "parts.standard.game_time.ending"
local moves = require "qa.input.moves"

local M = {}

---A game that rests for so long after a key may be paused.
local REST_FRAMES = 20
---A key that changes so much of the view may show a menu, which comes and goes for so long.
local MENU_SHARE, MENU_FRAMES = 0.05, 40

---@return boolean is it a key that pauses some games?
function M.is_likely(move) return move.action == "press" and not move.key:find "^Arrow" end

---Presses a key once more, which lets a game go on that it has paused.
function M.press_again(ctx, move)
  ctx.world:let_go()
  moves.act(ctx.page, move, { window_ms = 0 })
end

---Has this key, which was pressed just now, paused the game? Then it runs again.
---@param effect qa.Effect what the key did
---@return boolean
function M.is_one(ctx, move, effect)
  if not M.is_likely(move) then return false end
  local wait = effect.pixels >= MENU_SHARE * ctx.width * ctx.height and MENU_FRAMES or 1
  local function moves_then() return ctx.world:step(wait) and ending.moves(ctx, REST_FRAMES) end
  if moves_then() ~= false then return false end
  M.press_again(ctx, move)
  return moves_then() == true
end

return M
