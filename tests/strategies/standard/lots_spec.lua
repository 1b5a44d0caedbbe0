-- When series are played, and what in them (parts/standard/lots.lua).
local qa = require "qa"
local series = require "qa.effect.series"
local standard = require("qa.run.strategy_file").load "standard"
local series_play = require("qa.run.strategy_file").part "standard.lots"

---A canvas on which something flies, between buttons that a game may have its moves on.
local html = [[<!doctype html><style>button:active { background: red }</style><body style="margin:0"><canvas id=c
  width=800 height=400></canvas>
  <div><button>One</button><button>Two</button><button>Three</button></div><script>
  const pen = c.getContext('2d');
  (function frame(now) {
    pen.clearRect(0, 0, 800, 400);
    pen.fillRect(400 + 300 * Math.sin(now / 200), 100, 60, 60);
    requestAnimationFrame(frame);
  })(0)</script>]]

---@return table ctx of a moving scene after so many single inputs; moves by itself: each control touches other places
local function context(real, inputs)
  local options, events = {}, {}
  for name, option in pairs(standard.options) do options[name] = option.default end
  local state = { window_ms = 450, was_animated = true, still_trials = 0, restarts = 0, trials = {}, controls = {
    { kind = "key", key = "ArrowLeft", action = "left" }, { kind = "key", key = "ArrowRight", action = "right" },
    { kind = "key", key = "Space" },
    { kind = "click" }, { kind = "move" }, { kind = "drag" }, { kind = "text" } } }
  for i = 1, inputs do
    local cells = {}
    for cell = 1, 40 do cells[cell] = 100 * i + cell end
    state.trials[i] = { control = cells, input = {} }
  end
  -- How fast the page is does not depend on the machine.
  local steady = { frame_rate = function() return state.measured_fps or 60 end }
  local page = setmetatable(steady,
    { __index = function(_, name) return function(_, ...) return real[name](real, ...) end end })
  return { page = page, url = "http://127.0.0.1:1/", options = options, lists = standard.lists, state = state,
    width = 800, height = 600, events = events,
    event = function(_, name, data)
      data.name = name
      events[#events + 1] = data
    end }
end

---@param with fun(page: qa.Page)
local function on_page(with)
  local dir = assert(qa.run.open{ slug = "lots-spec" })
  assert(qa.run.publish("flight.html", html))
  local server, browser = assert(qa.serve(dir)), assert(qa.browser.launch{})
  local page = assert(browser:new_page{ width = 800, height = 600, count_draws = true })
  assert(page:navigate(server.url .. "flight.html"))
  with(page)
  browser:close()
end

return {
  ["what is played at random ends before its window does, and shows nothing but what the game makes of it"] =
    function(t)
    on_page(function(page)
      local ctx, seen = context(page, 2), {}
      for _ = 1, 20 do
        for _, move in ipairs(series_play.deal(ctx)) do
          if move then
            seen[move.action] = true
            t.truthy((move.hold_ms or 0) * (move.count or 1) <= 225 - series.rest_ms
              and (move.over_ms or 0) <= 225 - series.rest_ms)
            t.truthy(move.action == "press" or move.action == "mash" or move.y < 400)
          end
        end
      end
      t.equal(seen, { press = true, mash = true, click = true, move = true, drag = true })
    end)
  end,
  ["two series follow each single input at first, and more only while they look like an answer"] = function(t)
    on_page(function(page)
      local function is_due(inputs, played, p, change)
        local ctx = context(page, inputs)
        ctx.state.series = { p = p }
        for i = 1, played do ctx.state.series[i] = {} end
        if change then change(ctx) end
        return series_play.deal(ctx) ~= nil
      end
      t.equal({ is_due(1, 0, 1), is_due(2, 0, 1), is_due(2, 1, 1), is_due(2, 2, 1), is_due(3, 3, 1) },
        { false, true, true, false, true })
      -- In vain, in the first round and in another.
      t.equal({ is_due(9, 4, 1), is_due(9, 4, 1, function(ctx) ctx.state.restarts = 1 end) }, { false, true })
      -- A single input now and then shows whether the game still answers.
      t.equal({ is_due(2, 3, 0.01), is_due(2, 4, 0.01), is_due(3, 4, 0.01), is_due(9, 9, 0) },
        { true, false, true, false })
      t.falsy(is_due(2, 0, 1, function(ctx) ctx.state.fps = 9 end))
      -- It has got slower since.
      t.falsy(is_due(2, 0, 1, function(ctx) ctx.state.measured_fps, ctx.state.fps = 9, 60 end))
      t.falsy(is_due(2, 0, 1, function(ctx) ctx.state.still_trials = 1 end))
      t.falsy(is_due(2, 0, 1, function(ctx) ctx.state.trials[1].control = {} end))
    end)
  end,
  ["an input that failed is no success"] = function(t)
    on_page(function(page)
      local ctx = context(page, 2)
      ctx.page = setmetatable({ press = function() return nil, { kind = "timeout" } end },
        { __index = function(_, name) return function(_, ...) return page[name](page, ...) end end })
      local key, click = { action = "press", key = "Space", hold_ms = 50 },
        { action = "click", x = 100, y = 100, hold_ms = 50 }
      t.equal(series_play.play(ctx, { click, key, false, click }), false)
      local successes = {}
      for _, event in ipairs(ctx.events) do
        if event.name == "action" then successes[#successes + 1] = event.success end
      end
      t.equal({ successes, ctx.state.input_failed, ctx.state.key_in_motion }, { { true, false, true }, true, "Space" })
      t.truthy(ctx.state.series[1][1].drawn ~= nil)
    end)
  end,
  ["a series is an answer when it tells more than those before it"] = function(t)
    on_page(function(page)
      local ctx, asked = context(page, 2), { 0.01, 0.01, 0.001, 0.5 }
      local ask, moved = series.p, {}
      series.p = function() return table.remove(asked, 1) end
      for i = 1, 4 do moved[i] = series_play.play(ctx, { false }) end
      series.p = ask
      t.equal(moved, { true, false, true, false })
    end)
  end,
}
