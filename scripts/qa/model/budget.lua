-- Budget: what models may cost, kept by the host. Lua may look, lower a cap, and open scopes below it; no call passes
-- one. Amounts are US dollars.
local internal = require "qa.internal"

local M = {}

---@class qa.Budget a scope of money; the run's is qa.budget itself
local Budget = {}
Budget.__index = Budget

local function number_of(self) return getmetatable(self) == Budget and self.number or 0 end

---What calls may still cost here and in all scopes above.
---@return number usd
function Budget:left() return internal.budget_state(number_of(self)).left end

---What calls have cost here and below.
---@return number usd
function Budget:spent() return internal.budget_state(number_of(self)).spent end

---{name, cap, spent, held, left, near_cap, closed}
function Budget:state() return internal.budget_state(number_of(self)) end

---Is 90 % of the cap spent (C-030)? No new iteration begins then.
---@return boolean
function Budget:is_near_cap() return internal.budget_state(number_of(self)).near_cap end

---A scope below this one: its calls count here, too.
---@param opts {usd: number, name?: string}
---@return qa.Budget?, qa.Error?
function Budget:child(opts)
  if type(opts) ~= "table" or type(opts.usd) ~= "number" then
    error("budget:child(): expected {usd = number, name = string}", 2)
  end
  local number, err = internal.budget_child(number_of(self), opts.name or "child", opts.usd)
  if not number then return nil, err end
  return setmetatable({ number = number }, Budget)
end

---Lowers the cap.
---@param usd number
---@return true?, qa.Error?
function Budget:lower(usd) return internal.budget_lower(number_of(self), usd) end

---Keeps an amount for calls of purpose "analysis", so that the last look at a run is never starved.
---@param usd number
---@return true?, qa.Error?
function Budget:keep(usd) return internal.budget_keep(number_of(self), usd) end

for name, method in pairs(Budget) do
  if type(method) == "function" then M[name] = function(...) return method(M, ...) end end
end

---The scope of the run as a value, for `budget =` of a call.
M.run = setmetatable({ number = 0 }, Budget)

---Sums by scope, model and purpose.
function M.spending() return internal.budget_spending() end

return M
