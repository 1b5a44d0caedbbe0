--- Does the game's script go on? Its timers and frames are counted by the clock.
local ending = require "parts.standard.game_time.ending"

local M = {}

---Frames that the game is left alone for.
local ALONE_FRAMES = 60
local RAN, RAN_MS = "__qa_clock.clock.ran()", 2000

---Timers and frame callbacks of the page that have run so far.
---@return integer
function M.ran(page)
  local count = page:evaluate(RAN, { read_only = true, timeout_ms = RAN_MS })
  return type(count) == "number" and count or 0
end

---Looks at the game before it is played, after an input that no game uses: does it move by itself, and has that input
---stopped its script, which goes on in the twin that did not get it?
function M.look_untouched(ctx)
  local state, world = ctx.state, ctx.world
  local before = M.ran(world.page)
  state.moved_untouched = ending.moves(ctx, ALONE_FRAMES)
  if M.ran(world.page) > before or not world.twin then return end
  before = M.ran(world.twin.page)
  state.stopped_by_placebo = world.twin:step(ALONE_FRAMES) ~= nil and M.ran(world.twin.page) > before
end

return M
