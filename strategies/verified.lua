--- Verified projects (`qa-host plan`): a task is completed when its test passes, and not before. What is policy about
-- that is here: who does what and with which prompt, how often a failing task is tried again, how a project is divided,
-- where tests are looked for. Change it in a file of your own: `return { extends = "verified", options = {...} }`, and
-- `qa-host plan run FILE --policy mine.lua`. Played on a target, it is the standard strategy.
local mending = require "qa.project.mending"
local planner = require "qa.project.planner"
local task_test = require "qa.project.task_test"

return {
  name = "verified",
  doc = "projects whose tasks are complete when their tests pass",

  options = {
    max_retries = { default = 3, doc = "attempts of the bug hunter for one task" },
    test_timeout_ms = { default = 600000, doc = "time of one test, where the task says nothing" },
    role_timeout_ms = { default = 1800000, doc = "time of one attempt of an executor, bug hunter or planner" },
    max_depth = { default = 3, doc = "how deep projects may be nested below the plan itself" },
    least_phases = { default = 5, doc = "phases of a plan, at least" },
    most_phases = { default = 10, doc = "phases of a plan, at most" },
    ask_above = { default = 10, doc = "more tasks than this: sub-projects are proposed, and asked about" },
    suggest_above = { default = 15, doc = "more tasks than this: the proposal says that it is advised" },
    most_tasks = { default = 9, doc = "tasks of one sub-project, at most" },
    -- When to think again about all this (the figures are printed after each run).
    least_retry_success = { default = 0.5, doc = "share of failing tasks that the bug hunter mends" },
    most_test_share = { default = 0.3, doc = "share of the working time that tests take" },
    most_missed_tests = { default = 0.2, doc = "share of tasks for which no test is found" },
  },

  lists = {
    -- In this order; a test_command or test_game of the task comes first. {id} is tried as it is and with "_" for "-".
    test_conventions = {
      { name = "pytest", path = "tests/test_{id}.py", argv = { "pytest", "{path}", "-v" },
        junit_argument = "--junitxml={path}" },
      { name = "make", path = "Makefile", target = "test-{id}", argv = { "make", "test-{id}" } },
      { name = "file", path = "{id}_test.py", argv = { "pytest", "{path}", "-v" },
        junit_argument = "--junitxml={path}" },
      { name = "file", path = "test_{id}.py", argv = { "pytest", "{path}", "-v" },
        junit_argument = "--junitxml={path}" },
    },
    -- Files that decide, beside the tests themselves, what a program tests. They belong to the test.
    test_settings = {
      pytest = { "conftest.py", "tests/conftest.py", "pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini",
        "setup.cfg", "pytest.py" },
      make = { "Makefile", "makefile", "GNUmakefile" }, npm = { "package.json" },
    },
    -- Names that a snapshot of a project leaves out: what tools write while they work.
    ignore = { ".git", ".hg", "__pycache__", "*.pyc", ".pytest_cache", ".mypy_cache", ".ruff_cache", "qa-runs",
      ".DS_Store" },
  },

  ---The executor makes what a task describes. nil, err ends the task.
  act = function(ctx, task) return mending.make(ctx, task) end,

  ---One run of the test.
  assess = function(ctx, task, test)
    return task_test.run(task, test,
      { scratch = ctx.scratch(task), known_cases = ctx.store:record(task.path).most_cases,
      timeout_ms = task.task.timeout_ms or ctx.options.test_timeout_ms })
  end,

  ---The bug hunter gets the task, the failure and the files.
  recover = function(ctx, task, failure) return mending.mend(ctx, task, failure) end,

  ---The planner: phases for a goal, or the tasks of one phase.
  propose = function(ctx, request) return planner.ask(ctx, request) end,
}
