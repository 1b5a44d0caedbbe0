-- Game time stands still but in steps, and what comes in a step comes in one order.
local qa = require "qa"
local clock_page = require("qa").load_chunk("tests/lua/support/clock_page.lua")()
local value = clock_page.value

local ticking = [[<script>
  window.log = [];
  const note = (what) => log.push(what + ' ' + performance.now().toFixed(1));
  let frames = 0;
  const tick = (ms) => { note('frame ' + ++frames + ' ' + ms.toFixed(1)); requestAnimationFrame(tick); };
  requestAnimationFrame(tick);
  setTimeout(() => note('timeout'), 10);
  const id = setInterval(() => note('interval'), 7);
  setTimeout(() => clearInterval(id), 30);
  setTimeout('note("text")', 8);
  const off = requestAnimationFrame(() => note('never'));
  cancelAnimationFrame(off);
</script>]]

return {
  ["nothing ticks while the page is frozen, and a step runs as many frames as it says"] = function(t)
    clock_page.with(ticking, function(open)
      local page = open()
      value(page, "new Promise(done => fetch('/index.html').then(r => r.text()).then(done))")
      t.equal(#value(page, "log"), 0)
      local stepped = assert(page:step(2))
      t.equal(stepped.frames, 2)
      t.truthy(math.abs(stepped.game_ms - 100 / 3) < 0.001)
      t.equal(table.concat(value(page, "log"), ", "), "interval 7.0, text 8.0, timeout 10.0, interval 14.0, "
        .. "frame 1 16.7 16.7, interval 21.0, interval 28.0, frame 2 33.3 33.3")
      page:step(600)
      t.equal(value(page, "frames"), 602)
      t.truthy(math.abs(page:game_time_ms() - 602000 / 60) < 0.001)
    end)
  end,
  ["timers nest, clamp and count their ids as the browser's own"] = function(t)
    clock_page.with([[<script>
      const chain = (set) => { const at = []; let id;
        const next = () => { at.push(performance.now()); if (at.length > 9) return clearInterval(id);
          if (set === setTimeout) set(next, 0); };
        id = set(next, 0); return at; };
      window.timeouts = chain(setTimeout); window.intervals = chain(setInterval);
      window.ids = [setTimeout(() => {}), setTimeout(() => {})];
    </script>]], function(open)
      local page = open()
      page:step(3)
      -- As measured in Chromium: from the seventh on.
      t.equal(value(page, "timeouts"), { 0, 0, 0, 0, 0, 0, 4, 8, 12, 16 })
      t.equal(value(page, "intervals"), { 0, 0, 0, 0, 0, 0, 4, 8, 12, 16 })
      t.equal(value(page, "ids"), { 3, 4 })
    end)
  end,
  ["what a page makes of a time does not depend on the machine"] = function(t)
    clock_page.with("<p>still</p>", function(open)
      t.equal(value(open(), "[new Date().getTimezoneOffset(), new Date().toLocaleString(), (1234.5).toLocaleString()]"),
        { 0, "1/1/2026, 12:00:00 AM", "1,234.5" })
    end)
  end,
  ["what a page reads of time and chance is the same in two worlds of one seed, and other with another"] = function(t)
    clock_page.with([[<script>
      window.facts = () => [Date.now(), new Date().toISOString(), new Date(0).getTime(), performance.timeOrigin,
        Math.random(), Math.random(),
        crypto.randomUUID(), [...crypto.getRandomValues(new Uint8Array(8))].join(), new Intl.DateTimeFormat('en',
          {timeZone: 'UTC'}).format()];
    </script>]], function(open)
      local first, second = value(open(), "facts()"), value(open(), "facts()")
      local other = value(open{ seed = 2 }, "facts()")
      t.equal(first, second)
      t.equal(first[2], "2026-01-01T00:00:00.000Z")
      t.equal(first[9], "1/1/2026")
      for i = 5, 8 do t.truthy(first[i] ~= other[i]) end
    end)
  end,
  ["a page that looks at what was replaced sees the browser's own"] = function(t)
    clock_page.with([[<script>
      const own = (f) => [f.name, f.length, String(f), 'prototype' in f].join();
      window.facts = [setTimeout, requestAnimationFrame, performance.now, Math.random, fetch, Date.now].map(own);
      window.date = [Date.name, Date.length, String(Date), new Date() instanceof Date,
        Date.prototype.constructor === Date, typeof Date(),
        class extends Date {}.prototype instanceof Date, Function.prototype.toString.toString()];
    </script>]], function(open)
      local page = open()
      t.equal(value(page, "facts"), {
        "setTimeout,1,function setTimeout() { [native code] },false",
        "requestAnimationFrame,1,function requestAnimationFrame() { [native code] },false",
        "now,0,function now() { [native code] },false", "random,0,function random() { [native code] },false",
        "fetch,1,function fetch() { [native code] },false", "now,0,function now() { [native code] },false" })
      t.equal(value(page, "date"), { "Date", 7, "function Date() { [native code] }", true, true, "string", true,
        "function toString() { [native code] }" })
    end)
  end,
  ["a page that waits by reading the clock gets on, by the same readings in each world"] = function(t)
    clock_page.with([[<script>
      window.wait = () => { const end = performance.now() + 5; let reads = 1; while (performance.now() < end) ++reads;
        return reads; };
      window.ran = []; requestAnimationFrame((ms) => ran.push(wait(), ms, performance.now()));
      requestAnimationFrame((ms) => ran.push(ms));
    </script>]], function(open)
      local page, twin = open(), open()
      page:step(2)
      twin:step(2)
      local ran = value(page, "ran")
      t.equal(ran, value(twin, "ran"))
      t.truthy(math.abs(ran[1] - 1500) < 2)
      t.equal(ran[4], ran[2])
    end)
  end,
  ["a page that waits by reading, longer in one frame than in the next, is stepped all the same"] = function(t)
    clock_page.with([[<script>
      let n = 0;
      const f = () => { const end = performance.now() + ++n % 3 * 2; while (performance.now() < end);
        requestAnimationFrame(f); };
      f();
    </script>]], function(open)
      local page = open()
      for _ = 1, 6 do t.truthy((page:step(1))) end
      t.equal(value(page, "n"), 7)
    end)
  end,
  ["a predicate stops in the first frame that fits, and one that throws is told"] = function(t)
    clock_page.with("<script>let n = 0; const f = () => { ++n; requestAnimationFrame(f) }; f()</script>", function(open)
      local page = open()
      local stepped = assert(page:step_until("n === 40"))
      t.equal(stepped.frames, 39)
      t.equal(stepped.met, true)
      stepped = assert(page:step_until("n === 0", { max_frames = 25 }))
      t.equal({ stepped.frames, stepped.met }, { 25, false })
      local _, err = page:step_until("nothing.there")
      t.equal(err.kind, "js_error")
      t.equal(assert(page:run_for(100)).frames, 6)
      t.equal(value(page, "n"), 1 + 39 + 25 + 1 + 6)
    end)
  end,
  ["time waits for what is under way"] = function(t)
    clock_page.with([[<script>
      window.at = null;
      setTimeout(async () => { const r = await fetch('/data.txt'); const text = await r.text();
        at = text + performance.now().toFixed(1); }, 20);
    </script>]], function(open)
      local page = open()
      page:step(3)
      t.equal(value(page, "at"), "data20.0")  -- At the time that asked for it.
    end, { ["data.txt"] = "data" })
  end,
  ["what a timer asks for comes before the next one, and a failure that nobody handles is told"] = function(t)
    clock_page.with([[<script>
      window.log = [];
      setTimeout(async () => { await (await fetch('/data.txt')).text(); log.push('data ' + performance.now()); }, 2);
      setTimeout(() => log.push('timer ' + performance.now()), 4);
      setTimeout(() => { fetch('http://127.0.0.1:1/').catch(() => log.push('handled')); }, 6);
      setTimeout(() => { fetch('http://127.0.0.1:1/'); }, 8);
    </script>]], function(open)
      local page = open()
      page:step(2)
      t.equal(value(page, "log"), { "data 2", "timer 4", "handled" })
      t.equal(page:health().counts.exception, 1)
    end, { ["data.txt"] = "data" })
  end,
  ["a key is held for frames of the game, and seen by them"] = function(t)
    clock_page.with([[<script>
      let held = false, frame = 0; window.seen = [];
      onkeydown = () => { held = true }; onkeyup = () => { held = false };
      const f = () => { ++frame; if (held) seen.push(frame); requestAnimationFrame(f) }; requestAnimationFrame(f);
    </script>]], function(open)
      local page = open()
      page:step(10)
      assert(page:press("ArrowLeft"))
      t.equal(value(page, "seen"), { 11, 12, 13 })
      assert(page:press("ArrowLeft", { hold_ms = 100 }))
      t.equal(#value(page, "seen"), 9)
      t.equal(value(page, "frame"), 19)
      assert(page:step(5))
      t.equal(#value(page, "seen"), 9)
    end)
  end,
  ["what goes by real time is said"] = function(t)
    clock_page.with("<script>try { new WebSocket('ws://127.0.0.1:1/') } catch {}</script>", function(open)
      local gaps = assert(open():clock_coverage())
      t.equal(#gaps, 1)
      t.equal(gaps[1], { what = "WebSocket", where = "the page",
        reason = "what a server sends comes in real time: test a build that plays without it, or test in real time" })
    end)
  end,
  ["without game time there are no steps"] = function(t)
    local browser = assert(qa.browser.launch{})
    local page = assert(browser:new_page{})
    local _, err = page:step()
    t.equal(err.kind, "clock_unavailable")
    t.equal(page:game_time_ms(), nil)
    browser:close()
  end,
  ["a clock that answers what cannot be is not believed"] = function(t)
    clock_page.with("<p>still</p>", function(open)
      local page = open()
      for _, lie in ipairs{ "{done: 9, frames: 9, now: 150}", "{done: 2, frames: 2, now: -1}",
        "{done: 2, frames: 2, now: 1e12}",
        "{done: 1.5, frames: 1.5, now: 25}", "{done: 0, frames: 0, now: 0}", "{done: -1}", "null", "'2'" } do
        value(page, "(__qa_clock.step = async () => (" .. lie .. "), 0)")
        local _, err = page:step(2)
        t.equal(err and err.kind, "clock_unavailable", lie)
      end
    end)
  end,
}
