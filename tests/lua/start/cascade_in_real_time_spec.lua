-- The start cascade in real time, where an attempt is compared with windows without input.
local cascade = require "qa.start.cascade"
local start_attempts = require "qa.start.attempts"
local start_pages = require("qa").load_chunk("tests/lua/support/start_pages.lua")()
local strategy = require("qa.run.strategy_file").load("standard")
local defaults, run_in_real_time = start_pages.defaults, start_pages.run_in_real_time

return {
  ["C-051: an exact id is tried first"] = function(t)
    local result = run_in_real_time("<button id='start-btn'>Los</button>",
      "document.getElementById('start-btn').onclick = go")
    t.truthy(result.found)
    t.equal(result.method, "dom_exact")
  end,
  ["restart is a start only for a game that had started before"] = function(t)
    local body, script = "<button>Restart</button>", "document.querySelector('button').onclick = go"
    t.equal(run_in_real_time(body, script, nil, { is_restart = true }).method, "restart")
    t.falsy(run_in_real_time(body, script).method == "restart")
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
  ["keys come last, and are held"] = function(t)
    local result = run_in_real_time("<canvas width='400' height='200' style='background:#eee'></canvas>",
      "let at = 0; addEventListener('keydown', e => { at = at || (e.code === 'Space' && performance.now()) });" ..
      "addEventListener('keyup', e => e.code === 'Space' && performance.now() - at >= 100 && go())")
    t.equal(result.method, "key")
    t.equal(result.target, "Space")
  end,
  ["C-G2: a scene that moves by itself is no start either"] = function(t)
    local result = run_in_real_time("<button id='start-btn'>Start</button><div id='b' " ..
      "style='position:absolute;width:200px;height:120px;background:#e33'></div>",
      "let x = 0; setInterval(() => { x = (x + 9) % 400; document.getElementById('b').style.transform = " ..
        "`translate(${x}px, 80px)` }, 30)")
    t.falsy(result.found)
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
  ["a game that asks between two frames whether the button is down sees the press"] = function(t)
    local result = run_in_real_time("<div style='cursor:pointer;width:120px' id='x7'>New game</div>", [[
      let is_down = false;
      addEventListener('mousedown', () => { is_down = true });
      addEventListener('mouseup', () => { is_down = false });
      const watch = setInterval(() => { if (is_down) { clearInterval(watch); go() } }, 30)]])
    t.equal({ result.found, result.method }, { true, "dom_text" })
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
