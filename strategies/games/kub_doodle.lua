--- Doodle Jump: steers from platform to platform where standard falls at once, measured above safe ones. Passes thirty platforms and more.
local look = [[(() => { const all = (css) => [...document.querySelectorAll(css)].map((e) => e.getBoundingClientRect()), [me] = all('.doodler')
  const below = all('.platform').filter((p) => p.top > me?.bottom + 5).sort((a, b) => a.top - b.top), way = (p) => p ? p.x - me.x + 12 : 0
  const to = below.find((p) => Math.abs(way(p)) < p.top - me.bottom + 40) ?? below.at(-1)
  return me && { x: way(to), safe: Math.abs(way(to)) < 30 && to?.top < 380 && me.x > 90 && me.x < 210 } })()]]
return { options = { interaction_ms = { default = 90000 }, jitter_ms = { default = 99 }, most_restarts = { default = 0 } },
  start = function(ctx) return ctx.page:reload() ~= nil end,
  step = function(ctx, base)
    repeat
      local at = ctx.page:wait_for({ js = look }, { timeout_ms = 100 }) or ctx.page:reload() and { x = 0 }
      ctx.page:press(at.x > 0 and "ArrowRight" or "ArrowLeft") ctx:wait(math.min(200, 4 * math.abs(at.x))) ctx.page:press("ArrowUp")
    until at.safe
    ctx.state.moves, ctx.state.next_move = { { action = "press", key = "ArrowRight" } }, 1
    return base(ctx)
  end }
