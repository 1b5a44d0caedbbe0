--- Memory: turns all cards two by two, remembers their pictures, then turns the pairs that it has seen. Finds all six.
return { options = { most_restarts = { default = 0 }, interaction_ms = { default = 90000 } },
  start = function(ctx)
    ctx.state.seen, ctx.state.turns = {}, { { 0, 1 }, { 2, 3 }, { 4, 5 }, { 6, 7 }, { 8, 9 }, { 10, 11 } }
    return true
  end,
  step = function(ctx, base)
    local turn, turns, seen = table.remove(ctx.state.turns, 1), ctx.state.turns, ctx.state.seen
    for n, card in ipairs(turn or {}) do
      local at = ctx.page:find(('[data-id="%d"]'):format(card))
      ctx.state.moves, ctx.state.next_move = { { action = "click", x = at.x, y = at.y } }, 1
      if n == 1 then base(ctx) else ctx.page:click(at) end
      local picture = ctx.page:evaluate(("document.querySelector('[data-id=\"%d\"]').getAttribute('src')"):format(card))
      if seen[picture] and seen[picture] ~= turn[1] then turns[#turns + 1] = { seen[picture], card } end
      seen[picture] = seen[picture] or card
    end
    ctx:wait(900) -- the game looks at the pair after half a second
    return turn ~= nil, "all pairs found"
  end }
