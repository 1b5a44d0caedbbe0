-- Writes to the memory until it is killed: prints n once the n-th lesson is on the disk.
local memory = require "qa.memory.memory"
local policy = require("qa.run.strategy_file").part("standard.memory_lists").memory_policy

local context = { game = "kill", build = "b", goal = "g", scene = "s" }
local m = memory.new{ game = "kill", goal = "g", policy = policy, build = "b" }
local pattern = m:get_successful_pattern(context)
local n = pattern and pattern.count or 0
while true do
  n = n + 1
  m:record_success(context, { { action = { action = "press", key = "Space" } } }, "Test " .. n .. " passed")
  print(n)
end
