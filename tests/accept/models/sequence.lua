-- A run whose calls would cost 61 cents, with a cap of 45: each call asks for its money before it is made.
-- usage: qa-host --budget 0.45 tests/accept/models/sequence.lua PORT      prints "N of N made, spent N"
local qa = require "qa"

local endpoint = { name = "peer", base_url = ("http://127.0.0.1:%s/v1"):format(qa.args[1]), model = "gpt-4o",
  key_env = "QA_PEER_KEY",
  price = { input = "0", output = "10" } }
local calls = { 9, 13, 8, 14, 17 }  -- cents; a check after each iteration noticed it at 61
local made = 0
for _, cents in ipairs(calls) do
  local answer, err = qa.llm.ask{ endpoint = endpoint, prompt = ("costs %d cents"):format(cents),
    max_output = cents * 1000 }
  if answer then made = made + 1 elseif err.kind ~= "budget_exceeded" then error(err, 0) end
end
print(("%d of %d made, spent %.4f"):format(made, #calls, qa.budget.spent()))
