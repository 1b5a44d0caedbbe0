--- Before a game is said to have stopped it is played once more, with another seed: the same inputs at the same frames.
-- Does it answer there?
local controls = require "parts.standard.game_time.controls"
local other_seed = require "parts.standard.game_time.other_seed"
local qa = require "qa"

local M = {}

---How long that takes at most, in real time.
local WALL_MS = 10000

---@return boolean? answers nil: that cannot be said
function M.answers(ctx)
  local pair, answers = other_seed.open(ctx.world), nil
  if not pair then return nil end
  qa.with_deadline(WALL_MS, function()
    if not other_seed.follow(pair, ctx.world) then return nil end
    controls.begin(ctx, WALL_MS)
    other_seed.within(ctx, pair, function()
      local count, err = controls.ask_all(ctx, controls.working(ctx), "other seed", { enough = 1, is_long = true })
      if not err then answers = count > 0 end
    end)
    return true
  end)
  pair:close()
  return answers
end

return M
