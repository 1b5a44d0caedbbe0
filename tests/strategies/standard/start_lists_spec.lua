-- The start cascade's lists and words (C-050, C-051, C-052's place at $0, C-X3, P-15).
local strategy = require("qa.run.strategy_file").load("standard")
local words = require "qa.page.words"
local lists = strategy.lists

local function holds(list, text) return words.first_match(text, list) ~= nil end

return {
  ["C-051: the cascade has at least 29 selectors in two tiers, exact ids first"] = function(t)
    local tiers = { lists.exact_selectors, lists.attribute_selectors }
    local count, seen = 0, {}
    for _, tier in ipairs(tiers) do
      t.truthy(#tier > 0)
      for _, selector in ipairs(tier) do
        t.falsy(seen[selector])
        seen[selector] = true
        count = count + 1
      end
    end
    t.truthy(count >= 29)
    for _, id in ipairs{ "#start-btn", "#play-btn", "#begin-btn" } do t.truthy(seen[id]) end
    for _, attribute in ipairs{ "id", "class", "name", "onclick" } do
      for _, word in ipairs{ "start", "play", "begin" } do t.truthy(seen[("[%s*='%s' i]"):format(attribute, word)]) end
    end
  end,

  ["C-050: the steps are ordered from exact selectors to blind input, and what costs money comes last"] = function(t)
    local order = {}
    for i, step in ipairs(lists.start_cascade) do
      if not step.again then order[step.kind] = order[step.kind] or i end
    end
    t.truthy(order.selectors < order.words and order.words < order.instructions)
    t.truthy(order.instructions < order.clickables and order.clickables < order.canvas_centre)
    t.equal(lists.start_cascade[#lists.start_cascade - 1].kind, "blind_keys")
    t.equal(lists.start_cascade[#lists.start_cascade].kind, "model")
  end,

  ["P-15: a start word inside another word is no start button"] = function(t)
    for _, class in ipairs{ "display-area", "items-start", "playlist", "restart", "beginner" } do
      t.falsy(words.has_word(class, { "start", "play", "begin" }))
    end
    for _, class in ipairs{ "start", "startBtn", "play-now", "btn-start", "PlayButton" } do
      t.truthy(words.has_word(class, { "start", "play", "begin" }))
    end
  end,

  ["words are matched at word borders"] = function(t)
    t.truthy(holds(lists.start_words, "Start Game!"))
    t.truthy(holds(lists.start_words, "▶ PLAY"))
    t.falsy(holds(lists.start_words, "displayed"))
    t.truthy(holds(lists.not_start_words, "Download now"))
  end,

  ["a switch, a new start and an open list are apart from the game; a long text with such a word is not"] = function(t)
    local languages = "language. czech deutsch english español français italiano norsk polski português"
    for _, text in ipairs{ "Sound on", "share", "Get the app", "restart.", languages } do
      t.truthy(words.is_non_game_control({ text = text }, lists), text)
    end
    for _, text in ipairs{ "Roll", "Next", "Hear the sound. Which of these animals makes it? The cow, the dog, or " ..
      "the cat?" } do
      t.falsy(words.is_non_game_control({ text = text }, lists), text)
    end
  end,

  ["instructions name their key"] = function(t)
    local function all(text) return words.instructions(text, lists.instruction_patterns, lists.aside_words) end
    local function first(text) return all(text)[1] or {} end
    t.equal(first("Press Space to Play.").key, "Space")
    t.equal(first("Press 'Space' or touch to start.").key, "Space")
    t.equal(first("Hit ENTER to begin").key, "Enter")
    t.equal(first("press any key to start").action, "any_key")
    t.equal(first("Click to Play").action, "click")
    t.equal(first("Tap to start").action, "click")
    t.equal(first("The enterprise presses on").action, nil)
    t.equal(all("Press 1 for a single player game.\nPress 2 for a double player game.\nPress 0 to watch the " ..
      "computer play itself."),
      { { action = "key", key = "Digit1", phrase = "press 1 for a single player game" },
        { action = "key", key = "Digit2", phrase = "press 2 for a double player game" } })
    t.equal(first("Press P to pause, press space to fly").key, "Space")
    t.equal({ first("Press “S” to start").key, first("press ‘space’ to begin").key }, { "KeyS", "Space" })
    t.equal(#all("Click to shoot. Click here."), 2)
    t.equal(first("GAME OVER. Press R to restart").key, "KeyR")
  end,
}
