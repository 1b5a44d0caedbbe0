--- Hue Jumper: drives by touch: it says where to steer, the locked mouse only by how much. To the first checkpoint.
local measured_play = require "parts.model_led.measured_play"
local wheel = [[(() => { const v = playerVelocity.z, bend = road[(playerPos.z + 30 * v) / 100 | 0].x
  return innerWidth / 2 * (1 + Math.max(-.9, Math.min(.9, v * bend / (100 - v / 3) - playerPos.x / 6000))) })()]]
return {
  prepare = function(ctx, base) return ctx.page:emulate_touch(true) and base(ctx) end,
  start = function(ctx) return ctx.page:touch({ x = ctx.width / 2, y = 500 }, { hold_ms = 300 }) end,
  step = function(ctx)
    ctx.page:settle{ quiet_ms = 500, max_ms = 9000 } -- it brakes by itself where nothing touches
    measured_play.measured(ctx, { { action = "click", target = { x = ctx.width / 2, y = 500 } } }, function()
      ctx.page:press("KeyR", { hold_ms = 100 })
      repeat ctx.page:touch({ x = ctx.page:evaluate(wheel), y = 500 }, { hold_ms = 1500 })
      until ctx.page:evaluate("hueShift || time <= 0") ~= false
    end)
    return #ctx.state.trials < 4 or ctx.page:evaluate("hueShift > 0") == false, "checkpoint passed"
  end }
