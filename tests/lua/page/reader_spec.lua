-- The reader on real pages: the text tap, pixels, progress.
local qa = require "qa"
local reader = require "qa.page.reader"
local progress = require "qa.effect.progress"

---Serves one page, opens it with the taps, and calls fn(page).
local function with_page(html, fn, opts)
  local dir = assert(qa.run.open{ slug = "reader-spec" })
  assert(qa.run.publish("index.html", "<!doctype html><style>body { margin: 0 }</style>" .. html))
  local server = assert(qa.serve(dir))
  local browser = assert(qa.browser.launch{})
  opts = opts or {}
  local page = assert(browser:new_page{ width = opts.width or 800, height = opts.height or 600, tap_text = true,
    count_draws = true, scale = opts.scale })
  assert(page:navigate(server.url .. "index.html"))
  local ok, err = pcall(fn, page)
  browser:close()
  if not ok then error(err, 0) end
end

local function near(t, item, x, y, reach)
  t.truthy(item ~= nil)
  t.truthy(math.abs(item.x - x) <= reach and math.abs(item.y - y) <= reach,
    ("at %g,%g, not near %g,%g"):format(item.x, item.y, x, y))
end

local start_canvas = [[<canvas id="c" width="400" height="300" style="width: 800px; height: 600px;
  display: block"></canvas>
<script>
const ctx = document.getElementById('c').getContext('2d');
ctx.fillStyle = '#113'; ctx.fillRect(0, 0, 400, 300);
ctx.fillStyle = '#fff'; ctx.font = 'bold 30px "DejaVu Sans"'; ctx.textAlign = 'center'; ctx.textBaseline = 'middle';
ctx.fillText('PLAY NOW', 200, 100);
ctx.translate(100, 200); ctx.rotate(Math.PI / 2); ctx.fillText('side', 0, 0);
</script>]]

return {
  ["what is painted is found where it stands, on a canvas that CSS scales"] = function(t)
    with_page(start_canvas, function(page)
      near(t, reader.find(reader.painted(page), "play now"), 400, 200, 8)
      near(t, reader.find(reader.painted(page), "side"), 200, 400, 24)
      near(t, page:find{ text = "Play Now" }, 400, 200, 8)
    end)
  end,
  ["at another device pixel ratio the place is the same"] = function(t)
    with_page(start_canvas, function(page)
      near(t, page:find{ text = "Play Now" }, 400, 200, 8)
      near(t, reader.find(reader.read(page), "play now"), 400, 200, 8)
    end, { scale = 2 })
  end,
  ["a canvas that is wiped has forgotten its text, one that is drawn anew has not"] = function(t)
    with_page([[<canvas id="c" width="400" height="300"></canvas><script>
      const ctx = document.getElementById('c').getContext('2d');
      ctx.font = '20px sans-serif';
      window.draw = (text) => { ctx.clearRect(0, 0, 400, 300); if (text) ctx.fillText(text, 50, 50) };
      draw('first'); draw('second');</script>]], function(page)
      t.equal(reader.lines(reader.painted(page)), "second")
      page:evaluate("draw('')")
      t.equal(#reader.painted(page), 0)
    end)
  end,
  ["a score that is drawn over its last value is read as it is now"] = function(t)
    with_page([[<canvas id="c" width="400" height="300"></canvas><script>
      const ctx = document.getElementById('c').getContext('2d');
      ctx.font = '20px monospace'; ctx.textAlign = 'right';
      for (const score of [80, 90, 100]) ctx.fillText(score, 200, 80);
      ctx.fillText('LIVES', 200, 120);</script>]], function(page)
      t.equal(reader.lines(reader.painted(page)), "100\nLIVES")
    end)
  end,
  ["a page that made requestAnimationFrame its own does not hold up settle"] = function(t)
    for _, own in ipairs{ "() => 0", "() => { throw new Error('no frames') }" } do
      with_page("<script>window.requestAnimationFrame = " .. own .. "</script>", function(page)
        t.equal(page:settle{ quiet_ms = 200, max_ms = 4000 }.verdict, "settled", own)
      end)
    end
  end,
  ["a settled scene tells what it did since its last change"] = function(t)
    with_page([[<div id="b" style="position:absolute;left:0;top:0;width:200px;height:200px;background:#000"></div>
      <script>window.go = () => { b.style.transition = 'left 0.4s'; b.style.left = '300px' }</script>]], function(page)
      page:settle{ quiet_ms = 200, max_ms = 2000 }
      page:evaluate("go(); 1")
      local rest = assert(page:settle{ quiet_ms = 200, max_ms = 3000 })
      t.equal({ rest.verdict, rest.quiet.columns, #rest.quiet.low }, { "settled", 128, 3 * 9216 })
      t.truthy(rest.last_change_ms > 200 and rest.quiet.low == rest.quiet.high, rest.last_change_ms)
      t.truthy(rest.quiet.ms >= 200 and math.abs(rest.ms - rest.last_change_ms - rest.quiet.ms) < 1, rest.quiet.ms)
      t.equal(rest.quiet.last, page:watch(60).first)
    end)
  end,
  ["a settled scene is pictured at rest, where a picture is asked for; one that never rests is not"] = function(t)
    with_page([[<style>body { margin: 0; background: #fff }</style><div id="b"
      style="position:absolute;left:0;top:0;width:200px;height:200px;
      background:#000"></div><script>window.go = () => { b.style.transition = 'left 0.3s'; b.style.left = '300px' }
      window.spin = () => { let n = 0; setInterval(() => { b.style.left = (n += 20) % 400 + 'px' }, 30) }
      </script>]], function(page)
      page:settle{ quiet_ms = 200, max_ms = 2000 }
      for _, quiet_ms in ipairs{ 45, 200 } do
        page:evaluate("b.style.transition = ''; b.style.left = '0px'; b.offsetLeft; go(); 1")
        local rest = assert(page:settle{ quiet_ms = quiet_ms, min_ms = 60, max_ms = 3000, picture = true })
        t.equal({ rest.verdict, rest.picture:diff(assert(page:capture{})).changed_pixels }, { "settled", 0 })
        t.truthy(rest.last_change_ms > 100, rest.last_change_ms)
      end
      local rest = assert(page:settle{ quiet_ms = 45, max_ms = 1000, picture = true })
      t.equal({ rest.verdict, rest.picture:diff(assert(page:capture{})).changed_pixels }, { "settled", 0 })
      t.equal(assert(page:settle{ quiet_ms = 45, max_ms = 1000 }).picture, nil)
      page:evaluate("b.style.transition = ''; spin(); 1")
      rest = assert(page:settle{ quiet_ms = 200, max_ms = 700, picture = true })
      t.equal({ rest.verdict, rest.picture }, { "animating", nil })
    end)
  end,
  ["letters that are drawn one by one are one text"] = function(t)
    with_page([[<canvas id="c" width="400" height="300"></canvas><script>
      const ctx = document.getElementById('c').getContext('2d');
      ctx.font = '20px monospace';
      [...'START'].forEach((letter, i) => ctx.fillText(letter, 40 + i * 13, 80));</script>]], function(page)
      t.equal(reader.lines(reader.painted(page)), "START")
    end)
  end,
  ["the tap leaves the methods as they were"] = function(t)
    with_page("<canvas></canvas>", function(page)
      local facts = page:evaluate([[(() => {
        const proto = CanvasRenderingContext2D.prototype, d = Object.getOwnPropertyDescriptor(proto, 'fillText');
        let thrown = '';
        try { proto.fillText.call({}, 'x', 1, 2) } catch (error) { thrown = error.constructor.name }
        return [proto.fillText.name, proto.fillText.length, String(proto.fillText).includes('[native code]'),
          d.writable, d.enumerable, d.configurable, thrown, Object.keys(window).some((key) => key.includes('qa_'))];
      })()]])
      t.equal(facts, { "fillText", 3, true, true, true, true, "TypeError", false })
    end)
  end,
  ["what a game draws is counted by the paint, and the methods are as they were"] = function(t)
    with_page([[<canvas id="c"></canvas><canvas id="g"></canvas><script>
      const ctx = c.getContext('2d'), gl = g.getContext('webgl2') || g.getContext('webgl')
      window.paint = (n) => { for (let i = 0; i < n; i++) ctx.fillRect(i, 0, 1, 1) }
      window.later = () => new Promise((done) => setTimeout(() => { paint(7); done(1) }, 1))</script>]], function(page)
      t.equal(reader.drawn(page), nil)
      page:evaluate("paint(3); 1")
      t.equal(reader.drawn(page), 3)
      t.equal(reader.drawn(page), 3)
      -- Of two callbacks the one that paints more, and no sum of both; of two canvases the sum.
      page:evaluate("paint(5); later()")
      t.equal(reader.drawn(page), 7)
      page:evaluate("paint(2); 1")
      t.equal(reader.drawn(page), 2)
      page:evaluate("gl && gl.drawArrays(gl.TRIANGLES, 0, 600); 1")
      t.equal(reader.drawn(page), 2 + (page:evaluate("Boolean(gl)") and 600 or 0))
      local facts = page:evaluate([[(() => {
        const proto = CanvasRenderingContext2D.prototype, d = Object.getOwnPropertyDescriptor(proto, 'drawImage')
        let thrown = ''
        try { proto.drawImage.call({}, 1, 2, 3) } catch (error) { thrown = error.constructor.name }
        return [proto.drawImage.name, proto.drawImage.length, String(proto.drawImage).includes('[native code]'),
          d.writable, d.enumerable, d.configurable, thrown, Object.keys(window).some((key) => key.includes('qa_'))]
      })()]])
      t.equal(facts, { "drawImage", 3, true, true, true, true, "TypeError", false })
    end)
  end,
  ["what is drawn by an extension, by a worker, or as a whole picture counts, too"] = function(t)
    with_page('<canvas id="c"></canvas>', function(page)
      for _, script in ipairs{
        [[const bitmap = c.getContext('bitmaprenderer');
          createImageBitmap(new ImageData(2, 2)).then(one => { bitmap.transferFromImageBitmap(one); return 1 })]],
        [[const gl = document.createElement('canvas').getContext('webgl');
          gl.getExtension('ANGLE_instanced_arrays').drawArraysInstancedANGLE(gl.TRIANGLES, 0, 3, 2); 1]],
        [[const cleared = document.createElement('canvas').getContext('webgl');
          cleared.clear(cleared.COLOR_BUFFER_BIT); 1]],
        [[const away = document.createElement('canvas').transferControlToOffscreen(); 1]],
      } do
        local before = reader.drawn(page) or 0
        page:evaluate("{ " .. script .. " }")
        t.equal(reader.drawn(page), before + 1, script)
      end
    end)
  end,
  ["a page that answers for how much it draws itself is not believed what is no number"] = function(t)
    local page = {}
    function page.probe()
      return { { value = "7" }, { value = -1 }, { value = 1 / 0 }, { value = 4 }, { value = {} }, { value = 2 } }
    end
    t.equal(reader.drawn(page), 6)
  end,
  ["a page that answers for the tap itself is not believed what is no text"] = function(t)
    local page = {}
    function page.probe()
      return { { value = { { text = "PLAY", x = 1, y = 2, width = 3, height = 4 }, { text = "START" },
        { text = {}, x = 1, y = 1, width = 1, height = 1 },
        7, "x" } }, { value = "junk" } }
    end
    t.equal(reader.lines(reader.painted(page)), "PLAY")
  end,
  ["text is read off pixels where nothing is tapped"] = function(t)
    with_page([[<canvas id="c" width="800" height="600"></canvas><script>
      const off = document.createElement('canvas'); off.width = 800; off.height = 600;
      const ctx = off.getContext('2d');
      ctx.fillStyle = '#225'; ctx.fillRect(0, 0, 800, 600);
      ctx.fillStyle = '#fff'; ctx.font = 'bold 40px "DejaVu Sans"'; ctx.textAlign = 'center';
      ctx.textBaseline = 'middle';
      ctx.fillText('TAP TO START', 400, 250);
      document.getElementById('c').getContext('2d').drawImage(off, 0, 0);</script>]], function(page)
      t.equal(#reader.painted(page), 0)
      near(t, reader.find(reader.read(page), "tap to start"), 400, 250, 6)
      near(t, page:find{ text = "tap to start" }, 400, 250, 6)
    end)
  end,
  ["a tilted text on pixels is one text, in the order of its words"] = function(t)
    with_page([[<body style="margin:0"><canvas id="c" width="800" height="600"></canvas><script>
      const ctx = document.getElementById('c').getContext('2d');
      ctx.fillStyle = '#e9e2cf'; ctx.fillRect(0, 0, 800, 600);
      ctx.translate(400, 250); ctx.rotate(-0.07);
      ctx.fillStyle = '#141414'; ctx.font = '24px "DejaVu Sans"'; ctx.textAlign = 'center'; ctx.textBaseline = 'middle';
      ctx.fillText('High Score of 980', 0, 0);</script>]], function(page)
      near(t, reader.find(reader.read(page), "high score of 980"), 400, 250, 6)
    end)
  end,
  ["words side by side are joined, others are not"] = function(t)
    local function word(text, x, y) return { text = text, x = x, y = y, width = 40, height = 20, confidence = 90 } end
    local lines = reader.join_words{ word("HIGH", 10, 10), word("SCORE", 62, 12), word("EXIT", 300, 11),
      word("PLAY", 10, 60) }
    t.equal(reader.lines(lines), "HIGH SCORE\nEXIT\nPLAY")
    t.equal(lines[1].width, 92)
  end,
  ["an input that takes its time is waited for as long as a quick one"] = function(t)
    local now, shown_ms = 0, math.huge
    local page = {
      probe = function() return { { value = { hash = 1 } } } end,
      settle = function() return { verdict = "settled", frame_delay_ms = 25 } end,
      watch = function(_, ms)
        qa.sleep(1)
        now = now + ms
        local grid = (now >= shown_ms and "\200" or "\100"):rep(9216)
        return { columns = 128, rows = 72, low = grid, high = grid, last = grid, activity = ("\0"):rep(9216) }
      end,
    }
    local now_ms = qa.now_ms
    qa.now_ms = function() return now end
    local ok, result = pcall(progress.measure, page, function()
      now, shown_ms = now + 500, now + 500 + 450
      return true
    end)
    qa.now_ms = now_ms
    t.equal({ ok, ok and result.progressed }, { true, "yes" })
  end,
  ["what an input did is waited for until it can be seen"] = function(t)
    local has_acted, is_shown = false, false
    local page = {
      probe = function() return { { value = { hash = 1 } } } end,
      settle = function()
        if has_acted then
          qa.sleep(100)
          is_shown = true
        end
        return { verdict = "settled", frame_delay_ms = 0 }
      end,
      watch = function(_, ms)
        qa.sleep(ms)
        local grid = (is_shown and "\200" or "\100"):rep(9216)
        return { columns = 128, rows = 72, low = grid, high = grid, last = grid, activity = ("\0"):rep(9216) }
      end,
    }
    local function act()
      has_acted = true
      return true
    end
    t.equal(assert(progress.measure(page, act, { window_ms = 10 })).progressed, "yes")
  end,
  ["what comes to new places at first is watched until it comes to none"] = function(t)
    -- 40 cells wander from the left to the middle, four windows long, and stay there; the input lights 50 others.
    local watched, lit = 0, false
    local page = {
      probe = function() return { { value = { hash = 1 } } } end,
      settle = function() return { verdict = "settled", frame_delay_ms = 25 } end,
      watch = function(_, ms)
        qa.sleep(ms)
        watched = watched + 1
        local cells, moved = {}, {}
        for i = 1, 9216 do
          local row, column = math.floor((i - 1) / 128), (i - 1) % 128
          local is_there = row < 4 and math.floor(column / 10) == math.min(watched, 4)
          cells[i] = (is_there or lit and row == 60 and column < 50) and "\200" or "\100"
          moved[i] = is_there and watched <= 4 and "\1" or "\0"
        end
        local grid = table.concat(cells)
        return { columns = 128, rows = 72, low = grid, high = grid, last = grid, activity = table.concat(moved) }
      end,
    }
    local function act()
      lit = true
      return true
    end
    t.equal(assert(progress.measure(page, act, { window_ms = 20 })).progressed, "yes")
  end,
  ["progress takes no picture of before the call for what the scene does by itself"] = function(t)
    -- Frames take their time to be put together here: what is first seen is the box where it was. The click moves it
    -- back there.
    with_page([[<canvas width=800 height=600></canvas><script>
      const g = document.querySelector('canvas').getContext('2d')
      let x = 100
      addEventListener('mousedown', () => { x = 100 })
      for (let i = 0; i < 12; i++) {
        const glass = document.body.appendChild(document.createElement('div'))
        glass.style = 'position: fixed; inset: 0; height: 100px; ' +
          'backdrop-filter: blur(30px) hue-rotate(30deg) blur(2px)'
      }
      requestAnimationFrame(function frame(t) {
        g.fillStyle = '#222'; g.fillRect(0, 0, 800, 600); g.fillStyle = '#fff'; g.fillRect(x, 300, 80, 80);
        g.fillRect(t / 10 % 700, 30, 40, 40)
        requestAnimationFrame(frame)
      })</script>]], function(page)
      assert(page:watch(300))
      assert(page:evaluate("x = 500"))
      local result = assert(progress.measure(page, function() return page:mouse_click(600, 500, {}) end))
      t.equal(result.progressed, "yes")
    end)
  end,
  ["progress tells an answer from a scene that moves by itself"] = function(t)
    with_page([[<div id="a" style="position:absolute;width:60px;height:60px;background:#c33"></div>
      <div id="b" style="position:absolute;left:400px;top:300px;width:90px;height:90px;background:#393"></div><script>
      let x = 0; setInterval(() => { x = (x + 7) % 300;
        document.getElementById('a').style.transform = `translate(${x}px, 40px)` }, 30);
      document.getElementById('b').onclick = (event) =>
        setTimeout(() => { event.target.style.background = '#eee' }, 300);
      </script>]], function(page)
      local nothing = assert(progress.measure(page, function() return page:mouse_click(600, 500, {}) end))
      t.equal(nothing.progressed, "no")
      local answer = assert(progress.measure(page, function() return page:mouse_click(440, 340, {}) end))
      t.equal(answer.progressed, "yes")
      t.equal(answer.method, "sequential")
      t.truthy(answer.cells > answer.control_cells)
    end)
  end,

  ["a line that is very long is read too"] = function(t)
    with_page("<div style='font: 14px DejaVu Sans; line-height: 20px; background: #113; color: #fff'>SCORE 1250</div>",
      function(page)
      local words = assert(assert(page:screenshot()):text{ line = true })
      t.equal(words[1] and words[1].text, "SCORE")
      t.equal(words[2] and words[2].text, "1250")
    end, { width = 3840, height = 20 })
  end,
}
