--- Quiz: gives the answers that the page holds for right. Reaches the end screen with 100 %.
return {
  options = { most_restarts = { default = 0 } },
  start = function(ctx) return ctx.page:click("#start") ~= nil end,
  step = function(ctx, base)
    if ctx.page:evaluate("scoreDiv.style.display === 'block'") then return false, "quiz ended" end
    local answer = ctx.page:find("#" .. ctx.page:evaluate("questions[runningQuestion].correct"))
    ctx.state.moves, ctx.state.next_move = { { action = "click", x = answer.x, y = answer.y } }, 1
    return base(ctx)
  end,
}
