-- A strategy for one game: everything that is not said here is the standard strategy.
-- From the project's folder: qa-host examples/02_clicker_strategy.lua
-- or, on any target:         qa-host test TARGET --strategy examples/02_clicker_strategy.lua

---@type qa.Strategy
return {
  name = "clicker",
  extends = "standard",
  url = "examples/games/clicker",
  limits = { duration_ms = 60000 },
  options = {
    interaction_ms = { default = 5000, doc = "how long to play; a clicker tells all it has in a few seconds" },
    warm_up = { default = 12, doc = "clicks on the coin before the standard strategy plays on" },
  },

  -- The start is known. base is the start of the strategy that this one extends: it checks that the game answers,
  -- and it searches for another start where the known one is missing.
  start = function(ctx, base)
    local found, err = ctx.page:click("#start", { timeout_ms = 3000 })
    if not found then ctx:event("note", { text = "no #start: " .. err.message }) end
    for _ = 1, found and ctx.options.warm_up or 0 do
      if not ctx.page:click("#coin") then break end
    end
    return base(ctx)
  end,

  -- What the standard strategy cannot know: twelve clicks must have earned something.
  conclude = function(ctx, report, base)
    local score = ctx.page:evaluate("game.score + game.perClick * 10 + game.helpers * 25")
    if type(score) == "number" and score < ctx.options.warm_up then
      ctx:issue{ severity = "major", kind = "unresponsive", description = "Clicks on the coin earn nothing.",
        evidence = {} }
    end
    return base(ctx, report)
  end,
}
