-- Groups are assessed as a whole: the scene before the first action against the scene after the last, from pictures.
local browser_looks = require "qa.page.browser_looks"
local groups = require "qa.effect.groups"
local qa = require "qa"

local style = "<!doctype html><style>body { margin: 0; background: #fff } div { position: absolute }</style>"

---Opens a page and calls fn(ctx, click(x, y)).
local function with_page(html, fn)
  local dir = assert(qa.run.open{ slug = "groups-spec" })
  assert(qa.run.publish("index.html", style .. html))
  local server = assert(qa.serve(dir))
  local browser = assert(qa.browser.launch{})
  local page = assert(browser:new_page{ width = 800, height = 600 })
  assert(page:navigate(server.url .. "index.html"))
  assert(page:settle{ quiet_ms = 200, max_ms = 2000 })
  local ctx = { page = page, state = {}, width = 800, height = 600 }
  local ok, err = pcall(fn, ctx, function(x, y) return function() return page:mouse_click(x, y, {}) end end)
  browser:close()
  if not ok then error(err, 0) end
end

---May hovering at the box of these pages change anything?
local function may_hover(page)
  return browser_looks.native_looks(page, { x = 200, y = 150 }).hover or browser_looks.listens_to_hovering(page)
end

---What fn says of this page most often: how late a page's timer fires on a busy machine is not what is tested here.
local function usual(fn, html)
  local count = {}
  for _ = 1, 3 do
    local said
    with_page(html, function(ctx, click) said = fn(ctx, click) end)
    count[said] = (count[said] or 0) + 1
    if count[said] == 2 then return said end
  end
end

local box = [[<div id="b" style="left:100px;top:100px;width:200px;height:150px;background:#888"></div>]]
local menu = box .. "<script>b.onclick = () => { b.style.left = '400px' }</script>"
local clock = box .. [[<div id="c" style="left:600px;top:20px;width:60px;height:40px;background:#000"></div>
<script>let n = 0; setInterval(() => { n++; c.style.background = n % 2 ? '#fff' : '#000' }, 500)</script>]]
local flash = box .. [[<script>b.style.background = '#888';
b.onmousedown = () => { b.style.background = '#000'; setTimeout(() => { b.style.background = '#888' }, 60) }</script>]]
local slow = box .. "<script>b.onclick = () => { b.style.transition = 'left 0.5s'; b.style.left = '500px' }</script>"
local starter = [[<div id="b" style="left:100px;top:100px;width:40px;height:40px;background:#888"></div>
<script>let x = 100; b.onclick = () => setInterval(() => { x = 100 + (x - 95) % 90;
b.style.left = x + 'px' }, 30)</script>]]
local moving = [[<canvas id="k" width="800" height="600"></canvas><script>
const g = k.getContext('2d'); let x = 0, lit = false; k.onclick = (e) => { if (e.clientY > 300) lit = true };
setInterval(() => { x = (x + 7) % 800; g.fillStyle = '#fff'; g.fillRect(0, 0, 800, 600); g.fillStyle = '#00f';
  g.fillRect(x, 50, 60, 60);
  if (lit) { g.fillStyle = '#f00'; g.fillRect(300, 400, 150, 100) } }, 30)</script>]]

return {
  ["A-008, A-017: a scene at rest that looks different afterwards has progressed, in little time"] = function(t)
    with_page(menu, function(ctx, click)
      local began = qa.now_ms()
      local result = assert(groups.assess(ctx, click(200, 150)))
      t.equal({ result.progressed, result.still, result.method }, { "yes", true, "sequential" })
      t.truthy(result.regions[1].x < 110 and result.regions[1].width > 400, "both places are in the region")
      t.truthy(result.trial.moved and #result.trial.input > 100 and #result.trial.control == 0)
      t.truthy(qa.now_ms() - began < 1500, qa.now_ms() - began)
      result = assert(groups.assess(ctx, click(700, 550)))
      t.equal({ result.progressed, result.cells }, { "no", 0 })
      t.truthy(result.trial.still and not result.trial.moved)
    end)
  end,

  ["the picture of the scene at rest is there for the look that follows at once, where it was wanted"] = function(t)
    with_page(menu, function(ctx, click)
      assert(groups.assess(ctx, click(200, 150), { picture = true }))
      local picture = groups.picture(ctx)
      t.equal(picture:diff(assert(ctx.page:capture{})).changed_pixels, 0)
      t.equal(groups.picture(ctx), nil, "it is given away")
      assert(groups.assess(ctx, click(700, 550), { picture = true }))
      qa.sleep(groups.defaults.fresh_ms + 5)
      t.equal(groups.picture(ctx), nil, "it is old")
      assert(groups.assess(ctx, click(700, 550)))
      t.equal(groups.picture(ctx), nil, "nobody wanted it")
    end)
  end,

  ["a clock that ticks by itself is no progress"] = function(t)
    with_page(clock, function(ctx, click)
      for _ = 1, 4 do t.equal(assert(groups.assess(ctx, click(700, 550))).progressed, "no") end
    end)
  end,

  ["an answer that comes a moment after the input is one"] = function(t)
    local late = box .. "<script>b.onclick = () => setTimeout(() => { b.style.left = '400px' }, 90)</script>"
    t.equal(usual(function(ctx, click) return assert(groups.assess(ctx, click(200, 150))).progressed end, late), "yes")
  end,

  ["a scene that was set in motion has progressed though it looks as before at the end of a look"] = function(t)
    local dark, bright, is_moving = ("\100"):rep(4), ("\200"):rep(4), false
    local page = {
      settle = function(self) return { verdict = "animating", quiet = self:watch() } end,
      probe = function() return { { value = { hash = 1 } } } end,
      watch = function()
        return { columns = 2, rows = 2, low = dark, high = is_moving and bright or dark, first = dark, last = dark,
          activity = ("\1"):rep(4) }
      end,
    }
    local result = assert(groups.assess({ page = page, state = {}, width = 800, height = 600 },
      function() is_moving = true end))
    t.equal({ result.progressed, result.cells, result.rests }, { "yes", 4, false })
  end,

  ["a scene that was set in motion has progressed though it is held up where it began"] = function(t)
    local dark, bright, asked = ("\100"):rep(4), ("\200"):rep(4), {}
    local function window(high)
      return { columns = 2, rows = 2, low = dark, high = high, first = dark, last = dark, activity = ("\1"):rep(4) }
    end
    local page = {
      settle = function(_, opts)
        asked[#asked + 1] = opts.quiet_ms
        qa.sleep(groups.defaults.late_ms)
        return { verdict = #asked == 1 and "settled" or "animating", quiet = window(dark),
          last_change_ms = groups.defaults.late_ms, frame_delay_ms = 25 }
      end,
      probe = function() return { { value = { hash = 1 } } } end,
      watch = function() return window(#asked > 1 and bright or dark) end,
    }
    local result = assert(groups.assess({ page = page, state = {}, width = 800, height = 600 }, function() end))
    t.equal({ result.progressed, result.cells, result.rests, #asked }, { "yes", 4, false, 2 })
    t.truthy(asked[2] > asked[1])
  end,

  ["so it is after an input that took long, and what has gone then is none"] = function(t)
    local function long(page)
      return function()
        qa.sleep(300)
        page:mouse_click(200, 150, { hold_ms = 34 })
      end
    end
    local function assessed(ctx) return assert(groups.assess(ctx, long(ctx.page))).progressed end
    t.equal(usual(assessed,
      box .. "<script>b.onclick = () => setTimeout(() => { b.style.left = '400px' }, 60)</script>"), "yes")
    t.equal(usual(assessed, flash), "no")
  end,

  ["what the pointer alone changes is no progress; where nothing has a look for it nobody waits"] = function(t)
    local looks = "position: absolute; left: 100px; top: 100px; width: 200px; height: 100px;"
    local dead, own = ("<button id=dead style='%s'>Go</button>"):format(looks),
      ("<button id=dead style='%s background: #ccc; border: 0'>Go</button>"):format(looks)
    for name, body in pairs{ sheet = own .. "<style>@media all { #dead:hover { opacity: 0.3; transition: opacity " ..
      "0.2s } }</style>",
      script = own .. "<script>dead.onmouseenter = () => { dead.style.opacity = 0.3 }</script>", browser = dead } do
      with_page(body, function(ctx, click)
        t.truthy(may_hover(ctx.page), name)
        -- A scene just left at rest is not looked at again.
        assert(groups.assess(ctx, function() end))
        t.equal(assert(groups.assess(ctx, click(200, 150), { pointer = { x = 200, y = 150 } })).progressed, "no", name)
      end)
    end
    with_page(own .. "<script>dead.onclick = () => { dead.style.width = '400px' }</script>", function(ctx, click)
      t.falsy(may_hover(ctx.page))
      local waits = 0
      local page = setmetatable({ settle = function(_, opts)
        if opts.max_ms == groups.defaults.hover_ms then waits = waits + 1 end
        return ctx.page:settle(opts)
      end }, { __index = function(_, key)
        return function(_, ...) return ctx.page[key](ctx.page, ...) end
      end })
      local seen = setmetatable({ page = page }, { __index = ctx })
      t.equal(assert(groups.assess(seen, click(200, 150), { pointer = { x = 200, y = 150 } })).progressed, "yes")
      t.equal(waits, 0)
    end)
  end,

  ["what only flashes is no progress, what takes its time is"] = function(t)
    with_page(flash, function(ctx, click) t.equal(assert(groups.assess(ctx, click(200, 150))).progressed, "no") end)
    with_page(slow, function(ctx, click) t.equal(assert(groups.assess(ctx, click(200, 150))).progressed, "yes") end)
  end,

  ["a scene that is set in motion has progressed, even by little"] = function(t)
    with_page(starter, function(ctx, click) t.equal(assert(groups.assess(ctx, click(120, 120))).progressed, "yes") end)
  end,

  ["in a scene that moves by itself only what the actions add counts"] = function(t)
    with_page(moving, function(ctx, click)
      local result = assert(groups.assess(ctx, click(400, 200)))
      t.equal({ result.progressed, result.still }, { "no", false })
      t.equal(assert(groups.assess(ctx, click(400, 500))).progressed, "yes")
    end)
  end,

  ["where a scene moves, as much time passes with the input as without, or a clock would tick more often with it"] =
    function(t)
    local now, looks, n = 0, {}, 0
    local function window()
      n = n + 1
      local low, high = ("\100"):rep(4), ("%c\100\100\100"):format(100 + n)
      return { columns = 2, rows = 2, low = low, high = high, last = high, activity = "\9\0\0\0" }
    end
    local page = {
      settle = function() return { verdict = "settled", frame_delay_ms = 0 } end,
      watch = function(_, ms)
        now = now + ms
        return window()
      end,
      probe = function()
        looks[#looks + 1] = now
        return { { value = { hash = now } } }
      end,
    }
    local sleep, now_ms = qa.sleep, qa.now_ms
    qa.sleep, qa.now_ms = function(ms) now = now + ms end, function() return now end
    local ok, result = pcall(groups.assess, { page = page, state = {}, width = 800, height = 600 },
      function() now = now + 35 end, { min_cells = 1 })
    qa.sleep, qa.now_ms = sleep, now_ms
    t.truthy(ok and result.trial, result)
    t.equal(looks[#looks] - looks[#looks - 1], looks[#looks - 1] - looks[#looks - 2])
    t.equal({ result.trial.control_dom, result.trial.input_dom }, { true, true })
  end,

  ["a scene that has just been left at rest is not looked at again; one that is known not to move, briefly"] =
    function(t)
    local now, looks, delay_ms = 0, {}, groups.defaults.delay_ms
    local grid = ("\100"):rep(4)
    local page = {
      settle = function(self, opts)
        return { verdict = "settled", last_change_ms = 0, frame_delay_ms = delay_ms, quiet = self:watch(opts.quiet_ms) }
      end,
      probe = function() return { { value = { hash = 1 } } } end,
      watch = function(_, ms)
        now, looks[#looks + 1] = now + (ms or 0), ms
        return { columns = 2, rows = 2, low = grid, high = grid, first = grid, last = grid, activity = ("\0"):rep(4) }
      end,
    }
    local ctx, now_ms, o = { page = page, state = {}, width = 800, height = 600 }, qa.now_ms, groups.defaults
    qa.now_ms = function() return now end
    local function assess_after(ms)
      now = now + ms
      assert(groups.assess(ctx, function() end))
    end
    local ok, err = pcall(function()
      assess_after(0)
      assess_after(o.fresh_ms)
      assess_after(o.fresh_ms + 1)
      for _ = 1, 4 do groups.watch(ctx, 200) end
      assess_after(0)
      for _ = 1, 5 do groups.watch(ctx, 200) end
      assess_after(0)
      ctx.motion.mask[3], ctx.at_rest = true, nil
      assess_after(0)
      -- Where frames are on their way for three times as long, so is an answer.
      delay_ms = 3 * delay_ms
      assess_after(0)
    end)
    qa.now_ms = now_ms
    t.truthy(ok, err)
    -- After each input 45 ms at rest, and as much as is left of 150 ms.
    t.equal(looks, { 120, 45, 105, 45, 105, 120, 45, 105, 200, 200, 200, 200, 120, 45, 105, 200, 200, 200, 200, 200, 5,
      45, 105, 120, 45, 105, 45, 405 })
  end,

  ["what takes longer than the scene was watched without input is no evidence, for a banner may have come meanwhile"] =
    function(t)
    local now, value, grid = 0, 100, nil
    local page = {
      settle = function(self, opts)
        return { verdict = "settled", last_change_ms = 0, frame_delay_ms = 1, quiet = self:watch(opts.quiet_ms) }
      end,
      probe = function() return { { value = { hash = 1 } } } end,
      watch = function(_, ms)
        now, grid = now + (ms or 0), string.char(value):rep(9216)
        return { columns = 128, rows = 72, low = grid, high = grid, first = grid, last = grid,
          activity = ("\0"):rep(9216) }
      end,
    }
    local now_ms, o = qa.now_ms, groups.defaults
    qa.now_ms = function() return now end
    local function assess(took_ms, watches)
      local ctx = { page = page, state = {}, width = 800, height = 600 }
      for _ = 1, watches do groups.watch(ctx, 200) end
      local result = assert(groups.assess(ctx, function() now, value = now + took_ms, 250 - value end))
      return { result.progressed, result.trial ~= nil }
    end
    local ok, err = pcall(function()
      t.equal(assess(o.watch_ms, 0), { "yes", true })
      t.equal(assess(o.watch_ms + 1, 0), { "yes", false })
      t.equal(assess(2000, 10), { "yes", true })
      t.equal(assess(2001, 10), { "yes", false })
    end)
    qa.now_ms = now_ms
    t.truthy(ok, err)
  end,

  ["a scene that was watched while nobody touched it is known: a small change is believed at once"] = function(t)
    with_page(box .. "<script>let n = 0; b.onclick = () => { b.style.width = (200 + 12 * ++n) + 'px' }</script>",
      function(ctx, click)
      for _ = 1, 6 do t.truthy(groups.watch(ctx, 200)) end
      local began = qa.now_ms()
      t.equal(assert(groups.assess(ctx, click(200, 150))).progressed, "yes")
      t.truthy(qa.now_ms() - began < 1100, qa.now_ms() - began)
      t.equal(assert(groups.assess(ctx, click(700, 550))).progressed, "no")
    end)
    with_page(clock .. "<script>b.onclick = () => { b.style.width = '240px' }</script>", function(ctx, click)
      for _ = 1, 6 do groups.watch(ctx, 200) end
      local result = assert(groups.assess(ctx, click(700, 550)))
      t.equal({ result.progressed, result.cells }, { "no", 0 })
      t.equal(assert(groups.assess(ctx, click(200, 150))).progressed, "yes")
    end)
  end,

  ["a small change may be believed without asking whether it happens by itself: it is no evidence then"] = function(t)
    with_page(box .. "<script>let n = 0; b.onclick = () => { b.style.width = (200 + 12 * ++n) + 'px' }</script>",
      function(ctx, click)
      local began = qa.now_ms()
      local result = assert(groups.assess(ctx, click(200, 150), { believed = true }))
      t.equal({ result.progressed, result.trial }, { "yes", nil })
      t.truthy(qa.now_ms() - began < 1100, qa.now_ms() - began)
      result = assert(groups.assess(ctx, click(700, 550), { believed = true }))
      t.equal({ result.progressed, result.trial.moved }, { "no", false })
    end)
    -- A large one is certain either way.
    with_page(menu,
      function(ctx, click) t.truthy(assert(groups.assess(ctx, click(200, 150), { believed = true })).trial.moved) end)
  end,

  ["A-017: an error of the actions leaves the assessment to the pictures"] = function(t)
    with_page(menu, function(ctx, click)
      t.equal(assert(groups.assess(ctx, function()
        click(200, 150)()
        return nil, { kind = "element_not_found" }
      end)).progressed, "yes")
    end)
  end,
}
