-- The test of a task: which one it is (its own command, a game that is played, or a convention), what it consists of,
-- and a run of it. A test passes by its exit code, and only if its own report does not say otherwise.
local qa = require "qa"
local failure = require "qa.text.failure"
local guard = require "qa.project.change_guard"
local test_report = require "qa.project.test_report"
local utf8 = require "qa.text.utf8"

local M = {}

local function below(node, path) return node.dir .. "/" .. path end

local function is_file(path)
  local stat = qa.fs.stat(path)
  return stat ~= nil and stat.kind == "file"
end

---{id} and {path} of a convention filled in.
local function filled(text, id, path) return (text:gsub("{(%w+)}", { id = id, path = path })) end

local function add(list, path) list[#list + 1] = path end

---Files that stand in a command: a script that it runs, a test file that it names.
local function files_of_command(node, argv, settings)
  local files = {}
  ---With test_files the tester has said what the test is; what a task may change is then not part of it.
  local function is_subject(path)
    for _, pattern in ipairs(node.task.test_files and node.task.files or {}) do
      if guard.covers(pattern, path) then return true end
    end
    return false
  end
  for _, word in ipairs(argv) do
    local path = word:gsub("^%./", "")
    if path:sub(1, 1) ~= "/" and is_file(below(node, path)) and not is_subject(path) then add(files, path) end
  end
  for _, setting in ipairs(settings[argv[1]:match "[^/]+$"] or {}) do
    if is_file(below(node, setting)) then add(files, setting) end
  end
  return files
end

---A rule of lists.test_conventions that fits the task, as a test.
local function by_convention(node, rule, settings)
  for _, id in ipairs{ node.id, (node.id:gsub("[-.]", "_")) } do
    local path = filled(rule.path, id)
    if is_file(below(node, path)) then
      local has_target = not rule.target
      if rule.target then
        local wanted = filled(rule.target, id)
        for line in (qa.fs.read(below(node, path)) or ""):gmatch "[^\n]+" do
          local targets = line:match "^([%w_. -]+):%f[^=:]" or ""
          for target in targets:gmatch "%S+" do has_target = has_target or target == wanted end
        end
      end
      if has_target then
        local argv = {}
        for i, word in ipairs(rule.argv) do argv[i] = filled(word, id, path) end
        local files = files_of_command(node, argv, settings)
        add(files, path)
        return { kind = "command", argv = argv, files = files, found_by = rule.name,
          junit_argument = rule.junit_argument }
      end
    end
  end
end

local function game_test(node)
  local game, files = node.task.test_game, {}
  for _, field in ipairs{ "oracle", "strategy", "metadata" } do
    local path = game[field]
    local may_change = false
    for _, mine in ipairs(node.task.files or {}) do may_change = may_change or mine == path end
    if path and not may_change and is_file(below(node, path)) then add(files, path) end
    if may_change and field == "oracle" then return nil, "its oracle is among the files that it may change" end
    if may_change and field == "strategy" and not game.oracle then
      return nil, "who may change the strategy writes its own verdict: give test_game an oracle"
    end
  end
  return { kind = "game", game = game, files = files, found_by = "test_game" }
end

---The test of a task, or nil and why there is none that counts.
---@param node table
---@param lists {test_conventions: table[], test_settings: table<string, string[]>}
---@return table? test {kind, argv | game, files, found_by, junit?}
---@return string? reason
function M.find(node, lists)
  local task, test = node.task, nil
  if task.test_game then
    local why
    test, why = game_test(node)
    if not test then return nil, why end
  elseif task.test_command then
    test = { kind = "command", argv = task.test_command, found_by = "test_command",
      files = files_of_command(node, task.test_command, lists.test_settings) }
  else
    for _, rule in ipairs(lists.test_conventions) do
      test = test or by_convention(node, rule, lists.test_settings)
    end
  end
  local tried = {}
  for _, rule in ipairs(lists.test_conventions) do tried[#tried + 1] = filled(rule.target or rule.path, node.id) end
  if not test then
    return nil, ("no test was found: give test_command or test_game, or one of %s"):format(table.concat(tried, ", "))
  end
  if task.test_file then add(test.files, task.test_file) end
  for _, path in ipairs(task.test_files or {}) do add(test.files, path) end
  for _, path in ipairs(test.files) do
    for _, mine in ipairs(task.files or {}) do
      if mine == path then
        return nil, path .. " is its test and among the files that it may change; take it out of files"
      end
    end
  end
  test.junit = task.junit
  return test
end

---One line that says what is run.
function M.describe(test)
  if test.kind == "command" then return table.concat(test.argv, " ") end
  return ("play %s with %s%s"):format(test.game.target, test.game.strategy or "standard",
    test.game.oracle and ", judged by " .. test.game.oracle or "")
end

---Changes when the test does: its words, its files, the program that runs it.
---@return string hash
function M.fingerprint(node, test)
  local parts = { test.kind, test.kind == "command" and table.concat(test.argv, "\0") or qa.json.encode(test.game),
    test.junit or "" }
  table.sort(test.files)
  for _, path in ipairs(test.files) do
    local bytes = qa.fs.read(below(node, path))
    parts[#parts + 1] = path .. "=" .. (bytes and qa.fs.sha256(bytes) or "none")
  end
  local program = test.kind == "command" and qa.process.find(test.argv[1], node.dir)
  local bytes = program and qa.fs.read(program)
  parts[#parts + 1] = (program or "") .. "=" .. (bytes and qa.fs.sha256(bytes) or "none")
  return qa.fs.sha256(table.concat(parts, "\n"))
end

---What contradicts an exit code of 0, or nil.
local function contradiction(report, test, known_cases)
  if not report then
    return (test.junit or test.junit_argument) and "the program ended well but left no report of its tests" or nil
  end
  if report.failed > 0 then
    return ("the program ended well, its report says that %d tests failed"):format(report.failed)
  end
  if report.cases == 0 then return "no test was run" end
  if report.planned and report.seen < report.planned then
    return ("%d tests were planned, %d were run"):format(report.planned, report.seen)
  end
  if known_cases and report.cases < known_cases then
    return ("%d tests were run, %d before"):format(report.cases, known_cases)
  end
end

---@param opts table {scratch: folder for its report, timeout_ms, known_cases?}
---@return table result {passed, output, failure_details?, ms, cases?, is_broken?}
local function run_command(node, test, opts)
  local argv, junit = { unpack(test.argv) }, test.junit and below(node, test.junit)
  if test.junit_argument then
    junit = opts.scratch .. "/junit.xml"
    argv[#argv + 1] = filled(test.junit_argument, node.id, junit)
  end
  -- A report of an earlier run must not speak for this one.
  if junit and qa.fs.stat(junit) then
    local internal = require "qa.internal"
    local removed, err = internal.folder_remove(junit:match "^(.*)/[^/]*$", junit:match "[^/]+$")
    if not removed then
      return { passed = false, is_broken = true, ms = 0, output = "", failure_details = failure.text(err) }
    end
  end
  local began = qa.now_ms()
  local done, err = qa.process.run{ argv = argv, cwd = node.dir, timeout_ms = opts.timeout_ms,
    -- Compiled files that lie in the project are not what is tested.
    env = { PYTHONPYCACHEPREFIX = opts.scratch .. "/pycache", PYTHONDONTWRITEBYTECODE = "1", CI = "1" } }
  if not done then
    local detail = err.detail or {}
    local said = test_report.tail((detail.stdout or "") .. "\n" .. (detail.stderr or ""))
    return { passed = false, is_broken = err.kind == "process_failed", ms = qa.now_ms() - began, output = said,
      failure_details = failure.text(err) .. (said:match "%S" and "\n" .. said or "") }
  end
  local bytes = junit and qa.fs.read(junit)
  local report = bytes and test_report.junit(bytes) or (not junit and test_report.tap(done.stdout)) or nil
  local output = test_report.tail(done.stdout .. (done.stderr ~= "" and "\n" .. done.stderr or ""))
  local result = { passed = done.exit_code == 0, output = output, ms = done.ms, cases = report and report.cases,
    exit_code = done.exit_code }
  local against = result.passed and contradiction(report, test, opts.known_cases)
  if against then result.passed = false end
  if not result.passed then
    local details = report and report.failed > 0 and test_report.text(report) or output
    result.failure_details = ("%s\n%s"):format(against or ("exit code %d%s"):format(done.exit_code,
      done.signal and (" (signal %d)"):format(done.signal) or ""), details)
  end
  return result
end

---Runs the test of a task once.
---@param node table
---@param test table of find
---@param opts table {scratch, timeout_ms, known_cases?, play: fun(node, game): table}
---@return {passed: boolean, output: string, failure_details?: string, ms: number, cases?: integer, is_broken?: boolean}
function M.run(node, test, opts)
  local result = test.kind == "command" and run_command(node, test, opts)
    or require("qa.project.game_test").run(node, test, opts)
  if result.failure_details then result.failure_details = utf8.shorten(result.failure_details, 12000) end
  return result
end

return M
