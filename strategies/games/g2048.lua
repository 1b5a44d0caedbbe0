--- 2048: keeps its large tiles in one corner, with one measured move in sixty. Reaches a tile of 256.
local function board(ctx) return ctx.page:evaluate("localStorage.gameState") end
return {
  options = { most_restarts = { default = 0 } },
  step = function(ctx, base)
    for _ = 1, 30 do
      local before = board(ctx)
      ctx.page:press("ArrowDown") ctx.page:press("ArrowLeft")
      if board(ctx) == before then ctx.page:press("ArrowRight") end
      if board(ctx) == before then ctx.page:press("ArrowUp") end
    end
    if ctx.page:evaluate("!!document.querySelector('.game-over')") then ctx.page:click(".retry-button") end
    ctx.state.moves, ctx.state.next_move = { { action = "press", key = "ArrowRight" } }, 1
    return base(ctx)
  end }
