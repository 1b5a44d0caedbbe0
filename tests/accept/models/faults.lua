-- The fault table: our client over every mode of the fault server, beside the official client's row of the same mode.
-- usage: qa-host tests/accept/models/faults.lua BASELINE.json PORT     prints a row a mode, then "N as good, N worse, N late"
local qa = require "qa"

local baseline = qa.json.decode(assert(qa.fs.read(qa.args[1])))
local port = tonumber(qa.args[2])
local deadline_ms, slack_ms = 4000, 250
local good, worse, late = 0, 0, 0

---Did the official client get the answer that the server meant?
local function is_answer(outcome) return outcome:match '^ok: "ok"' ~= nil or outcome:match '^ok: "ok' ~= nil end

print(("%-26s %-44s %8s  %s"):format("mode", "official client", "ms", "qa-host"))
for _, row in ipairs(baseline.rows) do
  if not row.mode:match "^tls" then
    local endpoint = { name = "fault", base_url = ("http://127.0.0.1:%d/%s~qa/v1"):format(port, row.mode), model = "gpt-4o",
      key_env = "QA_PEER_KEY", price = { input = "2.50", output = "10" } }
    local began = qa.now_ms()
    local answer, err = qa.llm.ask{ endpoint = endpoint, prompt = "say ok", max_output = 16, timeout_ms = deadline_ms,
      stream = row.mode:match "^sse" ~= nil }
    local ms = qa.now_ms() - began
    local ours = answer and ("ok %q, %d attempts"):format(answer.text:sub(1, 20), #answer.attempts) or ("%s"):format(tostring(err):sub(1, 90))
    local is_late = ms > deadline_ms + slack_ms
    local is_worse = is_answer(row.outcome) and not answer
    if is_late then late = late + 1 elseif is_worse then worse = worse + 1 else good = good + 1 end
    print(("%-26s %-44s %8.0f  %s%s"):format(row.mode, ("%s in %d"):format(row.outcome:sub(1, 36), row.attempts), ms, ours,
      is_late and "  LATE" or is_worse and "  WORSE" or ""))
  end
end
print(("%d as good, %d worse, %d late"):format(good, worse, late))
return worse + late == 0
