-- Runs a function with a memory that nobody else sees, over the real store.
local memory = require "qa.memory.memory"
local qa = require "qa"
local policy = require("qa.run.strategy_file").part("standard.memory_lists").memory_policy

---@param fn fun(m: table, store: table)
---@param fields? table of memory.new
return function(fn, fields)
  local namespace = memory.namespace
  memory.namespace = "spec " .. tostring(qa.now_ms())
  local store = memory.store()
  local made = { game = "clicker", goal = "start it", policy = policy, seed = 1, build = "b1" }
  for key, value in pairs(fields or {}) do made[key] = value end
  local ok, err = pcall(fn, memory.new(made), store)
  local keys = {}
  for key in store:each() do keys[#keys + 1] = key end
  for _, key in ipairs(keys) do store:delete(key) end
  memory.namespace = namespace
  if not ok then error(err, 0) end
end
