local keys = require "qa.text.key_names"
local metadata = require "qa.game.metadata"
local schema = require "qa.game.input_schema"

local function minimal(more)
  local value = { inputSchema = { type = "semantic", content = "arrow keys" } }
  for key, item in pairs(more or {}) do value[key] = item end
  return value
end

local function refused(t, value, pattern) t.raises(function() metadata.check(value, "m.json") end, pattern) end

return {
  ["U1: a metadata file loads, with its inputs critical ones first"] = function(t)
    local loaded = metadata.load("tests/lua/samples/snake.json")
    t.equal(loaded.inputs[1].name, "Boost")
    t.equal(loaded.inputs[1].keys, { "Space", "Enter" })
    t.equal(loaded.inputs[2].keys, { "Escape" })
    t.equal(loaded.inputs[3].keys, { "KeyW", "KeyA" })
    t.equal(#loaded.inputs, 3)
    t.equal(loaded.inputSchema.axes[1].description, nil)
  end,
  ["U1: unknown and wrong fields are refused with their path"] = function(t)
    refused(t, minimal { gener = "x" }, "m.json: gener: unknown field %(did you mean 'genre'%?%)")
    refused(t, { }, "m.json: inputSchema: required, but missing")
    refused(t, { inputSchema = { type = "javascrip", content = "" } },
      "inputSchema.type: expected one of .* %(did you mean 'javascript'%?%)")
    refused(t, { inputSchema = { type = "semantic" } }, "inputSchema.content: required")
    refused(t, { inputSchema = { type = "semantic", content = "", actions = { { keys = { "a" } } } } },
      "inputSchema.actions%[0%].name: required")
    refused(t, { inputSchema = { type = "semantic", content = "",
      actions = { "Jump", { name = "a", keys = { 3 } } } } },
      "inputSchema.actions%[1%].keys%[0%]: expected string, got number")
    refused(t, minimal { testingStrategy = { waitBeforeInteraction = 1.5 } },
      "testingStrategy.waitBeforeInteraction: expected whole milliseconds")
    refused(t, minimal { loadingIndicators = { { type = "text" } } }, "loadingIndicators%[0%].pattern: required")
    refused(t, { "list" }, "%(top%): expected object, got array")
  end,
  ["a file that is missing or no JSON is refused in one line"] = function(t)
    t.raises(function() metadata.load("tests/lua/samples/none.json") end, "none.json: ")
    t.raises(function() metadata.load("tests/lua/samples/bad.json") end, "bad.json: not valid JSON")
  end,
  ["U-02: gameBuilder chains give actions and axes with key codes"] = function(t)
    local found = schema.parse_javascript([[
      gameBuilder.createAction("Jump").bindKey("Space");
      const shoot = gameBuilder.createAction('Shoot')
        .bindKeys('KeyX', "z");
      gameBuilder.createAxis("Steer").bindKeys(["ArrowLeft", "a"], ["ArrowRight", "d"]);
      gameBuilder.createAxis2D(`Move`).bindWASD().bindArrowKeys();
      /* createAction("Gone").bindKey("q") */
    ]])
    t.equal(found.actions, { { name = "Jump", keys = { "Space" } }, { name = "Shoot", keys = { "KeyX", "KeyZ" } } })
    t.equal(found.axes[1], { name = "Steer", keys = { "ArrowLeft", "KeyA", "ArrowRight", "KeyD" }, is2D = false })
    t.equal(#found.axes[2].keys, 8)
    t.equal(found.axes[2].is2D, true)
  end,
  ["U-02: prose gives arrows, wasd, space, escape, enter and the mouse"] = function(t)
    local controls = schema.controls(minimal {
      inputSchema = { type = "semantic", content = "Arrow keys or WASD to move, space to jump, Escape to pause, " ..
        "Enter to start. Click tiles." } })
    t.equal(controls.mouse, true)
    local names = {}
    for _, input in ipairs(controls.inputs) do names[input.name] = input.keys end
    t.equal(names.jump, { "Space" })
    t.equal(names.pause, { "Escape" })
    t.equal(names.start, { "Enter" })
    t.equal(#controls.keys, 11)
  end,
  ["a word that only contains a key's name is not that key"] = function(t)
    local controls = schema.controls(minimal { inputSchema = { type = "semantic",
      content = "fly the spaceship and centre it" } })
    t.equal(controls.keys, {})
  end,
  ["C-066: key names become browser codes"] = function(t)
    local expected = { w = "KeyW", W = "KeyW", KeyW = "KeyW", ["7"] = "Digit7", space = "Space", [" "] = "Space",
      Up = "ArrowUp",
      ArrowUp = "ArrowUp", arrow_left = "ArrowLeft", ["return"] = "Enter", Esc = "Escape", F5 = "F5", Weird = "Weird" }
    for name, code in pairs(expected) do t.equal(keys.code(name), code, name) end
    t.equal(keys.code { key = "Space" }, "Space")
  end,
  ["an indicator's prose selector is not taken for CSS"] = function(t)
    t.equal(metadata.indicator_target { type = "score_change", selector = "text containing '$'" }, { text = "$" })
    t.equal(metadata.indicator_target { type = "element", pattern = "#loader" }, { css = "#loader" })
    t.equal(metadata.indicator_target { type = "element_visible", selector = ".score > span" },
      { css = ".score > span" })
  end,
}
