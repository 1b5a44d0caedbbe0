--- 2048: keeps its large tiles in one corner, with one measured move in sixty. Plays until it has a tile of 256.
local function board(ctx) return ctx.page:evaluate("localStorage.gameState") end
return {
  options = { most_restarts = { default = 0 } },
  step = function(ctx, base)
    for _ = 1, 30 do
      local before = board(ctx)
      for _, key in ipairs{ "ArrowDown", "ArrowLeft" } do ctx.page:press(key) end
      for _, key in ipairs{ "ArrowRight", "ArrowUp" } do if board(ctx) == before then ctx.page:press(key) end end
    end
    if ctx.page:evaluate("!!document.querySelector('.game-over')") then ctx.page:click(".retry-button") end
    ctx.state.moves, ctx.state.next_move = { { action = "press", key = "ArrowRight" } }, 1
    local goes_on, why = base(ctx)
    return goes_on or ctx.page:evaluate("!!document.querySelector('.tile-256, .tile-512')") == false, why
  end }
