--- Options of the agent strategy.
return {
  model = { default = "openai-responses/computer-use-preview",
    doc = "who plays where neither a flag, QA_MODEL nor the configuration's role 'agent' names anybody, and this " ..
      "one's key is set (C-040)" },
  max_steps = { default = 25, doc = "turns of the model (C-040)" },
  max_actions = { default = 250, doc = "actions of the model at most" },
  look_side = { default = 768, doc = "longer side of the pictures that the model sees, in pixels; all of them are " ..
    "sent again each turn" },
  tool_form = { default = "auto", doc = "computer: the vendor's own computer tool; functions: any model's; auto: " ..
    "what the model is made for" },
  computer_tool = { default = "", doc = "type of the vendor's computer tool, for a model whose row in models.json " ..
    "names none" },
  turn_output = { default = 2048, doc = "tokens of an answer at most, reasoning included" },
  shot_attempts = { default = 3, doc = "tries of a screenshot" },
  most_unusable = { default = 3,
    doc = "answers in a row that cannot be used, after which the model is not asked again" },
  calls_a_turn = { default = 10, doc = "tool calls of one answer that are done; the model is told of the rest" },
  keep_turns = { default = 25, doc = "turns of which the model is reminded word by word; fewer cost less, and some " ..
    "models refuse a shortened past" },
  minutes = { default = 2, doc = "minutes of play that the instruction speaks of (C-041)" },
  acknowledge_checks = { default = false, doc = "go on after a safety check of the vendor instead of ending the " ..
    "play (C-043)" },
  off_origin = { default = false, doc = "let navigate leave the game's own origin" },
  extract_bytes = { default = 4000, doc = "bytes of the page's text that extract gives at most" },
}
