-- What a game is played with, read off its own scripts.
local qa = require "qa"
local controls = require "qa.input.controls"
local key_scan = require "qa.input.key_scan"
local scenes = require "qa.page.scene"
local strategy = require("qa.run.strategy_file").load("standard")

---A page with one script, which listens for keys.
local function page_with(source)
  return { listeners = function() return { { type = "keydown", target = "window" } } end,
    frames = function() return { { id = "F", parent = "" } } end, evaluate = function() return {} end,
    resources = function()
      local document = "http://127.0.0.1/"
      return { { type = "Document", url = document, frame = "F", document = document },
        { type = "Script", url = document .. "game.js", frame = "F", document = document } }
    end,
    resource_text = function() return source end }
end

return {
  ["keys of a module are found after the browser has forgotten the scripts"] = function(t)
    local server = assert(qa.serve "tests/lua/samples/modules")
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
      local page = page_with(source)
      local keys = {}
      local ctx = { page = page, lists = strategy.lists, options = { most_keys = most }, state = {} }
      for _, control in ipairs(controls.infer(ctx, text or "")) do keys[#keys + 1] = control.key end
      return keys
    end
    local source = "keyIsDown(37) keyIsDown(39) pressed(32) keyIsDown(67) keyIsDown(88) keyIsDown(90) pressed(66) " ..
      "pressed(66) pressed(66)"
    t.equal(taken(source, 4), { "ArrowRight", "ArrowLeft", "KeyB", "KeyZ" })
    t.equal(taken(source, 6), { "ArrowRight", "ArrowLeft", "KeyB", "KeyZ", "KeyX", "KeyC" })
    t.equal(taken(source, 7), { "ArrowRight", "Space", "ArrowLeft", "KeyB", "KeyZ", "KeyX", "KeyC" })
    t.equal(taken("keyIsDown(37) pressed(66) keyIsDown(90)", 2), { "ArrowLeft", "KeyZ" })
    -- Of a table of what is held.
    t.equal(taken("if (held.ArrowUp) y--; if (held.ArrowDown) y++; if (held.KeyX) fire(); held.ArrowKeys; held.KeyXs",
      6), { "ArrowUp", "ArrowDown", "KeyX" })
    -- Q mostly quits, unless the page says that one plays with it.
    local paddles = "case KEY.Q: case KEY.A: case KEY.B:"
    t.equal(taken(paddles, 6), { "KeyA", "KeyB" })
    t.equal(taken(paddles, 6, "Move with the Q and A keys"), { "KeyA", "KeyQ", "KeyB" })
  end,
  ["where something listens for keys and no script says which, usual ones are tried; one named is enough"] = function(t)
    local function keys_of(source, text)
      local keys = {}
      local ctx = { page = page_with(source), lists = strategy.lists, options = { most_keys = 6 }, state = {} }
      for i, control in ipairs(controls.infer(ctx, text)) do keys[i] = control.key end
      return keys
    end
    t.equal(keys_of("", ""), strategy.lists.unread_keys)
    t.equal(keys_of("", "Press Z to jump"), { "KeyZ" })
  end,
  ["a game that takes letters is typed into, by whatever way it tells them"] = function(t)
    local function takes_text(source)
      local ctx = { page = page_with(source), lists = strategy.lists, options = { most_keys = 6 }, state = {} }
      for _, control in ipairs(controls.infer(ctx, "")) do
        if control.kind == "text" then return true end
      end
      return false
    end
    t.truthy(takes_text("if (e.key.match(/^[a-z]$/)) type(e.key)"))
    t.truthy(takes_text("const letter = e.key.toLowerCase(); if (letter >= 'a' && letter <= 'z') guess(letter)"))
    t.truthy(takes_text("if (/[A-Za-z]/.test(event.key)) guess(event.key)"))
    t.falsy(takes_text("if (e.key === 'a') left(); if (lives >= 3) go()"))
  end,
  ["keys are read off the ways in which scripts keep what is held"] = function(t)
    local function found(source)
      local keys = {}
      for key in pairs(key_scan.scan(source, {})) do keys[#keys + 1] = key end
      table.sort(keys)
      return keys
    end
    t.equal(found("if (keys['w']) up(); if (keys.s) down(); if (keysDown[90]) fire()"), { "KeyS", "KeyW", "KeyZ" })
    t.equal(found("if (key === 'a' || e.key.toLowerCase() === 'd') go()"), { "KeyA", "KeyD" })
    t.equal(found("this.input.keyboard.addKeys('W,A,SPACE,LEFT')"), { "ArrowLeft", "KeyA", "KeyW", "Space" })
    t.equal(found("monkeys.shift(); Object.keys(x).length; const donkey = 'z'"), {})
  end,
  ["a page that listens to fingers alone is touched"] = function(t)
    local function kinds_of(types)
      local page = { listeners = function()
        local list = {}
        for i, name in ipairs(types) do list[i] = { type = name, target = "canvas" } end
        return list
      end }
      local kinds = {}
      local list = controls.infer({ page = page, lists = strategy.lists, options = { most_keys = 6 }, state = {} }, "")
      for i, control in ipairs(list) do kinds[i] = control.kind end
      return kinds, controls.are_touched(list)
    end
    t.equal({ kinds_of{ "touchstart", "touchmove", "touchend" } }, { { "touch" }, true })
    t.equal({ kinds_of{ "touchstart", "mousedown", "touchmove" } }, { { "click", "move" }, false })
  end,
  ["instructions name the keys that play, not those that pause"] = function(t)
    local function named(text)
      return key_scan.named_in_text(text, strategy.lists.aside_words, strategy.lists.restart_words)
    end
    t.equal(named("Player 1 moves using the Q and A keys.\nPlayer 2: keys P, L"),
      { KeyQ = true, KeyA = true, KeyP = true, KeyL = true })
    t.equal(named("Z to jump, P to pause, R to restart, 'X' or 'C' keys"), { KeyZ = true, KeyX = true, KeyC = true })
    t.equal(named("Grab a key and go to it"), {})
  end,
  ["an element that only listens for presses is offered to them, where the page shows nothing else to press"] =
    function(t)
    local html = [[<body onclick="0">
      <div id=a style="position:absolute;left:100px;top:60px;width:80px;height:40px;background:#c33"></div>%s
      <div id=b style="position:absolute;left:10px;top:10px;width:20px;height:20px;display:none"></div>
      <script>for (const id of ['a', 'b'])
        document.getElementById(id).addEventListener('mousedown', () => {})</script>]]
    local browser = assert(qa.browser.launch{})
    local page = assert(browser:new_page{ width = 400, height = 300 })
    local function offered(more)
      assert(page:navigate("about:blank"))
      assert(page:evaluate("(html) => { document.open(); document.write(html); document.close(); return true }",
        { args = { html:format(more) } }))
      local places = {}
      local ctx = { page = page, width = 400, height = 300, state = {} }
      for i, item in ipairs(scenes.look(ctx).clickables) do
        places[i] = { item.tag, item.x, item.y, item.width, item.height }
      end
      return places
    end
    local found, with_button = offered(""),
      offered("<button style='position:absolute;left:200px;top:200px;width:60px;height:20px'>Go</button>")
    browser:close()
    t.equal(found, { { "div", 140, 80, 80, 40 } })
    t.equal(with_button, { { "button", 230, 210, 60, 20 } })
  end,
}
