local words = require "parts.words"
return {
  name = "plain", extends = "ground",
  limits = { actions = 5 },
  options = { speed = { default = 3 } },
  lists = { greetings = require("qa").inherit { words.extra }, colours = { "red" } },
  step = function(ctx, base) return "plain", base(ctx) end,
  act = function(_, group, plan, base) return "plain", group, plan, base == nil end,
}
