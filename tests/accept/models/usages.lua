-- Asks once for each usage that the price oracle has reckoned; a server answers with exactly that usage, and what the
-- call is said to have cost must be the oracle's sum. The prompts are as long as the usage says, so that no call costs
-- more than it had reserved. usage: qa-host --budget 1000000 tests/accept/models/usages.lua PORT CORPUS.jsonl
-- prints "N equal of N, N overruns"
local qa = require "qa"

local base_url = ("http://127.0.0.1:%s/v1"):format(qa.args[1])
local equal, count = 0, 0
for line in assert(qa.fs.read(qa.args[2])):gmatch "[^\n]+" do
  local row = qa.json.decode(line)
  if row.usage then
    count = count + 1
    local endpoint = { name = row.provider, base_url = base_url, model = row.model, key_env = "QA_PEER_KEY" }
    local mark = ("usage %d."):format(count)
    local answer, err = qa.llm.ask{ endpoint = endpoint, prompt = mark .. ("x"):rep(row.usage.input),
      max_output = row.usage.output }
    if answer and math.abs(answer.usd - row.usd) <= 1.000001e-9 then
      equal = equal + 1
    else
      print(("%s %s %s: %s, oracle %.9f"):format(row.provider, row.model, mark, answer and ("%.9f"):format(answer.usd)
        or tostring(err), row.usd))
    end
  end
end
local overruns = 0
for _, sums in ipairs(require("qa.model.budget").spending()) do overruns = overruns + sums.overruns end
print(("%d equal of %d, %d overruns"):format(equal, count, overruns))
return equal == count and overruns == 0
