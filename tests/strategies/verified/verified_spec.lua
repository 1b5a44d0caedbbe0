-- The verification loop on real folders and programs (needs --allow-process): a project below a run directory, tests
-- that are shell scripts, bug hunters that are shell scripts.
local qa = require "qa"
local internal = require "qa.internal"
local plan_context = require "qa.project.plan_context"
local plan_run = require "qa.project.plan_run"
local plan_state = require "qa.project.plan_state"
local plan_text = require "qa.project.plan_text"
local roles = require "qa.project.roles"
local task_test = require "qa.project.task_test"

local function need_processes()
  if not qa.process.is_allowed() then error("run these specs with --allow-process", 0) end
end

---A project of files, and its plan. Returns the folder.
local function project(files, plan)
  need_processes()
  local dir = assert(qa.run.open{ slug = "verified-spec" }) .. "/project"
  for name, text in pairs(files) do assert(internal.folder_write(dir, name, text)) end
  assert(internal.folder_write(dir, "plan.json", qa.json.encode(plan)))
  return dir
end

---Opens and runs a plan. Returns the context and whether all is complete.
local function run(dir, opts)
  opts = opts or {}
  local store = plan_state.open(dir .. "/plan.json")
  local ctx = plan_context.open(plan_context.new{ set = opts.set, roles = opts.roles }, dir .. "/plan.json", store)
  local said = {}
  ctx.say = function(node, state) said[#said + 1] = node.path .. " " .. state end
  ctx.said, ctx.jobs = said, opts.jobs or 1
  for name, hook in pairs(opts.hooks or {}) do ctx.policy[name] = hook end
  for name, list in pairs(opts.lists or {}) do ctx.lists[name] = list end
  plan_context.note_tests(ctx, opts.accept_tests)
  local ok, complete = pcall(plan_run.run, ctx)
  store:close()
  if not ok then error(complete, 0) end
  return ctx, complete
end

local function shell(script) return { command = { "sh", "-c", script } } end
local function read(dir, name) return (qa.fs.read(dir .. "/" .. name)) end
local function state(ctx, path) return ctx.store:record(path).state end

local test_is_right = { ["tests/t.sh"] = '[ "$(cat value)" = right ] || { echo "value is $(cat value)"; exit 1; }',
  value = "wrong" }
local function one_task(more)
  local task = { id = "one", description = "value is right", test_command = { "sh", "tests/t.sh" },
    files = { "value" } }
  for key, value in pairs(more or {}) do task[key] = value end
  return { name = "p", tasks = { task } }
end

return {
  ["E-001 E-002 E-005: a task goes through testing, fails, is mended, is tested again, and only then is completed"] =
    function(t)
    local dir = project(test_is_right, one_task())
    local ctx, complete = run(dir, { roles = { bug_hunter = shell "printf right > value" } })
    t.truthy(complete)
    t.equal(ctx.said, { "one in_progress", "one testing", "one test_failed", "one in_progress", "one testing",
      "one completed" })
    for _, name in ipairs{ "pending", "in_progress", "testing", "test_failed", "completed", "blocked" } do
      t.truthy(table.concat(plan_state.states, " "):find(name, 1, true), name)
    end
    t.raises(function() ctx.store:move("one", "pending") end, "cannot go from completed to pending")
    t.raises(function() ctx.store:move("two", "completed") end, "cannot go from pending to completed")
  end,

  ["E-002 E-008: three attempts, and the failure is told"] = function(t)
    local dir = project(test_is_right, one_task())
    local ctx, complete = run(dir, { roles = { bug_hunter = shell 'printf "wrong again" >> value; cat >> ../asked' } })
    t.falsy(complete)
    local record = ctx.store:record "one"
    t.equal({ record.state, record.attempts, record.tests }, { "failed", 3, 4 })
    t.truthy(record.note:find "^Tests failed after 3 bug%-hunter attempts: exit code 1\nvalue is wrongwrong again",
      record.note)
    local asked = read(dir, "../asked")
    t.truthy(asked:find("value is right", 1, true) and asked:find("sh tests/t.sh", 1, true)
      and asked:find("value is wrong", 1, true))
    t.truthy(asked:find("Attempt 2: changed value; the test still fails.", 1, true), "earlier attempts are told")
  end,

  ["E-008: what was mended says after how many attempts"] = function(t)
    local dir = project(test_is_right, one_task())
    local ctx = run(dir, { roles = { bug_hunter = shell('if [ -f ../once ]; then printf right > value; else : > ' ..
      '../once; printf no > value; fi') } })
    t.equal(ctx.store:record("one").output, "Fixed after 2 attempts")
  end,

  ["E-003: the fields of a task are those of the seed, others are refused by name"] = function(t)
    local dir = project({ ["tests/t.sh"] = "exit 0" },
      { name = "p", tasks = { { id = "a", description = "d", state = "pending",
      dependencies = {}, test_command = "sh tests/t.sh", test_file = "tests/t.sh", requires_testing = true,
      is_parent = false } } })
    local _, complete = run(dir)
    t.truthy(complete)
    assert(internal.folder_write(dir, "plan.json", qa.json.encode(one_task{ test_comand = "x" })))
    t.raises(function() run(dir) end, "task one: unknown field 'test_comand' %(did you mean 'test_command'%?%)")
  end,

  ["E-004: a test gives passed, output and failure details, a task success, output and error"] = function(t)
    local dir = project(test_is_right, one_task())
    local store = plan_state.open(dir .. "/plan.json")
    local ctx = plan_context.open(plan_context.new{}, dir .. "/plan.json", store)
    local node = ctx.tree.by_path.one
    local result = ctx.policy.assess(ctx, node, assert(task_test.find(node, ctx.lists)))
    t.equal({ result.passed, result.output, result.failure_details },
      { false, "value is wrong", "exit code 1\nvalue is wrong" })
    local done = require("qa.project.complete_task").task(ctx, node)
    t.equal(done.success, false)
    t.truthy(done.error:find "nobody is the bug hunter")
    store:close()
  end,

  ["E-005: what needs no test is completed after its execution"] = function(t)
    local dir = project({ value = "" }, { name = "p", tasks = { { id = "docs", requires_testing = false,
      files = { "value" } } } })
    local ctx, complete = run(dir, { roles = { executor = shell "printf written > value" } })
    t.truthy(complete)
    t.equal(ctx.said, { "docs in_progress", "docs completed" })
    t.equal(read(dir, "value"), "written")
  end,

  ["E-006: a command of the task comes first, then pytest, make and files by name"] = function(t)
    local files = { ["tests/test_a.py"] = "", Makefile = "test-b: x\n\ttrue\ntest-cc:\n\ttrue\n", ["c_test.py"] = "",
      ["test_d_e.py"] = "" }
    local function found(id, more)
      local dir = project(files, { tasks = {} })
      local node = { id = id, path = id, dir = dir, task = more or {} }
      local lists = require("qa.run.strategy_file").load("verified").lists
      local test, reason = task_test.find(node, lists)
      return test and table.concat(test.argv, " "), reason, test
    end
    t.equal(found("a", { test_command = { "true", "x" } }), "true x")
    t.equal(found "a", "pytest tests/test_a.py -v")
    t.equal(found "b", "make test-b")
    t.equal(found "c", "pytest c_test.py -v")
    t.equal(found "d-e", "pytest test_d_e.py -v")
    local none, reason = found "cc-no"
    t.equal(none, nil)
    t.truthy(reason:find("no test was found: give test_command or test_game, or one of tests/test_cc%-no.py, " ..
      "test%-cc%-no"))
    local _, _, test = found "b"
    t.equal(test.files, { "Makefile", "Makefile" }, "the rules of make belong to the test")
  end,

  ["E-006: a convention that runs, make, and a task without a test is not completed"] = function(t)
    local dir = project({ Makefile = "test-made:\n\t@test -f value\n" },
      { tasks = { { id = "made", files = { "value" } }, { id = "none" } } })
    local ctx = run(dir, { roles = { bug_hunter = shell ": > value" } })
    t.equal({ state(ctx, "made"), state(ctx, "none") }, { "completed", "failed" })
    t.truthy(ctx.store:record("none").note:find "no test was found")
  end,

  ["E-007: a test runs in the project's folder; details come from JUnit XML, TAP, or the end of the output"] =
    function(t)
    local dir = project({
      ["in/xml.sh"] = 'printf \'<testsuite><testcase name="deep"><failure ' ..
        'message="broken">here</failure></testcase></testsuite>\' > out.xml; exit 1',
      ["in/tap.sh"] = "echo 1..2; echo ok 1 - fine; echo not ok 2 - bad; exit 1",
      ["in/where.sh"] = "pwd; exit 1" },
      { dir = "in", tasks = { { id = "xml", test_command = "sh xml.sh", junit = "out.xml" },
        { id = "tap", test_command = "sh tap.sh" },
        { id = "where", test_command = "sh where.sh" } } })
    local ctx = run(dir)
    local function details(path) return ctx.store:record(path).last.details end
    t.truthy(details("xml"):find("FAILED deep\nbroken\nhere", 1, true), details "xml")
    t.truthy(details("tap"):find("FAILED bad", 1, true), details "tap")
    t.truthy(details("where"):find("project/in", 1, true), details "where")
  end,

  ["E-009: an exit code of 0 is no pass where the test's own report says otherwise"] = function(t)
    local dir = project({ ["a.sh"] = "echo 1..1; echo not ok 1 - bad", ["b.sh"] = "echo 1..0",
      ["c.sh"] = "echo 1..3; echo ok 1", ["d.sh"] = "exit 0" },
      { tasks = { { id = "a", test_command = "sh a.sh" }, { id = "b", test_command = "sh b.sh" },
        { id = "c", test_command = "sh c.sh" },
        { id = "d", test_command = "sh d.sh", junit = "none.xml" } } })
    local ctx = run(dir)
    for path, why in pairs{ a = "its report says that 1 tests failed", b = "no test was run",
      c = "3 tests were planned, 1 were run",
      d = "left no report of its tests" } do
      t.equal(state(ctx, path), "failed", path)
      t.truthy(ctx.store:record(path).last.details:find(why, 1, true),
        path .. ": " .. ctx.store:record(path).last.details)
    end
  end,

  ["E-009: a program that is asked for a report has to write one, and one of fewer tests than before is no pass"] =
    function(t)
    local xml = '<testsuite><testcase name="a"/><testcase name="b">%s</testcase></testsuite>'
    local script = "case $(cat value) in\n quits) exit 0 ;;\n bad) printf '" .. xml:format '<failure message="no"/>'
      .. "' > $1; exit 1 ;;\n"
      .. " fewer) printf '<testsuite><testcase name=\"a\"/></testsuite>' > $1 ;;\n *) printf '" .. xml:format ""
        .. "' > $1 ;;\nesac"
    local dir = project({ ["test_one.sh"] = script, value = "bad" },
      { tasks = { { id = "one", files = { "value" } } } })
    local rule = { name = "own", path = "test_{id}.sh", argv = { "sh", "{path}" }, junit_argument = "{path}" }
    local ctx, complete = run(dir, { lists = { test_conventions = { rule } },
      roles = { bug_hunter = shell [[case $(cat value) in bad) printf quits ;; quits) printf fewer ;; *) printf right ;;
        esac > ../next; cp ../next value]] } })
    t.truthy(complete)
    local details = {}
    for line in read(dir, "plan.state/journal.jsonl"):gmatch "[^\n]+" do
      local event = qa.json.decode(line:match "^%x+ (.*)$")
      if event.op == "test" then details[#details + 1] = (event.details or "passed"):match "^[^\n]*" end
    end
    t.equal(details, { "exit code 1", "the program ended well but left no report of its tests",
      "1 tests were run, 2 before", "passed" })
    t.equal(ctx.store:record("one").output, "Fixed after 3 attempts")
  end,

  ["E-009: a later change that breaks a completed task is found, and mended"] = function(t)
    local dir = project({ shared = "a b", ["a.sh"] = 'grep -q a shared', ["b.sh"] = 'grep -q B shared' }, { tasks = {
      { id = "a", test_command = "sh a.sh", files = { "shared" } },
      { id = "b", test_command = "sh b.sh", files = { "shared" } } } })
    local ctx, complete = run(dir, { roles = { bug_hunter = shell
      [[case $(cat) in *'"id":"b"'*) printf B > shared ;; *) printf "a B" > shared ;; esac]] } })
    t.truthy(complete)
    t.equal(read(dir, "shared"), "a B")
    t.truthy(table.concat(ctx.said, "; "):find("b completed; a testing; a test_failed", 1, true),
      table.concat(ctx.said, "; "))
  end,

  ["E-010: at the end all tests pass, more than 80 % mended without a person, nothing completed with a failing test"] =
    function(t)
    local files, tasks = {}, {}
    for i = 1, 6 do
      files["t" .. i .. ".sh"], files["v" .. i] = ("[ $(cat v%d) = right ]"):format(i), i == 1 and "right" or "wrong"
      tasks[i] = { id = "k" .. i, test_command = ("sh t%d.sh"):format(i), files = { "v" .. i } }
    end
    local ctx, complete = run(project(files, { tasks = tasks }),
      { roles = { bug_hunter = shell 'for f in v*; do printf right > $f; done' } })
    local figures = require("qa.project.plan_review").figures(ctx)
    t.truthy(complete)
    t.equal({ figures.pass_rate, figures.failed_first, figures.mended }, { 1, 5, 5 })
  end,

  ["E-G3: who changes, deletes or replaces the test has mended nothing, and everything of that attempt is taken back"] =
    function(t)
    for name, script in pairs{ edit = "echo 'exit 0' > tests/t.sh", delete = "rm -rf tests",
      link = "ln -sf /bin/true tests/t.sh",
      replaced = "rm -r tests; ln -s /tmp tests", folder = "rm tests/t.sh; mkdir tests/t.sh; : > tests/t.sh/x",
      runner = "printf true > sh", mode = "chmod 0 tests/t.sh",
      both = "printf right > value; echo 'exit 0' > tests/t.sh" } do
      local dir = project(test_is_right, one_task())
      local ctx = run(dir, { roles = { bug_hunter = shell(script) } })
      local record = ctx.store:record "one"
      t.equal(record.state, "failed", name)
      t.equal(#record.hunts, 3, name)
      t.equal(record.hunts[1].verdict, "tampered", name)
      t.truthy(record.hunts[1].diff:find(name == "runner" and "b/sh" or "tests/t.sh", 1, true), name)
      t.equal(read(dir, "tests/t.sh"), test_is_right["tests/t.sh"], name)
      t.equal(read(dir, "value"), "wrong", name)
    end
  end,

  ["E-G3: what the task does not name is taken back, and what it names is kept"] = function(t)
    local dir = project(test_is_right, one_task())
    local ctx, complete = run(dir, { roles = { bug_hunter = shell("printf right > value; printf x > other; mkdir d; " ..
      ": > d/e") } })
    t.truthy(complete)
    t.equal({ read(dir, "other"), read(dir, "d/e") }, {})
    local hunt = ctx.store:record("one").hunts[1]
    t.equal({ hunt.kept, hunt.undone }, { { "value" }, { "d/e", "other" } })
    local outside = project(test_is_right, one_task())
    ctx = run(outside, { roles = { bug_hunter = shell "printf x > other" } })
    t.equal(ctx.store:record("one").hunts[1].verdict, "outside")
  end,

  ["E-G3: a test that was changed while nobody looked is not the test; --accept-tests makes it one"] = function(t)
    local dir = project(test_is_right, one_task{ files = { "value" } })
    run(dir)
    assert(internal.folder_write(dir, "tests/t.sh", "exit 0"))
    local store = plan_state.open(dir .. "/plan.json")
    store:move("one", "pending")
    store:close()
    local ctx = run(dir)
    t.equal(state(ctx, "one"), "failed")
    t.truthy(ctx.store:record("one").note:find "the test is not what it was when the plan began")
    store = plan_state.open(dir .. "/plan.json")
    store:move("one", "pending")
    store:close()
    local _, complete = run(dir, { accept_tests = true })
    t.truthy(complete)
  end,

  ["E-G3: a task that makes the test of another one may, where it names it"] = function(t)
    local dir = project({ value = "right", ["tests/t.sh"] = "exit 1" },
      { tasks = { { id = "write", requires_testing = false, files = { "tests/t.sh" } },
      { id = "use", test_command = { "sh", "tests/t.sh" }, files = { "value" }, dependencies = { "write" } } } })
    local _, complete = run(dir, { roles = { executor = shell("case $(cat) in *'\"id\":\"write\"'*) echo '[ $(cat " ..
      "value) = right ]' > tests/t.sh ;; esac") } })
    t.truthy(complete)
  end,

  ["E-G3: a test that may be changed is none"] = function(t)
    t.raises(function() run(project(test_is_right, one_task{ files = { "tests/t.sh" } })) end,
      "'tests/t.sh' is in its test_command and among its files")
    local function reason(task, files)
      local dir = project(files or test_is_right, { tasks = {} })
      task.id = "one"
      local test, why = task_test.find({ id = "one", path = "one", dir = dir, task = task },
        require("qa.run.strategy_file").load("verified").lists)
      return test and test.files or why
    end
    local played = { ["g/index.html"] = "", ["s.lua"] = "", ["o.lua"] = "" }
    t.truthy(reason{ test_command = { "true" }, test_files = { "value" },
      files = { "value" } }:find "value is its test and among the files")
    t.truthy(reason({ test_game = { target = "g", strategy = "s.lua" }, files = { "s.lua" } },
      played):find "give test_game an oracle")
    t.truthy(reason({ test_game = { target = "g", oracle = "o.lua" }, files = { "o.lua" } },
      played):find "oracle is among the files")
    t.equal(reason({ test_game = { target = "g", strategy = "s.lua", oracle = "o.lua" }, files = { "s.lua" } }, played),
      { "o.lua" })
    t.truthy(reason{ test_command = { "sh", "tests/t.sh", "value" },
      files = { "value" } }:find "value is its test and among the files")
    t.equal(reason{ test_command = { "sh", "tests/t.sh", "value" }, files = { "val*" } }, { "tests/t.sh", "value" })
    t.equal(reason{ test_command = { "sh", "tests/t.sh", "value" }, files = { "val*" }, test_files = {} },
      { "tests/t.sh" })
  end,

  ["E-X6: ids are words, commands are lists of words, and a test that hangs is killed"] = function(t)
    for _, id in ipairs{ "a b", "../x", "$(touch x)", "", "-x", ("x"):rep(65) } do
      t.raises(function() run(project({}, { tasks = { { id = id } } })) end, "an id is a word")
    end
    for _, command in ipairs{ "true; false", "echo $HOME", "a | b", "`x`" } do
      t.raises(function() run(project({}, { tasks = { { id = "a", test_command = command } } })) end,
        "means nothing without a shell")
    end
    for _, path in ipairs{ "/etc/passwd", "../other", "a/../../b" } do
      t.raises(function() run(project({}, { tasks = { { id = "a", files = { path } } } })) end,
        "leads out of the plan's folder")
    end
    local ctx = run(project({ ["t.sh"] = "sleep 60 & sleep 60" },
      { tasks = { { id = "a", test_command = "sh t.sh", timeout_ms = 200 } } }))
    t.equal(state(ctx, "a"), "failed")
    t.truthy(ctx.store:record("a").last.details:find "timeout: sh was killed after 200 ms")
  end,

  ["E-X6: a program that is not there is told, and not hunted for"] = function(t)
    local ctx = run(project({ value = "" }, { tasks = { { id = "a", test_command = "no-such-program-of-qa",
      files = { "value" } } } }),
      { roles = { bug_hunter = shell "printf x > value" } })
    local record = ctx.store:record "a"
    t.equal({ record.state, #record.hunts }, { "failed", 0 })
    t.truthy(record.note:find "no program 'no%-such%-program%-of%-qa'; install it")
  end,

  ["a run that was cut short takes the attempt back and goes on"] = function(t)
    local dir = project(test_is_right, one_task())
    local ok = pcall(run, dir, { hooks = { recover = function(_, node)
      assert(internal.folder_write(node.dir, "value", "half"))
      error({ kind = "cancelled", message = "as a signal does" }, 0)
    end } , roles = { bug_hunter = shell "true" } })
    t.falsy(ok)
    t.equal(read(dir, "value"), "half")
    local ctx, complete = run(dir, { roles = { bug_hunter = shell 'grep -q wrong value && printf right > value' } })
    t.truthy(complete, "the hunter saw the file as it was before")
    t.equal(ctx.store:record("one").output, "Fixed after 1 attempts")
  end,

  ["a torn end of the journal is left out, damage in it is kept aside"] = function(t)
    local dir = project(test_is_right, one_task())
    run(dir, { roles = { bug_hunter = shell "printf right > value" } })
    local folder = dir .. "/plan.state"
    local text = read(folder, "journal.jsonl")
    assert(internal.folder_write(folder, "journal.jsonl", text .. "0123456789abcdef {\"op\":\"state\",\"id\""))
    local store = plan_state.open(dir .. "/plan.json")
    t.equal({ store:record("one").state, store.is_damaged }, { "completed", false })
    t.equal(read(folder, "journal.jsonl"), text)
    store:close()
    assert(internal.folder_write(folder, "journal.jsonl", (text:gsub('"passed":true', '"passed": true'))))
    store = plan_state.open(dir .. "/plan.json")
    t.truthy(store.is_damaged)
    t.truthy(store:record("one").state ~= "completed")
    store:close()
    local kept = 0
    for _, name in ipairs(qa.fs.list(folder)) do kept = kept + (name:find "^journal.corrupt" and 1 or 0) end
    t.equal(kept, 1)
  end,

  ["two runs of one plan do not meet"] = function(t)
    local dir = project(test_is_right, one_task())
    local store = plan_state.open(dir .. "/plan.json")
    t.raises(function() plan_state.open(dir .. "/plan.json") end, "another qa%-host runs this plan")
    store:close()
  end,

  ["roles are commands, endpoints, or nobody; a model writes only what the task names"] = function(t)
    t.equal(roles.parse "my-agent --fix {prompt}", { command = { "my-agent", "--fix", "{prompt}" } })
    t.equal(roles.parse "openai", { endpoint = "openai" })
    t.raises(function() roles.parse "" end, "a role is")
    local dir = project(test_is_right, one_task())
    local original = qa.llm.object
    local asked
    qa.llm.object = function(opts)
      asked = opts.prompt
      return { reasoning = "the value was wrong",
        files = { { path = "value", content = "right" }, { path = "tests/t.sh", content = "exit 0" } } }, { usd = 0 }
    end
    local ok, ctx, complete = pcall(run, dir, { roles = { bug_hunter = { endpoint = "ollama" } } })
    qa.llm.object = original
    if not ok then error(ctx, 0) end
    t.truthy(complete)
    t.equal(read(dir, "tests/t.sh"), test_is_right["tests/t.sh"])
    t.truthy(ctx.store:record("one").hunts[1].output:find "not written, for the task does not name them: tests/t.sh")
    t.truthy(asked:find "<<<file %x+\nwrong\nfile %x+>>>", "files are fenced")
  end,

  ["E-023: one task in full shows its state, its test and each change"] = function(t)
    local dir = project(test_is_right, one_task())
    local ctx = run(dir, { roles = { bug_hunter = shell "printf right > value" } })
    local text = table.concat(plan_text.task(ctx.store, ctx.tree.by_path.one), "\n")
    t.truthy(text:find("attempt 1  changed value", 1, true) and text:find("-wrong", 1, true)
      and text:find("+right", 1, true), text)
  end,
}
