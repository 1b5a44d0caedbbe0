--- What a run costs by the formula of the seeds (C-033): so much for an action, a screenshot, a look of a model at the
-- state. It says nothing of what was spent (that is report.budget, by tokens); it is shown beside it, and a strategy
-- may stop by it:
--   if seed_cost.is_near(seed_cost.of(report).usd, 0.50) then return false, "budget_limit" end
local M = {}

M.prices = { actions = 0.01, screenshots = 0.01, state_checks = 0.02 }
M.near = 0.9  -- C-030

---Calls of these purposes are no look at the state: the formula has no last analysis, and a repair asks the same again.
M.uncounted = { analysis = true, repair = true }

---@param counts {actions: integer, screenshots: integer, state_checks: integer}
---@param prices? table M.prices
---@return number usd
function M.usd(counts, prices)
  local sum = 0
  for name, price in pairs(prices or M.prices) do sum = sum + counts[name] * price end
  return sum
end

---@param report table of a run, finished or not
---@param prices? table M.prices
---@return {actions: integer, screenshots: integer, state_checks: integer, usd: number}
function M.of(report, prices)
  local checks = 0
  for _, call in ipairs(report.budget.calls) do
    if not M.uncounted[call.purpose] then checks = checks + 1 end
  end
  local cost = { actions = #report.metadata.actionHistory, screenshots = #report.screenshots, state_checks = checks }
  cost.usd = M.usd(cost, prices)
  return cost
end

---Are nine tenths of the cap used? No new iteration begins then.
---@param usd number
---@param cap number
---@return boolean
function M.is_near(usd, cap) return usd >= cap * M.near - 1e-9 end

return M
