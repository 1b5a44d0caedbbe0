-- Row of tests/accept/clock/40_long.sh: ten minutes of play on game time. A player of the idle bakery buys the dearest
-- thing that can be had, until the bakery is large enough to wait for the goal.
local qa = require "qa"
local acceptance = assert(qa.load_chunk("tests/support/acceptance.lua"))()
local cpu = require "qa.world.cpu"

local RATE, LOAVES = 300, 60000
local LEAST_MS, MOST_CPU = 600000, 10

local own = tonumber(qa.fs.read("/proc/self/stat"):match "^%d+")
local before = cpu.tree_seconds(own)
local browser = assert(qa.browser.launch{ clock = "game" })
local page = assert(browser:new_page{ clock = "game" })
assert(page:navigate(assert(qa.serve("examples/games/idle_bakery")).url))
---Time goes on until an expression of the page is true.
local function await(js) assert(assert(page:step_until(js, { max_frames = 72000, draw = "none" })).met, js) end
while page:evaluate "rate()" < RATE do
  await "document.querySelector('#shop button:enabled') !== null"
  assert(page:click "#shop .card:nth-last-child(1 of :has(button:enabled)) button")
end
await("game.loaves >= " .. LOAVES)
local played, spent = page:game_time_ms(), cpu.tree_seconds(own) - before
local has_goal = page:evaluate "game.loaves" >= LOAVES
browser:close()
acceptance.row("idle_bakery", ("%d loaves after %.0f s of play, %.1f s of CPU"):format(LOAVES, played / 1000, spent),
  ("at least %d s of play in at most %d s of CPU"):format(LEAST_MS / 1000, MOST_CPU),
  has_goal and played >= LEAST_MS and spent <= MOST_CPU)
