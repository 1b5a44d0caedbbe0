return {
  name = "ground", extends = "floor",
  limits = { actions = 9, steps = 2 },
  options = { speed = { default = 1, doc = "how fast" }, loud = { default = false, doc = "noise" },
    mood = { default = "calm" } },
  lists = { greetings = { "hello", "hi" }, colours = { "blue", "green" } },
  step = function(ctx, base) return "ground", base and base(ctx) end,
}
