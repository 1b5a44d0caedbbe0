-- What is no answer of the game, and no silence of it: buttons that light up under the pointer or look pressed, the
-- frame around what has the focus, scrolling, and inputs of a model that was cut short.
local groups = require "qa.effect.groups"
local qa = require "qa"
local led = qa.load_chunk("tests/strategies/support/led_play.lua")()
local loop = require "qa.run.loop"
local measured_play = require("qa.run.strategy_file").part("model_led.measured_play")
local scripted_model = require "qa.model.scripted_model"

local short = { ready_ms = 3000, interaction_ms = 4000, overtime_ms = 4000, max_duration_ms = 60000 }

---What a list of actions leaves as evidence of the play.
local function trials_after(list)
  local page = { move = function() return true end, find = function() return { x = 10, y = 10 } end,
    probe = function() return {} end }
  local ctx = { page = page, width = 1280, height = 720, state = { trials = {} },
    options = { settle_ms = 1, window_ms_moving = 200, margin = 10 } }
  local assess = groups.assess
  function groups.assess(_, act, opts)
    act()
    ctx.pointer = opts.pointer
    return { progressed = "yes", still = true, rests = true,
      trial = { control = {}, input = { 1, 2, 3, 4, 5, 6, 7, 8, 9 }, moved = true, still = false } }
  end
  local ok, err = pcall(measured_play.assessed, ctx, list, function() return true end)
  groups.assess = assess
  if not ok then error(err, 0) end
  return #ctx.state.trials, ctx.pointer
end

return {
  ["the frame of what has the focus, and a control that looks pressed, are taken out of a trial and noted"] =
    function(t)
    local width, height, columns, rows = 1280, 720, 128, 72
    -- All of the box changes at the input, and one cell far from it.
    local function trial(looks, lasts)
      local function picture(value)
        local cells = {}
        for i = 1, columns * rows do
          local column, row = (i - 1) % columns, math.floor((i - 1) / columns)
          cells[i] = string.char((i == 1 or column >= 40 and column < 50 and row >= 30 and row < 34) and value or 10)
        end
        return table.concat(cells)
      end
      local dark, light, watches = picture(10), picture(200), 0
      local page = {
        watch = function()
          watches = watches + 1
          local is_input = watches == 3
          local last = is_input and lasts and light or dark
          return { low = dark, high = is_input and light or dark, last = last, activity = dark, columns = columns,
            rows = rows }
        end,
        move = function() return true end,
        mouse_click = function() return true end,
        probe = function(_, name) return { { value = name == "native_looks" and looks or { hash = "a" } } } end,
      }
      local ctx = { page = page, width = width, height = height, state = { window_ms = 1 },
        options = { margin = 10, jitter_ms = 0, calm_ms = 0 } }
      local made = require("qa.effect.play").trial(ctx, { action = "click", x = 450, y = 320 })
      return { #made.input, made.native }
    end
    local box = { x = 400, y = 300, width = 100, height = 40 }
    t.equal(trial({}), { 41, false })
    t.equal(trial({ focused = box }), { 1, true })
    t.equal(trial({ focused = box }, "lasts"), { 1, true })
    t.equal(trial({ pressed = box }), { 1, true })
    t.equal(trial({ pressed = box }, "lasts"), { 41, false })
    t.equal(trial({ pressed = box, is_field = true }, "lasts"), { 1, true })
  end,

  ["what a field shows by itself is told apart, and is no change of the page"] = function(t)
    local browser_looks = require "qa.page.browser_looks"
    local signature = require "qa.page.signature"
    local browser = assert(qa.browser.launch{})
    local page = assert(browser:new_page{ width = 640, height = 360 })
    assert(page:navigate("about:blank"))
    local fill = "(html) => { document.body.innerHTML = html; document.body.style.margin = 0; return true }"
    assert(page:evaluate(fill, { args = { [[
      <style>* { position: absolute; margin: 0 }</style>
      <input id=a style="left:0;top:0;width:100px;height:30px"><button id=b
      style="left:200px;top:0;width:60px;height:30px">Go</button>
      <label id=l style="left:0;top:100px;width:90px;height:20px" for=r>Easy</label>
      <input type=radio name=level id=r style="left:100px;top:100px;width:20px;height:20px">
      <input type=radio name=level checked style="left:300px;top:100px;width:20px;height:20px">]] } }))
    local function looks(x, y)
      local found = browser_looks.native_looks(page, { x = x, y = y })
      return { found.is_field, found.pressed.x, found.pressed.y, found.pressed.width, found.pressed.height }
    end
    t.equal({ looks(50, 15), looks(230, 15), looks(40, 110) },
      { { true, 0, 0, 100, 30 }, { false, 200, 0, 60, 30 }, { true, 0, 100, 320, 20 } })
    local before = signature.of(page)
    assert(page:mouse_click(50, 15, {}))
    assert(page:type("Robin", {}))
    assert(page:mouse_click(110, 110, {}))
    t.equal(page:evaluate("document.getElementById('a').value + document.getElementById('r').checked"), "Robintrue")
    t.equal(signature.of(page), before)
    assert(page:evaluate("document.getElementById('b').value = 'x'"))
    t.truthy(signature.of(page) ~= before)
    browser:close()
  end,

  ["silence is no verdict where a model's run was cut short, or where the browser has shown something"] = function(t)
    local silent = { group = "Space", control = {}, input = {}, restless = {}, control_dom = false, input_dom = false,
      still = true, animated = false,
      aims = {} }
    local page = { probe = function() return nil end, events = function() return {} end,
      health = function() return { counts = {} } end }
    local options = {}
    for name, option in pairs(require("qa.run.strategy_file").part("standard.options")) do
      options[name] = option.default
    end
    local outcomes = {}
    local native = setmetatable({ native = true }, { __index = silent })
    for i, run in ipairs{ { last = silent }, { last = silent, cap = { actions = 20 } }, { last = native } } do
      local state = { trials = {}, controls = {}, decided = "none", cap = run.cap }
      for n = 1, 24 do state.trials[n] = n < 24 and silent or run.last end
      outcomes[i] = require("qa.run.strategy_file").part("standard.facts").of{ page = page, state = state,
        options = options, lists = {} }.response.outcome
    end
    t.equal(outcomes, { "no", "unknown", "unknown" })
  end,

  ["a model's clicks on dead buttons change nothing"] = function(t)
    local turn, spots = 0, { 300, 640, 980 }
    local outcome = scripted_model.run({ action = { function()
      turn = turn + 1
      return led.recommend(turn > 6 and led.action "complete" or led.click(spots[(turn - 1) % 3 + 1] * 0.8, 320))
    end }, analysis = {} }, function()
      return loop.run{ target = "examples/games/dead_buttons", strategy = "adaptive", quiet = true, set = short }
    end)
    for _, action in ipairs(outcome.report.metadata.actionHistory) do
      t.equal(action.stateProgressed, false, action.target)
    end
    t.truthy(outcome.status ~= "pass", outcome.status)
  end,

  ["a look for what is under the pointer that begins late is no answer to the click"] = function(t)
    local function seen(value)
      local grid = value:rep(128 * 72)
      return { low = grid, high = grid, first = grid, last = grid, activity = ("\0"):rep(128 * 72), columns = 128,
        rows = 72 }
    end
    local settles, looks = 0, { hover = true, pressed = { x = 10, y = 10, width = 300, height = 200 } }
    local page = { move = function() return true end,
      probe = function(_, name) return name == "native_looks" and { { value = looks } } or nil end }
    function page.settle()
      settles = settles + 1
      return { verdict = "settled", last_change_ms = settles == 2 and 60 or 0, frame_delay_ms = 25,
        quiet = seen(settles == 1 and "\100" or "\200") }
    end
    local ctx = { page = page, width = 1280, height = 720 }
    local function progressed()
      return assert(groups.assess(ctx, function() qa.sleep(200) end,
        { pointer = { x = 100, y = 100 }, late_ms = 1, flash_ms = 1 })).progressed
    end
    t.equal(progressed(), "no")
    -- The pointer is there already.
    local before = settles
    t.equal(progressed(), "no")
    t.equal(settles, before + 2)
  end,

  ["scrolling, and a pointer that only moves, are no evidence; the pointer is first where the actions leave it"] =
    function(t)
    local click, move, scroll = { action = "click", target = { x = 5, y = 6 } },
      { action = "move", target = { x = 7, y = 8 } }, { action = "scroll", dy = 9 }
    t.equal({ trials_after{ click } }, { 1, { x = 5, y = 6 } })
    t.equal({ trials_after{ click, move } }, { 1, { x = 7, y = 8 } })
    t.equal({ trials_after{ { action = "click", target = "#go" } } }, { 1, { x = 10, y = 10 } })
    t.equal({ trials_after{ move } }, { 0 })
    t.equal({ trials_after{ scroll } }, { 0 })
    t.equal({ trials_after{ click, scroll } }, { 0, { x = 5, y = 6 } })
  end,
}
