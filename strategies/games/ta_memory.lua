--- Memory: turns each card and then its twin, which the page names. Finds all twelve pairs.
return {
  options = { most_restarts = { default = 0 }, interaction_ms = { default = 90000 } },
  start = function() return true end,
  step = function(ctx, base)
    local name = ctx.page:evaluate("document.querySelector('.card:not(.match)')?.dataset.name ?? ''")
    if name == "" then return false, "all pairs found" end
    local card = ctx.page:find(('.card[data-name="%s"]'):format(name))
    ctx.state.moves, ctx.state.next_move = { { action = "click", x = card.x, y = card.y } }, 1
    local going, reason = base(ctx)
    ctx.page:click(('.card[data-name="%s"]:not(.selected)'):format(name))
    ctx.page:wait_for({ js = "!document.querySelector('.selected')" })
    return going, reason
  end }
