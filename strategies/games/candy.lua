--- Candy: drags what makes three in a line, and scores with every move.
local swap = [=[(() => { const c = [...document.querySelectorAll('.grid div')].map((e) => e.style.backgroundImage)
  const line = (i, d) => c[i] && c[i] === c[i + d] && c[i] === c[i + 2 * d]
  const turn = (i, j) => { [c[i], c[j]] = [c[j], c[i]] }
  const has_line = (_, k) => k % 8 < 6 && line(k, 1) || k < 47 && line(k, 8)
  const wins = (i, j) => { turn(i, j); const won = c.some(has_line); turn(i, j); return won }
  for (let i = 1; i < 56; i++) for (const d of [8, 1])
    if ((d > 1 || i % 8 < 7) && wins(i, i + d)) return [i, i + d] })()]=]
return {
  options = { most_restarts = { default = 0 }, interaction_ms = { default = 45000 } },
  start = function() return true end,
  step = function(ctx, base)
    local pair = ctx.page:evaluate(swap)
    local from, to = ctx.page:find(('[id="%d"]'):format(pair[1])), ctx.page:find(('[id="%d"]'):format(pair[2]))
    ctx.state.moves = { { action = "drag", x = from.x, y = from.y, to = { x = to.x, y = to.y } } }
    ctx.state.next_move = 1
    return base(ctx)
  end }
