-- Worlds: forks that had the same past, what two worlds show differently, and the log that both stand on.
local qa = require "qa"
local clock_page = require("qa").load_chunk("tests/lua/support/clock_page.lua")()
local worlds = require "qa.world.world"
local value = clock_page.value

-- Each event, with the frame it came in, is seen in the picture of all frames to come.
local GAME = [[<canvas id="view" width="640" height="200"></canvas><input id="name">
<div style="height: 900px"></div><button id="far">far</button><script>
  window.seen = []; let frames = 0;
  const note = (what) => seen.push(frames + ' ' + what);
  for (const type of ['keydown', 'keyup']) addEventListener(type, e => note(type + ' ' + e.code));
  for (const type of ['mousedown', 'mouseup', 'mousemove', 'click'])
    addEventListener(type, e => note([type, e.clientX, e.clientY, e.target.id]));
  for (const type of ['touchstart', 'touchend']) addEventListener(type, e => note(type));
  addEventListener('wheel', e => note('wheel ' + e.deltaY));
  addEventListener('scroll', () => note('scroll ' + scrollY));
  addEventListener('resize', () => note('resize ' + innerWidth));
  addEventListener('gamepadconnected', () => note('pad'));
  const brush = view.getContext('2d');
  const tick = () => {
    ++frames;
    for (const pad of navigator.getGamepads()) if (pad && pad.buttons[0].pressed) note('pad a');
    brush.clearRect(0, 0, 640, 200);
    brush.fillRect(frames % 600, 0, 4, 20);
    seen.slice(-30).forEach((what, row) => {
      let sum = 7;
      for (const letter of what) sum = (sum * 31 + letter.charCodeAt()) % 600;
      brush.fillRect(sum, 22 + row * 5, 9, 4);
    });
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
</script>]]

---Calls fn(open, browser); open(options?) gives a world of `html`.
local function with_worlds(html, fn, files)
  clock_page.with(html, function(_, server, browser)
    fn(function(options)
      local given = { url = server.url, width = 640, height = 360 }
      for key, option in pairs(options or {}) do given[key] = option end
      return assert(worlds.open(browser, given))
    end, browser, server)
  end, files)
end

local function seen(world) return table.concat(value(world.page, "seen"), "\n") end

---One input of each kind: what is done, and a word of what the page must have seen.
local inputs = {
  { "a key", "keydown ArrowLeft", function(world) return world:input{ key = "ArrowLeft" } end },
  { "a chord that is held", "keyup ShiftLeft",
    function(world) return world:input{ key = { "ShiftLeft", "KeyA" }, hold_ms = 300 } end },
  { "a click by selector that scrolls", "click,%d+,%d+,far",
    function(world) return world:input{ click = "#far" } end },
  { "a click at a point", "click,50,60,view", function(world) return world:input{ click = { x = 50, y = 60 } } end },
  { "a drag", "mousemove,%d+,%d+,view",
    function(world) return world.page:drag({ x = 20, y = 20 }, { x = 300, y = 90 }) end },
  { "a move", "mousemove,300,90", function(world) return world.page:move({ x = 300, y = 90 }, { steps = 3 }) end },
  { "a wheel", "scroll %d+", function(world) return world.page:wheel({ x = 50, y = 60 }, { dy = 300 }) end },
  { "a touch", "touchend",
    function(world) return world.page:touch({ x = 50, y = 60 }, { path = { x = 90, y = 60 } }) end,
    { page = { touch = true } } },
  { "typing", "keydown KeyB", function(world)
    assert(world:input{ click = "#name" })
    return world.page:type "abc"
  end },
  { "a gamepad", "pad a", function(world) return world.page:gamepad{ buttons = { a = 1 } } end },
  { "a resize", "resize 500", function(world) return world.page:resize(500, 300) end },
  { "an evaluate", "told", function(world) return not select(2, world.page:evaluate "void note('told')") end },
  { "a protocol command", "cdp",
    function(world) return world.page:cdp("Runtime.evaluate", { expression = "note('cdp')" }) end },
}

local tests = {}

for _, input in ipairs(inputs) do
  local name, word, play, options = unpack(input)
  tests["a fork has the same past after " .. name] = function(t)
    with_worlds(GAME, function(open)
      local world = open(options)
      assert(world:step(20))
      -- Twice, with steps between and after: the log says when each was.
      for _ = 1, 2 do
        assert(play(world))
        assert(world:step(7))
      end
      t.truthy(seen(world):find(word), seen(world))
      local fork = assert(world:fork())
      t.equal(fork:frame(), world:frame())
      t.equal(seen(fork), seen(world))
      t.equal(world:differs(fork), nil)
      -- And the same future.
      assert(worlds.step({ world, fork }, 10))
      t.equal(world:differs(fork), nil)
    end)
  end
end

tests["a fork has the same past after a reload and a navigation"] = function(t)
  with_worlds(GAME, function(open, _, server)
    local world = open()
    assert(world:step(10))
    assert(world:input{ key = "KeyA" })
    assert(world.page:reload())
    assert(world:step(10))
    assert(world:input{ key = "KeyB" })
    local fork = assert(world:fork())
    t.equal(seen(fork), "10 keydown KeyB\n13 keyup KeyB")
    assert(world.page:navigate(server.url .. "other.html"))
    assert(world:step(3))
    t.equal(value(assert(world:fork()).page, "document.title"), "other")
  end, { ["other.html"] = "<title>other</title><p>another page" })
end

tests["what a fork does afterwards, the first world does not, and forks have forks"] = function(t)
  with_worlds(GAME, function(open)
    local world = open()
    assert(world:step(10))
    local fork = assert(world:fork())
    assert(fork:input{ key = "KeyA" })
    assert(world:step(3))
    local found = assert(world:differs(fork))
    t.truthy(found.pixels > 0)
    t.truthy(#found.regions > 0)
    t.equal(seen(world), "")
    local second = assert(fork:fork())
    t.equal(seen(second), seen(fork))
    t.equal(fork:differs(second), nil)
  end)
end

-- What differs without a picture of it, and one that shows in the picture alone.
local differences = {
  { "pixels", "view.height = 80" },
  { "text", "document.title = 'x'; document.getElementById('hidden').textContent = 'b'" },
  { "text inputs", "document.getElementById('field').value = 'b'" },
  { "storage", "localStorage.setItem('best', '3')" },
  { "storage", "sessionStorage.setItem('best', '3')" },
  { "storage", "document.cookie = 'best=3'" },
  { "sounds", "sound()" },
  { "state", "player.x = 3" },
}

tests["pixels, text, inputs, storage, sounds and the page's own state are told apart"] = function(t)
  local html = [[<canvas id="view" style="background: red"></canvas>
    <p id="hidden" style="position: absolute; top: 90px; color: transparent">a</p>
    <input id="field" value="a" style="position: absolute; top: 900px"><script>
    window.player = { x: 0 };
    window.render_game_to_text = () => JSON.stringify(player);
    const audio = new AudioContext();
    window.sound = () => { const tone = audio.createOscillator(); tone.connect(audio.destination); tone.start(); };
  </script>]]
  with_worlds(html, function(open)
    local world = open()
    assert(world:step(2))
    for _, difference in ipairs(differences) do
      local kind, js = unpack(difference)
      local other = assert(world:fork())
      t.equal(world:differs(other), nil)
      value(other.page, "void (() => {" .. js .. "})()")
      local found, err = world:differs(other)
      t.equal(err, nil)
      local kinds = {}
      for _, name in ipairs{ "text", "inputs", "storage", "sounds", "state" } do
        if (found or {})[name] then kinds[#kinds + 1] = name end
      end
      if (found or { pixels = 0 }).pixels > 0 then kinds[#kinds + 1] = "pixels" end
      t.equal(table.concat(kinds, " "), kind)
      other:close()
    end
    value(world.page, "void (player.x = 5)")
    t.equal(assert(world:look()).state, [[{"x":5}]])
  end)
end

tests["a page that lies about its state, or throws there, is compared all the same"] = function(t)
  for _, js in ipairs{ "() => { throw 1; }", "() => { for (;;); }", "() => ({ toString: 3 })",
    "() => 'x'.repeat(1e7)" } do
    with_worlds("<p>game<script>window.render_game_to_text = " .. js .. "</script>", function(open)
      local world = open()
      local look, err = world:look()
      t.truthy(look or err.kind == "page_hung", err and tostring(err))
    end)
  end
end

tests["a sheet shows the next frames side by side"] = function(t)
  with_worlds([[<body style="background: black"><script>
    let n = 0;
    const show = () => {
      document.body.style.background = ++n % 2 ? 'white' : 'black';
      requestAnimationFrame(show);
    };
    requestAnimationFrame(show);
  </script>]], function(open)
    local world = open()
    local sheet = assert(world:sheet(6))
    t.equal({ sheet:size() }, { 1600, 360 })
    t.equal(world:frame(), 6)
    -- White, black ... and what is left of the second row.
    t.equal({ assert(sheet:grid(5, 2)):byte(1, -1) }, { 255, 0, 255, 0, 255, 0, 0, 0, 0, 0 })
    t.equal({ assert(world:sheet(2, 3)):size() }, { 640, 180 })
    t.equal(world:frame(), 12)
  end)
end

tests["a world that is prepared forks at once, and closing the last one leaves no page"] = function(t)
  with_worlds(GAME, function(open, browser)
    local world = open()
    assert(world:step(5))
    world:prepare()
    local ahead = world.game.spare:join()
    t.equal(#browser:pages(), 2)
    local fork = assert(world:fork())
    t.equal(fork.page, ahead)
    t.equal(#browser:pages(), 2)
    fork:prepare()
    fork:close()
    fork:close()
    t.equal(world.game.open, 1)
    world:close()
    t.equal(#browser:pages(), 0)
  end)
end

tests["a page that was closed or crashed meanwhile is not forked from what was prepared"] = function(t)
  with_worlds(GAME, function(open, browser)
    local world = open()
    local function crash(page) page:cdp("Page.crash", {}, { timeout_ms = 500 }) end
    for _, ruin in ipairs{ function(page) page:close() end, crash } do
      world:prepare()
      ruin(world.game.spare:join())
      local fork = assert(world:fork())
      t.equal(fork:frame(), world:frame())
      fork:close()
    end
    world:close()
    t.raises(function() world:fork() end, "closed")
    t.equal(#browser:pages(), 0)
  end)
end

tests["a page that does not repeat itself is not forked"] = function(t)
  -- Names of object URLs are the browser's chance.
  with_worlds([[<p id="name"><script>
    document.getElementById('name').textContent = URL.createObjectURL(new Blob(['']));
  </script>]], function(open, browser)
    local world = open()
    local fork, err = world:fork()
    t.equal(fork, nil)
    t.equal(err.kind, "trace_mismatch")
    t.truthy(err.message:find("other pixels at frame 0: the game is not repeatable", 1, true), err.message)
    t.equal(#browser:pages(), 1)
  end)
end

tests["a world whose page crashed or hangs says so"] = function(t)
  with_worlds(GAME, function(open, browser)
    local world, hung = open(), open()
    world.page:cdp("Page.crash", {}, { timeout_ms = 500 })
    for name, call in pairs{ step = function() return world:step(1) end, look = function() return world:look() end,
      input = function() return world:input{ key = "KeyA" } end, sheet = function() return world:sheet(2) end } do
      local done, err = call()
      t.equal(done, nil, name)
      t.equal(err.kind, "page_crashed", name)
    end
    local _, err = hung:differs(world)
    t.equal(err.kind, "page_crashed")
    value(hung.page, "void requestAnimationFrame(() => { for (;;); })")
    local stepped
    stepped, err = hung:step(1)
    t.equal(stepped, nil)
    t.equal(err.kind, "page_hung")
    world:close()
    hung:close()
    t.equal(#browser:pages(), 0)
  end)
end

local function log_of(page)
  local lines = {}
  for _, entry in ipairs(page:input_log().entries) do
    lines[#lines + 1] = entry.frame .. " " .. entry.op .. (entry.failed and " failed" or "")
  end
  return lines
end

tests["the log has all that was done, where it was done, and nothing that only looks"] = function(t)
  with_worlds(GAME, function(open)
    local world = open()
    local page = world.page
    t.equal(log_of(page), { "0 page:navigate" })
    assert(world:step(60))
    assert(page:click "#far")
    assert(page:press("KeyA", { hold_ms = 100 }))
    assert(page:gamepad{})
    assert(page:resize(500, 300))
    assert(page:cdp("Runtime.evaluate", { expression = "1" }))
    page:evaluate("(a, b) => { throw a + b }", { args = { 1, "two" } })
    t.equal(log_of(page), { "0 page:navigate", "60 page:probe", "60 page:probe", "60 page:mouse_click", "63 page:press",
      "69 page:gamepad", "69 page:resize", "69 page:cdp", "69 page:evaluate failed" })
    local entries = page:input_log().entries
    t.equal(entries[5].args, { "KeyA", { hold_ms = 100 } })
    t.equal(entries[9].args[2].args, { 1, "two" })
    local before = #entries
    assert(world:look()).picture:close()
    page:evaluate("1", { read_only = true })
    page:content()
    page:clickables()
    page:listeners()
    page:frames()
    page:clock_coverage()
    page:health()
    t.equal(#page:input_log().entries, before)
    t.equal(page:input_log().frame, 69)
  end)
end

tests["a world with an input that was cut short may have no fork, and says why"] = function(t)
  with_worlds(GAME, function(open)
    local world = open()
    qa.with_deadline(30, function() return world:input{ key = "KeyA", hold_ms = 20000 } end)
    local fork, err = world:fork()
    t.equal(fork, nil)
    t.equal(err.kind, "trace_mismatch")
    t.truthy(err.message:find("its inputs took longer", 1, true), err.message)
  end)
end

tests["an input that is cut short is marked, and one that never had its turn is not played later"] = function(t)
  with_worlds(GAME, function(open)
    local world = open()
    local page = world.page
    local _, err = qa.with_deadline(30, function() return page:press("KeyA", { hold_ms = 600000 }) end)
    t.equal(err.kind, "timeout")
    local log = log_of(page)
    t.equal(log[#log], "0 page:press failed")
    local stepping = qa.spawn(function() return page:step(2000, { draw = "all" }) end)
    _, err = qa.with_deadline(10, function() return page:press "KeyB" end)
    t.equal(err.kind, "timeout")
    assert(stepping:join())
    assert(world:step(5))
    t.equal(log_of(page), log)
    t.falsy((seen(world):find "KeyB"))
    t.truthy((seen(world):find "keyup KeyA"))

  end)
end

tests["what looks for an element, and what resizes, waits for its turn as well"] = function(t)
  with_worlds(GAME, function(open)
    local world = open()
    local stepping = qa.spawn(function() return world:step(600, { draw = "all" }) end)
    qa.sleep(1)
    assert(world:input{ click = "#far" })
    assert(world.page:resize(500, 300))
    assert(stepping:join())
    t.equal(log_of(world.page), { "0 page:navigate", "600 page:probe", "600 page:probe", "600 page:mouse_click",
      "603 page:resize" })
    t.equal(seen(assert(world:fork())), seen(world))
  end)
end

tests["two tasks that step and press at once take turns, and a fork does the same"] = function(t)
  with_worlds(GAME, function(open)
    local world = open()
    local function press(key) return function() for _ = 1, 3 do assert(world:input{ key = key }) end return true end end
    qa.all(function() for _ = 1, 4 do assert(world:step(9)) end return true end, press "KeyA", press "KeyB")
    t.equal(world:frame(), 4 * 9 + 6 * 3)
    local fork = assert(world:fork())
    t.equal(seen(fork), seen(world))
  end)
end

return tests
