-- Recording and guarded replay on real pages: a target is found where it is now, by what it is; one that is gone is not
-- replaced by another.
local anchors = require "qa.memory.target_match"
local cascade = require "qa.start.cascade"
local qa = require "qa"
local recorder = require "qa.memory.recorder"
local replay = require "qa.memory.replay"
local strategy = require("qa.run.strategy_file").load("standard")

local policy = {}
for name, value in pairs(strategy.lists.replay_policy) do policy[name] = value end
policy.guard_ms, policy.effect_ms = 400, 600
local scene_distance = strategy.lists.memory_policy.scene_distance

local scripts = "window.go = () => { document.body.style.background = 'linear-gradient(90deg, #123, #fed)';" ..
  "document.getElementById('scene').remove(); window.went = true };"

local scene = [[<div id="scene" style="position:fixed;inset:0;background:linear-gradient(#fff,#bbb);z-index:-1"></div>]]

---A page of this body, 640 x 360; runs fn(ctx, show), closes the browser.
local function with_page(fn)
  local browser = assert(qa.browser.launch{})
  local page = assert(browser:new_page{ width = 640, height = 360, tap_text = true })
  local dir = assert(qa.run.open{ slug = "replay-spec" })
  local options = {}
  for name, option in pairs(strategy.options) do options[name] = option.default end
  local events = {}
  local ctx = { page = page, dir = dir, url = "about:blank", width = 640, height = 360, options = options, limits = {},
    lists = strategy.lists, state = { window_ms = 200 }, events = events, elapsed_ms = function() return 0 end,
    wait = function(_, ms) qa.sleep(ms) end }
  function ctx.event(_, name, data) events[#events + 1] = { name = name, data = data } end
  local function show(body, script)
    assert(page:navigate "about:blank")
    assert(page:evaluate("(body, script) => { document.body.innerHTML = body; document.body.style.margin = 0; new " ..
      "Function(script)(); return true }",
      { args = { scene .. body, scripts .. (script or "") } }))
    page:settle{ quiet_ms = 150, max_ms = 3000 }
  end
  local ok, err = pcall(fn, ctx, show)
  browser:close()
  if not ok then error(err, 0) end
end

---Records a click at a point, on a page where it has its effect.
local function recorded(ctx, x, y)
  ctx.state.recorded = nil
  local made = recorder.new(ctx)
  local step = assert(made:before({ action = "click", target = { x = x, y = y } }, "start"))
  assert(ctx.page:click({ x = x, y = y }, {}))
  made:after(step, true)
  return assert(ctx.state.recorded[1])
end

local function again(ctx, step) return replay.step(ctx, step, policy, scene_distance) end
local function went(ctx) return ctx.page:evaluate "window.went === true" end

local function button(x, attributes, text)
  local style = ("position:absolute;left:%dpx;top:100px;width:120px;height:40px"):format(x)
  return ("<button %s style='%s' onclick='go()'>%s</button>"):format(attributes or "", style, text or "Begin")
end

---A canvas with a painted button at x; `text` false: only a box.
local function canvas(x, text)
  return [[<canvas width="640" height="360" style="position:fixed;inset:0"></canvas>]], ([[
    const painted = document.querySelector('canvas').getContext('2d');
    painted.fillStyle = '#234'; painted.fillRect(0, 0, 640, 360);
    painted.fillStyle = '#89a'; painted.fillRect(%d, 200, 120, 50);
    painted.fillStyle = '#e53'; painted.fillRect(%d, 210, 30, 30);
    if (%s) { painted.fillStyle = '#fff'; painted.font = '24px "DejaVu Sans"'; painted.textBaseline = 'middle';
      painted.fillText('BEGIN', %d, 225); }
    addEventListener('mousedown', (e) => { if (e.clientX > %d && e.clientX < %d && e.clientY > 200 && e.clientY < 250) {
      document.querySelector('canvas').remove(); go(); } });
  ]]):format(x, x + 8, text and "true" or "false", x + 42, x, x + 120)
end

return {
  ["D-G5: a step is done again where it was, on the screen that it was recorded on"] = function(t)
    with_page(function(ctx, show)
      show(button(100, "id='b'"))
      local step = recorded(ctx, 150, 120)
      t.equal({ step.anchor.id, step.anchor.text, step.phase }, { "b", "Begin", "start" })
      show(button(100, "id='b'"))
      local result = again(ctx, step)
      t.equal({ result.ok, result.healed, went(ctx) }, { true, nil, true })
    end)
  end,

  ["of a run that opened the page anew in the middle of its play only the start is kept"] = function(t)
    with_page(function(ctx, show)
      show(button(100, "id='b'"))
      local made = recorder.new(ctx)
      local action = { action = "click", target = { x = 150, y = 120 } }
      local phases = {}
      for _, phase in ipairs{ "start", "play" } do made:after(assert(made:before(action, phase)), true) end
      for i, step in ipairs(ctx.state.recorded) do phases[i] = step.phase end
      t.equal(phases, { "start", "play" })
      show(button(100, "id='b'"))
      t.falsy(made:before(action, "play"))
      t.equal({ #ctx.state.recorded, ctx.state.recorded[1].phase }, { 1, "start" })
    end)
  end,

  ["D-G2: a button that moved is found by its id, or by its text, and the healing is told"] = function(t)
    with_page(function(ctx, show)
      for _, case in ipairs{ { "id='b'", "id" }, { "", "text" } } do
        show(button(100, case[1]))
        local step = recorded(ctx, 150, 120)
        show(button(200, case[1]))
        local result = again(ctx, step)
        t.truthy(result.ok, result.reason)
        t.equal({ result.healed.by, result.healed.px, result.healed.from.x, result.healed.to.x },
          { case[2], 100, 150, 250 })
        t.equal(went(ctx), true)
      end
    end)
  end,

  ["D-G2: what moved on a canvas is found by its text, or by its picture"] = function(t)
    with_page(function(ctx, show)
      for _, case in ipairs{ { true, "painted text" }, { false, "picture" } } do
        show(canvas(100, case[1]))
        -- On the words where there are some, else on the box.
        local step = recorded(ctx, case[1] and 170 or 123, 225)
        show(canvas(200, case[1]))
        local result = again(ctx, step)
        t.truthy(result.ok, result.reason)
        t.equal(result.healed.by, case[2])
        t.truthy(math.abs(result.healed.px - 100) <= 3, result.healed.px)
        t.equal(went(ctx), true)
      end
    end)
  end,

  ["D-G5: a target that is gone fails the step, though others are there"] = function(t)
    with_page(function(ctx, show)
      show(button(100, "id='b'") .. button(300, "", "Options"))
      local step = recorded(ctx, 150, 120)
      show(button(300, "", "Options") .. "<a href='#' style='position:absolute;left:100px;top:100px'>Begin</a>")
      local result = again(ctx, step)
      t.equal({ result.ok, went(ctx) }, { false, false })
      t.truthy(result.reason:find('button "Begin" is not on the page any more', 1, true), result.reason)

      show(canvas(100, false))
      step = recorded(ctx, 123, 225)
      show([[<canvas width="640" height="360" style="position:fixed;inset:0;background:#234"></canvas>]])
      result = again(ctx, step)
      t.equal(result.ok, false)
      t.truthy(result.reason:find("is not on the page any more", 1, true), result.reason)
    end)
  end,

  ["D-G5: a target that something covers is not clicked through"] = function(t)
    with_page(function(ctx, show)
      show(button(100, "id='b'"))
      local step = recorded(ctx, 150, 120)
      show(button(100, "id='b'") .. "<div style='position:fixed;inset:0;background:#0008'></div>")
      local result = again(ctx, step)
      t.equal({ result.ok, went(ctx) }, { false, false })
      t.truthy(result.reason:find("something covers it", 1, true), result.reason)
    end)
  end,

  ["D-G5: a key is pressed on the recorded screen only"] = function(t)
    with_page(function(ctx, show)
      local listen = "addEventListener('keydown', (e) => e.code === 'Space' && go())"
      show(button(100, "id='b'"), listen)
      ctx.state.recorded = nil
      local made = recorder.new(ctx)
      local step = assert(made:before({ action = "press", key = "Space" }, "start"))
      assert(ctx.page:press("Space", {}))
      made:after(step, true)
      step = ctx.state.recorded[1]
      show(button(100, "id='b'"), listen)
      t.equal(again(ctx, step).ok, true)
      local stripes = "repeating-linear-gradient(60deg,#000 0 40px,#fff 40px 90px)"
      show(([[<div style="position:fixed;inset:0;background:%s"></div>]]):format(stripes), listen)
      local result = again(ctx, step)
      t.equal({ result.ok, went(ctx) }, { false, false })
      t.truthy(result.reason:find("the screen is not the recorded one", 1, true), result.reason)
    end)
  end,

  ["of a game that was begun anew in the middle of its play only the start is kept: no step says how it came there"] =
    function(t)
    local server = assert(qa.serve "tests/strategies/pages/doors")
    local function kept(begin_anew)
      local words = {}
      with_page(function(ctx)
        assert(ctx.page:navigate(server.url))
        local made = recorder.new(ctx)
        local function act(phase, key) made:after(made:before({ action = "press", key = key }, phase), true) end
        act("start", "Enter")
        act("play", "KeyA")
        begin_anew(ctx)
        act("play", "KeyB")
        act("play", "KeyC")
        for i, step in ipairs(ctx.state.recorded) do words[i] = step.action.key end
      end)
      return table.concat(words, " ")
    end
    t.equal(kept(function() end), "Enter KeyA KeyB KeyC")
    t.equal(kept(function(ctx) assert(ctx.page:reload()) end), "Enter")
    t.equal(kept(function(ctx) ctx.state.restarts = 1 end), "Enter")
    -- What the page opens by itself comes of a step.
    t.equal(kept(function(ctx)
      assert(ctx.page:evaluate "setTimeout(() => location.reload(), 10); true")
      assert(ctx.page:wait_for({ js = "performance.getEntriesByType('navigation')[0].type === 'reload'" },
        { timeout_ms = 3000 }))
    end), "Enter KeyA KeyB KeyC")
  end,

  ["a step that had an effect once and has none now fails"] = function(t)
    with_page(function(ctx, show)
      show(button(100, "id='b'"))
      local step = recorded(ctx, 150, 120)
      show((button(100, "id='b'"):gsub("go%(%)", "0")))
      local result = again(ctx, step)
      t.equal({ result.ok, result.reason }, { false, "it had no effect" })
    end)
  end,

  ["the start cascade tells a recorder what started the game, and nothing else"] = function(t)
    with_page(function(ctx, show)
      ctx.recorder = recorder.new(ctx)
      show("<button id='start-btn' style='width:120px;height:40px'>Start</button>"
        .. button(300, "id='other'", "New game"))
      ctx.options.hold_ms = 120
      local result = cascade.run(ctx, function() return true end, function() return false end)
      t.equal(result.method, "dom_text")
      t.equal(#ctx.state.recorded, 1)
      t.equal(ctx.state.recorded[1].anchor.id, "other")
      t.equal({ #ctx.state.failed, ctx.state.failed[1].reason, ctx.state.failed[1].action.action },
        { 1, "it had no effect", "click" })
    end)
  end,

  ["an anchor without anything to tell it by is none"] = function(t)
    with_page(function(ctx, show)
      show "<canvas width='640' height='360' style='position:fixed;inset:0;background:#456'></canvas>"
      local _, shot = recorder.look(ctx.page)
      local anchor = anchors.of(ctx.page, shot, { x = 320, y = 180 }, ctx.dir, "plain")
      shot:close()
      t.equal(anchors.is_strong(anchor), false)
    end)
  end,
}
