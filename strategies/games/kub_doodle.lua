--- Doodle Jump: steers to the highest platform in reach; measured above safe ones after thirty platforms.
local look = [[(() => { const all = (css) => [...document.querySelectorAll(css)].map((e) => e.getBoundingClientRect())
  const [me] = all('.doodler'); if (!me) return; const up = me.bottom < window.was, way = (p) => p ? p.x - me.x + 12 : 0
  const from = window.from = up ? window.from : me.bottom; window.was = me.bottom
  const rise = up ? Math.max(0, me.bottom - from + 210) : 0
  const ps = all('.platform').filter((p) => p.top > me.bottom - rise + 10).sort((a, b) => a.top - b.top)
  const to = ps.find((p) => Math.abs(way(p)) < p.top - me.bottom + 1.4 * rise + 20) ?? ps.at(-1)
  const x = way(to) + 45 * Math.sign(way(ps[0]) - way(to)), n = document.querySelector('.grid').children.length
  return { x, n, safe: Math.abs(x) < 30 && to?.top < 380 && me.x > 90 && me.x < 210 } })()]]
return {
  options = { interaction_ms = { default = 120000 }, jitter_ms = { default = 99 }, most_restarts = { default = 0 } },
  start = function(ctx) return ctx.page:reload() ~= nil end,
  step = function(ctx, base)
    local at = ctx.page:wait_for({ js = look }, { timeout_ms = 100 }) or ctx.page:reload() and { x = 0, n = 0 }
    ctx.state.is_far, ctx.state.next_move = ctx.state.is_far or at.n > 37, 1
    ctx.state.moves = { { action = "press", key = "ArrowRight" } }
    if ctx.state.is_far and at.safe then return base(ctx) end
    ctx.page:press "ArrowUp"
    ctx.page:press(at.x > 0 and "ArrowRight" or "ArrowLeft")
    ctx:wait(math.min(120, 4 * math.abs(at.x)))
    return ctx.page:press("ArrowUp") end }
