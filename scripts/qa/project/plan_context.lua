-- What a plan's run and the hooks of its policy share: {plan, tree, store, policy, options, lists, ignore, jobs,
-- role(name), has_role(name), say(node, state, note), scratch(node)}.
local qa = require "qa"
local plan_file = require "qa.project.plan_file"
local plan_text = require "qa.project.plan_text"
local roles = require "qa.project.roles"
local task_test = require "qa.project.task_test"

local M = {}

---@param opts {policy?: string, set?: table, roles?: table<string, string|table>, max_depth?: integer}
function M.new(opts)
  local policy = require("qa.run.strategy_file").load(opts.policy or "verified")
  if not (policy.act and policy.assess and policy.recover and policy.propose) then
    error(("%s: a policy for plans extends \"verified\""):format(policy.path), 0)
  end
  local ctx = { policy = policy, options = require("qa.run.options").resolve(policy, opts.set), lists = policy.lists,
    given = {}, jobs = 1 }
  ctx.max_depth = opts.max_depth
  for name, who in pairs(opts.roles or {}) do ctx.given[name] = type(who) == "table" and who or roles.parse(who) end
  function ctx.role(name) return roles.find(name, ctx.given) end
  function ctx.has_role(name) return ctx.role(name) ~= nil end
  return ctx
end

---Adds what belongs to a plan that exists.
---@param ctx table
---@param path string of the plan
---@param store table its state
function M.open(ctx, path, store)
  ctx.plan = plan_file.load(path)
  ctx.max_depth = ctx.max_depth or ctx.plan.project.max_depth or ctx.options.max_depth
  ctx.tree = plan_file.tree(ctx.plan, { max_depth = ctx.max_depth })
  ctx.store, ctx.folder = store, ctx.plan.folder
  ctx.ignore = { store.folder:match "[^/]+$", unpack(ctx.lists.ignore) }
  ---A folder of a task's own, for what its test writes.
  function ctx.scratch(node)
    local name = "scratch/" .. qa.fs.sha256(node.path):sub(1, 12)
    if not qa.fs.stat(store.folder .. "/" .. name) then store:write(name .. "/task", node.path .. "\n") end
    return store.folder .. "/" .. name
  end
  function ctx.say(node, state, note)
    qa.log.line(("%s: %s%s"):format(plan_text.place(store, node), (state:gsub("_", " ")), note and note ~= ""
      and " - " .. note:match "^[^\n]*" or ""))
  end
  return ctx
end

---Tasks that failed, and those that wait for them, from the start again.
function M.retry(ctx)
  for path in pairs(ctx.tree.by_path) do
    local state = ctx.store:record(path).state
    if state == "failed" or state == "blocked" then ctx.store:move(path, "pending") end
  end
end

---Has a node a test that is run?
function M.is_tested(node)
  if node.task.requires_testing == false then return false end
  return not node.children or node.task.test_command ~= nil or node.task.test_game ~= nil
end

---Writes down what the tests are now, where not known yet (all: everywhere): later changes are told from it.
function M.note_tests(ctx, all)
  local tests = {}
  for path, node in pairs(ctx.tree.by_path) do
    local test = M.is_tested(node) and task_test.find(node, ctx.lists)
    if test and (all or not ctx.store.baseline[path]) then tests[path] = task_test.fingerprint(node, test) end
  end
  if next(tests) then ctx.store:append{ op = "baseline", tests = tests } end
end

return M
