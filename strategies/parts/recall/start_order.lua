--- The order of the start cascade as it was learned: a step that has started this game comes earlier. Steps that
-- nothing is known of keep their places; the last word is the list's own.
local M = {}

---@param ctx table
---@return table lists ctx.lists with a start_cascade of its own
function M.learned(ctx)
  local policy, options, by_id = ctx.lists.memory_policy, {}, {}
  local steps = ctx.lists.start_cascade
  for i, step in ipairs(steps) do
    -- From 0.9 for the first down to 0.3 for the last.
    local mean = 0.9 - 0.6 * (i - 1) / math.max(1, #steps - 1)
    by_id[step.id] = step
    options[i] = { name = step.id, is_fixed = true, price = step.kind == "model" and policy.model_price or 0,
      prior = { wins = policy.start_prior * mean, losses = policy.start_prior * (1 - mean) } }
  end
  local first, explored, ranked = ctx.memory:choose("start", options)
  local ordered, lists = {}, {}
  for i, item in ipairs(ranked) do ordered[i] = by_id[item.arm.name] end
  for name, list in pairs(ctx.lists) do lists[name] = list end
  lists.start_cascade = ordered
  if first ~= steps[1].id then ctx:event("choice", { question = "start", chosen = first, explored = explored }) end
  return lists
end

---Tells the memory how the steps went that were tried.
---@param ctx table
---@param attempts {method: string, effect: string}[]
function M.learn(ctx, attempts)
  local tried, order = {}, {}
  for _, attempt in ipairs(attempts) do
    if tried[attempt.method] == nil then order[#order + 1] = attempt.method end
    tried[attempt.method] = tried[attempt.method] or attempt.effect == "yes"
  end
  local known = {}
  for _, step in ipairs(ctx.lists.start_cascade) do known[step.id] = true end
  for _, method in ipairs(order) do
    if known[method] then ctx.memory:learn("start", method, tried[method] and 1 or 0) end
  end
end

return M
