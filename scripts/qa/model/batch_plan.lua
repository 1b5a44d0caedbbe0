--- Plans: several batches of actions, each for one screen, carried out one after the other. Plain data:
--   {reasoning, batches = {{actions = {...}}, ...}, at = batch, done = actions done in it}
-- A batch ends where its actions are expected to lead to another screen, and where it has weight enough: cheap actions
-- (a key) make long batches, those that change much (a drag) short ones.
local M = {}

---What an action weighs against the size of a batch.
M.weights = { press = 0.5, wait = 0.5, move = 0.5, type = 1, click = 1, double_click = 1, scroll = 1, hold = 1,
  burst = 2, drag = 2, complete = 0 }

---Cuts a list of actions into batches.
---@param actions table[] `leads_on`: another screen is expected after it
---@param size number weight of a batch at most; an action that weighs more stands alone
---@param weights? table<string, number>
---@return {actions: table[], leads_on: boolean}[]
function M.batches(actions, size, weights)
  weights = weights or M.weights
  local list, current, weight = {}, nil, 0
  for _, action in ipairs(actions) do
    local own = weights[action.action] or 1
    if not current or weight + own > size and #current.actions > 0 then
      current, weight = { actions = {}, leads_on = false }, 0
      list[#list + 1] = current
    end
    current.actions[#current.actions + 1], weight = action, weight + own
    if action.leads_on then
      current.leads_on = true
      current = nil
    end
  end
  return list
end

---@param actions table[]
---@param opts {size: number, reasoning?: string, weights?: table}
function M.new(actions, opts)
  return { reasoning = opts.reasoning or "", batches = M.batches(actions, opts.size, opts.weights), at = 1, done = 0 }
end

---Has the plan actions left?
function M.is_valid(plan) return plan ~= nil and plan.batches[plan.at] ~= nil end

---The actions of the current batch that are still to be done.
---@return table[] actions, boolean leads_on
function M.next_batch(plan)
  local batch, left = plan.batches[plan.at], {}
  for i = plan.done + 1, #batch.actions do left[#left + 1] = batch.actions[i] end
  return left, batch.leads_on
end

---So many more actions of the current batch are done; a whole one makes way for the next.
function M.advance(plan, n)
  plan.done = plan.done + n
  if plan.done >= #plan.batches[plan.at].actions then plan.at, plan.done = plan.at + 1, 0 end
end

---Cuts what is left anew, for another size of batches.
function M.recut(plan, size, weights)
  local left = M.rest(plan)
  plan.batches, plan.at, plan.done = M.batches(left, size, weights), 1, 0
end

---All actions that are still to be done.
function M.rest(plan)
  local left = {}
  for b = plan.at, #plan.batches do
    for i = b == plan.at and plan.done + 1 or 1, #plan.batches[b].actions do
      left[#left + 1] = plan.batches[b].actions[i]
    end
  end
  return left
end

---Drops what is left: the screen is another one than it was made for.
function M.drop(plan) plan.at, plan.done = #plan.batches + 1, 0 end

return M
