-- qa.effect: what an input changes, told by a twin that did not get it.
local qa = require "qa"
local clock_page = require("qa").load_chunk("tests/lua/support/clock_page.lua")()
local effects = require "qa.effect.effect"
local time = require "qa.page.time"
local worlds = require "qa.world.world"

-- A scene that moves by itself and by chance. Left moves a box at once, T for five frames, Right after 40 frames, D
-- after 150; S is told in words that nobody sees; H in the page's own state.
local GAME = [[<style>button:active { background: red } button:hover { color: blue }</style>
<canvas id="view" width="600" height="200"></canvas>
<button id="dead" style="width: 200px; height: 60px">dead</button>
<button id="live" style="width: 200px; height: 60px">live</button><p id="said" style="color: white">nothing</p><script>
  let x = 100, frames = 0, hidden = 0; const due = [];
  addEventListener('keydown', e => {
    if (e.code === 'ArrowLeft') x -= 20;
    if (e.code === 'KeyT') due.push([frames + 1, 20], [frames + 6, -20]);
    if (e.code === 'ArrowRight') due.push([frames + 40, 20]);
    if (e.code === 'KeyD') due.push([frames + 150, 20]);
    if (e.code === 'KeyS') said.textContent += ' ' + frames;
    if (e.code === 'KeyH') ++hidden;
  });
  live.onclick = () => { x += 50; };
  window.render_game_to_text = () => 'hidden ' + hidden;
  const brush = view.getContext('2d');
  const tick = () => {
    ++frames;
    for (const entry of due) if (entry[0] === frames) x += entry[1];
    brush.clearRect(0, 0, 600, 200);
    brush.fillRect(x, 50, 30, 30);
    for (let i = 0; i < 20; ++i) brush.fillRect(Math.random() * 600, 120 + Math.random() * 60, 3, 3);
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
</script>]]

---Calls fn(world) with a world of the game that has run for some frames.
local function with_world(fn, html)
  clock_page.with(html or GAME, function(_, server, browser)
    local world = assert(worlds.open(browser, { url = server.url, width = 640, height = 400 }))
    time.follow(world.page)
    assert(world:step(10))
    local ok, err = pcall(fn, world)
    time.follow(nil)
    world:close()
    if not ok then error(err, 0) end
  end)
end

local function press(key) return { action = "press", key = key, hold_ms = 100 } end

local function at(world, selector)
  local found = assert(world.page:find(selector))
  return { action = "click", x = found.x, y = found.y, hold_ms = 60 }
end

return {
  ["what an input changes for some frames only is an effect"] = function(t)
    with_world(function(world)
      local effect = assert(effects.of(world, { action = "press", key = "KeyT", hold_ms = 50 }, { is_brief = true }))
      t.equal({ effect.changed, effect.after_frames, effect.pixels }, { true, 4, 2 * 20 * 30 })
    end)
  end,
  ["how a page shows what has the focus is no effect of what moves it"] = function(t)
    with_world(function(world)
      local effect = assert(effects.of(world, at(world, "button")))
      t.equal({ effect.changed, effect.is_native, effect.is_restored }, { true, true, true })
      t.equal(assert(effects.of(world, press"ArrowLeft")).changed, false)
    end, [[<style>button { outline: none; transition: all .2s } button:focus { background: green; transform: scale(2) }
      </style><button style="margin: 60px; width: 100px; height: 40px">Dead</button>]])
  end,
  ["a part of the page that the wheel scrolls is the browser's doing, and it is scrolled back"] = function(t)
    with_world(function(world)
      local wheel = { action = "wheel", x = 100, y = 100, dy = 240 }
      for _ = 1, 2 do
        local effect = assert(effects.of(world, wheel))
        t.equal({ effect.changed, effect.is_native, effect.is_restored }, { true, true, true })
      end
      t.equal(assert(effects.of(world, press"ArrowLeft")).changed, false)
      assert(world:fork()):close()
    end, [[<div style="width: 300px; height: 200px; overflow: auto"><div style="height: 2000px;
      background: linear-gradient(red, green)"></div></div>]])
  end,
  ["an input changes what differs from the same world without it"] = function(t)
    with_world(function(world)
      local effect = assert(effects.of(world, press"ArrowLeft", { pictures = true }))
      t.truthy(effect.changed)
      t.truthy(effect.lasts)
      t.equal(effect.frame, 10)
      t.equal(effect.held, 6)
      t.truthy(effect.pixels >= 600 and effect.pixels <= 2000, effect.pixels)
      local region = effect.regions[1]
      t.truthy(region.x >= 80 and region.x + region.width <= 150 and region.y >= 50, qa.json.encode(region))
      t.falsy(assert(effect.pictures.with:diff(effect.pictures.without)).identical)
      for _, picture in pairs(effect.pictures) do picture:close() end
      t.equal(world.twin, nil)
      local sentence = effects.sentence(press"ArrowLeft", effect)
      t.truthy(sentence:find "^press ArrowLeft, 6 frames from frame 10, changed [%d,]+ pixels in %d+,%d+%-%d+,%d+ ",
        sentence)
    end)
  end,

  ["an input that nothing listens to changes nothing, and keeps the twin"] = function(t)
    with_world(function(world)
      local effect = assert(effects.of(world, effects.PLACEBO))
      t.falsy(effect.changed)
      t.equal(effect.after_frames, 60)
      local twin = world.twin
      t.falsy(assert(effects.of(world, press"KeyQ")).changed)
      t.equal(world.twin, twin)
      t.equal(twin:frame(), world:frame())
      t.truthy(assert(effects.of(world, press"ArrowLeft")).changed)
    end)
  end,

  ["an effect that comes late is waited for as long as asked"] = function(t)
    with_world(function(world)
      local effect = assert(effects.of(world, press"ArrowRight"))
      t.truthy(effect.changed)
      t.equal(effect.after_frames, 60)
      t.falsy(assert(effects.of(world, press"KeyD")).changed)
      -- It is due while the next one is asked, which the twin has not got: both were equal, and are not.
      t.truthy(assert(effects.of(world, press"KeyD", { frames = 240 })).changed)
    end)
  end,

  ["what shows in no pixel is found in words and in the page's own state"] = function(t)
    with_world(function(world)
      local said = assert(effects.of(world, press"KeyS"))
      t.truthy(said.changed)
      t.equal(said.pixels, 0)
      t.truthy(said.text)
      local state = assert(effects.of(world, press"KeyH"))
      t.equal(state.state, { "hidden 1", "hidden 0" })
      t.truthy(effects.sentence(press"KeyH", state):find "changed no pixel, but state")
    end)
  end,

  ["the look of a button that is pressed does not last, and hovering is part of the control"] = function(t)
    with_world(function(world)
      local effect = assert(effects.of(world, at(world, "#dead")))
      t.truthy(not effect.changed or effect.lasts == false, qa.json.encode(effect))
      t.truthy(world.twin)
      effect = assert(effects.of(world, at(world, "#live")))
      t.truthy(effect.changed and effect.lasts)
    end)
  end,

  ["many inputs are asked in turn, or all at once"] = function(t)
    with_world(function(world)
      local found = effects.scan(world, { press"KeyQ", press"ArrowLeft", press"KeyW", press"ArrowLeft" },
        { enough = 2 })
      t.equal(#found, 4)
      t.equal({ found[1].changed, found[2].changed, found[3].changed, found[4].changed }, { false, true, false, true })
      t.falsy(assert(effects.of_all(world, { press"KeyQ", press"KeyW", press"KeyE" })).changed)
      t.truthy(assert(effects.of_all(world, { press"KeyQ", press"ArrowLeft", press"KeyE" })).changed)
    end)
  end,

  ["what changed nothing is left out of later forks, and what was done beside the questions is not"] = function(t)
    local function pressed(log)
      local list = {}
      for _, entry in ipairs(log.entries) do if entry.op == "page:press" then list[#list + 1] = entry.args[1] end end
      return list
    end
    with_world(function(world)
      t.falsy(assert(effects.of(world, press"KeyQ", { frames = 240 })).changed)
      assert(world.page:press("ArrowLeft", {}))
      t.falsy(assert(effects.of(world, press"KeyW", { frames = 240 })).changed)
      t.truthy(assert(effects.of(world, press"ArrowLeft")).changed)
      t.falsy(assert(effects.of(world, press"KeyE")).changed)
      t.equal(pressed(world.twin.page:input_log()), { "ArrowLeft", "ArrowLeft" })
      t.equal(pressed(world.page:input_log()), { "KeyQ", "ArrowLeft", "KeyW", "ArrowLeft", "KeyE" })
    end)
  end,

  ["what did something after it was asked is done again in the next fork"] = function(t)
    with_world(function(world)
      t.falsy(assert(effects.of(world, press"KeyD", { frames = 20 })).changed)
      t.truthy(assert(effects.of(world, press"ArrowLeft", { frames = 20 })).changed)
      -- What D did comes while this is asked, and in its twin, too.
      t.falsy(assert(effects.of(world, press"KeyQ", { frames = 240 })).changed)
    end)
  end,

  ["a fork is drawn in its last frame, whatever was done there"] = function(t)
    with_world(function(world)
      assert(world:step(50))
      for _, selector in ipairs{ "#dead", "#live" } do assert(world.page:find(selector)) end
      local fork = assert(world:fork())
      t.falsy(world.game.draws_replays)
      fork:close()
    end)
  end,

  ["a world that its twin does not repeat says so"] = function(t)
    with_world(function(world)
      -- It changes something, and says that it does not.
      assert(world.page:evaluate("x += 70", { read_only = true }))
      assert(world:step(1))
      local effect, err = effects.of(world, press"KeyQ")
      t.equal(effect, nil)
      t.equal(err.kind, "trace_mismatch")
      t.equal(world.twin, nil)
    end)
  end,
}
