-- A plan on disk: one JSON file with a project, its tasks, and the sub-projects that parent tasks refer to. Read,
-- checked and laid out as a tree of nodes; written whole. What became of its tasks is kept apart
-- (qa.project.plan_state).
local qa = require "qa"
local failure = require "qa.text.failure"
local internal = require "qa.internal"
local spelling = require "qa.text.spelling"

local M = {}

M.largest_depth = 10

local project_fields = { name = "string", goal = "string", description = "string", dir = "string", tasks = "table",
  projects = "table", is_flat = "boolean", max_depth = "number" }
local task_fields = { id = "string", description = "string", title = "string", dependencies = "table",
  test_command = "any", test_file = "string", test_files = "table", test_game = "table", requires_testing = "boolean",
  is_parent = "boolean", sub_project_id = "string", files = "table", dir = "string", timeout_ms = "number",
  junit = "string", estimated_tasks = "number", is_planned = "boolean", state = "any" }
local game_fields = { target = "string", strategy = "string", metadata = "string", set = "table", seed = "number",
  oracle = "string" }

local function fail(where, message, ...) error(where .. ": " .. message:format(...), 0) end

---null means that a field is not there.
local function without_null(value)
  if type(value) ~= "table" then return value end
  for key, item in pairs(value) do
    if item == qa.json.null then value[key] = nil else without_null(item) end
  end
  return value
end

local function check_fields(where, value, known)
  if type(value) ~= "table" then fail(where, "expected an object, got %s", type(value)) end
  for _, key in ipairs(spelling.names(value)) do
    local expected = known[key]
    if not expected then fail(where, "unknown field '%s'%s", key, spelling.hint(key, spelling.names(known))) end
    if expected ~= "any" and type(value[key]) ~= expected then
      fail(where, "%s: expected a %s, got %s", key, expected, type(value[key]))
    end
  end
end

local function texts(where, list)
  for _, item in ipairs(list or {}) do
    if type(item) ~= "string" or item == "" then fail(where, "expected a list of texts, got %s in it", type(item)) end
  end
  return list or {}
end

---Ids become parts of paths and of commands (make test-ID), so they are words.
local function check_id(where, id)
  if type(id) ~= "string" or #id > 64 or not id:match "^%w[%w_.-]*$" then
    fail(where, "an id is a word of at most 64 letters, digits, '-', '_' and '.', got '%s'", tostring(id))
  end
end

---Paths lead below the plan's folder and nowhere else.
local function check_path(where, path)
  if path:sub(1, 1) == "/" or path:find("\0", 1, true) or ("/" .. path .. "/"):find("/../", 1, true) then
    fail(where, "'%s' leads out of the plan's folder", path)
  end
  return (path:gsub("^%./", ""))
end

local shell_letters = "[|&;<>()$`\"'*?#~%[%]{}!\\]"

---A command as a list of words. A text is split at blanks; no shell reads it.
function M.words_of(where, command)
  if type(command) == "table" then
    if #texts(where, command) == 0 then fail(where, "test_command names no program") end
    return command
  end
  if type(command) ~= "string" then
    fail(where, "test_command: expected a text or a list of words, got %s", type(command))
  end
  local odd = command:match(shell_letters)
  if odd then fail(where, "test_command: '%s' means nothing without a shell; give a list of words", odd) end
  local words = {}
  for word in command:gmatch "%S+" do words[#words + 1] = word end
  if #words == 0 then fail(where, "test_command names no program") end
  return words
end

local function check_game(where, game)
  check_fields(where .. ": test_game", game, game_fields)
  if not game.target then fail(where, "test_game: give a target") end
  for _, field in ipairs{ "target", "metadata", "oracle" } do
    local path = game[field]
    if path and not path:match "^https?://" then game[field] = check_path(where, path) end
  end
  if game.strategy and game.strategy:find "[/.]" then game.strategy = check_path(where, game.strategy) end
end

local function check_task(where, task)
  check_fields(where, task, task_fields)
  check_id(where, task.id)
  if task.is_parent == nil then task.is_parent = task.sub_project_id ~= nil end
  if task.sub_project_id then check_id(where, task.sub_project_id) end
  if task.is_parent and not task.sub_project_id then fail(where, "a parent task needs a sub_project_id") end
  for _, field in ipairs{ "files", "test_files" } do
    for i, path in ipairs(texts(where .. ": " .. field, task[field])) do task[field][i] = check_path(where, path) end
  end
  for _, field in ipairs{ "test_file", "dir", "junit" } do
    if task[field] then task[field] = check_path(where, task[field]) end
  end
  texts(where .. ": dependencies", task.dependencies)
  if task.test_command ~= nil then task.test_command = M.words_of(where, task.test_command) end
  if task.test_game then check_game(where, task.test_game) end
  for _, word in ipairs(not task.test_files and task.test_command or {}) do
    for _, path in ipairs(task.files or {}) do
      if word:gsub("^%./", "") == path then
        fail(where, "'%s' is in its test_command and among its files: take it out of files, or list the test's own " ..
          "files in test_files", path)
      end
    end
  end
  if task.test_game and task.test_command then fail(where, "give test_command or test_game, not both") end
end

---A round of dependencies, as "a -> b -> a", or nil.
local function round_in(tasks)
  local seen, path = {}, {}
  local function visit(id)
    if seen[id] == "done" then return nil end
    path[#path + 1] = id
    if seen[id] == "open" then
      local first = 1
      while path[first] ~= id do first = first + 1 end
      return table.concat(path, " -> ", first)
    end
    seen[id] = "open"
    for _, dependency in ipairs(tasks[id].dependencies or {}) do
      local found = visit(dependency)
      if found then return found end
    end
    seen[id] = "done"
    path[#path] = nil
  end
  for _, id in ipairs(spelling.names(tasks)) do
    local found = visit(id)
    if found then return found end
  end
end

---Checks one project: fields, ids, dependencies. Raises one sentence.
function M.check_project(where, project)
  check_fields(where, project, project_fields)
  if project.dir then project.dir = check_path(where, project.dir) end
  local by_id = {}
  for i, task in ipairs(project.tasks or {}) do
    local name = ("%s: task %s"):format(where, type(task) == "table" and tostring(task.id or i) or i)
    check_task(name, task)
    if by_id[task.id] then fail(where, "two tasks have the id '%s'", task.id) end
    by_id[task.id] = task
  end
  for id, task in pairs(by_id) do
    for _, dependency in ipairs(task.dependencies or {}) do
      if not by_id[dependency] then
        fail(where, "task %s depends on '%s', which is no task of its project%s", id, dependency,
          spelling.hint(dependency, spelling.names(by_id)))
      end
    end
  end
  local round = round_in(by_id)
  if round then fail(where, "dependencies go round: %s", round) end
  return project
end

local function decode(path)
  local bytes, err = qa.fs.read(path)
  if not bytes then error(failure.text(err), 0) end
  local ok, value = pcall(qa.json.decode, bytes)
  if not ok or type(value) ~= "table" then fail(path, "%s", ok and "a plan is a JSON object" or tostring(value)) end
  return without_null(value)
end

---@param path string
---@return table plan the root project, with `path` and `folder`
function M.load(path)
  local project = decode(path)
  M.check_project(path, project)
  for id, sub in pairs(project.projects or {}) do
    check_id(path .. ": projects", id)
    M.check_project(("%s: project %s"):format(path, id), sub)
    if sub.projects then fail(path, "project %s: all projects stand in the projects of the plan", id) end
  end
  return { project = project, path = path, bytes = qa.fs.read(path), folder = path:match("^(.*)/[^/]*$") or "." }
end

---JSON with a line for each field: people edit plans.
local function pretty(value, indent)
  local inner = indent .. "  "
  if type(value) ~= "table" or next(value) == nil then return qa.json.encode(value) end
  local parts, is_flat = {}, true
  if #value > 0 then
    for i, item in ipairs(value) do
      parts[i] = pretty(item, inner)
      is_flat = is_flat and type(item) ~= "table"
    end
    if is_flat then return "[" .. table.concat(parts, ", ") .. "]" end
    return "[\n" .. inner .. table.concat(parts, ",\n" .. inner) .. "\n" .. indent .. "]"
  end
  for i, key in ipairs(spelling.names(value)) do
    parts[i] = ("%s: %s"):format(qa.json.encode(key), pretty(value[key], inner))
  end
  return "{\n" .. inner .. table.concat(parts, ",\n" .. inner) .. "\n" .. indent .. "}"
end

---Writes the plan over its file: whole, on the disk.
---@return true?, qa.Error?
function M.save(plan)
  plan.bytes = pretty(plan.project, "") .. "\n"
  return M.put_back(plan)
end

---Writes the plan as this process knows it.
function M.put_back(plan) return internal.folder_write(plan.folder, plan.path:match "([^/]+)$", plan.bytes) end

local function joined(folder, more) return more and more ~= "." and (folder .. "/" .. more) or folder end

---The sub-project of a parent task: in the plan, or a file of that name beside it; nil when it is not planned yet.
local function sub_project(plan, task)
  local id = task.sub_project_id
  local inner = (plan.project.projects or {})[id]
  if inner then return inner end
  local path = ("%s/%s.json"):format(plan.folder, id)
  if not qa.fs.stat(path) then return nil end
  return M.check_project(path, decode(path))
end

---Lays a plan out: {root, leaves, by_path}. A node is {id, path, task, parent, depth, deps, dir, children?, project?}.
---depth counts from 0; a sub-project deeper than max_depth is refused.
---@param plan table
---@param opts? {max_depth?: integer}
function M.tree(plan, opts)
  local most = opts and opts.max_depth or plan.project.max_depth or 3
  if most > M.largest_depth then fail(plan.path, "max_depth is at most %d", M.largest_depth) end
  local tree = { leaves = {}, by_path = {}, deepest = 0 }
  local used = {}
  local function lay(node, project, depth)
    if depth > most then fail(plan.path, "%s: projects are nested deeper than %d", node.path, most) end
    node.project, node.children, node.depth = project, {}, depth
    tree.deepest = math.max(tree.deepest, depth)
    local by_id = {}
    for i, task in ipairs(project.tasks or {}) do
      local child = { id = task.id, task = task, parent = node, depth = depth, number = i,
        dir = joined(node.dir, task.dir), path = node.path == "" and task.id or node.path .. "/" .. task.id }
      node.children[i], by_id[task.id], tree.by_path[child.path] = child, child, child
      if task.is_parent then
        if used[task.sub_project_id] then
          fail(plan.path, "project %s is used by two tasks, or within itself", task.sub_project_id)
        end
        used[task.sub_project_id] = true
        local sub = sub_project(plan, task)
        child.is_unplanned = not sub
        child.dir = joined(child.dir, sub and sub.dir)
        lay(child, sub or { tasks = {} }, depth + 1)
      else
        tree.leaves[#tree.leaves + 1] = child
      end
    end
    for _, child in ipairs(node.children) do
      child.deps = {}
      for i, id in ipairs(child.task.dependencies or {}) do child.deps[i] = by_id[id] end
    end
  end
  tree.root = { id = "", path = "", task = {}, deps = {}, dir = joined(plan.folder, plan.project.dir) }
  lay(tree.root, plan.project, 0)
  return tree
end

return M
