--- Flappy Bird: flaps when the bird sinks to the edge of the lower pipe; plays on as standard does after three pipes.
local sinks = [[(() => { const next = pipes.position.find((p) => p.x + pipes.w > bird.x - bird.radius)
  const floor = next ? next.y + pipes.h + pipes.gap : 260
  return state.current !== state.game || bird.y + 3 * bird.speed > floor - 22 })()]]
return {
  step = function(ctx, base)
    if ctx.page:evaluate("score.best >= 3") then return base(ctx) end
    local sky = ctx.page:find("#bird")
    for _ = 1, 20 do
      ctx.page:wait_for({ js = sinks }, { poll_ms = 10 })
      ctx.page:mouse_click(sky.left + 160, sky.top + 277) -- where the start button is once the bird has fallen
    end
    return true
  end }
