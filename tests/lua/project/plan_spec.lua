-- Hierarchical plans: nesting, scheduling, planning, what is shown. Tests are shell programs (needs --allow-process).
local qa = require "qa"
local internal = require "qa.internal"
local plan_context = require "qa.project.plan_context"
local plan_file = require "qa.project.plan_file"
local plan_review = require "qa.project.plan_review"
local plan_run = require "qa.project.plan_run"
local plan_state = require "qa.project.plan_state"
local plan_text = require "qa.project.plan_text"
local planner = require "qa.project.planner"

local function project(plan, files)
  if not qa.process.is_allowed() then error("run these specs with --allow-process", 0) end
  local dir = assert(qa.run.open{ slug = "plan-spec" }) .. "/project"
  assert(internal.folder_write(dir, "plan.json", qa.json.encode(plan)))
  for name, text in pairs(files or {}) do assert(internal.folder_write(dir, name, text)) end
  return dir
end

local function open(dir, opts)
  opts = opts or {}
  local ctx = plan_context.new{ set = opts.set, roles = opts.roles, max_depth = opts.max_depth }
  plan_context.open(ctx, dir .. "/plan.json", plan_state.open(dir .. "/plan.json"))
  ctx.said = {}
  ctx.say = function(node, state) ctx.said[#ctx.said + 1] = node.path .. " " .. state end
  ctx.jobs = opts.jobs or 1
  for name, hook in pairs(opts.hooks or {}) do ctx.policy[name] = hook end
  return ctx
end

local function run(dir, opts)
  local ctx = open(dir, opts)
  local ok, complete = pcall(plan_run.run, ctx)
  ctx.store:close()
  if not ok then error(complete, 0) end
  return ctx, complete
end

local function state(ctx, path) return ctx.store:record(path).state end
local function passing(id, more) return { id = id, test_command = { "true" }, dependencies = more } end
local function failing(id, more) return { id = id, test_command = { "false" }, dependencies = more } end
local function parent(id, sub, more) return { id = id, sub_project_id = sub, dependencies = more } end

---Projects nested `deep` levels below the plan.
local function nested(deep)
  local plan = { name = "top", tasks = { parent("p0", "s1") }, projects = {} }
  for level = 1, deep do
    plan.projects["s" .. level] = { tasks = { level < deep and parent("p" .. level, "s" .. level + 1)
      or passing "leaf" } }
  end
  return plan
end

---A planner that answers from a table, and what it was asked.
local function scripted(answers)
  local asked = {}
  return asked, function(_, request)
    asked[#asked + 1] = request
    local answer = table.remove(answers, 1)
    if not answer then error("the planner was asked once more: " .. request.prompt, 0) end
    return answer
  end
end

local function phase(id, count, after)
  return { id = id, title = id:upper(), description = "does " .. id, estimated_tasks = count, depends_on = after or {} }
end
local function planned(id, after)
  return { id = id, description = "d", dependencies = after or {}, files = {}, requires_testing = true,
    test_command = { "true" } }
end

---A context for plan create: no plan yet.
local function creating(answers, person)
  local ctx = plan_context.new{}
  local asked, propose = scripted(answers)
  ctx.policy.propose, ctx.lines, ctx.questions = propose, {}, {}
  ctx.say_line = function(line) ctx.lines[#ctx.lines + 1] = line end
  ctx.ask_person = function(question)
    ctx.questions[#ctx.questions + 1] = question
    return person
  end
  return ctx, asked
end

local five = { phases = { phase("one", 4), phase("two", 4, { "one" }), phase("three", 4), phase("four", 2),
  phase("five", 2, { "four" }) } }

return {
  ["E-020 E-X1: projects nest to max_depth below the plan, and no deeper"] = function(t)
    local ctx, complete = run(project(nested(3)))
    t.truthy(complete)
    t.equal({ ctx.tree.deepest, state(ctx, "p0/p1/p2/leaf"), state(ctx, "p0") }, { 3, "completed", "completed" })
    t.raises(function() run(project(nested(4))) end, "p0/p1/p2/p3: projects are nested deeper than 3")
    local _, deeper = run(project(nested(4)), { max_depth = 4 })
    t.truthy(deeper)
    t.raises(function() run(project(nested(2)), { max_depth = 1 }) end, "nested deeper than 1")
    local own = nested(2)
    own.projects.s2.tasks = { parent("again", "s1") }
    t.raises(function() run(project(own)) end, "project s1 is used by two tasks, or within itself")
  end,

  ["E-020: a sub-project may lie in a file beside the plan"] = function(t)
    local dir = project({ tasks = { parent("p", "other") } },
      { ["other.json"] = qa.json.encode{ tasks = { passing "a" } } })
    local ctx, complete = run(dir)
    t.truthy(complete)
    t.equal(state(ctx, "p/a"), "completed")
  end,

  ["E-021 E-X3: a parent is complete when its tasks are, fails with their names, and blocks what waits"] = function(t)
    local ctx, complete = run(project{
      tasks = { parent("good", "g"), parent("bad", "b", { "good" }), passing("after", { "bad" }),
        parent("later", "l", { "after" }) },
      projects = { g = { tasks = { passing "a", passing("b", { "a" }) } },
        b = { tasks = { passing "c", failing "d", passing("e", { "d" }) } },
        l = { tasks = { passing "x" } } } })
    t.falsy(complete)
    t.equal({ state(ctx, "good"), state(ctx, "bad"), state(ctx, "after") }, { "completed", "failed", "blocked" })
    t.equal(ctx.store:record("bad").note, "Sub-tasks failed: [d, e]")
    t.equal({ state(ctx, "bad/c"), state(ctx, "bad/d"), state(ctx, "bad/e") }, { "completed", "failed", "blocked" })
    t.equal({ state(ctx, "later"), state(ctx, "later/x") }, { "blocked", "blocked" })
    t.equal(ctx.store:record("after").note, "waits for bad, which is failed")
  end,

  ["E-021: a parent with a test of its own is complete when that passes, too"] = function(t)
    local both = { tasks = {
      { id = "p", sub_project_id = "s", test_command = { "test", "-f", "joined" }, files = { "joined" },
        test_files = qa.json.array{} } },
      projects = { s = { tasks = { passing "a" } } } }
    local ctx = run(project(both))
    t.equal({ state(ctx, "p/a"), state(ctx, "p") }, { "completed", "failed" })
    local mended, complete = run(project(both), { roles = { bug_hunter = { command = { "touch", "joined" } } } })
    t.truthy(complete)
    t.equal(mended.store:record("p").output, "Fixed after 1 attempts")
  end,

  ["E-022 E-X2: above 10 tasks sub-projects are proposed, above 15 advised, and a small goal stays flat"] = function(t)
    local small = { phases = { phase("a", 2), phase("b", 2), phase("c", 2), phase("d", 2), phase("e", 2) } }
    local ctx = creating{ small, { tasks = { planned "x", planned("y", { "x" }) } } }
    local plan = assert(planner.create(ctx, { goal = "small" }))
    t.equal({ #ctx.questions, #plan.tasks, plan.projects }, { 0, 2 })
    ctx = creating({ five, { tasks = { planned "x" } } }, "yes")
    plan = assert(planner.create(ctx, { goal = "large" }))
    t.equal(#ctx.questions, 1)
    t.truthy(ctx.questions[1]:find "Create detailed sub%-tasks for each phase%? %(yes / no")
    t.truthy(ctx.lines[#ctx.lines]:find "advised")
    t.equal({ plan.tasks[1].is_parent, plan.tasks[1].sub_project_id, plan.tasks[2].dependencies[1] },
      { true, "one", "one" })
    local options = ctx.options
    t.equal({ options.least_phases, options.most_phases, options.most_tasks, options.ask_above, options.suggest_above },
      { 5, 10, 9, 10, 15 })
  end,

  ["E-022: fewer than 5 phases or a project of 10 tasks is no plan"] = function(t)
    local dir = project{ tasks = {} }
    local function answer(value)
      local ctx = plan_context.new{ roles = { planner = { command = { "sh", "-c",
        "cat > /dev/null; cat answer.json" } } } }
      ctx.folder = dir
      assert(internal.folder_write(dir, "answer.json", qa.json.encode(value)))
      return ctx
    end
    local none, err = planner.create(answer{ phases = { phase("a", 9) } }, { goal = "g" })
    t.equal({ none, err.kind }, { nil, "llm_invalid" })
    local round = { phases = { phase("one", 4, { "two" }), phase("two", 4, { "one" }), phase("three", 4),
      phase("four", 2), phase("five", 2) } }
    none, err = planner.create(answer(round), { goal = "g" })
    t.equal({ none, err.kind }, { nil, "llm_invalid" })
    local ctx = answer{ tasks = {} }
    for i = 1, 10 do ctx.many = (ctx.many or "") .. (i > 1 and "," or "") .. qa.json.encode(planned("t" .. i)) end
    assert(internal.folder_write(dir, "answer.json", '{"tasks":[' .. ctx.many .. "]}"))
    plan_context.open(ctx, dir .. "/plan.json", plan_state.read(dir .. "/plan.json"))
    none, err = planner.phase(ctx, { task = { id = "p" }, deps = {} })
    t.equal({ none, err.kind }, { nil, "llm_invalid" })
  end,

  ["E-023: it is always asked, unless the answer or --flat was given; customising divides the phases named"] =
    function(t)
    local answers = { five }
    for i, id in ipairs{ "x", "two", "four", "five" } do answers[i + 1] = { tasks = { planned(id) } } end
    local ctx = creating(answers, "customize 1,3")
    local plan = assert(planner.create(ctx, { goal = "g" }))
    t.equal({ plan.tasks[1].is_parent, plan.tasks[2].is_parent, plan.tasks[3].is_parent }, { true, false, true })
    t.equal(plan.tasks[2].test_command, { "true" })
    ctx = creating({ five, { tasks = { planned "x", planned "y" } } }, "no")
    plan = assert(planner.create(ctx, { goal = "g" }))
    t.equal({ #plan.tasks, plan.projects }, { 2 })
    ctx = creating{ { tasks = { planned "x" } } }
    plan = assert(planner.create(ctx, { goal = "g", is_flat = true }))
    t.equal({ #ctx.questions, plan.is_flat, #plan.tasks }, { 0, true, 1 })
    ctx = creating{ five, { tasks = { planned "x" } } }
    assert(planner.create(ctx, { goal = "g", answer = "yes", max_depth = 2 }))
    t.equal(#ctx.questions, 0)
    t.raises(function() planner.read_answer("maybe", 5) end, "expected yes, no, or numbers of phases from 1 to 5")
    t.raises(function() planner.read_answer("6", 5) end, "from 1 to 5")
  end,

  ["E-023: the tree shows counts at each level, to the depth that is asked for"] = function(t)
    local ctx = run(project{ name = "Vi",
      tasks = { { id = "phase-1", title = "Foundation", sub_project_id = "f" },
        { id = "phase-2", title = "Buffer", sub_project_id = "b" } },
      projects = { f = { tasks = { passing "a", passing "b", passing "c" } },
        b = { tasks = { passing "d", failing "e", parent("deep", "x") } },
        x = { tasks = { passing "y" } } } })
    local lines = plan_text.tree(ctx.store, ctx.tree.root)
    t.equal(lines[1], "Vi (5/6 tasks complete)")
    t.truthy(lines[2]:find("phase-1: Foundation (3/3 tasks complete)", 1, true), lines[2])
    t.truthy(table.concat(lines, "\n"):find("phase-2: Buffer (2/3 tasks complete)", 1, true))
    t.equal({ #lines, #plan_text.tree(ctx.store, ctx.tree.root, { depth = 1 }),
      #plan_text.tree(ctx.store, ctx.tree.root, { depth = 2 }) }, { 10, 3, 9 })
    local part = plan_text.tree(ctx.store, ctx.tree.by_path["phase-2"])
    t.truthy(part[1]:find("phase-2: Buffer (2/3", 1, true), part[1])
    t.equal(plan_text.place(ctx.store, ctx.tree.by_path["phase-1/b"]), "phase-1 (3/3) > b")
    local shown = table.concat(plan_text.tree(ctx.store, ctx.tree.root, { with_state = false }), "\n")
    t.falsy(shown:find "completed")
    local evil = { name = "\27[2Jgone\nline", tasks = {} }
    t.equal(plan_text.tree(ctx.store, plan_file.tree({ project = evil, folder = ".", path = "x" }).root)[1],
      "gone line (0/0 tasks complete)")
  end,

  ["E-024: sub-projects run at the same time, each task after those that it depends on"] = function(t)
    local plan = { tasks = { parent("p1", "one"), parent("p2", "two"), passing("last", { "p1", "p2" }) }, projects = {
      one = { dir = "d1", tasks = { passing "a", passing("b", { "a" }) } },
      two = { dir = "d2", tasks = { passing "c", passing("d", { "c" }) } } } }
    local open_now, most, order = 0, 0, {}
    local function assess(_, node)
      open_now = open_now + 1
      most = math.max(most, open_now)
      order[#order + 1] = node.id
      qa.sleep(60)
      open_now = open_now - 1
      return { passed = true, output = "", ms = 60 }
    end
    local files = { ["d1/x"] = "", ["d2/x"] = "" }
    local ctx, complete = run(project(plan, files), { jobs = 4, hooks = { assess = assess } })
    t.truthy(complete)
    t.equal({ most, order[#order], state(ctx, "last") }, { 2, "last", "completed" })
    most, order = 0, {}
    run(project(plan, files), { hooks = { assess = assess } })
    t.equal({ most, table.concat(order) }, { 1, "abcdlast" })
    most = 0
    plan.projects.two.dir = "d1"
    run(project(plan, files), { jobs = 4, hooks = { assess = assess } })
    t.equal(most, 1, "who works in one folder takes turns")
  end,

  ["E-024: a phase is planned when those before it are done, from what they came to, and is written into the plan"] =
    function(t)
    local dir = project{ goal = "g", tasks = { parent("one", "one"),
      { id = "two", title = "Second", sub_project_id = "two", dependencies = { "one" } } },
      projects = { one = { tasks = { passing "a" } } } }
    local asked, propose = scripted{ { tasks = { planned "x", planned("y", { "x" }) } } }
    local ctx, complete = run(dir, { hooks = { propose = propose } })
    t.truthy(complete)
    t.truthy(asked[1].prompt:find("Second", 1, true) and asked[1].prompt:find("one (1/1 tasks complete)", 1, true),
      asked[1].prompt)
    t.equal(state(ctx, "two/y"), "completed")
    t.equal(#plan_file.load(dir .. "/plan.json").project.projects.two.tasks, 2)
    local function nobody() return nil, { kind = "llm_unavailable", message = "nobody" } end
    local none = run(project{ tasks = { parent("late", "late") } }, { hooks = { propose = nobody } })
    t.truthy(none.store:record("late").note:find "could not be planned: llm_unavailable: nobody")
  end,

  ["E-X4: what becomes ready later runs, and dependencies that go round are refused"] = function(t)
    local ctx, complete = run(project{ tasks = { passing("c", { "b" }), passing("b", { "a" }), passing "a" } })
    t.truthy(complete)
    t.equal(ctx.said[1], "a in_progress")
    t.raises(function() run(project{ tasks = { passing("a", { "b" }), passing("b", { "c" }),
      passing("c", { "a" }) } }) end, "go round: a %-> b %-> c %-> a")
    t.raises(function() run(project{ tasks = { passing("a", { "bb" }), passing "b" } }) end,
      "depends on 'bb', which is no task of its project %(did you mean 'b'%?%)")
  end,

  ["E-X5: a plan without parents runs by the same road"] = function(t)
    local ctx, complete = run(project{ tasks = { passing "a" } })
    t.truthy(complete)
    t.equal(ctx.tree.deepest, 0)
  end,

  ["E-026 E-G1: the review triggers are computed and say when they are due"] = function(t)
    local ctx = run(project{ tasks = { { id = "a", test_command = { "false" }, files = { "v" } }, passing "b",
      { id = "c" } } },
      { roles = { bug_hunter = { command = { "sh", "-c", "echo x >> v" } } } })
    local f = plan_review.figures(ctx)
    t.equal({ f.tested, f.passing, f.failed_first, f.mended, f.missed, f.hunts }, { 3, 1, 1, 0, 1, 3 })
    local due = {}
    for _, trigger in ipairs(plan_review.triggers(ctx, f)) do due[trigger.id] = trigger.is_due end
    t.equal({ due["retry success"], due["missed tests"], due.depth, due["context limits"] },
      { true, true, false, false })
    f.test_ms, f.work_ms, f.test_share, f.retry_success, f.missed_share, f.depth, f.context_limits = 31, 69, 0.31, 0.5,
      0.2, 4, 1
    due = {}
    for _, trigger in ipairs(plan_review.triggers(ctx, f)) do due[trigger.id] = trigger.is_due end
    t.equal({ due["test time share"], due["retry success"], due["missed tests"], due.depth, due["context limits"] },
      { true, false, false, true, true })
    t.truthy(table.concat(plan_review.lines(ctx), "\n"):find "review retry success +0 %% +DUE %(below 50 %%%)")
    t.truthy(plan_review.markdown(ctx):find("## a, attempt 1: changed", 1, true))
  end,

  ["E-027: a failure stays in its sub-project, and 20 tasks in parts of fewer than 10 run to the end"] = function(t)
    local plan = { tasks = {}, projects = {} }
    for part = 1, 3 do
      plan.tasks[part] = parent("part" .. part, "s" .. part)
      plan.projects["s" .. part] = { tasks = {} }
      for i = 1, 7 do
        plan.projects["s" .. part].tasks[i] = (part == 2 and i == 3) and failing("t" .. i) or passing("t" .. i)
      end
    end
    local ctx, complete = run(project(plan))
    t.falsy(complete)
    t.equal({ state(ctx, "part1"), state(ctx, "part2"), state(ctx, "part3") }, { "completed", "failed", "completed" })
    local figures = plan_review.figures(ctx)
    t.equal({ figures.tasks, figures.completed, figures.longest_project < 10 }, { 21, 20, true })
  end,

  ["the plan among the examples can be run"] = function(t)
    local plan = plan_file.load "examples/games_plan.json"
    local lists = require("qa.run.strategy_file").load("verified").lists
    for _, node in ipairs(plan_file.tree(plan).leaves) do
      t.truthy(require("qa.project.task_test").find(node, lists), node.path)
      t.truthy(qa.fs.stat(node.dir .. "/" .. node.task.test_game.target .. "/index.html"), node.path)
    end
  end,

  ["a plan keeps its fields when it is written"] = function(t)
    local dir = project{ name = "n", goal = 'say "hi"',
      tasks = { passing "a", { id = "b", files = { "x", "y" }, requires_testing = false, timeout_ms = 5 } } }
    local plan = plan_file.load(dir .. "/plan.json")
    assert(plan_file.save(plan))
    t.equal(plan_file.load(dir .. "/plan.json").project, plan.project)
    t.truthy(qa.fs.read(dir .. "/plan.json"):find '\n      "files": %["x", "y"%]')
  end,
}
