-- Two independent calls of 1 s each, at the same time. usage: qa-host tests/accept/strategies/joined.lua PORT
-- prints the milliseconds
local qa = require "qa"
local endpoint = { name = "slow", base_url = ("http://127.0.0.1:%s/v1"):format(qa.args[1]), model = "gpt-4o",
  key_env = "QA_PEER_KEY", free = true }
local function ask() return assert(qa.llm.ask{ endpoint = endpoint, prompt = "say ok", max_output = 16 }) end
ask()
local began = qa.now_ms()
qa.all(ask, ask)
print(("%.0f"):format(qa.now_ms() - began))
