--- A page that loads itself again and again: is that the game's way to take a turn, or does it do so by itself? A world
-- where nothing is done tells.
local M = {}

---Frames that it is left alone for, and loads after which nobody would play on.
local ALONE_FRAMES, BATCH, LOADS = 900, 60, 3

---@return boolean it loads itself again without any input
function M.by_itself(ctx)
  local state = ctx.state
  if state.reloads_by_itself ~= nil then return state.reloads_by_itself end
  state.reloads_by_itself = true
  local world = ctx.world:begin_fork()
  if not world then return true end
  local loads, seen = 0, 0
  for _ = 1, ALONE_FRAMES / BATCH do
    if not world:step(BATCH) or loads >= LOADS then break end
    for _, event in ipairs(world.page:events(seen)) do
      seen = event.seq
      if event.kind == "navigation" then loads = loads + 1 end
    end
  end
  -- The first load is ours.
  state.reloads_by_itself = loads > LOADS - 1
  world:close()
  return state.reloads_by_itself
end

return M
