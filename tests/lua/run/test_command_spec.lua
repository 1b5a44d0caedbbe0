-- Which strategy a command line and its environment ask for.
local strategy_of = require("qa.run.test_command").strategy_of

return {
  ["C-003: agent before adaptive before standard, and --strategy before all"] = function(t)
    local both = { ENABLE_ADAPTIVE_QA = "true", ENABLE_STAGEHAND_AGENT = "1" }
    t.equal(strategy_of{ environment = both }, "agent")
    t.equal(strategy_of{ environment = { ENABLE_ADAPTIVE_QA = "true", ENABLE_STAGEHAND_AGENT = "false" } }, "adaptive")
    t.equal(strategy_of{ environment = { ENABLE_ADAPTIVE_QA = "no" } }, nil)
    t.equal(strategy_of{ environment = both, strategy = "action_groups" }, "action_groups")
    t.equal(strategy_of{}, nil)
  end,
}
