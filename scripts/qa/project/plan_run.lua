-- Runs a plan to its end: picks what is ready, several at once where their sub-projects and folders differ, until
-- nothing can go on any more. Parents are complete when all their tasks are, and what depends on a failed task is
-- blocked.
--
--   worker 1..j:  settle parents -> pick a task -> verify it -> wake the others -> again
local qa = require "qa"
local failure = require "qa.text.failure"
local plan_file = require "qa.project.plan_file"
local verify = require "qa.project.complete_task"

local M = {}

local over = { completed = true, failed = true, blocked = true }

local function state(ctx, node) return node.path == "" and "in_progress" or ctx.store:record(node.path).state end

local function move(ctx, node, to, note)
  ctx.store:move(node.path, to, { note = note })
  ctx.say(node, to, note)
end

---Does one folder hold the other, or are they the same?
local function share_folder(a, b)
  return a == b or (a .. "/"):sub(1, #b + 1) == b .. "/" or (b .. "/"):sub(1, #a + 1) == a .. "/"
end

---Was something changed below or above a completed task's folder after its test passed?
function M.is_stale(ctx, node)
  local record = ctx.store:record(node.path)
  if record.state ~= "completed" or not record.passed_after then return false end
  for dir, number in pairs(ctx.store.last_change) do
    if number > record.passed_after and share_folder(dir, node.dir) then return true end
  end
  return false
end

local function has_test(node) return node.task.test_command or node.task.test_game end

local function ids_in(ctx, node, which)
  local ids = {}
  for _, child in ipairs(node.children) do
    if which[state(ctx, child)] then ids[#ids + 1] = child.id end
  end
  return ids
end

---Why a task cannot begin any more, or nil.
local function hindrance(ctx, node)
  for _, dependency in ipairs(node.deps) do
    local its = state(ctx, dependency)
    if its == "failed" or its == "blocked" then return ("waits for %s, which is %s"):format(dependency.id, its) end
  end
  local above = node.parent
  if above and above.path ~= "" and state(ctx, above) == "blocked" then
    return ("its project %s is blocked"):format(above.path)
  end
end

---Blocks what cannot begin, from the top down, and lets parents follow their tasks, from below.
local function settle(ctx, node)
  for _, child in ipairs(node.children) do
    if state(ctx, child) == "pending" then
      local why = hindrance(ctx, child)
      if why then move(ctx, child, "blocked", why) end
    end
    if child.children then settle(ctx, child) end
  end
  if node.path == "" or #node.children == 0 or ctx.running[node.path] then return end
  local its, began, rests, complete = state(ctx, node), false, true, true
  for _, child in ipairs(node.children) do
    local inner = state(ctx, child)
    began = began or (inner ~= "pending" and inner ~= "blocked")
    rests = rests and over[inner] and not M.is_stale(ctx, child)
    complete = complete and inner == "completed"
  end
  if its == "pending" and began then
    move(ctx, node, "in_progress")
    its = "in_progress"
  end
  if not rests then return end
  local failed = ids_in(ctx, node, { failed = true, blocked = true })
  if complete and its == "in_progress" and not has_test(node) then
    move(ctx, node, "completed", "all sub-tasks completed")
  elseif not complete and not over[its] then
    move(ctx, node, "failed", "Sub-tasks failed: [" .. table.concat(failed, ", ") .. "]")
  elseif not complete and its == "completed" then
    -- A later change broke what had passed.
    move(ctx, node, "testing")
    move(ctx, node, "failed", "Sub-tasks failed: [" .. table.concat(failed, ", ") .. "]")
  end
end

---May a task begin: its dependencies and those of the projects around it are complete.
local function is_free(ctx, node)
  local at = node
  while at and at.path ~= "" do
    for _, dependency in ipairs(at.deps) do
      if state(ctx, dependency) ~= "completed" or M.is_stale(ctx, dependency) then return false end
    end
    at = at.parent
  end
  return true
end

---Nothing that runs is of the same sub-project, works in the same folder, or plays a game at the same time.
local function is_apart(ctx, node)
  for _, other in pairs(ctx.running) do
    if other.parent.path == node.parent.path or share_folder(other.dir, node.dir) then return false end
    if other.task.test_game and node.task.test_game then return false end
  end
  return true
end

local function each(node, visit)
  for _, child in ipairs(node.children) do
    visit(child)
    if child.children then each(child, visit) end
  end
end

---What to do next: a task, a parent's own test, a phase to plan; last, tasks whose test passed before a later change.
local function pick(ctx)
  local chosen, stale
  each(ctx.tree.root, function(node)
    local its = state(ctx, node)
    if chosen or ctx.running[node.path] or not is_apart(ctx, node) then return end
    if node.children then
      if node.is_unplanned and its == "pending" and is_free(ctx, node) then chosen = { node = node, kind = "plan" } end
      local rests = #node.children > 0 and #ids_in(ctx, node, { completed = true }) == #node.children
      for _, child in ipairs(node.children) do rests = rests and not M.is_stale(ctx, child) end
      if has_test(node) and rests and not over[its] and not chosen then chosen = { node = node, kind = "verify" } end
    elseif not over[its] and is_free(ctx, node) then
      chosen = { node = node, kind = "verify" }
    end
    if M.is_stale(ctx, node) then stale = stale or { node = node, kind = "verify" } end
  end)
  return chosen or stale
end

---Asks the planner for the tasks of a phase, writes them into the plan, and lays it out anew (E-024).
local function plan_phase(ctx, node)
  local began = qa.now_ms()
  local project, err = require("qa.project.planner").phase(ctx, node)
  if not project then
    move(ctx, node, "failed", "its tasks could not be planned: " .. failure.text(err))
    return
  end
  ctx.plan.project.projects = ctx.plan.project.projects or {}
  ctx.plan.project.projects[node.task.sub_project_id] = project
  local saved, problem = plan_file.save(ctx.plan)
  if not saved then error(failure.text(problem), 0) end
  ctx.tree = plan_file.tree(ctx.plan, { max_depth = ctx.max_depth })
  ctx.store:append{ op = "planned", id = node.path, tasks = #project.tasks, ms = qa.now_ms() - began }
  ctx.say(node, "planned", ("%d tasks"):format(#project.tasks))
end

---Something that can be waited for once: a task that sleeps until it is cancelled.
local function new_signal() return qa.spawn(function() qa.sleep(1e9) end) end

local function wake(ctx)
  local signal = ctx.signal
  ctx.signal = nil
  if signal then signal:cancel() end
end

local function wait(ctx)
  ctx.signal = ctx.signal or new_signal()
  pcall(ctx.signal.join, ctx.signal)
end

local function worker(ctx)
  while true do
    settle(ctx, ctx.tree.root)
    local job = pick(ctx)
    if job then
      ctx.running[job.node.path] = job.node
      if job.kind == "plan" then plan_phase(ctx, job.node) else verify.task(ctx, job.node) end
      ctx.running[job.node.path] = nil
      wake(ctx)
    elseif next(ctx.running) == nil then
      wake(ctx)
      return true
    else
      wait(ctx)
    end
  end
end

---@param ctx table {plan, tree, store, policy, options, lists, ignore, jobs, has_role, role, say, scratch, max_depth}
---@return boolean all every task is completed
function M.run(ctx)
  ctx.running = {}
  local workers = {}
  for i = 1, ctx.jobs do workers[i] = function() return worker(ctx) end end
  qa.all(unpack(workers))
  local complete = true
  each(ctx.tree.root, function(node) complete = complete and state(ctx, node) == "completed" end)
  return complete
end

return M
