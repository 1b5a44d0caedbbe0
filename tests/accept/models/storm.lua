-- Calls at random, up to 32 at once, some given up, against a server that fails at random. What was spent is the
-- ledger's business. usage: qa-host tests/accept/models/storm.lua PORT CALLS SEED      prints "asked N refused N
-- answered N spent N held N"
local qa = require "qa"

local port, calls, seed = tonumber(qa.args[1]), tonumber(qa.args[2]), tonumber(qa.args[3])
math.randomseed(seed)
local endpoint = { name = "storm", base_url = ("http://127.0.0.1:%d/storm.%d~all/v1"):format(port, seed),
  model = "gpt-4o",
  key_env = "QA_PEER_KEY", price = { input = "2.50", output = "10" } }
local asked, refused, answered, begun = 0, 0, 0, 0

local function one()
  local opts = { endpoint = endpoint, prompt = ("x"):rep(math.random(1, 400)), max_output = math.random(1, 300),
    attempts = math.random(1, 3),
    timeout_ms = math.random(200, 1200), purpose = math.random() < 0.2 and "analysis" or "action" }
  local answer, err
  if math.random() < 0.1 then
    answer, err = qa.with_deadline(math.random(1, 60), function() return qa.llm.ask(opts) end)
  else
    answer, err = qa.llm.ask(opts)
  end
  asked = asked + 1
  if answer then answered = answered + 1 end
  if err and err.kind == "budget_exceeded" then refused = refused + 1 end
end

local function check_cap()
  local state = qa.budget.state()
  if state.spent + state.held > state.cap + 1e-9 then
    error(("spent %.9f and held %.9f of %.9f"):format(state.spent, state.held, state.cap), 0)
  end
end

---Asks on and on, as long as its round has calls left.
local function worker(round)
  return function()
    while round.left > 0 and begun < calls do
      round.left, begun = round.left - 1, begun + 1
      one()
      check_cap()
    end
    return true
  end
end

while begun < calls do
  local round, together = { left = 160 }, {}
  for i = 1, math.random(1, 32) do together[i] = worker(round) end
  qa.all(unpack(together))
end
-- What was given up is still being told what it cost.
local until_ms = qa.now_ms() + 5000
while qa.budget.state().held > 0 and qa.now_ms() < until_ms do qa.sleep(20) end
local state = qa.budget.state()
print(("asked %d refused %d answered %d spent %.6f held %.9f"):format(asked, refused, answered, state.spent,
  state.held))
return state.held == 0
