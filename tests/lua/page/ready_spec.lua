-- Ready detection and game type (C-014, C-015, C-016, P-09, P-12).
local qa = require "qa"
local ready = require "qa.page.ready"
local strategy = require("qa.run.strategy_file").load("standard")

local function state(fields)
  local value = { canvases = {}, iframes = {}, visible_text = "", named_parts = 0, images_pending = 0,
    ready_state = "complete" }
  for key, field in pairs(fields or {}) do value[key] = field end
  return { value = value, width = 800, height = 600, x = 0, y = 0 }
end
local canvas = { visible = true, width = 640, height = 480 }

return {
  ["C-014: canvas comes before iframe before dom before unknown"] = function(t)
    t.equal(ready.game_type({ state{ canvases = { canvas }, named_parts = 3 } }, 5), "canvas")
    t.equal(ready.game_type({ state{ iframes = { { cross_origin = true, width = 400, height = 300 } },
      named_parts = 2 } }, 1), "iframe")
    t.equal(ready.game_type({ state{}, state{ canvases = { canvas } } }, 0), "iframe")
    t.equal(ready.game_type({ state{ named_parts = 1 } }, 0), "dom")
    t.equal(ready.game_type({ state{} }, 2), "dom")
    t.equal(ready.game_type({ state{} }, 0), "unknown")
  end,

  ["a loader is noticed in a page that says more, and one that changes its words all the time is a loader still"] =
    function(t)
    local browser = assert(qa.browser.launch{})
    local page = assert(browser:new_page{ width = 400, height = 300 })
    local ctx = { page = page, lists = strategy.lists,
      options = { ready_watch_ms = 150, network_idle_ms = 500, ready_ms = 1500, ready_signals = 4,
      stall_ms = 5000, unknown_ms = 300, fetch_ms = 0 }, state = {} }
    assert(page:navigate("about:blank"))
    assert(page:evaluate([[(() => {
      document.body.innerHTML = '<h1>A long title of a game about loading docks</h1>' +
        '<p>Steer with the arrow keys, <b>please</b>.</p><div id=l>Loading</div>';
      setInterval(() => { const l = document.getElementById('l');
        l.textContent = l.textContent.length > 9 ? 'Loading' : l.textContent + '.' }, 100);
      return true })()]]))
    local result = ready.wait(ctx, function() return false end)
    t.equal({ result.ok, result.stalled, result.reading.loader }, { false, "loading", "loading" })
    t.truthy(result.reading.text:find("arrow keys, please .\n", 1, true), result.reading.text)
    browser:close()
  end,

  ["a page that hung before it was read has a type"] = function(t)
    local browser = assert(qa.browser.launch{})
    local page = assert(browser:new_page{ width = 400, height = 300 })
    assert(page:navigate("about:blank"))
    assert(page:evaluate("document.body.innerHTML = '<canvas></canvas>'; setTimeout(() => { for (;;); }); true"))
    local ctx = { page = page, lists = strategy.lists, options = { ready_watch_ms = 150, ready_ms = 9000 }, state = {} }
    local result = ready.wait(ctx, function()
      ctx.state.decided = "hang"
      return true
    end)
    t.equal({ result.ok, result.type }, { false, "canvas" })
    browser:close()
  end,

  ["a loader that still counts when the time is over has not stopped"] = function(t)
    local read, now_ms, sleep, now = ready.read, qa.now_ms, qa.sleep, 0
    local function stalled(says)
      now = 0
      function ready.read()
        now = now + 100
        return { type = "canvas", painted = true, text = says(now), painted_text = "", window = {},
          signals = { network_idle = false }, loader = "loading" }
      end
      local ctx = { options = { ready_signals = 4, fetch_ms = 5000, ready_ms = 20000, stall_ms = 5000,
        unknown_ms = 1500 }, state = {} }
      return ready.wait(ctx, function() return nil end).stalled or false
    end
    qa.now_ms, qa.sleep = function() return now end, function(ms) now = now + ms end
    local counts, dots, stops = stalled(function(ms) return ("Loading %d %%"):format(ms / 300) end),
      stalled(function(ms) return "Loading" .. ("."):rep(ms / 300 % 3) end),
        stalled(function(ms) return ("Loading %d %%"):format(math.min(30, ms / 300)) end)
    ready.read, qa.now_ms, qa.sleep = read, now_ms, sleep
    t.equal({ counts, dots, stops }, { false, "loading", "loading" })
  end,

  ["what a page shows while it does not answer is not what it stays like"] = function(t)
    local read, now_ms, sleep, now = ready.read, qa.now_ms, qa.sleep, 0
    local function blank_at(busy_until_ms)
      now = 0
      function ready.read(_, previous)
        now = now + 100
        if now > 200 and now < busy_until_ms then return nil, { kind = "page_hung" } end
        return { type = "canvas", painted = false, text = "", painted_text = "", window = {},
          signals = { network_idle = true, scripts_done = true },
          unchanged = previous ~= nil }
      end
      local ctx = { options = { ready_signals = 4, fetch_ms = 5000, ready_ms = 20000, stall_ms = 5000,
        unknown_ms = 1500 }, state = {} }
      local result = ready.wait(ctx, function() return nil end)
      return { result.blank, math.floor(result.ms / 1000 + 0.5) }
    end
    qa.now_ms, qa.sleep = function() return now end, function(ms) now = now + ms end
    local at_once, later = blank_at(0), blank_at(6000)
    ready.read, qa.now_ms, qa.sleep = read, now_ms, sleep
    t.equal({ at_once, later }, { { true, 5 }, { true, 11 } })
  end,

  ["a page that says what it requires refuses nothing where it is there"] = function(t)
    local has_webgl = true
    local ctx = { lists = strategy.lists, page = { evaluate = function() return has_webgl end } }
    t.equal(ready.refusal(ctx, "This game requires WebGL. Click Play"), nil)
    t.equal(ready.refusal(ctx, "Your browser does not support\n WebGL"), "not support webgl")
    has_webgl = false
    t.equal(ready.refusal(ctx, "This game requires WebGL. Click Play"), "requires webgl")
    t.equal(ready.refusal(ctx, "Click Play"), nil)
    local browser = assert(qa.browser.launch{})
    local page = assert(browser:new_page{ width = 400, height = 300 })
    assert(page:navigate("about:blank"))
    t.equal(ready.refusal({ lists = strategy.lists, page = page }, "requires WebGL"), nil)
    browser:close()
  end,

  ["C-014: a canvas nobody can see does not make a canvas game"] = function(t)
    t.equal(ready.game_type({ state{ canvases = { { visible = false, width = 640, height = 480 } },
      named_parts = 1 } }, 0), "dom")
  end,

  ["P-12: loading words count at word borders only"] = function(t)
    local words = strategy.lists.loading_words
    t.truthy(ready.loading_phrase("LOADING... 45%", words))
    t.truthy(ready.loading_phrase("Please wait", words))
    -- What is said, not the pattern: it is looked for in the page.
    t.equal(ready.loading_phrase("Initialising audio", words), "initialising")
    t.falsy(ready.loading_phrase("This game was made to show how loading sprites from a sheet works in a canvas",
      words))
    t.falsy(ready.loading_phrase("Download the game, reload, choose a loadout", words))
    t.falsy(ready.loading_phrase("Reloading takes 2 s", words))
  end,

  ["C-015: four of seven signals within 60 s are the defaults"] = function(t)
    t.equal(strategy.options.ready_signals.default, 4)
    t.equal(strategy.options.ready_ms.default, 60000)
    t.equal(ready.count{ a = true, b = false, c = true }, 2)
  end,

  ["a ready canvas is waited for while files come, not for ever; a quick page is not when opened anew"] = function(t)
    local rounds = require("qa.run.strategy_file").part "standard.rounds"
    local read, now_ms, sleep, now = ready.read, qa.now_ms, qa.sleep, 0
    local function waited(kind, idle_ms, wait)
      now = 0
      function ready.read()
        now = now + 100
        return { type = kind, painted = true, unchanged = true, text = "", painted_text = "",
          window = { low = "a", high = now == 250 and "b" or "a" },
          signals = { dom_interactive = true, scripts_done = true, no_loading_text = true,
          content_exists = true, canvas_exists = kind == "canvas" or nil, network_idle = now >= idle_ms } }
      end
      return wait(function() return nil end)
    end
    local ctx = { options = { ready_signals = 4, fetch_ms = 5000, quick_ms = 1000, ready_ms = 60000, stall_ms = 5000,
      unknown_ms = 1500 }, state = {},
      page = { health = function() return { counts = {} } end } }
    local function ms_of(kind, idle_ms, fetch_ms)
      return waited(kind, idle_ms,
        function(is_decided) return math.floor(ready.wait(ctx, is_decided, fetch_ms).ms / 100) end)
    end
    local function anew(first_ms)
      ctx.state.ready = { ms = first_ms }
      return waited("canvas", 2000, function()
        rounds.wait(ctx)
        return math.floor(now / 100)
      end)
    end
    qa.now_ms, qa.sleep = function() return now end, function(ms) now = now + ms end
    local ok, err = pcall(function()
      t.equal({ ms_of("canvas", 0), ms_of("dom", 2000), ms_of("canvas", 2000, 0) }, { 1, 1, 1 })
      t.falsy(ctx.state.moved_untouched)
      t.truthy(math.abs(ms_of("canvas", 2000) - 20) <= 2)
      t.truthy(ctx.state.moved_untouched)
      t.truthy(math.abs(ms_of("canvas", math.huge) - 50) <= 3)
      t.equal(anew(600), 1)
      t.truthy(math.abs(anew(1500) - 20) <= 2)
    end)
    ready.read, qa.now_ms, qa.sleep = read, now_ms, sleep
    t.truthy(ok, err)
  end,

  ["C-015: a loading indicator of the metadata holds the game back while it is in sight"] = function(t)
    local shown = {}
    local ctx = { page = { find = function(_, selector) return shown[selector] end } }
    local function holds(text, ...)
      ctx.metadata = { loadingIndicators = { ... } }
      return ready.indicators(ctx, text)
    end
    t.equal(ready.indicators(ctx, ""), nil)
    t.equal(holds("", { type = "network", pattern = "*.png" }), nil)
    t.equal(holds("LOADING level 3\n", { type = "text", pattern = "Loading level" }), false)
    t.equal(holds("Level 3", { type = "text", pattern = "Loading level" }), true)
    t.equal(holds("", { type = "element", pattern = "#bar" }), true)
    shown["#bar"] = { visible = true }
    t.equal(holds("", { type = "element", pattern = "#bar" }, { type = "text", pattern = "Loading" }), false)
    shown["#bar"].visible = false
    t.equal(holds("", { type = "element", pattern = "#bar" }), true)
  end,
}
