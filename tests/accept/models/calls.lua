-- So many calls, one after the other. usage: qa-host tests/accept/models/calls.lua PORT N
--   prints "N us a call, N MiB": the most that the host's processes have had in memory, the shared counted once in each
local qa = require "qa"
local endpoint = { name = "ok", base_url = ("http://127.0.0.1:%s/ok~qa/v1"):format(qa.args[1]), model = "gpt-4o", key_env = "QA_PEER_KEY", free = true }
local count = tonumber(qa.args[2])
local began = qa.now_ms()
for _ = 1, count do
  local answer = assert(qa.llm.ask{ endpoint = endpoint, prompt = "say ok", max_output = 16 })
  assert(answer.text == "ok")
end
local took = qa.now_ms() - began

local function memory(process)
  local status = assert(qa.fs.read(("/proc/%s/status"):format(process)))
  return tonumber(status:match "VmHWM:%s*(%d+) kB"), status:match "PPid:%s*(%d+)", status:match "Name:%s*(%S+)"
end
local own, parent, name = memory "self"
local supervisor, _, parent_name = memory(parent)
print(("took %.0f us a call, %.0f MiB"):format(took * 1000 / count, (own + (parent_name == name and supervisor or 0)) / 1024))
