-- The games of tests/data/known_games.json, from a folder of checkouts: their addresses, how they are started, and
-- their controls as inputs of worlds.
local qa = require "qa"

local M = {}

local AFTER_FRAMES = 30  -- After each input of a start.
local VIEW = { width = 1280, height = 720 }

---@param folder string with a checkout below each game's id
---@param only? string ids, with commas
---@return table[] games with `url`; those that are not there are left out
function M.list(folder, only)
  local games = {}
  for _, game in ipairs(assert(qa.json.decode(assert(qa.fs.read("tests/data/known_games.json"))))) do
    local root = ("%s/%s%s"):format(folder, game.id, game.subdir ~= "" and "/" .. game.subdir or "")
    local is_wanted = not only or ("," .. only .. ","):find("," .. game.id .. ",", 1, true)
    if is_wanted and qa.fs.stat(root .. "/" .. game.entry) then
      game.url = assert(qa.serve(root)).url .. game.entry
      games[#games + 1] = game
    end
  end
  return games
end

---Calls fn(world) for each; what one world refuses, the others do, too.
local function each(worlds, fn) for _, world in ipairs(worlds) do fn(world) end end

---Plays the start of a game in all worlds alike. step(frames) steps them.
---@param worlds table[]
---@param game table
---@param step fun(frames: integer)
function M.start(worlds, game, step)
  local start = game.start
  local steps = start.steps or { { sel = start.selector, key = start.key, xy = start.xy } }
  for _, one in ipairs(steps) do
    if one.wait then
      step(math.ceil(one.wait * 60 / 1000))
    elseif one.sel then
      each(worlds, function(world) world.page:click(one.sel) end)
    elseif one.key then
      each(worlds, function(world) world.page:press(one.key) end)
    elseif one.xy then
      each(worlds, function(world) world.page:mouse_click(one.xy[1], one.xy[2]) end)
    end
    step(AFTER_FRAMES)
  end
end

---A place that changes from one input to the next, within the middle of the view.
local function place(n)
  return { x = VIEW.width * (0.3 + n * 0.37 % 0.4), y = VIEW.height * (0.35 + n * 0.23 % 0.3) }
end

---The n-th input that the list knows for the game, in all worlds alike.
---@param worlds table[]
---@param game table
---@param n integer
function M.control(worlds, game, n)
  local name = game.controls[(n - 1) % #game.controls + 1]
  local selector, at, to = name:match "^click (.+)$", place(n), place(n + 1)
  each(worlds, function(world)
    local page = world.page
    if selector then
      page:click(selector, { timeout_ms = 100 })
    elseif name == "mousemove" then
      page:move(at)
    elseif name:find "^type" then
      page:press(("crane"):sub((n - 1) % 5 + 1, (n - 1) % 5 + 1))
    elseif name:find "drag" then
      page:mouse_drag(at.x, at.y, to.x, to.y)
    elseif name:find "click" or name:find "mouse" then
      page:mouse_click(at.x, at.y)
    else
      page:press(name)
    end
  end)
end

return M
