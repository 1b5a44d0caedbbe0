-- The scene is watched while a model thinks: what it does by itself is seen for nothing then.
local groups = require "qa.effect.groups"
local measured_play = require("qa.run.strategy_file").part("model_led.measured_play")
local qa = require "qa"

local grid = ("\100"):rep(4)

---A scene at rest; window i takes lengths[i] ms, else 1.
local function scene(lengths)
  local begun = 0
  local page = {
    probe = function() return { { value = { hash = 1 } } } end,
    watch = function()
      begun = begun + 1
      qa.sleep(lengths[begun] or 1)
      return { columns = 2, rows = 2, low = grid, high = grid, first = grid, last = grid, activity = ("\0"):rep(4) }
    end,
  }
  local ctx = { page = page, state = {}, options = { window_ms_moving = 200 } }
  ---A model that has thought when window n has begun.
  local function thinks_until(n)
    return function()
      while begun < n do qa.sleep(1) end
      return "value", "answer"
    end
  end
  return ctx, thinks_until
end

return {
  ["a look is cut off when the model has answered"] = function(t)
    local ctx, thinks_until = scene{ [3] = 60000 }
    local value, answer = measured_play.while_watched(ctx, thinks_until(3))
    t.equal({ value, answer, ctx.motion.ms }, { "value", "answer", 400 })
  end,

  ["but for one that makes the scene known"] = function(t)
    local ctx, thinks_until = scene{ [5] = 50 }
    measured_play.while_watched(ctx, thinks_until(5))
    t.equal(ctx.motion.ms, groups.defaults.known_ms)
  end,

  ["a model that thinks for long is waited for, and the scene watched until nothing more is to be learnt"] = function(t)
    local ctx = scene{}
    local value = measured_play.while_watched(ctx, function()
      while not ctx.motion or ctx.motion.windows < groups.defaults.most_windows do qa.sleep(1) end
      qa.sleep(20)
      return "value"
    end)
    t.equal({ value, ctx.motion.windows }, { "value", groups.defaults.most_windows })
  end,

  ["what asking raises is raised"] = function(t)
    t.raises(function() measured_play.while_watched(scene{}, function() error({ kind = "budget_exceeded" }) end) end)
  end,
}
