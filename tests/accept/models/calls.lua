-- So many calls, one after the other. usage: qa-host tests/accept/models/calls.lua PORT N
local qa = require "qa"
local endpoint = { name = "ok", base_url = ("http://127.0.0.1:%s/ok~qa/v1"):format(qa.args[1]), model = "gpt-4o", key_env = "QA_PEER_KEY", free = true }
for _ = 1, tonumber(qa.args[2]) do
  local answer = assert(qa.llm.ask{ endpoint = endpoint, prompt = "say ok", max_output = 16 })
  assert(answer.text == "ok")
end
