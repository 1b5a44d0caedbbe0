-- Calls that the host refuses: beyond the budget, beyond a scope below it, without a price, with a picture whose cost
-- nobody knows. usage: qa-host --budget 0.001 tests/accept/models/refused.lua PORT PICTURE      prints "N refused of N"
local qa = require "qa"

local picture = assert(qa.image.load(qa.args[2]))
local function endpoint(model, price)
  return { name = "peer", base_url = ("http://127.0.0.1:%s/ok~refused/v1"):format(qa.args[1]), model = model,
    key_env = "QA_PEER_KEY", price = price }
end
local price = { input = "2.50", output = "10" }
local small = assert(qa.budget.child{ usd = 0.0001, name = "small" })
local ways = {
  { endpoint = endpoint("gpt-4o", price), prompt = "say ok", max_output = 1000 },
  { endpoint = endpoint("gpt-4o", price), prompt = "say ok", max_output = 30, budget = small },
  { endpoint = endpoint("gpt-4o", price), prompt = ("x"):rep(5000), max_output = 1, stream = true },
  { endpoint = endpoint "house-model", prompt = "say ok", max_output = 1 },
  { endpoint = endpoint("house-model", price), prompt = "say ok", max_output = 1, images = { picture } },
}
local refused, asked = 0, 0
for _ = 1, 40 do
  for _, way in ipairs(ways) do
    local _, err = qa.llm.ask(way)
    asked = asked + 1
    if err and err.kind == "budget_exceeded" then refused = refused + 1 end
  end
end
print(("%d refused of %d"):format(refused, asked))
return refused == asked
