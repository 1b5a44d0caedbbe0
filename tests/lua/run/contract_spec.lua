local contract = require "qa.run.contract"
local inherit = require "qa.run.inherit"
local options = require "qa.run.options"
local spelling = require "qa.text.spelling"

local function refused(t, strategy, pattern) t.raises(function() contract.check(strategy, "f.lua") end, pattern) end

local declared = {
  name = "sample", limits = { actions = 20 },
  options = { speed = { default = 3 }, loud = { default = true }, mood = { default = "calm" } },
}

return {
  ["an empty table is a strategy"] = function() contract.check({}, "f.lua") end,
  ["what is no table is refused"] = function(t)
    refused(t, "x", "f.lua: a strategy returns a table, this returns string")
  end,
  ["a hook that is no function is refused"] = function(t)
    refused(t, { step = true }, "f.lua: step: expected a function, got boolean")
  end,
  ["an option without a default is refused"] = function(t)
    refused(t, { options = { speed = { doc = "x" } } },
      "options.speed.default: expected a number, string or boolean, got nil")
  end,
  ["an option that is a plain value is refused"] = function(t)
    refused(t, { options = { speed = 3 } }, "options.speed: expected a table { default = ..., doc = ... }, got number")
  end,
  ["an unknown limit is refused"] = function(t)
    refused(t, { limits = { action = 3 } }, "unknown limit 'action' %(did you mean 'actions'%?%)")
  end,
  ["a negative limit is refused"] = function(t)
    refused(t, { limits = { steps = -1 } }, "limits.steps: expected a number >= 0")
  end,
  ["a list that is nearly a known one is refused, a new one is not"] = function(t)
    local parent = { lists = { start_words = {} }, options = {} }
    t.raises(function() contract.check_against({ lists = { start_word = {} } }, "f.lua", parent) end,
      "did you mean 'start_words'")
    contract.check_against({ lists = { colours = {} } }, "f.lua", parent)
  end,
  ["an option cannot change its type"] = function(t)
    local parent = { lists = {}, options = { speed = { default = 3 } } }
    t.raises(function() contract.check_against({ options = { speed = { default = "x" } } }, "f.lua", parent) end,
      "options.speed.default: expected a number, got string")
  end,
  ["--set is read as the type of the default"] = function(t)
    local values, limits = options.resolve(declared,
      { speed = "4.5", loud = "false", mood = "wild", ["limits.actions"] = "7" })
    t.equal(values, { speed = 4.5, loud = false, mood = "wild" })
    t.equal(limits, { actions = 7 })
  end,
  ["without --set the defaults stand"] = function(t)
    local values, limits = options.resolve(declared)
    t.equal(values, { speed = 3, loud = true, mood = "calm" })
    t.equal(limits.actions, 20)
  end,
  ["--set with a wrong value or name is refused"] = function(t)
    t.raises(function() options.resolve(declared, { speed = "fast" }) end,
      "%-%-set speed: expected a number, got 'fast'")
    t.raises(function() options.resolve(declared, { loud = "maybe" }) end, "expected true or false")
    t.raises(function() options.resolve(declared, { spead = "1" }) end, "no such option %(did you mean 'speed'%?%)")
    t.raises(function() options.resolve(declared, { ["limits.action"] = "1" }) end, "did you mean 'limits.actions'")
  end,
  ["inherited maps keep the parent's other keys"] = function(t)
    t.equal(inherit.merge({ a = 1, b = 2 }, inherit.mark { b = 3 }), { a = 1, b = 3 })
    t.equal(inherit.merge({ "x" }, { "y" }), { "y" })
  end,
  ["the nearest name is found, and none where all are far"] = function(t)
    t.equal(spelling.nearest("tiemout_ms", { "button", "timeout_ms" }), "timeout_ms")
    t.equal(spelling.nearest("zebra", { "button", "timeout_ms" }), nil)
  end,
}
