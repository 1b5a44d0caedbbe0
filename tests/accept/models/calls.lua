-- So many calls, one after the other. usage: qa-host tests/accept/models/calls.lua PORT N
--   prints "took N us a call, N MiB": the most that worker and supervisor have had in memory, shared pages twice
local qa = require "qa"
local endpoint = { name = "ok", base_url = ("http://127.0.0.1:%s/ok~qa/v1"):format(qa.args[1]), model = "gpt-4o",
  key_env = "QA_PEER_KEY", free = true }
local count = tonumber(qa.args[2])
local began = qa.now_ms()
for _ = 1, count do
  local answer = assert(qa.llm.ask{ endpoint = endpoint, prompt = "say ok", max_output = 16 })
  assert(answer.text == "ok")
end
local took = qa.now_ms() - began

local function memory(process)
  local status = assert(qa.fs.read(("/proc/%s/status"):format(process)))
  return tonumber(status:match "VmHWM:%s*(%d+) kB"), status:match "PPid:%s*(%d+)"
end
local own, parent = memory "self"
local is_supervised = assert(qa.fs.read(("/proc/%s/cmdline"):format(parent))):find("calls.lua", 1, true)
print(("took %.0f us a call, %.0f MiB"):format(took * 1000 / count,
  (own + (is_supervised and memory(parent) or 0)) / 1024))
