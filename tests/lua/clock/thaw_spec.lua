-- Thawed, a page on game time goes on by itself, with the frames of the browser, until it is frozen again.
local qa = require "qa"
local clock_page = require("qa").load_chunk("tests/lua/support/clock_page.lua")()
local value = clock_page.value

local counting = [[<script>
  let frames = 0, fast = 0, times = []; setInterval(() => { ++fast; }, 5);
  const f = (ms) => { ++frames; times.push(ms); requestAnimationFrame(f); }; requestAnimationFrame(f);
</script>]]

---Counts are those of the machine that it runs on: far from exact, for nothing timed decides a test.
local function is_about(t, count, expected) t.truthy(count > expected / 8 and count < expected * 2, count) end

return {
  ["a page that stands still has no frames, and one that is thawed has as many as the browser"] = function(t)
    clock_page.with(counting, function(open)
      local page = open()
      page:step(30)
      qa.sleep(1000)
      t.equal(value(page, "frames"), 30)
      local began = page:game_time_ms()
      assert(page:thaw())
      qa.sleep(1000)
      t.truthy(page:game_time_ms() >= began + 1000)
      assert(page:freeze())
      local frames, now = value(page, "frames"), page:game_time_ms()
      is_about(t, frames - 30, 60)
      is_about(t, value(page, "fast") - 100, 200)
      t.truthy(now >= began + 900 and now < began + 5000, now)
      t.truthy(math.abs(value(page, "performance.now()") - now) < 0.01)
      local times = value(page, "times")
      for i = 2, #times do t.truthy(times[i] > times[i - 1]) end
      qa.sleep(300)
      t.equal(value(page, "frames"), frames)
      local stepped = assert(page:step(60))
      t.truthy(math.abs(stepped.game_ms - now - 1000) < 0.001)
      t.equal(value(page, "frames"), frames + 60)
    end)
  end,
  ["steps need a page that stands still"] = function(t)
    clock_page.with(counting, function(open)
      local page = open()
      assert(page:freeze())
      assert(page:thaw())
      assert(page:thaw())
      local _, err = page:step()
      t.equal(err.kind, "clock_unavailable")
      t.truthy(err.message:find("page:freeze()", 1, true))
      assert(page:freeze())
      assert(page:step())
    end)
  end,
  ["a page in real time is not thawed"] = function(t)
    local browser = assert(qa.browser.launch{})
    local page = assert(browser:new_page{})
    local _, err = page:thaw()
    t.equal(err.kind, "clock_unavailable")
    browser:close()
  end,
  ["what a page reads of the clock while it is thawed goes on, also in one callback"] = function(t)
    clock_page.with([[<script>
      window.waited = null;
      requestAnimationFrame(() => { const real = performance.now(), end = real + 50; let last = real, back = 0;
        while (performance.now() < end) { const now = performance.now(); if (now < last) ++back; last = now; }
        waited = {ms: performance.now() - real, back}; });
    </script>]], function(open)
      local page = open()
      assert(page:thaw())
      local began = qa.now_ms()
      assert(page:wait_for{ js = "waited !== null" })
      t.truthy(qa.now_ms() - began >= 50)
      t.truthy(value(page, "waited.ms") >= 50)
      t.equal(value(page, "waited.back"), 0)
      assert(page:freeze())
    end)
  end,
  ["timers that were missed while the page was busy are not made up for"] = function(t)
    clock_page.with([[<script>let ticks = 0, slow = 0; setInterval(() => ++ticks, 10);
      setTimeout(() => { const end = performance.now() + 2000; while (performance.now() < end); slow = ticks; }, 100);
      </script>]], function(open)
      local page = open()
      assert(page:thaw())
      assert(page:wait_for({ js = "slow > 0 && ticks > slow" }, { timeout_ms = 20000 }))
      assert(page:freeze())
      -- 2 s are 200 of them; a quarter of a second is caught up with.
      t.truthy(value(page, "ticks") < 150, value(page, "ticks"))
    end)
  end,
  ["inputs take real time"] = function(t)
    clock_page.with([[<script>window.held = null; let since;
      onkeydown = () => { since ??= performance.now() }; onkeyup = () => { held = performance.now() - since };
      </script>]], function(open)
      local page = open()
      assert(page:thaw())
      local began = qa.now_ms()
      assert(page:press("ArrowLeft", { hold_ms = 300 }))
      t.truthy(qa.now_ms() - began >= 300)
      t.truthy(value(page, "held") >= 250, value(page, "held"))
      assert(page:freeze())
    end)
  end,
  ["documents that are loaded meanwhile are thawed, and one that comes after is not"] = function(t)
    clock_page.with(counting .. [[<script>setTimeout(() => { location.href = 'other.html' }, 100)</script>]],
      function(open, server)
        local page = open()
        assert(page:thaw())
        assert(page:wait_for({ js = "document.title === 'other' && frames > 5" }, { timeout_ms = 20000 }))
        assert(page:navigate(server.url .. "other.html"))
        assert(page:wait_for({ js = "frames > 5" }, { timeout_ms = 20000 }))
        local before = page:game_time_ms()
        assert(page:freeze())
        t.truthy(page:game_time_ms() >= before - 500)
        assert(page:navigate(server.url .. "other.html"))
        qa.sleep(300)
        t.equal(value(page, "frames"), 0)
        t.equal(assert(page:step(10)).frames, 10)
        t.equal(value(page, "frames"), 10)
      end, { ["other.html"] = "<title>other</title>" .. counting })
  end,
  ["frames apart and workers are thawed with their page, and frozen with it"] = function(t)
    local child = [[<script>let frames = 0, told; onmessage = () => parent.postMessage({frame: frames}, '*');
      const f = () => { ++frames; requestAnimationFrame(f); }; requestAnimationFrame(f);</script>]]
    local worker = [[let frames = 0; onmessage = () => postMessage({worker: frames});
      const f = () => { ++frames; requestAnimationFrame(f); }; requestAnimationFrame(f);]]
    clock_page.with([[<iframe id=child></iframe><script>
      const worker = new Worker('worker.js'), seen = {};
      const hear = ({data}) => Object.assign(seen, data);
      worker.onmessage = hear; addEventListener('message', hear);
      window.ask = () => { worker.postMessage(0); child.contentWindow.postMessage(0, '*'); return 0; };
      </script>]], function(open, server)
      local page = open()
      value(page, ("child.src = '%schild.html', 0"):format(server.url:gsub("127%.0%.0%.1", "localhost")))
      assert(page:step(5))
      assert(page:thaw())
      qa.sleep(1000)
      assert(page:freeze())
      local function seen()
        value(page, "ask()")
        assert(page:step(3))
        return value(page, "seen")
      end
      local first = seen()
      t.truthy(first.frame > 12, first.frame)
      t.truthy(first.worker > 12, first.worker)
      qa.sleep(300)
      t.equal(seen(), { frame = first.frame + 3, worker = first.worker + 3 })
    end, { ["child.html"] = child, ["worker.js"] = worker })
  end,
  ["requests, animations and sounds go on"] = function()
    clock_page.with([[<style>@keyframes go { to { opacity: 0.5 } } #box { animation: go 200ms 1 }</style>
      <p id=box>box</p><script>const done = {}; box.onanimationend = () => { done.animation = true };
      setTimeout(() => { const sound = new AudioContext(), tone = sound.createOscillator();
        tone.connect(sound.destination); tone.start(); tone.stop(0.1); tone.onended = () => { done.sound = true };
        fetch('data.txt').then(r => r.text()).then(text => { done.text = text }); }, 50);
      </script>]], function(open)
      local page = open()
      assert(page:thaw())
      local all = "done.animation && done.sound && done.text === 'data'"
      assert(page:wait_for({ js = all }, { timeout_ms = 20000 }))
      assert(page:freeze())
    end, { ["data.txt"] = "data" })
  end,
  ["exceptions, the frame rate and a hang of a thawed page are seen"] = function(t)
    clock_page.with([[<script>requestAnimationFrame(() => { throw new Error('only when thawed') });
      setTimeout(() => { for (;;); }, 1500)</script>]], function(open)
      local page = open()
      t.equal(page:health().counts.exception, nil)
      assert(page:thaw())
      t.truthy(assert(page:frame_rate(500)) > 5)
      t.equal(page:health().counts.exception, 1)
      assert(page:next_event{ kind = "hang", timeout_ms = 40000 })
    end)
  end,
}
