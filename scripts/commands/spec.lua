-- usage: qa-host spec [--max-failures N] [--reporter json] PATH...
--
-- Runs the *_spec.lua files below each path; exit 0 when all pass, 1 otherwise. A spec file returns
-- { ["a sentence"] = function(t) ... end }.
-- With --max-failures N the rest is left out after N failures.
-- With --reporter json stdout has one JSON line a sentence, {file, name, ok, message}, and no closing line.
local qa = require "qa"
local failure = require "qa.text.failure"
local words = require "qa.run.command_words"

local function show(value)
  if type(value) == "table" and not value.kind then
    local ok, text = pcall(qa.json.encode, value)
    if ok then return text end
  end
  return type(value) == "string" and ("%q"):format(value) or tostring(value)
end

local function same(a, b)
  if a == b then return true end
  if type(a) ~= "table" or type(b) ~= "table" then return false end
  for key, value in pairs(a) do if not same(value, b[key]) then return false end end
  for key in pairs(b) do if a[key] == nil then return false end end
  return true
end

local t = {}
---Compares plain data, tables by content.
function t.equal(got, expected, note)
  if not same(got, expected) then
    error(("%sexpected %s, got %s"):format(note and note .. ": " or "", show(expected), show(got)), 2)
  end
end
function t.truthy(value, note)
  if not value then error((note or "expected a true value") .. ", got " .. show(value), 2) end
end
function t.falsy(value, note)
  if value then error((note or "expected nil or false") .. ", got " .. show(value), 2) end
end
---fn raises; the text matches the pattern. Returns what was raised.
function t.raises(fn, pattern)
  local ok, err = pcall(fn)
  if ok then error("expected an error", 2) end
  local text = failure.text(err)
  if pattern and not text:find(pattern) then error(("expected an error like %q, got %q"):format(pattern, text), 2) end
  return err
end
function t.fail(note) error(note or "failed", 2) end

local function collect(path, files)
  local stat = qa.fs.stat(path)
  if not stat then error(path .. ": no such file or folder", 0) end
  if stat.kind == "file" then
    files[#files + 1] = path
    return files
  end
  for _, name in ipairs(assert(qa.fs.list(path))) do
    local inner = path:gsub("/+$", "") .. "/" .. name
    if name:match("/$") then
      collect((inner:gsub("/+$", "")), files)
    elseif name:match("_spec%.lua$") then
      files[#files + 1] = inner
    end
  end
  return files
end

---What is open now, by kind; {} where the host does not count.
local function open_now()
  local ok, internal = pcall(require, "qa.internal")
  return ok and type(internal) == "table" and internal.leaks and internal.leaks() or {}
end

---What a sentence left open, as text, or nil.
local function left_open(before)
  local after, parts = open_now(), {}
  for _, kind in ipairs { "tasks", "pages", "browsers" } do
    local more = (after[kind] or 0) - (before[kind] or 0)
    if more > 0 then parts[#parts + 1] = ("%d %s"):format(more, kind) end
  end
  return #parts > 0 and table.concat(parts, ", ") or nil
end

---Counts a sentence and tells how it went.
local function tell(totals, file, name, ok, problem)
  totals[ok and "passed" or "failed"] = totals[ok and "passed" or "failed"] + 1
  local message = not ok and failure.text(problem) or nil
  if totals.is_json then
    print(qa.json.encode { file = file, name = name, ok = ok, message = message })
  elseif not ok then
    print(("FAILED %s: %s\n  %s"):format(file, name, message))
  end
end

local function run_file(path, totals)
  local chunk, err = qa.load_chunk(path)
  if not chunk then error(type(err) == "table" and err.message or err, 0) end
  local sentences, names = chunk(), {}
  if type(sentences) ~= "table" then error(path .. ": a spec file returns a table of sentences", 0) end
  for name in pairs(sentences) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do
    local before = open_now()
    local ok, problem = pcall(sentences[name], t)
    if not ok and failure.is_loss(problem) and problem.kind ~= "browser_lost" then error(problem, 0) end
    local left = left_open(before)
    if ok and left then ok, problem = false, path .. ": left open: " .. left end
    tell(totals, path, name, ok, problem)
    if totals.failed >= totals.most_failures then return end
  end
end

return words.command(function(command)
  local options, paths = words.parse("spec", command, { "max-failures", "reporter" })
  if #paths == 0 then paths = { "tests/lua" } end
  local most = tonumber(options["max-failures"] or math.huge)
  if not most or most < 1 then
    error(("qa-host spec: --max-failures takes a number from 1, got '%s'"):format(options["max-failures"]), 0)
  end
  if options.reporter and options.reporter ~= "json" then
    error(("qa-host spec: --reporter takes json, got '%s'"):format(options.reporter), 0)
  end
  local totals = { passed = 0, failed = 0, most_failures = most, is_json = options.reporter ~= nil }
  for _, path in ipairs(paths) do
    for _, file in ipairs(collect(path, {})) do
      if totals.failed >= most then break end
      local ok, err = pcall(run_file, file, totals)
      if not ok then
        if failure.is_loss(err) then error(err, 0) end
        tell(totals, file, "the file runs", false, err)
      end
    end
  end
  if not totals.is_json then
    if totals.passed + totals.failed == 0 then print("no sentence was run") end
    print(("%d passed, %d failed"):format(totals.passed, totals.failed))
  end
  return { exit_code = (totals.failed > 0 or totals.passed == 0) and 1 or 0 }
end)
