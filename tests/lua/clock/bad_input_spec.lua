-- What cannot be stepped has a clear outcome each time, and nothing hangs.
local qa = require "qa"
local clock_page = require("qa").load_chunk("tests/lua/support/clock_page.lua")()
local value = clock_page.value

local counting = [[<script>let n = 0; const f = () => { ++n; requestAnimationFrame(f) };
  requestAnimationFrame(f)</script>]]

return {
  ["steps of no frames, and predicates that are none, are misuse"] = function(t)
    clock_page.with(counting, function(open)
      local page = open()
      for _, call in ipairs{ function() page:step(0) end, function() page:step(-1) end, function() page:step(1.5) end,
        function() page:step(0 / 0) end, function() page:step("many") end, function() page:run_for(0) end,
        function() page:run_for(-5) end, function() page:step_until("") end, function() page:step_until(7) end,
        function() page:step_until("true", { max_frames = 0 }) end, function() page:step(1, { draw = "some" }) end } do
        t.equal(pcall(call), false)
      end
      t.equal(value(page, "n"), 0)
      page:close()
      t.equal(pcall(page.step, page), false)
    end)
  end,
  ["a predicate that throws or cannot be read is told, and the page can be stepped on"] = function(t)
    clock_page.with(counting, function(open)
      local page = open()
      for _, predicate in ipairs{ "(() => { throw new Error('no') })()", "((", "throw 1" } do
        local _, err = page:step_until(predicate)
        t.equal(err.kind, "js_error", predicate)
      end
      t.truthy(assert(page:step(5)).frames == 5)
    end)
  end,
  ["a page that crashes or is closed in mid-step says so, and a crashed one can be started again"] = function(t)
    clock_page.with(counting, function(open, server)
      local page, closed = open(), open()
      local err, closed_err = qa.all(function() return select(2, page:step(1000000)) end,
        function() return select(2, closed:step(1000000)) end, function()
          qa.sleep(300)
          page:cdp("Page.crash", {}, { timeout_ms = 500 })
          closed:close()
        end)
      t.equal({ err.kind, closed_err.kind }, { "page_crashed", "page_closed" })
      t.equal(select(2, page:step()).kind, "page_crashed")
      assert(page:navigate(server.url .. "index.html"))
      t.equal(assert(page:step(5)).frames, 5)
      t.equal(value(page, "n"), 5)
    end)
  end,
  ["more timers than a frame has room for come in the next one, which is said"] = function(t)
    clock_page.with(counting .. [[<script>let fired = 0;
      for (let i = 0; i < 30000; ++i) setTimeout(() => { ++fired; });</script>]], function(open)
      local page = open()
      t.equal(assert(page:step()).frames, 1)
      t.equal(value(page, "fired"), 20000)
      assert(page:step())
      t.equal(value(page, "fired"), 30000)
      t.equal(assert(page:clock_coverage())[1].what, "timers")
    end)
  end,
  ["scripts and dialogs without end are a hung page, and loading without end is not waited for"] = function(t)
    clock_page.with(counting .. [[<script>
      const what = { hang: () => { for (;;); }, dialogs: () => { for (;;) alert('again'); },
        load: () => { new Response(new ReadableStream()).text(); } };
      window.start = (name) => { setTimeout(what[name], 50); return 0; };</script>]], function(open)
      local pages = { hang = open(), dialogs = open(), load = open() }
      local function step(name)
        return function()
          value(pages[name], ("start('%s')"):format(name))
          local stepped, err = pages[name]:step(60)
          return { stepped = stepped, kind = err and err.kind }
        end
      end
      local hang, dialogs, load = qa.all(step "hang", step "dialogs", step "load")
      t.equal(hang.kind, "page_hung")
      t.truthy(dialogs.kind == "page_hung" or dialogs.kind == "dialog_blocked", dialogs.kind)
      t.equal(load.stepped and load.stepped.frames, 60)
      t.equal(value(pages.load, "n"), 60)
      t.truthy(assert(pages.load:clock_coverage())[1].reason:find("time did not wait for it", 1, true))
      t.equal(pages.dialogs:health().counts.dialog_storm, 1)
    end)
  end,
}
