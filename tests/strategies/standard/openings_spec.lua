-- Reload trials: a game whose rounds are over at once is opened again and again, at random played or only watched.
local qa = require "qa"
local standard = require("qa.run.strategy_file").load "standard"
local reload_trials = require "qa.effect.trials"
local facts, openings = require("qa.run.strategy_file").part "standard.facts",
  require("qa.run.strategy_file").part "standard.openings"

---A flight over the view, which is at its end after 1.5 s and drawn on after that; the arrow keys bend it, or do
---nothing.
local function flight(is_dead)
  return [[<!doctype html><body style="margin:0"><canvas id=c width=800 height=400></canvas><script>
    const pen = c.getContext('2d'), way = { ArrowUp: -1, ArrowDown: 1 }, dots = Array.from({ length: 30 },
      () => [Math.random() * 800, Math.random() * 400]);
    let x = 20, y = 200, dy = 0, last = performance.now(), from = last;
    onkeydown = (e) => { dy = ]] .. (is_dead and "0" or "way[e.key] || dy") .. [[ };
    (function frame(now) {
      if (now - from < 1500) { x += (now - last) * 0.4; y += dy * (now - last) * 0.2 }
      last = now;
      pen.clearRect(0, 0, 800, 400);
      for (const dot of dots) pen.fillRect(dot[0], dot[1], 12, 12);
      pen.fillRect(x, y, 30, 30);
      requestAnimationFrame(frame);
    })(last)</script>]]
end

local function context(page, url)
  local options, notes = {}, {}
  for name, option in pairs(standard.options) do options[name] = option.default end
  options.reload_windows = 2
  local state = { window_ms = 300, trials = {}, still_trials = 1, moved_untouched = true,
    controls = { { kind = "key", key = "ArrowUp", action = "up" },
      { kind = "key", key = "ArrowDown", action = "down" } } }
  return { page = page, url = url, options = options, lists = standard.lists, limits = {}, state = state, width = 800,
    height = 600, seed = 5, notes = notes,
    elapsed_ms = function() return 0 end,
    event = function(_, name, data) if name == "note" then notes[#notes + 1] = data.text end end }
end

---What reload trials of a page tell: the facts of the run, and its notes.
local function opened(html)
  local dir = assert(qa.run.open{ slug = "openings-spec" })
  assert(qa.run.publish("flight.html", html))
  local server, browser = assert(qa.serve(dir)), assert(qa.browser.launch{})
  local page = assert(browser:new_page{ width = 800, height = 600 })
  local ctx = context(page, server.url .. "flight.html")
  assert(page:navigate(ctx.url))
  local begun = openings.begin(ctx)
  while openings.go_on(ctx) do assert(openings.open(ctx)) end
  local seen = facts.of(ctx)
  browser:close()
  return begun and seen, table.concat(ctx.notes, "\n")
end

return {
  ["reload trials that were played are set apart from those that were watched"] = function(t)
    local function all_of(picture_of)
      local seen = {}
      for i, is_played in ipairs(reload_trials.assign(8)) do
        seen[i] = { is_played = is_played, picture = picture_of(is_played, i) }
      end
      return reload_trials.p(seen, 20000)
    end
    t.truthy(all_of(function(is_played) return { 100, is_played and 120 or 100, 50 } end) <= 0.0005)
    t.truthy(all_of(function(_, i) return { 100, i % 2 == 0 and 120 or 100, 10 * i } end) > 0.01)
    t.equal(all_of(function() return { 100, 100, 50 } end), 1)
  end,

  ["as many reload trials are played as watched, in an order of chance"] = function(t)
    local orders = {}
    for _ = 1, 20 do
      local assignment, n, text = reload_trials.assign(8), 0, ""
      for _, is_played in ipairs(assignment) do
        n, text = n + (is_played and 1 or 0), text .. (is_played and "p" or "w")
      end
      t.equal({ #assignment, n }, { 16, 8 })
      orders[text] = true
    end
    local count = 0
    for _ in pairs(orders) do count = count + 1 end
    t.truthy(count > 10, count)
  end,

  ["a game that is over at once answers when it is opened; one with dead keys does not"] = function(t)
    local seen, notes = opened(flight(false))
    t.equal({ seen.response.outcome, seen.answers_only_when_opened, notes ~= "" }, { "yes", true, true }, notes)
    seen, notes = opened(flight(true))
    t.truthy(seen and seen.response.outcome ~= "yes" and not seen.answers_only_when_opened, notes)
  end,

  ["what is promising is worth half as many more, where there is time; no single action is credited"] = function(t)
    local ready = require "qa.page.ready"
    local wait, p_of = ready.wait, reload_trials.p
    local page = { add_preload = function() return "1" end, remove_preload = function() return true end,
      navigate = function() return { status = 200 } end,
      press = function() return true end,
      mouse_click = function() return true end, watch = function() return { last = ("\100"):rep(128 * 72) } end }
    local told = {}
    local function opened_times(p, elapsed_ms)
      local ctx = context(page, "http://127.0.0.1:1/")
      function reload_trials.p() return p end
      function ctx.event(_, name, data)
        if name == "action" then told[#told + 1] = data.stateProgressed == nil and "not told" or "told" end
      end
      function ctx.elapsed_ms() return elapsed_ms end
      ctx.time_limit_ms = 100000
      ctx.state.reload_trials = { assignment = reload_trials.assign(8),
        moves = { { action = "press", key = "ArrowUp" } }, next_move = 1, seen = {} }
      while openings.go_on(ctx) do assert(openings.open(ctx)) end
      return #ctx.state.reload_trials.seen
    end
    function ready.wait() end
    local ok, err = pcall(function()
      t.equal({ opened_times(0.01, 0), opened_times(0.01, 95000), opened_times(0.06, 0), opened_times(0.0001, 0) },
        { 24, 16, 16, 16 })
    end)
    ready.wait, reload_trials.p = wait, p_of
    t.truthy(ok, err)
    -- Two windows of each opening that is played.
    t.equal(#told, 2 * (12 + 8 + 8 + 8))
    for _, what in ipairs(told) do t.equal(what, "not told") end
  end,

  ["nothing is opened anew where the play has told, the scene has never moved, a model leads, or time is short"] =
    function(t)
    local page = { metrics = function() return { ScriptDuration = qa.now_ms() } end,
      probe = function() return {} end,
      clickables = function() return {} end, content = function() return "" end, listeners = function() return {} end }
    local function begins(change)
      local ctx = context(page, "http://127.0.0.1:1/")
      change(ctx)
      return openings.begin(ctx)
    end
    t.truthy(begins(function() end))
    t.falsy(begins(function(ctx) ctx.state.moved_untouched = nil end))
    t.truthy(begins(function(ctx) ctx.state.moved_untouched, ctx.state.was_animated = nil, true end))
    t.falsy(begins(function(ctx) ctx.state.cap = {} end))
    t.falsy(begins(function(ctx) ctx.state.auto = true end))
    t.falsy(begins(function(ctx) ctx.state.probe_answered = true end))
    t.falsy(begins(function(ctx) ctx.time_limit_ms = 10000 end))
    t.falsy(begins(function(ctx) ctx.options.reload_trials = 0 end))
    t.falsy(begins(function(ctx)
      local answer = { group = "ArrowUp", control = {}, input = { 1, 2, 3, 4, 5, 6, 7, 8, 9 }, aims = {} }
      ctx.state.trials = { answer, answer }
    end))
    -- Silence in a game that has certainly begun, and goes on, is clear.
    local function silent(change)
      return begins(function(ctx)
        local silence = { group = "ArrowUp", control = {}, input = {}, aims = {} }
        for i = 1, ctx.options.min_trials do ctx.state.trials[i] = silence end
        ctx.state.still_trials, ctx.state.is_certain = 0, true
        change(ctx)
      end)
    end
    t.falsy(silent(function() end))
    t.truthy(silent(function(ctx) ctx.state.is_certain = false end))
    t.truthy(silent(function(ctx) ctx.state.still_trials = 1 end))
    -- The script has ended with the picture.
    page.metrics = function() return { ScriptDuration = 1 } end
    t.falsy(begins(function() end))
    t.truthy(begins(function(ctx) ctx.state.still_trials = 0 end))
  end,
}
