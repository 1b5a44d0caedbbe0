-- The file of seed 003 (D-001) and its words (D-011): comes in, goes out, and replays.
local memory_file = require "qa.memory.file"
local qa = require "qa"
local policy = require("qa.run.strategy_file").part("standard.memory_lists").memory_policy
local with_memory = qa.load_chunk("tests/lua/support/own_memory.lua")()

local seed_file = {
  successful_patterns = {
    ["vault:create new vault"] = { { outcome = "Test 1 passed", count = 5, timestamp = "2025-10-30T12:00:00",
      actions = { { action = "tap", x = 540, y = 300, description = "Create" }, { action = "type", text = "My Vault" },
        { action = "swipe", start = { x = 20, y = 30 }, ["end"] = { x = 20, y = 400 } } } } },
    ["home:nothing yet"] = qa.json.array{},
  },
  failed_patterns = { ["vault:create new vault"] = { {
    actions = { { action = "open_app", name = "notes" } }, reason = "no such app", count = 3, timestamp = "t" } } },
  action_rewards = { tap = 0.15, type = -0.2, swipe = 0.1 },
}

return {
  ["D-001: the store of the seed comes in and goes out without loss"] = function(t)
    with_memory(function()
      local counts = memory_file.import(seed_file, "notes", policy)
      t.equal({ counts.contexts, counts.patterns, counts.failures }, { 2, 1, 1 })
      t.equal(qa.json.encode(memory_file.export "notes"), qa.json.encode(seed_file))
      -- Once more changes nothing.
      memory_file.import(seed_file, "notes", policy)
      t.equal(qa.json.encode(memory_file.export "notes"), qa.json.encode(seed_file))
    end)
  end,

  ["D-001: what is no such file is refused with a sentence"] = function(t)
    t.raises(function() memory_file.import({ patterns = {} }, "notes", policy) end, "unknown field 'patterns'")
    t.raises(function() memory_file.import({ successful_patterns = 3 }, "notes", policy) end,
      "successful_patterns: expected an object")
    t.raises(function() memory_file.import({ successful_patterns = { a = { 1 } } }, "notes", policy) end,
      "successful_patterns.a%[1%]: expected {actions")
  end,

  ["D-011: tap, type and swipe are click, type and drag here, and replay"] = function(t)
    with_memory(function(m)
      local counts = memory_file.import(seed_file, "clicker", policy)
      t.equal(counts.foreign, { "open_app" })
      t.truthy(math.abs(m:get_action_reward "click" - 0.15) < 1e-9
        and math.abs(m:get_action_reward "drag" - 0.1) < 1e-9)
      local found = m:context("00000000000000ff", "create new vault")
      t.equal({ found.scene, found.is_known }, { "vault", true })
      local steps = m:get_successful_pattern(found).actions
      t.equal(steps[1].action, { action = "click", target = { x = 540, y = 300 } })
      t.equal(steps[2].action, { action = "type", text = "My Vault" })
      t.equal(steps[3].action, { action = "drag", target = { x = 20, y = 30 }, to = { x = 20, y = 400 } })
      for _, step in ipairs(steps) do
        t.truthy(require("qa.input.actions").check(step.action, { width = 1280, height = 720 }))
      end
    end)
  end,
}
