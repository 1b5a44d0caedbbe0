-- Are two reports the same, but for what docs/report.md calls volatile? usage: qa-host
-- tests/accept/models/same_reports.lua A B REPORT.md [verdict]      with `verdict`: only status, checks and calls
local qa = require "qa"

local volatile = {}
for name in assert(qa.fs.read(qa.args[3])):match("Volatile fields:(.-)\n\n"):gmatch "`([%w_]+)`" do
  volatile[name] = true
end

local function first_difference(a, b, path)
  if type(a) ~= "table" or type(b) ~= "table" then
    return a ~= b and ("%s: %s and %s"):format(path, tostring(a), tostring(b)) or nil
  end
  local names = {}
  for name in pairs(a) do names[name] = true end
  for name in pairs(b) do names[name] = true end
  for name in pairs(names) do
    if not volatile[name] then
      local difference = first_difference(a[name], b[name], path .. "." .. tostring(name))
      if difference then return difference end
    end
  end
end

local function verdict_of(report)
  local said = { status = report.status, checks = {}, calls = {} }
  for i, check in ipairs(report.checks) do said.checks[i] = { id = check.id, outcome = check.outcome } end
  for i, call in ipairs(report.budget.calls) do
    said.calls[i] = { model = call.model, purpose = call.purpose, usage = call.usage }
  end
  return said
end

local function load(path)
  local report = qa.json.decode(assert(qa.fs.read(path)))
  return qa.args[4] == "verdict" and verdict_of(report) or report
end

local difference = first_difference(load(qa.args[1]), load(qa.args[2]), "report")
print(difference or "same")
return difference == nil
