-- A plan as text: a tree with counts at each level ("Phase 2: Buffer Management (3/3 tasks complete)"), to any depth,
-- or one part of it. Texts of a plan may come from a model: they are cleaned.
local test_report = require "qa.project.test_report"
local utf8 = require "qa.text.utf8"

local M = {}

local marks = { pending = "·", in_progress = "▶", testing = "?", test_failed = "!", completed = "✓", blocked = "■",
  failed = "✗" }

local function one_line(text, bytes)
  return utf8.shorten((test_report.clean(tostring(text)):gsub("%s+", " ")), bytes)
end

---Tasks of a node's project that are completed, and all of them.
---@return integer completed, integer all
function M.counts(store, node)
  local completed = 0
  for _, child in ipairs(node.children or {}) do
    if store:record(child.path).state == "completed" then completed = completed + 1 end
  end
  return completed, #(node.children or {})
end

---Leaves below a node that are completed, and all of them.
function M.leaf_counts(store, node)
  local completed, all = 0, 0
  for _, child in ipairs(node.children or {}) do
    if child.children then
      local c, a = M.leaf_counts(store, child)
      completed, all = completed + c, all + a
    else
      completed, all = completed + (store:record(child.path).state == "completed" and 1 or 0), all + 1
    end
  end
  return completed, all
end

---"phase-2: Buffer Management (3/3 tasks complete)"
function M.title(store, node)
  local name = node.id
  local title = node.task.title or (node.children and node.project.name)
  if title and title ~= node.id then name = name .. ": " .. one_line(title, 60) end
  if node.is_unplanned then return name .. " (not planned yet)" end
  if not node.children then return name end
  return ("%s (%d/%d tasks complete)"):format(name, M.counts(store, node))
end

---The state of a task with what there is to say about it.
local function status_of(store, node)
  local record = store:record(node.path)
  local text = record.state:gsub("_", " ")
  if record.attempts > 0 and not node.children then
    text = text .. (", %d %s"):format(record.attempts, record.attempts == 1 and "attempt" or "attempts")
  end
  local is_over = record.state == "failed" or record.state == "blocked"
  local note = is_over and record.note or record.state == "completed" and record.attempts > 0 and record.output
  return note and note ~= "" and ("%s: %s"):format(text, one_line(note, 120)) or text
end

---@param store table
---@param node table the root, or the node to begin at
---@param opts? {depth?: integer, with_state?: boolean} depth: levels below it; 1 is its own tasks
---@return string[] lines
function M.tree(store, node, opts)
  opts = opts or {}
  local lines = {}
  local function add(at, indent, depth)
    for i, child in ipairs(at.children) do
      local is_last = i == #at.children
      local record = store:record(child.path)
      local line = ("%s%s %s %s"):format(indent, is_last and "└─" or "├─", marks[record.state], M.title(store, child))
      if opts.with_state ~= false then
        if record.state ~= "pending" then line = line .. "  " .. status_of(store, child) end
      else
        if child.task.description then line = line .. "  " .. one_line(child.task.description, 80) end
        if #child.deps > 0 then line = line .. "  [after " .. table.concat(child.task.dependencies, ", ") .. "]" end
      end
      lines[#lines + 1] = line
      if child.children and (not opts.depth or depth < opts.depth) then
        add(child, indent .. (is_last and "   " or "│  "), depth + 1)
      end
    end
  end
  if node.path == "" then
    local completed, all = M.leaf_counts(store, node)
    lines[1] = ("%s (%d/%d tasks complete)"):format(one_line(node.project.name or node.project.goal or "plan", 80),
      completed, all)
  else
    lines[1] = ("%s %s  %s"):format(marks[store:record(node.path).state], M.title(store, node), status_of(store, node))
  end
  if node.children then add(node, "", 1) end
  return lines
end

---One task in full: state, tests, attempts.
---@return string[] lines
function M.task(store, node)
  local record = store:record(node.path)
  local lines = { ("%s %s  %s"):format(marks[record.state], node.path, record.state) }
  local function add(name, text)
    if not text or text == "" then return end
    for line in (test_report.clean(tostring(text)) .. "\n"):gmatch "([^\n]*)\n" do
      lines[#lines + 1] = ("  %-10s %s"):format(name, line)
      name = ""
    end
  end
  add("task", node.task.description)
  add("says", record.note or record.output)
  if record.last then
    add("test", record.last.passed and ("passed in %.1f s"):format((record.last.ms or 0) / 1000) or record.last.details)
  end
  for i, event in ipairs(record.hunts) do
    add(("attempt %d"):format(i),
      ("%s %s"):format(event.verdict, table.concat(#event.kept > 0 and event.kept or event.undone, ", ")))
    add("", event.diff)
  end
  return lines
end

---Where a change of state happened, with the counts around it: "phase-2 (2/3) > buffer-impl".
function M.place(store, node)
  local parts, at = { node.children and M.title(store, node) or node.id }, node.parent
  while at and at.path ~= "" do
    table.insert(parts, 1, ("%s (%d/%d)"):format(at.id, M.counts(store, at)))
    at = at.parent
  end
  return table.concat(parts, " > ")
end

return M
