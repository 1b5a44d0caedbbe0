-- Options and moves of the standard strategy (C-016, C-019, P-05).
local strategy = require("qa.run.strategy_file").load("standard")
local qa = require "qa"
local candidates = require "qa.input.candidates"
local moves = require "qa.input.moves"
local controls = require "qa.input.controls"
local key_scan = require "qa.input.key_scan"

local function ctx_with(list)
  return { url = "http://127.0.0.1:1/game.html", state = { controls = list, window_ms = 350 }, lists = strategy.lists,
    options = {}, width = 1280, height = 720,
    page = { probe = function() return {} end } }
end
local scene = { clickables = {}, centre = { x = 640, y = 360 }, has_canvas = true,
  board = { x = 0, y = 0, width = 1280, height = 720 } }

return {
  ["C-019: play lasts 30 s by default"] = function(t) t.equal(strategy.options.interaction_ms.default, 30000) end,

  ["C-019: without any known control WASD, arrows, space and enter are cycled, held 150 ms"] = function(t)
    local seen = {}
    for _, move in ipairs(candidates.of(ctx_with{}, scene, 1)) do
      if move.action == "press" then
        seen[move.key] = true
        t.equal(move.hold_ms, 150)
      end
    end
    for _, key in ipairs{ "KeyW", "KeyA", "KeyS", "KeyD", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Space",
      "Enter" } do
      t.truthy(seen[key])
    end
  end,

  ["C-019: metadata's keys are used instead, in its order"] = function(t)
    local list = controls.from_metadata{ inputs = { { name = "Jump", keys = { "KeyJ" } },
      { name = "Duck", keys = { "KeyK" } } } }
    local round = candidates.of(ctx_with(list), scene, 1)
    t.equal(round[1].action, "mash")
    t.equal(table.concat(round[1].keys, " "), "KeyJ KeyK")
    t.equal(round[2].key, "KeyJ")
    t.equal(round[3].key, "KeyK")
    t.equal(#round, 3)
  end,

  ["C-016: the wait before interaction is a probe of the controls with a cap"] = function(t)
    t.truthy(strategy.options.probe_moves.default >= 1)
  end,

  ["where a model plays, no blind move of ours is made in its game before it has seen it"] = function(t)
    for _, name in ipairs{ "adaptive", "action_groups", "batched", "agent" } do
      t.equal(require("qa.run.strategy_file").load(name).options.probe_moves.default, 0, name)
    end
    t.equal(strategy.options.probe_moves.default, 3)
  end,

  ["all that a page of elements offers is clicked in turn"] = function(t)
    local page = { clickables = {}, centre = scene.centre, has_canvas = false }
    for i = 1, 6 do
      page.clickables[i] = { x = 100 * i, y = 50, width = 80, height = 30, in_viewport = true, tag = "button" }
    end
    local clicked = {}
    for round = 1, 2 do
      for _, move in ipairs(candidates.of(ctx_with{ { kind = "click" }, { kind = "key", key = "KeyA" } }, page,
        round)) do
        if move.action == "click" then clicked[move.x] = true end
      end
    end
    for i = 1, 6 do t.truthy(clicked[100 * i], "no click at " .. 100 * i) end
  end,

  ["each thing that the pointer does has its turn early in a round"] = function(t)
    local page = { clickables = {}, centre = scene.centre, has_canvas = false }
    for i = 1, 6 do
      page.clickables[i] = { x = 100 * i, y = 50, width = 80, height = 30, in_viewport = true, tag = "div" }
    end
    local actions = {}
    for i, move in ipairs(candidates.of(ctx_with{ { kind = "click" }, { kind = "drag" } }, page, 1)) do
      actions[i] = move.action
    end
    t.equal(actions, { "click", "drag", "click", "click", "click" })
  end,

  ["a board is played where no link to another page lies above it"] = function(t)
    local menu = { clickables = { { x = 640, y = 150, width = 1280, height = 300, in_viewport = true, tag = "a",
      href = "other.html" } },
      centre = scene.centre, has_canvas = true, board = scene.board }
    local link, n = menu.clickables[1], 0
    local function top_clicks()
      local top = 0
      for round = 1, 8 do
        for _, move in ipairs(candidates.of(ctx_with{ { kind = "click" } }, menu, round)) do
          for _, point in ipairs(move.points or { move }) do n, top = n + 1, top + (point.y < 300 and 1 or 0) end
        end
      end
      return top
    end
    t.equal({ top_clicks(), n > 8 }, { 0, true })
    link.tag, link.text = "button", "Mute"
    t.equal(top_clicks(), 0)
    link.tag, link.text, link.href = "a", "Rules", "#top"
    t.truthy(top_clicks() > 0, "a link within the page is part of the game")
  end,

  ["of a board at rest many places are clicked in one window; where things move by themselves its middle is"] =
    function(t)
    local function clicked(was_animated)
      local ctx, places, n, centres = ctx_with{ { kind = "click" } }, {}, 0, 0
      ctx.state.was_animated = was_animated
      for round = 1, 4 do
        for _, move in ipairs(candidates.of(ctx, scene, round)) do
          if move.x == scene.centre.x and move.y == scene.centre.y then centres = centres + 1 end
          for _, point in ipairs(move.points or {}) do
            local at = ("%d,%d"):format(point.x, point.y)
            n, places[at] = n + (places[at] and 0 or 1), true
          end
        end
      end
      return { n, centres }
    end
    t.equal({ clicked(false), clicked(true) }, { { 4 * candidates.scattered, 1 }, { 0, 4 } })
    local pressed = {}
    local page = { mouse_click = function(_, x) pressed[#pressed + 1] = x return true end }
    t.truthy(moves.act(page, { action = "scatter", points = { { x = 1, y = 2 }, { x = 3, y = 4 } }, hold_ms = 1 },
      { window_ms = 1000 }))
    t.equal(pressed, { 1, 3 })
  end,

  ["buttons above a canvas that nobody can click have their turn beside it"] = function(t)
    local page = { clickables = {}, centre = scene.centre, has_canvas = true, board = scene.board, is_covered = true }
    for i = 1, 4 do
      page.clickables[i] = { x = 100 * i, y = 50, width = 80, height = 30, in_viewport = true, tag = "button" }
    end
    local function clicked()
      local spots, others = 0, 0
      for _, move in ipairs(candidates.of(ctx_with{ { kind = "click" } }, page, 1)) do
        t.truthy(move.action ~= "scatter" or not page.is_covered)
        if move.y == 50 then
          spots = spots + (move.on_canvas and 0 or 1)
        else
          others = others + (move.on_canvas and 1 or 0)
        end
      end
      return { spots, others > 0 }
    end
    t.equal(clicked(), { 4, true })
    page.is_covered = false
    t.equal(clicked(), { 0, true })
  end,

  ["a button beside the pieces of a board has its turn, one that begins anew has not"] = function(t)
    local ctx, page = ctx_with{ { kind = "click" } }, { clickables = {}, centre = scene.centre, has_canvas = false }
    local pieces = {}
    for i = 1, 12 do pieces[i] = { x = 50 * i, y = 300, width = 40, height = 40 } end
    ctx.page.probe = function(_, name) return name == "pieces" and { { value = pieces } } or {} end
    for i, text in ipairs{ "Roll", "New game", "" } do
      local x, y = 300 * i, 600
      if text == "" then x, y = 50, 300 end
      page.clickables[i] = { x = x, y = y, width = 80, height = 30, in_viewport = true, tag = "button", text = text }
    end
    local clicks, rolls, anew = 0, 0, 0
    for round = 1, 4 do
      for _, move in ipairs(candidates.of(ctx, page, round)) do
        clicks, rolls, anew = clicks + 1, rolls + (move.x == 300 and move.y == 600 and 1 or 0),
          anew + (move.x == 600 and move.y == 600 and 1 or 0)
      end
    end
    t.equal({ clicks, rolls, anew }, { 16, 4, 0 })
    page.clickables[1] = nil
    t.equal(#candidates.of(ctx, { clickables = {}, centre = scene.centre, has_canvas = false }, 1), 4)
  end,

  ["what follows the pointer is swept to and fro, to the same corners"] = function(t)
    for round = 1, 4 do
      local there, back = unpack(candidates.of(ctx_with{ { kind = "move" } }, scene, round))
      t.equal({ there.action, back.action }, { "move", "move" })
      t.equal({ there.x, there.y, there.to.x, there.to.y }, { back.to.x, back.to.y, back.x, back.y })
    end
  end,

  ["of a grid of equal elements, the first clicks go to all its parts"] = function(t)
    local page = { clickables = {}, centre = scene.centre, has_canvas = false }
    for i = 0, 41 do
      page.clickables[i + 1] = { x = 20 * (i % 7), y = 20 * math.floor(i / 7), width = 20, height = 20.01,
        in_viewport = true, tag = "div" }
    end
    -- A switch for the sound answers in any game.
    page.clickables[43] = { x = 500, y = 500, width = 20, height = 20, in_viewport = true, tag = "a", text = "Mute",
      name = "" }
    local rows, all = {}, {}
    for round = 1, 11 do
      for _, move in ipairs(candidates.of(ctx_with{ { kind = "click" } }, page, round)) do
        if round <= 3 then rows[move.y] = true end
        all[move.x .. "," .. move.y] = true
      end
    end
    for _, y in ipairs{ 0, 20, 40, 60, 80, 100 } do t.truthy(rows[y], "no click in the row at " .. y) end
    t.falsy(all["500,500"])
    page.clickables[43] = nil
    for _, spot in ipairs(page.clickables) do
      t.truthy(all[spot.x .. "," .. spot.y], "no click at " .. spot.x .. "," .. spot.y)
    end
  end,

  ["left and right are one kind of input, so that nobody is pushed against a wall"] = function(t)
    local list = { { kind = "key", key = "ArrowUp", action = "up" },
      { kind = "key", key = "ArrowRight", action = "right" },
      { kind = "key", key = "KeyA", action = "left" } }
    local kinds = {}
    for _, move in ipairs(candidates.of(ctx_with(list), scene, 1)) do
      kinds[move.key or move.action] = moves.group(move)
    end
    t.equal(kinds, { mash = "mash", ArrowUp = "ArrowUp", ArrowRight = "sideways", KeyA = "sideways" })
    list[2] = nil
    for _, move in ipairs(candidates.of(ctx_with{ list[1], list[3] }, scene, 1)) do
      t.truthy(moves.group(move) ~= "sideways")
    end
  end,

  ["a sweep of the pointer takes its time"] = function(t)
    local moved, began = {}, qa.now_ms()
    local page = { move = function(_, at) moved[#moved + 1] = at.x return true end }
    t.truthy(moves.act(page, { action = "move", x = 0, y = 0, to = { x = 100, y = 0 }, over_ms = 100 },
      { window_ms = 450, fps = 60 }))
    t.equal(moved[#moved], 100)
    t.truthy(#moved >= 5 and qa.now_ms() - began >= 80)
  end,

  ["in a slow game a sweep and the keys together take no longer than the window in which they are seen"] = function(t)
    local moved, pressed, state = {}, 0, { window_ms = 1500, fps = 3 }
    local page = { move = function(_, at) moved[#moved + 1] = at.x return true end,
      press = function() pressed = pressed + 1 qa.sleep(40) return true end }
    t.truthy(moves.act(page, { action = "move", x = 0, y = 0, to = { x = 100, y = 0 }, over_ms = 10 }, state))
    t.equal(moved, { 50, 100 })
    state.window_ms = 60
    t.truthy(moves.act(page, { action = "mash", keys = { "KeyA", "KeyB", "KeyC" } }, state))
    t.equal(pressed, 2)
  end,

  ["moves are plain data, so that a hot swap keeps them"] = function(t)
    for _, move in ipairs(candidates.of(ctx_with{ { kind = "key", key = "KeyA" }, { kind = "click" },
      { kind = "move" } }, scene, 2)) do
      for _, value in pairs(move) do t.truthy(type(value) ~= "function" and type(value) ~= "userdata") end
    end
  end,

  ["key names are read from scripts"] = function(t)
    local function keys(source) return key_scan.scan(source, {}) end
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
