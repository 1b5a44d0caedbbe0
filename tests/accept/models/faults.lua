-- The fault table: our client over every mode of the fault server and every port of the TLS servers, beside the
-- official client's row of the same fault. Worse is: no text where it got one, another text than it got, an answer
-- where it saw a certificate or a handshake that is wrong. Where it is right not to take an answer, the row says why.
-- usage: qa-host --ca-file CA tests/accept/models/faults.lua BASELINE.json PORT TLS.json
--   prints a row a fault, then "N as good, N declined, N worse, N late"
local qa = require "qa"

local baseline = qa.json.decode(assert(qa.fs.read(qa.args[1])))
local port = tonumber(qa.args[2])
local tls = qa.json.decode(assert(qa.fs.read(qa.args[3])))
local deadline_ms, slack_ms = 4000, 250
local counts = { good = 0, declined = 0, worse = 0, late = 0 }

-- Answers that are better not taken; there the host has to fail.
local declined = {
  redirect = "the question would go to another server",
  retry_after_huge = "the server asks for 30 years of silence; the official client's timer overflows",
  two_encodings = "where such a body ends is a guess",
  gzip = "the server was asked for plain bytes; the official client asks for compressed ones",
  big_body = "beyond 16 MiB",
  sse_cut = "what broke off is not whole",
  sse_cut_in_event = "what broke off is not whole",
}

---The text that the official client got, or nil. Half a surrogate pair is no character.
local function text_of(outcome)
  local shown = outcome:match "^ok: (.*) finish " or outcome:match "^ok: (.*) usage "
  if not shown then return nil end
  local is_json, value = pcall(qa.json.decode, (shown:gsub("\\u[dD][89aAbBcCdDeEfF]%x%x", "\\ufffd")))
  if not is_json then return shown:match '^"(.*)' end
  if value == qa.json.null then return "" end
  return type(value) == "table" and value[1].text or value
end

local function base_url(mode)
  local name = mode:match "^tls (.*)"
  if name then return ("https://localhost:%d/v1"):format(tls.ports[name]) end
  return ("http://127.0.0.1:%d/%s~qa/v1"):format(port, mode)
end

---"good", "declined" or "worse", and why. A failure that holds the text, such as of an answer that was cut, is as good
---as an answer.
local function judge(row, answer, err)
  local expected, got = text_of(row.outcome), answer and answer.text or err and err.detail.text
  if declined[row.mode] then
    return answer and "worse" or "declined", answer and "not declined" or declined[row.mode]
  end
  if not expected then
    if answer and (row.mode:match "^tls" or answer.text ~= "ok") then
      return "worse", "an answer that is not to be trusted"
    end
    return "good"
  end
  if not got then return "worse", "no answer" end
  if got:sub(1, #expected) ~= expected then return "worse", "another text" end
  return "good"
end

local function ask(row)
  local endpoint = { name = "fault", base_url = base_url(row.mode), model = "gpt-4o", key_env = "QA_PEER_KEY",
    price = { input = "2.50", output = "10" } }
  local began = qa.now_ms()
  local answer, err = qa.llm.ask{ endpoint = endpoint, prompt = "say ok", max_output = 16, timeout_ms = deadline_ms,
    stream = row.mode:match "^sse" ~= nil }
  return answer, err, qa.now_ms() - began
end

print(("%-26s %-50s %6s  %s"):format("mode", "official client", "ms", "qa-host"))
for _, row in ipairs(baseline.rows) do
  local answer, err, ms = ask(row)
  local judged, why = judge(row, answer, err)
  if ms > deadline_ms + slack_ms then judged, why = "late", "" end
  counts[judged] = counts[judged] + 1
  local ours = answer and ("ok %q"):format(answer.text:sub(1, 20)) or tostring(err):sub(1, 70)
  print(("%-26s %-50s %6.0f  %s in %d  %s"):format(row.mode, ("%s in %d"):format(row.outcome:sub(1, 44), row.attempts),
    ms, ours,
    #(answer and answer.attempts or err.detail.attempts), judged == "good" and "" or judged
      .. (why and ": " .. why or "")))
end
print(("%d as good, %d declined, %d worse, %d late"):format(counts.good, counts.declined, counts.worse, counts.late))
return counts.worse + counts.late == 0
