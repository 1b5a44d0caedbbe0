--- Floppy Bird: flaps when the bird sinks to the edge of the lower pipe; plays on as standard does after three pipes.
local sinks = [[(() => { const low = pipes[0] ? pipes[0].children('.pipe_upper').height() + pipeheight : 230
  if (currentstate !== states.GameScreen) return currentstate === states.SplashScreen || replayclickable
  return position + 1.2 * velocity > low - 40 })()]]
return {
  step = function(ctx, base)
    if ctx.page:evaluate("Math.max(score, highscore) >= 3") then return base(ctx) end
    for _ = 1, 20 do
      ctx.page:wait_for({ js = sinks }, { poll_ms = 10 })
      ctx.page:press("Space")
    end
    return true
  end,
}
