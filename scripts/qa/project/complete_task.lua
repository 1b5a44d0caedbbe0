-- One task, verified: execute -> testing -> completed, or test_failed -> bug hunter -> testing again, at most
-- max_retries times. `completed` means that its test passed after the last change. Every step is written down before
-- the next one, so that a killed run goes on where it was. The policy's hooks act, assess and recover do the work
-- (strategies/verified.lua).
local qa = require "qa"
local failure = require "qa.text.failure"
local guard = require "qa.project.change_guard"
local plan_file = require "qa.project.plan_file"
local task_test = require "qa.project.task_test"
local utf8 = require "qa.text.utf8"

local M = {}

local function state_of(ctx, node) return ctx.store:record(node.path) end

local function move(ctx, node, state, more)
  ctx.store:move(node.path, state, more)
  ctx.say(node, state, more and more.note)
end

local function full(folder, path) return folder .. "/" .. path end

---Whose test a file belongs to, by full path.
local function owners(ctx)
  local by_path = { [ctx.plan.path] = "the plan" }
  for path, node in pairs(ctx.tree.by_path) do
    local ok, test = pcall(task_test.find, node, ctx.lists)
    if ok and test and node.task.requires_testing ~= false then
      for _, file in ipairs(test.files) do by_path[full(node.dir, file)] = by_path[full(node.dir, file)] or path end
    end
  end
  return by_path
end

---The folder that is watched while somebody works on a task: all of the plan, or the task's own beside others.
local function watched(ctx, node) return ctx.jobs == 1 and ctx.tree.root.dir or node.dir end

---What one who works on a task may change. Without `files` an executor may change everything but tests, a bug hunter
---nothing. Paths are those below the folder that is watched. tests: whose test a file was before; what has become one
---meanwhile (a program of the runner's name) counts as well.
local function rule_for(ctx, node, role, root, tests)
  local files, named = node.task.files, {}
  for _, path in ipairs(files or {}) do named[path] = true end
  for path, owner in pairs(owners(ctx)) do tests[path] = tests[path] or owner end
  local function own(path)
    local whole = full(root, path)
    return whole:sub(1, #node.dir + 1) == node.dir .. "/" and whole:sub(#node.dir + 2) or nil
  end
  return {
    ignore = ctx.ignore,
    is_allowed = function(whole)
      local path = own(whole)
      if not path then return false end
      if not files then return role == "executor" end
      for _, pattern in ipairs(files) do
        if guard.covers(pattern, path) then return true end
      end
      return false
    end,
    -- A task that makes the test of another one names it, file by file.
    is_test = function(path)
      local owner = tests[full(root, path)]
      return owner ~= nil and (owner == node.path or not named[own(path) or ""])
    end,
  }
end

---Tests that a kept change has made, by task: as they are now they are the tests from now on.
local function made_tests(ctx, root, kept)
  local changed, tests = {}, {}
  for _, path in ipairs(kept) do changed[full(root, path)] = true end
  for path, other in pairs(ctx.tree.by_path) do
    local ok, test = pcall(task_test.find, other, ctx.lists)
    for _, file in ipairs(ok and test and test.files or {}) do
      if changed[full(other.dir, file)] then tests[path] = task_test.fingerprint(other, test) end
    end
  end
  return next(tests) and tests or nil
end

---The plan itself is nobody's to change; true when somebody did, and it was put back.
local function put_plan_back(ctx)
  if qa.fs.read(ctx.plan.path) == ctx.plan.bytes then return false end
  local ok, err = plan_file.put_back(ctx.plan)
  if not ok then error(failure.text(err), 0) end
  return true
end

---Lets a role work on a task between two snapshots; returns what came of it.
local function guarded(ctx, node, role, number, work)
  local store, root, tests = ctx.store, watched(ctx, node), owners(ctx)
  local before = guard.snapshot(store, root, ctx.ignore)
  local body = qa.json.encode(before)
  local name = ("attempts/%s.json"):format(qa.fs.sha256(body):sub(1, 24))
  store:write(name, body)
  store:append{ op = "attempt", id = node.path, role = role, number = number, snapshot = name, root = root }
  local began = qa.now_ms()
  local ok, done, err = pcall(work)
  if not ok and failure.is_loss(done) then error(done, 0) end
  if not ok then err = done end
  local others = put_plan_back(ctx) and { "the plan" } or {}
  local settled = guard.settle(store, root, before, rule_for(ctx, node, role, root, tests), others)
  if type(err) == "table" and (err.kind == "llm_too_large" or err.kind == "llm_truncated") then
    store:append{ op = "too_large", id = node.path }
  end
  store:append{ op = "attempted", id = node.path, role = role, number = number, ms = qa.now_ms() - began,
    verdict = settled.verdict,
    kept = qa.json.array(settled.kept), undone = qa.json.array(settled.undone), tests = qa.json.array(settled.tests),
    dir = node.dir, baseline = made_tests(ctx, root, settled.kept), diff = utf8.shorten(settled.diff, 20000),
    output = ok and done and utf8.shorten(done.output or "", 2000) or nil,
    error = err and utf8.shorten(failure.text(err), 1000) or nil }
  if not ok then error(err, 0) end
  return settled, err, ok and done or nil
end

---An attempt that a crash cut short is taken back, so that it can be made again.
local function take_back_open(ctx, node)
  local open = state_of(ctx, node).open
  if not open then return end
  local bytes, err = qa.fs.read(ctx.store.folder .. "/" .. open.snapshot)
  if not bytes then error(("the snapshot of an attempt cannot be read: %s"):format(failure.text(err)), 0) end
  local before = qa.json.decode(bytes)
  local paths = guard.changed(before, guard.snapshot(ctx.store, open.root, ctx.ignore))
  guard.take_back(ctx.store, open.root, before, paths)
  if #paths > 0 then
    qa.log.warn(("%s: an attempt was cut short; taken back: %s (what they held is kept in %s/objects)"):format(
      node.path, table.concat(paths, ", "), ctx.store.folder))
  end
  ctx.store:append{ op = "attempted", id = node.path, role = open.role, number = open.number, verdict = "interrupted",
    undone = qa.json.array(paths) }
end

---Runs the test, if it is still the one that it was.
local function run_test(ctx, node, test)
  local store = ctx.store
  local function changed(result)
    local now = task_test.fingerprint(node, test)
    local known = store.baseline[node.path]
    if not known then store:append{ op = "baseline", tests = { [node.path] = now } } end
    if not known or known == now then return result end
    return { passed = false, is_broken = true, ms = result and result.ms or 0, output = "",
      failure_details = "the test is not what it was when the plan began; `qa-host plan run --accept-tests` takes " ..
        "it as it is now" }
  end
  local result = changed(nil)
  if not result then
    result = ctx.policy.assess(ctx, node, test)
    -- A test that changes itself while it runs has proven nothing.
    result = changed(result)
  end
  store:append{ op = "test", id = node.path, passed = result.passed, ms = result.ms, cases = result.cases,
    report = result.report,
    details = result.failure_details and utf8.shorten(result.failure_details, 4000), is_broken = result.is_broken }
  return result
end

local function complete(ctx, node, output)
  move(ctx, node, "completed", { output = output })
  return { success = true, output = output }
end

local function fail(ctx, node, note)
  move(ctx, node, "failed", { note = note })
  return { success = false, error = note }
end

local function execute(ctx, node)
  local settled, err
  if node.children or not ctx.has_role("executor") then return nil end
  local ok, problem = pcall(function()
    settled, err = guarded(ctx, node, "executor", nil, function() return ctx.policy.act(ctx, node) end)
  end)
  if not ok then
    if failure.is_loss(problem) then error(problem, 0) end
    err = problem
  end
  if err then return "the executor failed: " .. failure.text(err) end
  if settled.verdict == "tampered" then return "the executor changed a test: " .. table.concat(settled.tests, ", ") end
end

---One attempt of the bug hunter; true when the test has to be run again.
local function hunt(ctx, node, test, number)
  local details = (state_of(ctx, node).last or {}).details or ""
  move(ctx, node, "in_progress", { note = ("bug hunter, attempt %d"):format(number) })
  local settled, err = guarded(ctx, node, "bug_hunter", number, function()
    return ctx.policy.recover(ctx, node,
      { test = test, details = details, attempt = number, earlier = state_of(ctx, node).hunts })
  end)
  if settled.verdict == "changed" then
    move(ctx, node, "testing")
    return true
  end
  local why = settled.verdict == "tampered" and "changed the test (taken back): " .. table.concat(settled.tests, ", ")
    or settled.verdict == "outside" and "changed only what the task does not name (taken back): "
      .. table.concat(settled.undone, ", ") or err and failure.text(err) or "changed nothing"
  move(ctx, node, "test_failed", { note = "the bug hunter " .. why })
  return false
end

---test_failed -> bug hunter -> testing, until it passes or the attempts are used up.
local function mend(ctx, node, test, result)
  local most = ctx.options.max_retries
  while true do
    local record = state_of(ctx, node)
    if result and result.passed then
      local output = record.attempts > 0 and ("Fixed after %d attempts"):format(record.attempts) or result.output
      return complete(ctx, node, output ~= "" and output or "the test passed")
    end
    local details = (record.last or {}).details or ""
    if result then
      move(ctx, node, "test_failed", { note = details:match "^[^\n]*" })
      if result.is_broken then return fail(ctx, node, "the test could not be run: " .. details) end
    end
    if record.attempts >= most then
      return fail(ctx, node, ("Tests failed after %d bug-hunter attempts: %s"):format(record.attempts, details))
    end
    if not ctx.has_role("bug_hunter") then
      return fail(ctx, node, "the test fails and nobody is the bug hunter: " .. details)
    end
    if not node.task.files then
      return fail(ctx, node, "the test fails and the task names no files that may be changed: " .. details)
    end
    result = hunt(ctx, node, test, record.attempts + 1) and run_test(ctx, node, test) or nil
  end
end

---Brings a task to an end: completed or failed. Goes on where it was left; a completed one is tested again.
---@param ctx table {plan, tree, store, policy, options, lists, ignore, has_role, say}
---@param node table
---@return {success: boolean, output?: string, error?: string} result
function M.task(ctx, node)
  take_back_open(ctx, node)
  local record = state_of(ctx, node)
  if record.state == "pending" then move(ctx, node, "in_progress") end
  record = state_of(ctx, node)
  if record.state == "in_progress" and not record.is_executed and #record.hunts == 0 and record.tests == 0 then
    local problem = execute(ctx, node)
    if problem then return fail(ctx, node, problem) end
  end
  if node.task.requires_testing == false then return complete(ctx, node, "nothing to test") end
  local test, reason = task_test.find(node, ctx.lists)
  if not test then
    if record.state == "completed" then move(ctx, node, "testing") end
    ctx.store:append{ op = "test", id = node.path, passed = false, ms = 0, is_missing = true }
    return fail(ctx, node, reason)
  end
  record = state_of(ctx, node)
  -- An attempt that was cut short left test_failed behind it.
  if record.state == "in_progress" and record.tests > 0 and not record.needs_test then
    move(ctx, node, "test_failed", { note = "the bug hunter was interrupted" })
  elseif record.state ~= "testing" and record.state ~= "test_failed" then
    move(ctx, node, "testing")
  end
  local result = state_of(ctx, node).state == "testing" and run_test(ctx, node, test) or nil
  return mend(ctx, node, test, result)
end

return M
