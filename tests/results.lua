-- Counts what tests/run left: PART/JOB.jsonl with one line a test, PART/JOB.err and PART/JOB.code. No JOB.code: it did
-- not end.
-- usage: qa-host tests/results.lua count FOLDER PART...    prints the failures, a sum a part and "N passed, N failed"
--        qa-host tests/results.lua undecided FOLDER        names the games of a part that deserve a second run
local qa = require "qa"

---Tests that a job told of. What else it printed is left out, but a test that cannot be read has failed.
local function tests_of(path)
  local tests = {}
  for line in (qa.fs.read(path) or ""):gmatch "[^\n]+" do
    local ok, test = pcall(qa.json.decode, line)
    if ok and type(test) == "table" and type(test.ok) == "boolean" then
      tests[#tests + 1] = test
    elseif line:find '^{"' and line:find '"ok":false' then
      tests[#tests + 1] = { name = "unreadable", ok = false, message = line }
    end
  end
  return tests
end

local function jobs_of(folder)
  local jobs, seen = {}, {}
  for _, name in ipairs(assert(qa.fs.list(folder))) do
    local job = name:match "^(.*)%.%a+$"
    if job and not seen[job] then
      seen[job], jobs[#jobs + 1] = true, job
    end
  end
  return jobs
end

local function print_failure(part, name, message)
  print(("FAILED %s: %s\n  %s"):format(part, name, (tostring(message or ""):gsub("\n*$", ""):gsub("\n", "\n  "))))
end

---What the job wrote last about itself.
local function last_words(path)
  return (qa.fs.read(path .. ".err") or ""):sub(-2000)
end

---@return integer passed, integer failed
local function count_job(part, job, path)
  local passed, failed = 0, 0
  for _, test in ipairs(tests_of(path .. ".jsonl")) do
    if test.ok then
      passed = passed + 1
    else
      failed = failed + 1
      print_failure(part, test.name, (test.file and test.file .. ": " or "") .. tostring(test.message))
    end
  end
  local code = tonumber(qa.fs.read(path .. ".code") or "")
  if passed + failed == 0 then
    failed = 1
    print_failure(part, job, "no test ran\n" .. last_words(path))
  elseif code ~= 0 and failed == 0 then
    failed = 1
    print_failure(part, job, ("ended with exit code %s\n%s"):format(code or "none", last_words(path)))
  end
  return passed, failed
end

local function count(folder, parts)
  local sums, passed, failed = {}, 0, 0
  for _, part in ipairs(parts) do
    local good, bad = 0, 0
    local path = folder .. "/" .. part
    local jobs = jobs_of(path)
    for _, job in ipairs(jobs) do
      local p, f = count_job(part, job, path .. "/" .. job)
      good, bad = good + p, bad + f
    end
    if #jobs == 0 then
      bad = 1
      print_failure(part, "all", "no test ran")
    end
    sums[#sums + 1] = ("%s: %d passed, %d failed"):format(part, good, bad)
    passed, failed = passed + good, failed + bad
  end
  print(table.concat(sums, "\n"))
  print(("%d passed, %d failed"):format(passed, failed))
  return failed == 0
end

---A dead game without a verdict, where the list expects one.
local function is_undecided(test)
  local expected = not test.ok and test.expected
  return expected and test.status == "inconclusive" and expected.status == "fail"
    and expected.first_kind == "unresponsive" and not test.first_kind
end

local function undecided(folder)
  for _, job in ipairs(jobs_of(folder)) do
    for _, test in ipairs(tests_of(("%s/%s.jsonl"):format(folder, job))) do
      if is_undecided(test) then print(test.name) end
    end
  end
  return true
end

local action, folder = qa.args[1], qa.args[2]
if action == "undecided" then return undecided(folder) end
return count(folder, { select(3, unpack(qa.args)) })
