--- Wordle: two guesses that show whether the tiles answer, then the word that the page looks for. Reaches "You Win".
return {
  options = { most_restarts = { default = 0 } },
  start = function() return true end,
  step = function(ctx, base)
    ctx.state.words = ctx.state.words or { "crane", "moist", ctx.page:evaluate("targetWord") }
    local word = table.remove(ctx.state.words, 1)
    if not word then return false, "solved" end
    ctx.state.moves, ctx.state.next_move = { { action = "type", text = word, key = "Enter" } }, 1
    local going, reason = base(ctx)
    ctx:wait(3000) -- the tiles turn one after the other
    return going, reason
  end,
}
