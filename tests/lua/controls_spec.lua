-- What a game is played with, read off its own scripts.
local qa = require "qa"
local controls = require "qa.controls"
local strategy = require("qa.strategy").load("standard")

local here = debug.traceback():match("([%w%./_-]*)controls_spec%.lua")

return {
  ["keys of a module are found after the browser has forgotten the scripts"] = function(t)
    local server = assert(qa.serve(here .. "samples/modules"))
    local browser = assert(qa.browser.launch{})
    local page = assert(browser:new_page{ width = 400, height = 300 })
    assert(page:navigate(server.url .. "index.html"))
    -- What no script refers to any more goes with the next collection of garbage.
    assert(page:cdp("HeapProfiler.collectGarbage", {}))
    local ctx = { page = page, lists = strategy.lists, options = { most_keys = 6 }, state = {} }
    local keys = {}
    for _, control in ipairs(controls.infer(ctx, "")) do keys[#keys + 1] = control.key end
    table.sort(keys)
    browser:close()
    t.equal(keys, { "KeyJ", "KeyL" })
  end,
  ["directions are always taken, the other places go to the keys that are held, then to the usual ones"] = function(t)
    local function taken(source, most, text)
      local page = { listeners = function() return { { type = "keydown", target = "window" } } end,
        frames = function() return { { id = "F", parent = "" } } end, evaluate = function() return {} end,
        cdp = function(_, method)
          if method == "Page.getResourceTree" then
            return { frameTree = { frame = { id = "F", url = "http://127.0.0.1/" }, resources = { { type = "Script", url = "http://127.0.0.1/game.js" } } } }
          end
          return { content = source, base64Encoded = false }
        end }
      local keys = {}
      local ctx = { page = page, lists = strategy.lists, options = { most_keys = most }, state = {} }
      for _, control in ipairs(controls.infer(ctx, text or "")) do keys[#keys + 1] = control.key end
      return keys
    end
    local source = "keyIsDown(37) keyIsDown(39) pressed(32) keyIsDown(67) keyIsDown(88) keyIsDown(90) pressed(66) pressed(66) pressed(66)"
    t.equal(taken(source, 4), { "ArrowRight", "ArrowLeft", "KeyB", "KeyZ" })
    t.equal(taken(source, 6), { "ArrowRight", "ArrowLeft", "KeyB", "KeyZ", "KeyX", "KeyC" })
    t.equal(taken(source, 7), { "ArrowRight", "Space", "ArrowLeft", "KeyB", "KeyZ", "KeyX", "KeyC" })
    t.equal(taken("keyIsDown(37) pressed(66) keyIsDown(90)", 2), { "ArrowLeft", "KeyZ" })
    -- Q mostly quits, unless the page says that one plays with it.
    local paddles = "case KEY.Q: case KEY.A: case KEY.B:"
    t.equal(taken(paddles, 6), { "KeyA", "KeyB" })
    t.equal(taken(paddles, 6, "Move with the Q and A keys"), { "KeyA", "KeyQ", "KeyB" })
  end,
  ["instructions name the keys that play, not those that pause"] = function(t)
    local function named(text) return controls.named_in_text(text, strategy.lists.aside_words) end
    t.equal(named("Player 1 moves using the Q and A keys.\nPlayer 2: keys P, L"), { KeyQ = true, KeyA = true, KeyP = true, KeyL = true })
    t.equal(named("Z to jump, P to pause, 'X' or 'C' keys"), { KeyZ = true, KeyX = true, KeyC = true })
    t.equal(named("Grab a key and go to it"), {})
  end,
}
