--- Action groups as a model proposes them: how many an iteration takes, whether they keep to that, and their schema.
local actions = require "qa.input.actions"
local schema = require "qa.model.schema"

local M = {}

---The rule of an iteration: how many groups, how many actions in each. Later ones have as many groups at most as have
---succeeded, and where fewer succeeded than a row asks for, that many are enough.
---@param sizes table {[1] = {groups = {1, 3}, actions = {1, 1}}, [2] = {actions = {1, 5}}, n = {...}}
---@param iteration integer
---@param parents integer groups that succeeded before
---@return {groups: integer[], actions: integer[]}
function M.rule(sizes, iteration, parents)
  local row = sizes[iteration] or sizes.n
  if not row then error(("action_groups: the table of sizes has no row %d and no row n"):format(iteration), 2) end
  local least, most = row.groups and row.groups[1] or 1, row.groups and row.groups[2] or math.huge
  if iteration > 1 then least, most = math.min(least, parents), math.min(most, parents) end
  return { groups = { least, most }, actions = row.actions }
end

---"3", "1 to 5"
function M.range(range)
  return range[1] == range[2] and tostring(range[1]) or ("%d to %d"):format(range[1], range[2])
end

---Do groups keep to the rule of their iteration (A-030)? None at all is always fine: nothing is left to do (A-X2).
---@param list table[] {parent?, actions}
---@param rule table of M.rule
---@param iteration integer
---@param parents integer
---@return true?, string? message with the path
function M.validate(list, rule, iteration, parents)
  if #list == 0 then return true end
  if #list < rule.groups[1] or #list > rule.groups[2] then
    return nil, ("groups: iteration %d has %s groups, got %d"):format(iteration, M.range(rule.groups), #list)
  end
  local claimed = {}
  for i, group in ipairs(list) do
    local n = #group.actions
    if n < rule.actions[1] or n > rule.actions[2] then
      return nil, ("groups[%d].actions: a group of iteration %d has %s actions, got %d"):format(i - 1, iteration,
        M.range(rule.actions), n)
    end
    if iteration > 1 then
      local parent = group.parent
      if not parent or parent < 1 or parent > parents then
        return nil, ("groups[%d].parent: expected the number of a group that succeeded, 1 to %d, got %s"):format(i - 1,
          parents, tostring(parent))
      end
      if claimed[parent] then
        return nil, ("groups[%d].parent: group %d has been continued already"):format(i - 1, parent)
      end
      claimed[parent] = true
    end
  end
  return true
end

---Groups as a model writes them, by the rule of their iteration.
---@param rule table of M.rule
---@param iteration integer
---@param parents integer
---@param opts {actions?: string[], reasoning?: {min: integer, max: integer}, check?: function}
---@return qa.schema.Type
function M.schema(rule, iteration, parents, opts)
  local fields = {
    { "reasoning", schema.string(opts.reasoning or { min = 10, max = 500 }) },
    { "confidence", schema.number{ min = 0, max = 1 } },
    { "actions", schema.array(actions.schema{ actions = opts.actions }, { max = rule.actions[2] }) },
  }
  if iteration > 1 then
    table.insert(fields, 1, { "parent", schema.integer{ min = 1, max = math.max(1, parents),
      doc = "the group that this one continues." } })
  end
  return schema.object{ { "groups",
    schema.array(schema.object(fields), { max = rule.groups[2], sort_desc = "confidence",
    check = function(list)
      local ok, message = M.validate(list, rule, iteration, parents)
      if not ok or not opts.check then return ok, message end
      return opts.check(list)
    end }) } }
end

return M
