-- What is no answer of the game, and no silence of it: buttons that light up under the pointer or look pressed, the frame around what has the focus,
-- scrolling, and inputs of a model that was cut short.
local groups = require "qa.groups"
local qa = require "qa"
local led = qa.load_chunk("tests/strategies/support/led_play.lua")()
local loop = require "qa.loop"
local measured_play = require("qa.strategy").part("measured_play")
local scripted_model = require "qa.scripted_model"

local short = { ready_ms = 3000, interaction_ms = 4000, overtime_ms = 4000, max_duration_ms = 60000 }

---What a list of actions leaves as evidence of the play.
local function bursts_after(list)
  local page = { move = function() return true end, find = function() return { x = 10, y = 10 } end, probe = function() return {} end }
  local ctx = { page = page, width = 1280, height = 720, state = { bursts = {} }, options = { settle_ms = 1, window_ms_moving = 200, margin = 10 } }
  local assess = groups.assess
  function groups.assess(_, act, opts)
    act()
    ctx.pointer = opts.pointer
    return { progressed = "yes", still = true, rests = true, burst = { control = {}, input = { 1, 2, 3, 4, 5, 6, 7, 8, 9 }, moved = true, still = false } }
  end
  local ok, err = pcall(measured_play.assessed, ctx, list, function() return true end)
  groups.assess = assess
  if not ok then error(err, 0) end
  return #ctx.state.bursts, ctx.pointer
end

return {
  ["a run that is cut short while a model leads is not failed for the silence after its inputs"] = function(t)
    local silent = { group = "Space", control = {}, input = {}, restless = {}, control_dom = false, input_dom = false, still = true, animated = false,
      aims = {} }
    local page = { probe = function() return nil end, events = function() return {} end, health = function() return { counts = {} } end }
    local options = {}
    for name, option in pairs(require("qa.strategy").part("standard_options")) do options[name] = option.default end
    local outcomes = {}
    for i, cap in ipairs{ false, { actions = 20 } } do
      local state = { bursts = {}, controls = {}, decided = "none", cap = cap or nil }
      for n = 1, 24 do state.bursts[n] = silent end
      outcomes[i] = require("qa.strategy").part("facts").of{ page = page, state = state, options = options, lists = {} }.response.outcome
    end
    t.equal(outcomes, { "no", "unknown" })
  end,

  ["a model's clicks on dead buttons change nothing"] = function(t)
    local turn, spots = 0, { 300, 640, 980 }
    local outcome = scripted_model.run({ action = { function()
      turn = turn + 1
      return led.recommend(turn > 6 and led.action "complete" or led.click(spots[(turn - 1) % 3 + 1] * 0.8, 320))
    end }, analysis = {} }, function()
      return loop.run{ target = "examples/games/dead_buttons", strategy = "adaptive", quiet = true, set = short }
    end)
    for _, action in ipairs(outcome.report.metadata.actionHistory) do t.equal(action.stateProgressed, false, action.target) end
    t.truthy(outcome.status ~= "pass", outcome.status)
  end,

  ["scrolling, and a pointer that only moves, are no evidence; the pointer is first where the actions leave it"] = function(t)
    local click, move, scroll = { action = "click", target = { x = 5, y = 6 } }, { action = "move", target = { x = 7, y = 8 } }, { action = "scroll", dy = 9 }
    t.equal({ bursts_after{ click } }, { 1, { x = 5, y = 6 } })
    t.equal({ bursts_after{ click, move } }, { 1, { x = 7, y = 8 } })
    t.equal({ bursts_after{ { action = "click", target = "#go" } } }, { 1, { x = 10, y = 10 } })
    t.equal({ bursts_after{ move } }, { 0 })
    t.equal({ bursts_after{ scroll } }, { 0 })
    t.equal({ bursts_after{ click, scroll } }, { 0, { x = 5, y = 6 } })
  end,
}
