-- Two calls of 300 ms each, at the same time. usage: qa-host tests/accept/models/parallel.lua PORT     prints the
-- milliseconds
local qa = require "qa"
local endpoint = { name = "slow", base_url = ("http://127.0.0.1:%s/delay.300~pair/v1"):format(qa.args[1]),
  model = "gpt-4o",
  key_env = "QA_PEER_KEY", free = true }
local function ask() return assert(qa.llm.ask{ endpoint = endpoint, prompt = "say ok", max_output = 16 }) end
ask()
local began = qa.now_ms()
qa.all(ask, ask)
print(("%.0f"):format(qa.now_ms() - began))
