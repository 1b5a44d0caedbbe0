--- Pac-Man: practises, where no ghost ends the round and Shift alone winds time back; then eats on. Scores 1000.
return {
  start = function(ctx, base)
    for _, entry in ipairs{ "PAC-MAN", "PRACTICE", "LEVELS 1-2", "LEVEL 1" } do
      if ctx.page:click{ text = entry } then ctx:wait(2500) end
    end
    return ctx.page:press("KeyI") and ctx.page:press("KeyO") and base(ctx)
  end,
  step = function(ctx, base)
    ctx.state.controls = { { kind = "key", key = "ShiftLeft", aliases = {} } }
    if base(ctx) then return true end
    for _ = 1, 450 do
      ctx.page:press(({ "ArrowLeft", "ArrowUp", "ArrowRight", "ArrowDown" })[math.random(4)], { hold_ms = 250 })
    end
    return false, "score reached"
  end }
