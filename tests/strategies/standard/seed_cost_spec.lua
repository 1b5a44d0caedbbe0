-- The cost formula of the seeds, a policy beside what was spent.
local seed_cost = require("qa.run.strategy_file").part("standard.seed_cost")

local function report(actions, shots, purposes)
  local made = { metadata = { actionHistory = {} }, screenshots = {}, budget = { calls = {} } }
  for i = 1, actions do made.metadata.actionHistory[i] = {} end
  for i = 1, shots do made.screenshots[i] = {} end
  for i, purpose in ipairs(purposes) do made.budget.calls[i] = { purpose = purpose, usd = 0.0004 } end
  return made
end

return {
  ["C-033: a cent an action, a cent a screenshot and two a state check"] = function(t)
    t.equal(seed_cost.usd{ actions = 0, screenshots = 0, state_checks = 0 }, 0)
    local cost = seed_cost.of(report(7, 5, { "start", "action", "repair", "action", "analysis" }))
    t.equal({ cost.actions, cost.screenshots, cost.state_checks }, { 7, 5, 3 })
    t.truthy(math.abs(cost.usd - 0.18) < 1e-9, cost.usd)
    t.equal(seed_cost.of(report(1, 2, { "action" }), { actions = 1, screenshots = 10, state_checks = 100 }).usd, 121)
  end,

  ["C-030: eleven rounds of four cents are under nine tenths of 50 cents, the twelfth is not"] = function(t)
    local rounds = 0
    while not seed_cost.is_near(seed_cost.usd{ actions = rounds, screenshots = rounds, state_checks = rounds }, 0.50) do
      rounds = rounds + 1
    end
    t.equal(rounds, 12)
    t.truthy(seed_cost.is_near(0.45, 0.50))
    t.falsy(seed_cost.is_near(0.449999, 0.50))
  end,
}
