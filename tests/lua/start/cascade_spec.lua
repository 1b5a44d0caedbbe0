-- The start cascade on real pages, one affordance each: the step that is made for it must be the one that starts it.
local qa = require "qa"
local clock_page = require("qa").load_chunk("tests/lua/support/clock_page.lua")()
local cascade = require "qa.start.cascade"
local start_attempts = require "qa.start.attempts"
local time = require "qa.page.time"
local worlds = require "qa.world.world"
local strategy = require("qa.run.strategy_file").load("standard")

local function defaults()
  local options = {}
  for name, option in pairs(strategy.options) do options[name] = option.default end
  return options
end

---Runs the cascade (or `how`) on a page, and gives its result and the attempts.
local function run_on(page, url, controls, state, how, world)
  local attempts = {}
  local ctx = { page = page, world = world, url = url, width = 640, height = 360, options = defaults(),
    lists = strategy.lists,
    state = { window_ms = strategy.options.window_ms.default, controls = controls or {} },
    event = function(_, name, data)
      if name == "start_attempt" then attempts[#attempts + 1] = data end
    end }
  ctx.options.hold_ms = 120
  for name, value in pairs(state or {}) do ctx.state[name] = value end
  how = how or function() return cascade.run(ctx, function() return true end, function() return false end) end
  return how(ctx), attempts
end

local function html_of(body, script)
  return [[<div id="scene" style="position:fixed;inset:0;background:#fff;z-index:-1"></div>]] .. body ..
    "<script>window.go = () => { document.body.style.background = '#123'; " ..
    "document.getElementById('scene').style.background = '#123' };" .. script .. "</script>"
end

---On game time.
local function run(body, script, controls, state, how)
  local result, attempts
  clock_page.with(html_of(body, script), function(_, server, browser)
    local world = assert(worlds.open(browser, { url = server.url, width = 640, height = 360,
      page = { tap_text = true } }))
    assert(world:step(10))
    time.during(world.page, function()
      result, attempts = run_on(world.page, server.url, controls, state, how, world)
    end)
    world:close()
  end)
  return result, attempts
end

---In real time, where a trial is compared with windows without input.
local function run_in_real_time(body, script, controls, state, how)
  local result, attempts
  clock_page.with(html_of(body, script), function(_, server)
    local browser = assert(qa.browser.launch{})
    local page = assert(browser:new_page{ width = 640, height = 360, tap_text = true })
    assert(page:navigate(server.url))
    -- The first paint is not part of any control.
    page:settle{ quiet_ms = 150, max_ms = 3000 }
    result, attempts = run_on(page, server.url, controls, state, how)
    browser:close()
  end)
  return result, attempts
end

---Paints a menu whose START button does `action`; everything else on the canvas is dead.
local function canvas_menu(action, name)
  return ([[
    const painted = %s, ctx = painted.getContext('2d');
    ctx.fillStyle = '#dde'; ctx.fillRect(0, 0, 640, 360);
    ctx.fillStyle = '#223'; ctx.fillRect(380, 220, 180, 60);
    ctx.fillStyle = '#fff'; ctx.font = 'bold 32px "DejaVu Sans"'; ctx.textAlign = 'center'; ctx.textBaseline = 'middle';
    ctx.fillText('START', 470, 250);
    addEventListener('mousedown', e => {
      if (e.clientX > 380 && e.clientX < 560 && e.clientY > 220 && e.clientY < 280) {
        document.querySelector('canvas').remove(); %s }
    });
  ]]):format(name or "document.querySelector('canvas')", action)
end

return {
  ["C-051: an exact id is tried first"] = function(t)
    local result = run_in_real_time("<button id='start-btn'>Los</button>",
      "document.getElementById('start-btn').onclick = go")
    t.truthy(result.found)
    t.equal(result.method, "dom_exact")
  end,
  ["C-051: an attribute that holds the word alone comes next"] = function(t)
    local result = run("<button class='big play-now'>Los</button>", "document.querySelector('button').onclick = go")
    t.equal(result.method, "dom_attribute")
  end,
  ["visible text on anything clickable starts a game"] = function(t)
    local result = run("<div style='cursor:pointer;width:120px' id='x7'>New game</div>",
      "document.getElementById('x7').onclick = go")
    t.equal(result.method, "dom_text")
  end,
  ["restart is a start only for a game that had started before"] = function(t)
    local body, script = "<button>Restart</button>", "document.querySelector('button').onclick = go"
    t.equal(run_in_real_time(body, script, nil, { is_restart = true }).method, "restart")
    t.falsy(run_in_real_time(body, script).method == "restart")
  end,
  ["instruction text names the key to press"] = function(t)
    local result = run("<p>Press Enter to begin your quest</p>",
      "addEventListener('keydown', e => e.key === 'Enter' && go())")
    t.equal(result.method, "instruction")
    t.equal(result.target, "Enter")
  end,
  ["a modal is closed, and does not count as a start"] = function(t)
    local _, attempts = run("<div id='m' style='position:fixed;inset:20px;background:#ccc'>Rules " ..
      "<button>Close</button></div>",
      "document.querySelector('button').onclick = () => document.getElementById('m').remove()")
    t.equal(attempts[1].method, "modal")
    t.equal(attempts[1].effect, "yes")
  end,
  ["a game that answers its controls needs no start"] = function(t)
    local result = run_in_real_time("<p>..</p>", "let n = 0; addEventListener('keydown', e => {" ..
      "if (e.code === 'ArrowLeft') document.getElementById('scene').style.background = n++ % 2 ? '#fff' : '#123' })",
      { { kind = "key", key = "ArrowLeft" } })
    t.truthy(result.auto)
    t.equal(result.method, "probe")
  end,
  ["what slides in by itself while the controls are probed is no answer: it is dealt with, and they are probed again"] =
    function(t)
    local script = "const ask = document.createElement('div'); ask.style = 'position:fixed;inset:20px 20px " ..
      "150px;background:#ccc';" ..
      "ask.innerHTML = 'Sound available! <button>disable audio</button>'; document.querySelector('[role]').onclick " ..
        "= go;" ..
      "addEventListener('keydown', () => { if (!window.asked) { window.asked = true; document.body.append(ask) } });" ..
      "ask.onclick = e => e.target.tagName === 'BUTTON' && ask.remove()"
    local result, methods
    -- On a busy machine the question may be seen only after the probe: that is not what is tested here.
    for _ = 1, 3 do
      local attempts
      result, attempts = run_in_real_time("<div role='button' " ..
        "style='position:absolute;top:250px;width:60px;height:60px;background:#999'></div>", script,
        { { kind = "key", key = "ArrowLeft" } })
      methods = {}
      for i, attempt in ipairs(attempts) do methods[i] = attempt.method .. " " .. attempt.effect end
      if methods[1] == "probe yes" then break end
    end
    t.equal(methods, { "probe yes", "sound_question yes", "probe no", "clickable yes" })
    t.equal({ result.found, result.auto }, { true, nil })
  end,
  ["an unnamed clickable is tried before blind input"] = function(t)
    local result = run("<div role='button' style='width:60px;height:60px;background:#999'></div>",
      "document.querySelector('[role]').onclick = go")
    t.equal(result.method, "clickable")
  end,
  ["the middle of the largest canvas is clicked"] = function(t)
    local result = run("<canvas width='400' height='200' style='background:#eee'></canvas>",
      "document.querySelector('canvas').onclick = go")
    t.equal(result.method, "canvas")
  end,
  ["keys come last, and are held"] = function(t)
    local result = run_in_real_time("<canvas width='400' height='200' style='background:#eee'></canvas>",
      "let at = 0; addEventListener('keydown', e => { at = at || (e.code === 'Space' && performance.now()) });" ..
      "addEventListener('keyup', e => e.code === 'Space' && performance.now() - at >= 100 && go())")
    t.equal(result.method, "key")
    t.equal(result.target, "Space")
  end,
  ["C-G2: a click without effect is not a start"] = function(t)
    local result, attempts = run("<button id='start-btn'>Start</button>", "")
    t.falsy(result.found)
    t.equal(attempts[1].effect, "no")
  end,
  ["C-G2: a scene that moves by itself is no start either"] = function(t)
    local result = run_in_real_time("<button id='start-btn'>Start</button><div id='b' " ..
      "style='position:absolute;width:200px;height:120px;background:#e33'></div>",
      "let x = 0; setInterval(() => { x = (x + 9) % 400; document.getElementById('b').style.transform = " ..
        "`translate(${x}px, 80px)` }, 30)")
    t.falsy(result.found)
  end,
  ["a start word on a canvas is clicked where it stands"] = function(t)
    local result = run("<canvas width='640' height='360' style='position:fixed;inset:0'></canvas>", canvas_menu("go()"))
    t.equal(result.method, "canvas_text")
    t.equal(result.target, 'text "START"')
  end,
  ["a start word that only its pixels show is clicked where it stands"] = function(t)
    local result = run("<canvas width='640' height='360' style='position:fixed;inset:0'></canvas>",
      "const screen = document.querySelector('canvas'), canvas = document.createElement('canvas'); canvas.width = " ..
        "640; canvas.height = 360;" ..
      canvas_menu("go()", "canvas") .. "screen.getContext('2d').drawImage(canvas, 0, 0);")
    t.equal(result.method, "pixel_text")
  end,
  ["what began the last round is tried first for the next"] = function(t)
    local page = "<button id='start-btn' style='position:absolute;left:300px;top:20px'>Start</button><div " ..
      "style='height:200px'></div>"
    local script = "addEventListener('mousedown', e => e.clientX < 50 && go())"
    local result = run(page, script, nil, { is_restart = true, restart_by = { x = 20, y = 200 } })
    t.equal({ result.method, result.attempts, result.by }, { "remembered", 1, { x = 20, y = 200 } })
    t.truthy(run(page, script, nil, { restart_by = { x = 20, y = 200 } }).method ~= "remembered")
  end,
  ["a key that paused the game is pressed again before anything else is tried, and only then"] = function(t)
    local page = "<button id='start-btn' style='position:absolute;left:300px;top:20px'>Start</button><canvas " ..
      "width='640' height='300'></canvas>"
    local script = [[
      const g = document.querySelector('canvas').getContext('2d');
      let paused = true;
      addEventListener('keydown', e => { if (e.code === 'KeyP' && !e.repeat) paused = !paused; });
      requestAnimationFrame(function frame(now) {
        if (!paused) for (let i = 0; i < 64; i++) { g.fillStyle = (i + Math.floor(now / 60)) % 2 ? '#fff' : '#000';
          g.fillRect(i * 10, 0, 10, 300); }
        requestAnimationFrame(frame);
      });
    ]]
    local function after(key)
      local state
      local seen = { was_animated = true, restarts = 0, still_trials = 2, trials = {}, key_in_motion = key,
        seen_still = true }
      local _, attempts = run_in_real_time(page, script, nil, seen, function(ctx)
        state = ctx.state
        require("qa.run.strategy_file").part("standard.rounds").again(ctx)
      end)
      return attempts[1].method, state.restart_failed, state.restart_by, state.seen_still
    end
    -- In the round that has begun no trial waits for the scene to rest.
    t.equal({ after"KeyP" }, { "remembered", false, { key = "KeyP" }, nil })
    t.equal((after(nil)), "dom_exact")
  end,
  ["a menu whose entries the keys walk through is no game yet: an entry is chosen and taken"] = function(t)
    local result, attempts = run("<canvas width='640' height='360' style='position:fixed;inset:0'></canvas>", [[
      const menu = document.querySelector('canvas').getContext('2d');
      let chosen = -1, is_left = false;
      const show = () => {
        menu.fillStyle = '#000'; menu.fillRect(0, 0, 640, 360);
        menu.fillStyle = '#fff'; menu.font = '24px sans-serif'; menu.fillText('CHOOSE A HERO', 200, 60);
        ['Knight', 'Bard', 'Cook'].forEach((name, i) => {
          menu.fillStyle = i === chosen ? '#fff' : '#444'; menu.fillRect(180, 90 + 70 * i, 260, 60);
          menu.fillStyle = '#a33'; menu.fillText(name, 220, 130 + 70 * i);
        });
      };
      show();
      addEventListener('keydown', e => {
        if (is_left) return;
        if (e.code === 'ArrowDown') { chosen = (chosen + 1) % 3; show() }
        if (e.code === 'Enter' && chosen >= 0) { is_left = true; second() }
      });
      const second = () => {]] .. canvas_menu("go()") .. "}", { { kind = "key", key = "ArrowDown" } })
    local told = {}
    for i = 1, 4 do told[i] = ("%s %s %s"):format(attempts[i].method, attempts[i].target, attempts[i].effect) end
    t.equal(told, { "menu Enter no", "menu Space no", "menu ArrowDown yes", "menu Enter yes" })
    t.equal({ result.found, result.method, result.auto }, { true, "canvas_text" })
  end,
  ["a small word on a canvas that goes away when clicked has started something; one that lights up not"] = function(t)
    local small = [[
      const canvas = document.querySelector('canvas'), ctx = canvas.getContext('2d');
      ctx.font = 'bold 16px "DejaVu Sans"'; ctx.fillText('PLAY', 300, 180);
      canvas.onclick = () => { %s }
    ]]
    local body = "<canvas width='640' height='360' style='position:fixed;inset:0'></canvas>"
    local result, attempts = run_in_real_time(body, small:format("ctx.clearRect(0, 0, 640, 360)"))
    t.equal({ result.found, result.method }, { true, "canvas_text" })
    t.truthy(attempts[1].cells < cascade.START_CELLS)
    result, attempts = run_in_real_time(body, small:format("ctx.fillStyle = 'red'; ctx.fillRect(300, 182, 90, 4)"))
    t.equal({ attempts[1].method, attempts[1].effect, attempts[1].cells >= cascade.PROBE_CELLS },
      { "canvas_text", "no", true })
    t.truthy(result.method ~= "canvas_text")
  end,
  ["an instruction that blinks has not gone away"] = function(t)
    local result = run_in_real_time("<canvas width='640' height='360' style='position:fixed;inset:0'></canvas>", [[
      const ctx = document.querySelector('canvas').getContext('2d');
      ctx.font = 'bold 10px "DejaVu Sans"';
      const show = () => ctx.fillText('Press Space to play', 290, 180);
      show();
      addEventListener('keydown', e => { ctx.clearRect(0, 0, 640, 360); setTimeout(show, 700) })
    ]])
    t.falsy(result.found)
  end,
  ["a switch for the sound starts no game"] = function(t)
    local result, attempts = run("<a id='m' style='cursor:pointer'>Mute</a>",
      "document.getElementById('m').onclick = e => { e.target.textContent = 'Unmute'; go() }")
    t.falsy(result.found)
    for _, attempt in ipairs(attempts) do t.truthy(attempt.method ~= "clickable") end
  end,
  ["an instruction that goes away when it is followed was right, however small"] = function(t)
    local result = run("<canvas width='640' height='360' style='position:fixed;inset:0'></canvas>", [[
      const ctx = document.querySelector('canvas').getContext('2d');
      ctx.font = 'bold 10px "DejaVu Sans"'; ctx.fillText('Press Space to play', 290, 180);
      addEventListener('keydown', e => { if (e.code === 'Space') ctx.clearRect(0, 0, 640, 360) })
    ]])
    t.equal({ result.found, result.method, result.target }, { true, "instruction", "Space" })
  end,
  ["an instruction on a canvas is followed"] = function(t)
    local result = run("<canvas width='640' height='360' style='position:fixed;inset:0'></canvas>",
      "const ctx = document.querySelector('canvas').getContext('2d'); ctx.font = '30px sans-serif'; " ..
        "ctx.fillText('Press S to start', 100, 90);" ..
      "addEventListener('keydown', e => { if (e.code === 'KeyS') { " ..
        "document.querySelector('canvas').remove(); go() } })")
    t.equal(result.method, "instruction")
    t.equal(result.target, "KeyS")
  end,
  ["a game that asks between two frames whether the button is down sees the press"] = function(t)
    local result = run_in_real_time("<div style='cursor:pointer;width:120px' id='x7'>New game</div>", [[
      let is_down = false;
      addEventListener('mousedown', () => { is_down = true });
      addEventListener('mouseup', () => { is_down = false });
      const watch = setInterval(() => { if (is_down) { clearInterval(watch); go() } }, 30)]])
    t.equal({ result.found, result.method }, { true, "dom_text" })
  end,
  ["a link within the page starts a game like a button"] = function(t)
    local result = run("<a href='#' id='x7'>Play</a>", "document.getElementById('x7').onclick = go")
    t.equal({ result.found, result.method }, { true, "dom_text" })
  end,
  ["the page is looked at again only after something was tried"] = function(t)
    local scenes, looks, ways, tried = require "qa.page.scene", 0, {}, 0
    local look = scenes.look
    scenes.look = function(ctx)
      looks = looks + 1
      return look(ctx)
    end
    local ok, _, attempts = pcall(run, "<p>..</p>", "")
    scenes.look = look
    t.truthy(ok)
    for _, attempt in ipairs(attempts) do
      if not ways[attempt.method] then ways[attempt.method], tried = true, tried + 1 end
    end
    t.truthy(tried >= 2)
    -- The last step finds nothing to try here.
    t.equal(looks, tried + 1)
  end,
  ["buttons that cannot be pressed take no place of those that can"] = function(t)
    local links = ("<a href='http://127.0.0.1:9/'>Blog</a>"):rep(3)
      .. "<button disabled style='width:60px;height:40px'>Hard</button>"
    local result = run(links .. "<button id='easy' style='width:60px;height:40px'>Easy</button>",
      "document.getElementById('easy').onclick = go")
    t.equal({ result.method, result.target, result.is_certain or false }, { "clickable", 'button#easy "Easy"', false })
  end,
  ["whatever is clicked without a word for starting is no certain start"] = function(t)
    local button = "<button id='b' style='width:90px;height:40px'>%s</button>"
    local function certain(text)
      return run(button:format(text), "document.getElementById('b').onclick = go").is_certain or false
    end
    t.equal({ certain "Easy", certain "Start" }, { false, true })
  end,
  ["a name is written where a start button asks for one, and the button pressed again"] = function(t)
    local script = [[
      document.getElementById('b').onclick = () => { if (document.getElementById('n').value) go() };
    ]]
    local page = "<input id='n' style='font-size:24px'>%s<button id='b' style='width:90px;height:40px'>%s</button>"
    local result, attempts = run(page:format("", "Play"), script)
    local told = {}
    for i, attempt in ipairs(attempts) do told[i] = attempt.method .. " " .. attempt.effect end
    t.equal(told, { "dom_text no", "field yes", "dom_text yes" })
    t.equal({ result.found, result.method }, { true, "dom_text" })
    -- Without one the field may be what the game is played with.
    local _, others = run(page:format("", "Guess"), script)
    for _, attempt in ipairs(others) do t.truthy(attempt.method ~= "field") end
  end,
  ["a question about the sound is answered, and is no start"] = function(t)
    local result, attempts = run("<div id='q' style='position:fixed;inset:20px;background:#ccc'>Sound available " ..
      "<button>enable audio</button>"
      .. "<button>disable audio</button></div>", [[
      for (const b of document.querySelectorAll('button')) b.onclick = () => { document.getElementById('q').remove(); };
    ]])
    t.equal({ attempts[1].method, attempts[1].effect, result.found }, { "sound_question", "yes", false })
  end,
  ["a link that leaves the page is never clicked"] = function(t)
    local _, attempts = run("<a href='http://127.0.0.1:9/'>Play</a>", "")
    for _, attempt in ipairs(attempts) do t.falsy(attempt.target:find("^a ")) end
    local _, others = run("<a href='http://127.0.0.1:9/'>Click here for more games</a>"
      .. "<a href='http://127.0.0.1:9/'><img class='play-button' width=90 height=40></a>", "")
    for _, attempt in ipairs(others) do t.falsy(attempt.method == "instruction" or attempt.method == "dom_exact") end
  end,
  ["a start button that cannot be pressed yet is pressed when it can"] = function(t)
    local result = run("<button id='start-btn' disabled style='width:90px;height:40px'>Start</button>" ..
      "<button id='level'>Level one</button>", [[
      const start = document.getElementById('start-btn');
      document.getElementById('level').onclick = () => { start.disabled = false;
        document.getElementById('scene').style.background = '#8a2' };
      start.onclick = () => { window.has_begun = true; go() };
    ]], nil, nil, function(ctx)
      return cascade.run(ctx, function() return ctx.page:evaluate("window.has_begun === true") == true end,
        function() return false end)
    end)
    t.truthy(result.target and result.target:find("start-btn", 1, true), result.target)
  end,
  ["after a scroll the other buttons are looked for again"] = function(t)
    local result = run("<button id='x' style='margin:40px;width:90px;height:40px'>Play</button><div " ..
      "style='height:1200px'></div>"
      .. "<button style='width:120px;height:40px'>Start game</button><div style='height:300px'></div>",
      "document.getElementById('x').onclick = go")
    t.equal({ result.method, result.target, result.attempts }, { "dom_text", 'button#x "Play"', 2 })
  end,
  ["an attempt is compared with a window as long as its own, and clicks are held however they are found"] = function(t)
    local grid = ("a"):rep(128 * 72)
    local still = { low = grid, high = grid, first = grid, last = grid, activity = ("\0"):rep(128 * 72), columns = 128,
      rows = 72 }
    local watched, held, page = {}, {}, {}
    function page.watch(_, ms)
      watched[#watched + 1] = ms
      return still
    end
    function page.probe() return {} end
    function page.find() return { x = 7, y = 8 } end
    function page.move() return true end
    function page.press(_, _, opts) held[#held + 1] = opts.hold_ms return true end
    function page.mouse_click(_, _, _, opts) held[#held + 1] = opts.hold_ms return true end
    local options = defaults()
    options.hold_ms = 120
    local ctx = { page = page, url = "about:blank", lists = strategy.lists, options = options,
      state = { window_ms = 400, band = still, is_restart = true, restart_by = { x = 1, y = 2 } } }
    local scene, kinds = { centre = { x = 3, y = 4 }, text = "Click anywhere to start", painted = {} },
      start_attempts.kinds
    for _, kind in ipairs{ "blind_keys", "canvas_centre", "remembered", "instructions" } do
      local attempt = kinds[kind](ctx, { id = kind }, scene)[1]
      t.equal(cascade.try(ctx, attempt).effect, "no", kind)
    end
    t.equal(watched, { 520, 520, 400, 400, 400, 400, 400, 400 })
    t.equal(held, { 120, start_attempts.click_hold_ms, start_attempts.click_hold_ms, start_attempts.click_hold_ms })
  end,
  ["how the scene looked in the last round is forgotten for the next"] = function(t)
    local run_before, band = cascade.run, "not asked"
    cascade.run = function(ctx)
      band = ctx.state.band
      return { found = false }
    end
    local ok, err = pcall(require("qa.run.strategy_file").part("standard.rounds").again,
      { options = {}, state = { restarts = 0, still_trials = 0, band = {} } })
    cascade.run = run_before
    t.truthy(ok, err)
    t.equal(band, nil)
  end,
}
