-- Makes plans: phases for a goal, and the tasks of a phase once those before it are done. The planner is a role
-- (qa.project.roles): a model or a command; a file may stand in for it. A project of more than a few tasks is divided
-- only when somebody says so.
local qa = require "qa"
local failure = require "qa.text.failure"
local page_text = require "qa.model.page_text"
local plan_file = require "qa.project.plan_file"
local plan_text = require "qa.project.plan_text"
local prompt = require "qa.model.prompt"
local roles = require "qa.project.roles"
local schema = require "qa.model.schema"
local structured = require "qa.model.structured"

local M = {}

local most_flat = 60  -- tasks of a plan without sub-projects

local function id_type()
  return schema.string{ min = 1, max = 40, pattern = "^%w[%w_.-]*$", doc = "a word, unique in its list" }
end
local function list_of(doc, most) return schema.array(schema.string{ max = 300 }, { max = most or 20, doc = doc }) end

local function phases_schema(o)
  return schema.object({ { "phases", schema.array(schema.object{
    { "id", id_type() }, { "title", schema.string{ max = 80 } }, { "description", schema.string{ max = 1000 } },
    { "estimated_tasks", schema.integer{ min = 1, max = 99 } },
    { "depends_on", list_of "ids of phases that must be done first" } },
      { min = o.least_phases, max = o.most_phases }) } },
    { check = function(value)
      local tasks = {}
      for i, phase in ipairs(value.phases) do
        tasks[i] = { id = phase.id, dependencies = { unpack(phase.depends_on) } }
      end
      local ok, why = pcall(plan_file.check_project, "phases", { tasks = tasks })
      if not ok then return nil, tostring(why) end
      return true
    end })
end

---A task as the schema reads it, as a task of a plan.
local function task_of(value)
  local task = { id = value.id, description = value.description, dependencies = { unpack(value.dependencies) } }
  if #value.files > 0 then task.files = { unpack(value.files) } end
  if value.requires_testing == false then task.requires_testing = false end
  if type(value.test_command) == "table" and #value.test_command > 0 then
    task.test_command = { unpack(value.test_command) }
  end
  if type(value.test_game) == "table" and value.test_game.target then
    task.test_game = { target = value.test_game.target, strategy = value.test_game.strategy }
    if task.test_game.strategy == qa.json.null then task.test_game.strategy = nil end
    task.test_command = nil
  end
  return task
end

local function tasks_of(value)
  local tasks = {}
  for i, item in ipairs(value.tasks) do tasks[i] = task_of(item) end
  return tasks
end

local function tasks_schema(most)
  return schema.object({ { "tasks", schema.array(schema.object{
    { "id", id_type() }, { "description", schema.string{ max = 2000 } },
    { "dependencies", list_of "ids of tasks of this list" },
    { "files", list_of("files that it may change, never its test's", 40) },
    { "requires_testing", schema.boolean{ doc = "false for planning and documentation alone" } },
    { "test_command", schema.nullable(list_of "words of a command; no shell reads them") },
    { "test_game", schema.nullable(schema.object{
      { "target", schema.string{ max = 300, doc = "folder, .html file or URL of the game" } },
      { "strategy", schema.nullable(schema.string{ max = 300 }) } }) } }, { min = 1, max = most }) } },
    { check = function(value)
      local ok, why = pcall(plan_file.check_project, "tasks", { tasks = tasks_of(value) })
      if not ok then return nil, tostring(why) end
      return true
    end })
end

---The planner's answer: a value of the request's schema.
---@param ctx table
---@param request {kind: "phases"|"tasks", prompt: string, schema: table}
---@return table?, qa.Error?
function M.ask(ctx, request)
  local role = ctx.role "planner"
  if not role then return nil, roles.missing "planner" end
  if not role.command then
    local value, answer = roles.model(role, request, request.schema,
      { purpose = "planner", timeout_ms = ctx.options.role_timeout_ms })
    if not value then return nil, answer end
    return value
  end
  local plain = {}
  for key, value in pairs(request) do plain[key] = key ~= "schema" and value or nil end
  local done, err = roles.command(role, plain, { cwd = ctx.folder, timeout_ms = ctx.options.role_timeout_ms })
  if not done then return nil, err end
  if done.exit_code ~= 0 then
    return nil, failure.new("process_failed",
      ("the planner ended with exit code %d: %s"):format(done.exit_code, done.output), "qa.planner")
  end
  local read, problem = structured.read(done.stdout, schema.compile(request.schema, { name = "plan" }),
    { strip = true, coerce = true })
  if not read then return nil, problem end
  return read.value
end

local function conventions(lists)
  local names = {}
  for i, rule in ipairs(lists.test_conventions) do names[i] = rule.target and "make " .. rule.target or rule.path end
  return table.concat(names, ", ")
end

---Asks for tasks. Returns a project's list, checked.
local function ask_tasks(ctx, goal, phase, most, results)
  local text = prompt.render("plan_tasks",
    { goal = goal, phase = phase, most = most, conventions = conventions(ctx.lists), results = results })
  local value, err = ctx.policy.propose(ctx, { kind = "tasks", prompt = text, goal = goal, phase = phase, most = most,
    schema = tasks_schema(most) })
  if not value then return nil, err end
  local tasks = tasks_of(value)
  local ok, why = pcall(plan_file.check_project, "the planner's tasks", { tasks = tasks })
  if not ok or #tasks == 0 or #tasks > most then
    return nil, failure.new("llm_invalid", ok and ("expected 1 to %d tasks, got %d"):format(most, #tasks)
      or tostring(why), "qa.planner")
  end
  return tasks
end

---What became of the projects that a phase depends on.
local function results_of(ctx, node)
  local lines = {}
  for _, dependency in ipairs(node.deps) do
    for _, line in ipairs(plan_text.tree(ctx.store, dependency)) do lines[#lines + 1] = line end
  end
  return #lines > 0 and (page_text.fence(table.concat(lines, "\n"), "results")) or "nothing yet"
end

---The project of a phase whose turn has come.
---@param ctx table
---@param node table a parent without tasks
---@return table? project, qa.Error?
function M.phase(ctx, node)
  local task = node.task
  local tasks, err = ask_tasks(ctx, ctx.plan.project.goal or "-",
    ("%s\n%s"):format(task.title or task.id, task.description or ""), ctx.options.most_tasks, results_of(ctx, node))
  if not tasks then return nil, err end
  return { name = task.title or task.id, tasks = tasks }
end

local function proposal(goal, phases, total, advised)
  local lines = { ("%s: about %d tasks. I would break it into phases, each a project of its own:"):format(goal, total) }
  for i, phase in ipairs(phases) do
    lines[#lines + 1] = ("%2d. %s (%s, about %d tasks)"):format(i, phase.title, phase.description,
      phase.estimated_tasks)
  end
  lines[#lines + 1] = advised and "That is advised for so many tasks." or "It would also do as one list."
  return lines
end

---"yes", "no", or the numbers of the phases that become projects.
---@return table<integer, boolean>|false chosen
function M.read_answer(text, count)
  text = (text or ""):lower():match "^%s*(.-)%s*$"
  local chosen = {}
  if text == "no" or text == "n" then return false end
  if text == "yes" or text == "y" then
    for i = 1, count do chosen[i] = true end
    return chosen
  end
  local numbers = text:match "^customi[sz]e%s+(.+)$" or text
  for word in numbers:gmatch "[^%s,]+" do
    local number = word:match "^%d+$" and tonumber(word)
    if not number or number < 1 or number > count then
      error(("expected yes, no, or numbers of phases from 1 to %d, got '%s'"):format(count, text), 0)
    end
    chosen[number] = true
  end
  if not next(chosen) then error("expected yes, no, or numbers of phases", 0) end
  return chosen
end

---A task of the plan for each phase: a parent where it is divided, else one task.
local function divided(ctx, goal, phases, chosen, projects)
  local tasks = {}
  for i, phase in ipairs(phases) do
    local task = { id = phase.id, title = phase.title, description = phase.description,
      dependencies = { unpack(phase.depends_on) } }
    if chosen[i] then
      task.is_parent, task.sub_project_id, task.estimated_tasks = true, phase.id, phase.estimated_tasks
      -- What begins at once is planned at once; the rest when what it depends on is done.
      local given = phase.tasks
      local err
      if not given and #phase.depends_on == 0 and i == 1 then
        given, err = ask_tasks(ctx, goal, phase.title .. "\n" .. phase.description, ctx.options.most_tasks,
          "nothing yet")
        if not given then return nil, err end
      end
      if given then projects[phase.id] = { name = phase.title, tasks = given } end
    else
      local only, err = phase.tasks
      if not only then only, err = ask_tasks(ctx, goal, phase.title .. "\n" .. phase.description, 1, "nothing yet") end
      if not only then return nil, err end
      for _, field in ipairs{ "files", "requires_testing", "test_command", "test_game", "test_file" } do
        task[field] = only[1][field]
      end
    end
    tasks[i] = task
  end
  return tasks
end

---Phases of a file: {phases = {{id, title, description?, estimated_tasks?, depends_on?, tasks?}}}.
function M.phases_of_file(path)
  local bytes, err = qa.fs.read(path)
  if not bytes then error(failure.text(err), 0) end
  local ok, value = pcall(qa.json.decode, bytes)
  if not ok or type(value) ~= "table" or type(value.phases) ~= "table" then
    error(path .. ": expected an object with phases", 0)
  end
  for i, phase in ipairs(value.phases) do
    phase.title, phase.description = phase.title or phase.id, phase.description or ""
    phase.depends_on = phase.depends_on or {}
    phase.estimated_tasks = phase.estimated_tasks or #(phase.tasks or { 1 })
    if phase.tasks then plan_file.check_project(("%s: phase %d"):format(path, i), { tasks = phase.tasks }) end
  end
  return value.phases
end

local function ask_phases(ctx, goal)
  local o = ctx.options
  local text = prompt.render("plan_phases", { goal = goal, least = o.least_phases, most = o.most_phases })
  local value, err = ctx.policy.propose(ctx, { kind = "phases", prompt = text, goal = goal, schema = phases_schema(o) })
  return value and value.phases, err
end

---All tasks in one list: a small goal, or somebody wants it so.
local function flat(ctx, goal, phases)
  local tasks = {}
  for _, phase in ipairs(phases or {}) do
    if not phase.tasks then
      local asked, err = ask_tasks(ctx, goal, "everything", most_flat, "nothing yet")
      if not asked then return nil, err end
      return asked
    end
    for _, task in ipairs(phase.tasks) do tasks[#tasks + 1] = task end
  end
  if not phases then return ask_tasks(ctx, goal, "everything", most_flat, "nothing yet") end
  return tasks
end

---A plan for a goal.
---@param ctx table {policy, options, lists, role, folder, say_line, ask_person}
---@param opts {goal: string, phases?: table[], is_flat?: boolean, max_depth?: integer, answer?: string}
---@return table? project, qa.Error?
function M.create(ctx, opts)
  local goal, o = opts.goal, ctx.options
  local project = { name = goal:sub(1, 80), goal = goal, max_depth = opts.max_depth }
  local phases, err = opts.phases
  local is_flat = opts.is_flat or opts.max_depth == 0
  if not phases and not is_flat then
    phases, err = ask_phases(ctx, goal)
    if not phases then return nil, err end
  end
  local total = 0
  for _, phase in ipairs(phases or {}) do total = total + phase.estimated_tasks end
  local chosen = false
  if not is_flat and total > o.ask_above then
    for _, line in ipairs(proposal(goal, phases, total, total > o.suggest_above)) do ctx.say_line(line) end
    local answer = opts.answer or ctx.ask_person("Create detailed sub-tasks for each phase? (yes / no / numbers of " ..
      "phases to customise)")
    chosen = M.read_answer(answer, #phases)
  end
  if chosen then
    local projects = {}
    project.tasks, err = divided(ctx, goal, phases, chosen, projects)
    if next(projects) then project.projects = projects end
  else
    project.is_flat = is_flat or nil
    project.tasks, err = flat(ctx, goal, phases)
  end
  if not project.tasks then return nil, err end
  return plan_file.check_project("the plan", project)
end

return M
