-- What a plan's run says about the way of working: figures of the review triggers (E-026) and of the goals (E-010),
-- each with the value at which one should think again. And the report of a plan, with every change as a diff.
local qa = require "qa"
local plan_text = require "qa.project.plan_text"
local task_test = require "qa.project.task_test"

local M = {}

local function leaves_of(node, list)
  for _, child in ipairs(node.children) do
    if child.children then leaves_of(child, list) else list[#list + 1] = child end
  end
  return list
end

local function share(part, whole) return whole > 0 and part / whole or nil end

---@param ctx table {tree, store, options, lists}
---@return table figures
function M.figures(ctx)
  local f = { tasks = 0, completed = 0, tested = 0, passing = 0, failed_first = 0, mended = 0, hunts = 0, tampered = 0,
    missed = 0, test_ms = 0,
    work_ms = 0, context_limits = ctx.store.context_limits, depth = ctx.tree.deepest, depths = {}, longest_project = 0 }
  for _, node in ipairs(leaves_of(ctx.tree.root, {})) do
    local record = ctx.store:record(node.path)
    f.tasks = f.tasks + 1
    f.depths[node.depth] = (f.depths[node.depth] or 0) + 1
    f.completed = f.completed + (record.state == "completed" and 1 or 0)
    f.test_ms, f.work_ms = f.test_ms + record.test_ms, f.work_ms + record.work_ms
    f.hunts = f.hunts + #record.hunts
    if node.task.requires_testing ~= false then
      f.tested = f.tested + 1
      if record.state == "completed" and record.last and record.last.passed then f.passing = f.passing + 1 end
      local found = task_test.find(node, ctx.lists)
      if not found and not (record.last and record.last.passed) then f.missed = f.missed + 1 end
    end
    if #record.hunts > 0 then
      f.failed_first = f.failed_first + 1
      if record.state == "completed" then f.mended = f.mended + 1 end
    end
    for _, hunt in ipairs(record.hunts) do
      if hunt.verdict == "tampered" then f.tampered = f.tampered + 1 end
    end
  end
  local function widest(node)
    f.longest_project = math.max(f.longest_project, #node.children)
    for _, child in ipairs(node.children) do
      if child.children then widest(child) end
    end
  end
  widest(ctx.tree.root)
  f.pass_rate, f.retry_success = share(f.passing, f.tested), share(f.mended, f.failed_first)
  f.test_share, f.missed_share = share(f.test_ms, f.test_ms + f.work_ms), share(f.missed, f.tested)
  return f
end

local function percent(value) return value and ("%.0f %%"):format(value * 100) or "-" end

---The triggers: {id, value, limit, is_due}.
function M.triggers(ctx, f)
  local o = ctx.options
  return {
    { id = "retry success", value = percent(f.retry_success), limit = "below " .. percent(o.least_retry_success),
      is_due = f.retry_success ~= nil and f.retry_success < o.least_retry_success },
    { id = "test time share", value = percent(f.test_share), limit = "above " .. percent(o.most_test_share),
      is_due = f.test_share ~= nil and f.work_ms > 0 and f.test_share > o.most_test_share },
    { id = "missed tests", value = percent(f.missed_share), limit = "above " .. percent(o.most_missed_tests),
      is_due = f.missed_share ~= nil and f.missed_share > o.most_missed_tests },
    { id = "depth", value = tostring(f.depth), limit = "above 3", is_due = f.depth > 3 },
    { id = "context limits", value = tostring(f.context_limits), limit = "above 0", is_due = f.context_limits > 0 },
    -- nobody can declare a failing task complete
    { id = "overrides", value = "none", limit = "often", is_due = false },
  }
end

---@return string[] lines
function M.lines(ctx)
  local f = M.figures(ctx)
  local lines = { ("%d of %d tasks completed, %d of %d tests pass (%s)"):format(f.completed, f.tasks, f.passing,
    f.tested, percent(f.pass_rate)),
    ("%d tasks failed at first, %d mended in %d attempts, %d attempts changed a test"):format(f.failed_first, f.mended,
      f.hunts, f.tampered) }
  for _, trigger in ipairs(M.triggers(ctx, f)) do
    lines[#lines + 1] = ("review %-16s %-6s %s"):format(trigger.id, trigger.value, trigger.is_due
      and "DUE (" .. trigger.limit .. ")" or "ok")
  end
  return lines
end

---The report of a plan, plain data.
function M.report(ctx)
  local f, tasks = M.figures(ctx), {}
  local function add(node)
    for _, child in ipairs(node.children) do
      local record = ctx.store:record(child.path)
      local hunts = {}
      for i, hunt in ipairs(record.hunts) do
        hunts[i] = { attempt = hunt.number, verdict = hunt.verdict, kept = hunt.kept, undone = hunt.undone,
          tests = hunt.tests, diff = hunt.diff, output = hunt.output, error = hunt.error, ms = hunt.ms }
      end
      local last = record.last
      local test = last and { passed = last.passed, ms = last.ms, cases = last.cases, details = last.details,
        report = last.report }
      tasks[#tasks + 1] = { id = child.path, state = record.state, note = record.note, output = record.output,
        is_parent = child.children ~= nil, attempts = qa.json.array(hunts), test = test }
      if child.children then add(child) end
    end
  end
  add(ctx.tree.root)
  f.depths = nil
  return { plan = ctx.plan.path, utc = qa.utc(), figures = f, triggers = M.triggers(ctx, f),
    tasks = qa.json.array(tasks) }
end

---The same for a person: the tree, the figures, each change as a diff.
function M.markdown(ctx)
  local parts = { "# " .. plan_text.tree(ctx.store, ctx.tree.root)[1], "", "```" }
  for _, line in ipairs(plan_text.tree(ctx.store, ctx.tree.root)) do parts[#parts + 1] = (line:gsub("`", "'")) end
  parts[#parts + 1] = "```\n"
  for _, line in ipairs(M.lines(ctx)) do parts[#parts + 1] = "* " .. line end
  for _, task in ipairs(M.report(ctx).tasks) do
    for _, attempt in ipairs(task.attempts) do
      parts[#parts + 1] = ("\n## %s, attempt %d: %s\n"):format(task.id, attempt.attempt or 0, attempt.verdict)
      -- Indented, so that no line of it can end the block.
      local text = (attempt.error and attempt.error .. "\n" or "") .. (attempt.diff or "") .. "\n"
      for line in text:gmatch "([^\n]*)\n" do parts[#parts + 1] = "    " .. line end
    end
  end
  return table.concat(parts, "\n") .. "\n"
end

return M
