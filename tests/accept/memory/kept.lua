-- Prints how many lessons of writer.lua the memory holds; "differs" where its parts contradict each other.
local memory = require "qa.memory.memory"
local policy = require("qa.run.strategy_file").part("standard.memory_lists").memory_policy

local context = { game = "kill", build = "b", goal = "g", scene = "s" }
local m = memory.new{ game = "kill", goal = "g", policy = policy, build = "b" }
local record = memory.store():get(memory.scene_key(context))
if not record then
  print(0)
else
  local pattern = m:get_successful_pattern(context)
  local wins = record.credit["press:Space"].wins
  print(pattern.outcome == ("Test %d passed"):format(pattern.count) and wins == pattern.count and pattern.count
    or "differs")
end
