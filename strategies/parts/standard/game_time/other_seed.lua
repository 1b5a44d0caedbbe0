--- Two worlds beside the one that is played, equal and with another seed: what the game does there, it does not by
-- chance.
local qa = require "qa"
local time = require "qa.page.time"
local worlds = require "qa.world.world"

local M = {}

---Opens the game in both; nothing was done to it and no time has passed.
---@param world table the world that is played
---@return table? pair a world with its twin; the caller closes it
function M.open(world)
  local browser, seed = world.game.browser, world.options.seed
  local first = setmetatable({ seed = seed > 1 and seed - 1 or 2, draws_all = world.game.draws_all },
    { __index = world.options })
  local second = setmetatable({ twin = true }, { __index = first })
  local one, other = qa.all(function() return (worlds.open(browser, first)) end,
    function() return (worlds.open(browser, second)) end)
  if one and other then
    one.twin = other
    return one
  end
  for _, each in ipairs{ one or false, other or false } do if each then each:close() end end
end

---Brings both to where the world that is played stands, by the same inputs at the same frames.
---@param pair table
---@param world table
---@return boolean done nothing can be asked there, if not
function M.follow(pair, world)
  local done = { qa.all(function() return (pair:follow(world)) end, function() return (pair.twin:follow(world)) end) }
  if not (done[1] and done[2] and worlds.are_equal(pair, pair.twin)) then return false end
  pair.twin:is_equal_to(pair)
  return true
end

---Asks there instead of in the game that is played.
---@param ask fun()
function M.within(ctx, pair, ask)
  local world, page = ctx.world, ctx.page
  function pair.on_new_page(new)
    ctx.page = new
    time.move(new)
  end
  local ok, err = pcall(time.during, pair.page, function()
    ctx.world, ctx.page = pair, pair.page
    ask()
  end)
  ctx.world, ctx.page = world, page
  if not ok then error(err, 0) end
end

return M
