-- A page whose time stands still is looked at: watch and settle step it, pictures show the frame it stands at.
local clock_page = require("qa").load_chunk("tests/lua/support/clock_page.lua")()
local value = clock_page.value

---A box that goes to the right for 30 frames, and stands still then.
local moving = [[<canvas id=view width=640 height=360></canvas><script>
  const draw = view.getContext('2d'); let frames = 0, resizes = 0; onresize = () => ++resizes;
  const f = () => { ++frames; draw.fillStyle = '#fff'; draw.fillRect(0, 0, 640, 360); draw.fillStyle = '#f00';
    draw.fillRect(10 + 10 * Math.min(frames, 30), 100, 100, 100); requestAnimationFrame(f); };
  requestAnimationFrame(f);
</script>]]

local function without_ms(result)
  local copy = {}
  for key, field in pairs(result) do copy[key] = field end
  return copy
end

return {
  ["watch steps the page and sees it move, the same in each world"] = function(t)
    clock_page.with(moving, function(open)
      local page, twin = open(), open()
      local seen = assert(page:watch(500))
      t.equal(value(page, "frames"), 30)
      t.equal({ seen.columns, seen.rows, seen.frames, math.floor(seen.ms + 0.5) }, { 128, 72, 11, 500 })
      t.equal(#seen.first, 128 * 72 * 3)
      t.truthy(seen.first ~= seen.last)
      t.equal(math.floor(seen.moved_ms + 0.5), 500)
      t.truthy(seen.activity:find "[^%z]")
      t.equal(without_ms(assert(twin:watch(500))), without_ms(seen))
      -- Of looking at it the page sees nothing.
      t.equal(value(page, "resizes"), 0)
      local still = assert(page:watch(100))
      t.equal({ still.first == still.last, still.moved_ms, still.frames }, { true, 0, 3 })
      t.equal(value(page, "frames"), 36)
    end)
  end,
  ["settle steps until the scene is quiet, in game time, and pictures it"] = function(t)
    clock_page.with(moving, function(open)
      local page = open()
      local settled = assert(page:settle{ quiet_ms = 200, picture = true })
      t.equal(settled.verdict, "settled")
      t.equal(math.floor(settled.last_change_ms + 0.5), 500)
      t.equal(math.floor(settled.ms + 0.5), 700)
      t.equal(value(page, "frames"), 42)
      t.equal(assert(settled.picture:diff(assert(page:screenshot()))).identical, true)
    end)
  end,
  ["settle says that a scene goes on at the end of its time"] = function(t)
    clock_page.with(moving, function(open)
      local page = open()
      local settled = assert(page:settle{ quiet_ms = 200, max_ms = 300 })
      t.equal({ settled.verdict, math.floor(settled.ms + 0.5), settled.picture }, { "animating", 300 })
      t.equal(value(page, "frames"), 18)
    end)
  end,
  ["an input while somebody watches is seen in the window"] = function(t)
    clock_page.with([[<script>onkeydown = () => { document.body.style.background = '#00f' }</script>]], function(open)
      local page = open()
      local qa = require "qa"
      local seen = qa.all(function() return page:watch(400) end, function() page:press("a") end)
      t.truthy(seen.first ~= seen.last)
      t.truthy(seen.moved_ms > 0 and seen.moved_ms <= 200, seen.moved_ms)
    end)
  end,
  ["a page that crashes or is closed while it is watched ends the watch, and what waits for its turn"] = function(t)
    clock_page.with(moving, function(open)
      local qa = require "qa"
      for _, finish in ipairs{ function(page) page:cdp("Page.crash", {}, { timeout_ms = 500 }) end,
        function(page) page:close() end } do
        local page = open()
        local watched = qa.all(function()
          local _, err = page:watch(600000)
          return err
        end, function()
          qa.sleep(300)
          finish(page)
        end)
        t.truthy(watched.kind == "page_crashed" or watched.kind == "page_closed", watched.kind)
      end
    end)
  end,
  ["a page that is thawed is watched in real time"] = function(t)
    clock_page.with(moving, function(open)
      local page = open()
      assert(page:thaw())
      local seen = assert(page:watch(1000))
      t.truthy(seen.frames >= 1)
      t.truthy(seen.ms >= 999, seen.ms)
      t.equal(assert(page:settle{ quiet_ms = 200, max_ms = 20000 }).verdict, "settled")
      assert(page:freeze())
    end)
  end,
  ["a picture shows the frame that the page stands at, also after frames that were not drawn"] = function(t)
    clock_page.with([[<canvas id=view width=640 height=360></canvas><script>
      const draw = view.getContext('2d'); let frames = 0;
      const f = () => { ++frames; draw.fillStyle = '#fff'; draw.fillRect(0, 0, 640, 360); draw.fillStyle = '#f00';
        draw.fillRect(frames, 100, 100, 100); requestAnimationFrame(f); };
      requestAnimationFrame(f);</script>]], function(open)
      local page, twin = open(), open()
      assert(page:step(150))
      for _ = 1, 150 do assert(twin:step(1, { draw = "all" })) end
      t.equal(assert(assert(page:screenshot()):diff(assert(twin:screenshot()))).identical, true)
      assert(page:watch(500))
      assert(twin:step(30, { draw = "all" }))
      t.equal(assert(assert(page:screenshot()):diff(assert(twin:screenshot()))).identical, true)
    end)
  end,
  ["a page that stands still has no frame rate, and is not taken for hung"] = function(t)
    clock_page.with(moving, function(open)
      local page = open()
      local _, err = page:frame_rate(200)
      t.equal(err.kind, "clock_unavailable")
      t.truthy(err.message:find("page:thaw()", 1, true))
      require("qa").sleep(8000)
      t.equal({ page:health().hung, page:health().counts.hang }, { false })
    end)
  end,
}
