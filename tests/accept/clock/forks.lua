-- Rows of tests/accept/clock/40_long.sh: memory of a browser after many forks, and of worlds that are open together.
local qa = require "qa"
local acceptance = assert(qa.load_chunk("tests/support/acceptance.lua"))()
local worlds = require "qa.world.world"

local EARLY, LATE, MOST_GROWTH = 20, 100, 1.05
local FRAMES = 120
local FURTHER, MOST_MIB = 4, 60
local GAMES_2D = { "brick_wall", "falling_blocks", "maze_walk" }

---A process and all below it.
local function tree(pid, list)
  list = list or {}
  list[#list + 1] = pid
  for child in (qa.fs.read(("/proc/%d/task/%d/children"):format(pid, pid)) or ""):gmatch "%d+" do
    tree(tonumber(child), list)
  end
  return list
end
---MiB that a browser has for itself, and of shared pages its share; after what it has still to give back.
local function memory(pid)
  qa.sleep(2000)
  local kib = 0
  for _, one in ipairs(tree(pid)) do
    local rollup = qa.fs.read(("/proc/%d/smaps_rollup"):format(one)) or ""
    kib = kib + tonumber(rollup:match "Pss:%s+(%d+)" or 0)
  end
  return kib / 1024
end

local function open(browser, game)
  local world = assert(worlds.open(browser, { url = assert(qa.serve("examples/games/" .. game)).url, seed = 1 }))
  assert(world:step(FRAMES))
  return world
end

local browser = assert(qa.browser.launch{ clock = "game" })
local pid = browser:info().pid
local profile = qa.fs.read(("/proc/%d/cmdline"):format(pid)):match "%-%-user%-data%-dir=([^%z]+)"
local world, early = open(browser, GAMES_2D[1]), nil
for i = 1, LATE do
  assert(world:fork()):close()
  if i == EARLY then early = memory(pid) end
end
local late = memory(pid)
acceptance.row("memory_of_forks", ("%.0f MiB after %d, %.0f after %d: %.3f"):format(early, EARLY, late, LATE,
  late / early), ("at most %.2f"):format(MOST_GROWTH), late / early <= MOST_GROWTH)
world:close()

local worst, said = 0, {}
for _, game in ipairs(GAMES_2D) do
  local list = { open(browser, game) }
  local first = memory(pid)
  for i = 2, FURTHER + 1 do list[i] = open(browser, game) end
  local each = (memory(pid) - first) / FURTHER
  for _, one in ipairs(list) do one:close() end
  worst, said[#said + 1] = math.max(worst, each), ("%s %.0f"):format(game, each)
end
acceptance.row("memory_of_worlds", table.concat(said, ", ") .. " MiB each", ("at most %d each"):format(MOST_MIB),
  worst <= MOST_MIB)

local processes, left = tree(pid), 0
browser:close()
qa.sleep(1000)
for _, one in ipairs(processes) do if qa.fs.stat(("/proc/%d"):format(one)) then left = left + 1 end end
local is_profile_left = qa.fs.stat(profile) ~= nil
acceptance.row("nothing_left", ("%d of %d processes, %s"):format(left, #processes,
  is_profile_left and "the profile " .. profile or "no profile"), "0, no profile", left == 0 and not is_profile_left)
