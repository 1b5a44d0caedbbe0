-- A page that reloads, navigates or keeps the host waiting stays a world that can be stepped.
local clock_page = require("qa").load_chunk("tests/lua/support/clock_page.lua")()
local value = clock_page.value

local counting = [[
  const key = 'frames', f = () => { localStorage[key] = 1 + (localStorage[key] | 0); requestAnimationFrame(f); };
  requestAnimationFrame(f);]]

return {
  ["a reload in mid-step ends the frame, and the rest is stepped in the new document"] = function(t)
    clock_page.with("<script>" .. counting .. [[
      let n = 0; const g = () => { if (++n === 20 && !sessionStorage.again) { sessionStorage.again = 1;
        location.reload(); }
        requestAnimationFrame(g); }; requestAnimationFrame(g);
      </script>]], function(open)
      for _ = 1, 5 do
        local page = open()
        local stepped = assert(page:step(100))
        t.equal(stepped.frames, 100)
        -- The frame in which it reloads ends with the callback that does: all before it were counted.
        t.equal(value(page, "+localStorage.frames"), 100)
        t.equal(value(page, "n"), 80)
        t.equal(math.floor(page:game_time_ms() + 0.5), 1667)
        page:close()
      end
    end)
  end,
  ["a link to another document is followed, one to a program is not"] = function(t)
    clock_page.with("<script>" .. counting .. [[
      setTimeout(() => { location.href = 'mailto:somebody@example.com'; }, 50);
      setTimeout(() => { location.href = 'other.html'; }, 100);</script>]],
      function(open)
        local page = open()
        t.equal(assert(page:step(60)).frames, 60)
        t.equal(value(page, "document.title"), "other")
        t.equal(value(page, "+localStorage.frames"), 59)  -- The sixth ends with the timer.
      end, { ["other.html"] = "<title>other</title><script>" .. counting .. "</script>" })
  end,
  ["anchors and history leave the document alone"] = function(t)
    clock_page.with("<script>" .. counting .. [[
      setTimeout(() => { location.hash = 'a'; history.pushState({}, '', '?b'); }, 100);</script>]], function(open)
      local page = open()
      t.equal(assert(page:step(60)).frames, 60)
      t.equal(value(page, "+localStorage.frames"), 60)
      t.equal(value(page, "location.search"), "?b")
    end)
  end,
  ["a dialog in a frame is answered, and time goes on"] = function(t)
    clock_page.with("<script>" .. counting .. [[
      setTimeout(() => { window.said = confirm('sure?'); }, 100);</script>]], function(open)
      local page = open()
      t.equal(assert(page:step(30)).frames, 30)
      t.equal(value(page, "+localStorage.frames"), 30)
      t.equal(value(page, "typeof said"), "boolean")
    end)
  end,
  ["what throws in a timer or a frame is an exception of the page, and nothing stops"] = function(t)
    clock_page.with("<script>" .. counting .. [[
      setInterval(() => { throw new Error('in a timer') }, 50);
      requestAnimationFrame(() => { throw new Error('in a frame') });</script>]], function(open)
      local page = open()
      t.equal(assert(page:step(30)).frames, 30)
      t.equal(value(page, "+localStorage.frames"), 30)
      local seen = {}
      for _, event in ipairs(page:events()) do if event.kind == "exception" then seen[event.message] = true end end
      t.truthy(seen["Error: in a timer"] or seen["Uncaught Error: in a timer"])
      t.truthy(seen["Error: in a frame"] or seen["Uncaught Error: in a frame"])
    end)
  end,
  ["a window that the page opens goes with it, until it is closed"] = function(t)
    clock_page.with("<script>" .. counting:gsub("localStorage", "window") .. [[ let other;
      setTimeout(() => { other = open('other.html'); }, 100);
      setTimeout(() => { seen = [frames, other.told.length]; other.close(); }, 600);</script>]], function(open)
      local page, twin = open(), open()
      t.equal(assert(page:step(60)).frames, 60)
      assert(twin:step(60))
      for _, one in ipairs{ page, twin } do
        local seen = value(one, "seen")
        t.equal(seen[1], 35)
        t.truthy(seen[2] > 20 and seen[2] <= 30, seen[2])  -- All but those before its document was there.
      end
      t.equal(value(page, "frames"), 60)
      t.equal(page:health().counts.popup, 1)
      t.equal(assert(page:clock_coverage())[1].what, "a window that the page opened")
      t.equal(assert(page:step(60)).frames, 60)
    end, { ["other.html"] = [[<script>window.told = []; const f = (ms) => { told.push(ms); requestAnimationFrame(f); };
      requestAnimationFrame(f);</script>]] })
  end,
  ["a frame ticks whose window was looked at before its document came"] = function(t)
    clock_page.with([[<script>window.log = [];
      for (let i = 0; i < 4; ++i) {
        const frame = document.createElement('iframe');
        frame.src = 'child.html';
        document.documentElement.append(frame);
        frame.contentWindow.number = i;  // The document that comes has this window.
      }</script>]], function(open)
      local page = open()
      page:step(2)
      local log = value(page, "log.sort().join(' ')")
      t.equal(log, "0 0 1 1 2 2 3 3")
    end, { ["child.html"] = [[<script>
      const f = () => { parent.log.push(String(window.number)); requestAnimationFrame(f); };
      requestAnimationFrame(f);</script>]] })
  end,
  ["frames within the page share its clock, and one that is removed holds nothing up"] = function(t)
    clock_page.with("<iframe id=child src=child.html></iframe><iframe id=gone src=child.html></iframe><script>"
      .. counting .. "setTimeout(() => document.getElementById('gone').remove(), 100)</script>", function(open)
      local page, twin = open(), open()
      assert(page:step(60))
      assert(twin:step(60))
      local log = value(page, "child.contentWindow.log")
      t.equal(#log, 60)
      t.equal(log, value(twin, "child.contentWindow.log"))
      t.equal(value(page, "+localStorage.frames"), 60)
    end, { ["child.html"] = [[<script>window.log = [];
      const f = (ms) => { log.push([ms, Math.random(), Date.now()].join()); requestAnimationFrame(f); };
      requestAnimationFrame(f)</script>]] })
  end,
}
