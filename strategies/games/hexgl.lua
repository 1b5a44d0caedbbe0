--- HexGL: plays at the lowest quality, where there are frames enough to judge by; then races on into the walls. Reaches
-- the end screen.
return {
  start = function(ctx, base) return ctx.page:click("#s-quality") ~= nil and base(ctx) end,
  step = function(ctx, base)
    local going, reason = base(ctx)
    if going or ctx.state.decided then return going, reason end
    ctx.page:press({ "ArrowUp", "ArrowRight" }, { hold_ms = 20000 })
    return ctx.page:wait_for({ js = "hexGL.gameplay.finishTime !== null" }, { timeout_ms = 60000 }) == nil, "end screen"
  end,
}
