local strategy = require "qa.run.strategy_file"

local samples = "tests/lua/samples/"

return {
  ["a strategy is merged with what it extends, and that with the next"] = function(t)
    local merged = strategy.load(samples .. "plain.lua")
    t.equal(merged.chain, { "plain", "ground", "floor", "standard" })
    t.equal(merged.limits, { actions = 5, steps = 2 })
    t.equal(merged.options.speed, { default = 3, doc = "how fast" })
    t.equal(merged.options.mood.default, "calm")
  end,
  ["base is the overridden hook, bound the same way"] = function(t)
    local merged = strategy.load(samples .. "plain.lua")
    t.equal({ merged.step({}) }, { "plain", "ground", "standard" })
  end,
  ["base comes after all arguments, and is nil where nothing is overridden"] = function(t)
    local merged = strategy.load(samples .. "plain.lua")
    t.equal({ merged.act({}, "group", "plan") }, { "plain", "group", "plan", true })
  end,
  ["an inherited list adds to the parent's, a plain one replaces it"] = function(t)
    local merged = strategy.load(samples .. "plain.lua")
    t.equal(merged.lists.greetings, { "hey", "hello", "hi" })
    t.equal(merged.lists.colours, { "red" })
  end,
  ["every file that was loaded is listed with its hash"] = function(t)
    local files = strategy.load(samples .. "plain.lua").files
    local names = {}
    for index, file in ipairs(files) do
      names[index] = file.file:match("samples/(.*)$")
      t.equal(#file.sha256, 64)
    end
    t.equal(names, { "plain.lua", "parts/words.lua", "ground.lua", "floor.lua", "standard.lua" })
  end,
  ["two loads share nothing"] = function(t)
    local first = strategy.load(samples .. "plain.lua")
    first.lists.greetings[1] = "changed"
    t.equal(strategy.load(samples .. "plain.lua").lists.greetings[1], "hey")
  end,
  ["a file in strategies/games finds parts and parents of strategies"] = function(t)
    local merged = strategy.load(samples .. "strategies/games/deep.lua")
    t.equal(merged.lists.words, { "shared" })
    t.equal(merged.chain, { "deep", "root", "standard" })
  end,
  ["a misspelt hook is refused with the file and the nearest name"] = function(t)
    t.raises(function() strategy.load(samples .. "misspelt.lua") end,
      "misspelt.lua: unknown field 'stepp' %(did you mean 'step'%?%)")
  end,
  ["a wrong type is refused with the field and both types"] = function(t)
    t.raises(function() strategy.load(samples .. "wrong_limit.lua") end,
      "wrong_limit.lua: limits.actions: expected a number, got string")
  end,
  ["strategies that extend each other are refused"] = function(t)
    t.raises(function() strategy.load(samples .. "ring_a.lua") end, "extends itself")
  end,
  ["a syntax error names file and line"] = function(t)
    t.raises(function() strategy.load(samples .. "broken.txt") end, "broken.txt:1:")
  end,
  ["an unknown name is refused with the nearest one"] = function(t)
    t.raises(function() strategy.load("standart") end, "no strategy 'standart' %(did you mean 'standard'%?%)")
  end,
  ["a missing file is refused"] = function(t)
    t.raises(function() strategy.load("./nowhere.lua") end, "no strategy file './nowhere.lua'")
  end,
  ["a table with a hook is a strategy, other values are not"] = function(t)
    t.truthy(strategy.is_strategy { step = function() end })
    t.truthy(strategy.is_strategy { extends = "standard" })
    t.falsy(strategy.is_strategy { status = "pass" })
    t.falsy(strategy.is_strategy(true))
  end,
  ["the shipped standard strategy keeps the contract"] = function(t)
    local merged = strategy.load("standard")
    for _, hook in ipairs { "prepare", "start", "step", "conclude" } do
      t.equal(type(merged[hook]), "function", hook)
    end
  end,
}
