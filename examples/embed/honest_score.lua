-- A strategy that uses a function of the program around it: the score on the page must be one that the game's server
-- would take. Run by primitive.cpp.

---@type qa.Strategy
return {
  name = "honest_score",
  extends = "standard",

  conclude = function(ctx, report, base)
    local seconds = ctx:elapsed_ms() / 1000
    local score = ctx.page:evaluate("game.total")
    ctx:event("note", { text = ("score %s after %.0f s"):format(tostring(score), seconds) })
    if type(score) == "number" and not require("rules").accepts(score, seconds) then
      ctx:issue{ severity = "major", kind = "exception", description = "The score is one that the server refuses.",
        evidence = {} }
    end
    return base(ctx, report)
  end,
}
