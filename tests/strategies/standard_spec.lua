-- Options and moves of the standard strategy (C-016, C-019, P-05).
local strategy = require("qa.strategy").load("standard")
local play = require "qa.play"
local controls = require "qa.controls"

local function ctx_with(list)
  return { state = { controls = list, window_ms = 350 }, lists = strategy.lists, options = {}, width = 1280, height = 720,
    page = { probe = function() return {} end } }
end
local scene = { clickables = {}, centre = { x = 640, y = 360 }, has_canvas = true, board = { x = 0, y = 0, width = 1280, height = 720 } }

return {
  ["C-019: play lasts 30 s by default"] = function(t) t.equal(strategy.options.interaction_ms.default, 30000) end,
  ["C-019: without any known control WASD, arrows, space and enter are cycled, held 150 ms"] = function(t)
    local seen = {}
    for _, move in ipairs(play.moves(ctx_with{}, scene, 1)) do
      if move.action == "press" then
        seen[move.key] = true
        t.equal(move.hold_ms, 150)
      end
    end
    for _, key in ipairs{ "KeyW", "KeyA", "KeyS", "KeyD", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Space", "Enter" } do t.truthy(seen[key]) end
  end,
  ["C-019: metadata's keys are used instead, in its order"] = function(t)
    local list = controls.from_metadata{ inputs = { { name = "Jump", keys = { "KeyJ" } }, { name = "Duck", keys = { "KeyK" } } } }
    local moves = play.moves(ctx_with(list), scene, 1)
    t.equal(moves[1].action, "mash")
    t.equal(table.concat(moves[1].keys, " "), "KeyJ KeyK")
    t.equal(moves[2].key, "KeyJ")
    t.equal(moves[3].key, "KeyK")
    t.equal(#moves, 3)
  end,
  ["C-016: the wait before interaction is a probe of the controls with a cap"] = function(t)
    t.truthy(strategy.options.probe_moves.default >= 1)
  end,
  ["all that a page of elements offers is clicked in turn"] = function(t)
    local page = { clickables = {}, centre = scene.centre, has_canvas = false }
    for i = 1, 6 do page.clickables[i] = { x = 100 * i, y = 50, width = 80, height = 30, in_viewport = true, tag = "button" } end
    local clicked = {}
    for round = 1, 2 do
      for _, move in ipairs(play.moves(ctx_with{ { kind = "click" }, { kind = "key", key = "KeyA" } }, page, round)) do
        if move.action == "click" then clicked[move.x] = true end
      end
    end
    for i = 1, 6 do t.truthy(clicked[100 * i], "no click at " .. 100 * i) end
  end,
  ["moves are plain data, so that a hot swap keeps them"] = function(t)
    for _, move in ipairs(play.moves(ctx_with{ { kind = "key", key = "KeyA" }, { kind = "click" }, { kind = "move" } }, scene, 2)) do
      for _, value in pairs(move) do t.truthy(type(value) ~= "function" and type(value) ~= "userdata") end
    end
  end,
  ["key names are read from scripts"] = function(t)
    local function keys(source) return controls.scan(source, {}) end
    t.truthy(keys("if (e.keyCode === 37) left()").ArrowLeft)
    t.truthy(keys("switch (e.key) { case 'ArrowUp': up() }").ArrowUp)
    t.truthy(keys("var map = { 38: 0, 39: 1, 40: 2, 37: 3 }").ArrowDown)
    t.truthy(keys("const k = (e || event).keyCode; if (k === 65) go()").KeyA)
    t.truthy(keys("if (keyIsDown(90)) jump()").KeyZ)
    t.truthy(keys("const ways = { ArrowLeft: [-1, 0] }").ArrowLeft)
    t.truthy(keys("if (e.key === ' ') fire()").Space)
    t.truthy(keys("KEY = { LEFT: 37, SPACE: 32 }").Space)
    t.equal(next(keys("const width = 37; total = 65 + 90; arrows = 'none'")), nil)
  end,
}
