-- Names what differs between the reports of two runs, one a line: status, start, controls, issues, or a check's id.
-- usage: qa-host tests/accept/rooms/report_facts.lua FOLDER FOLDER    the newest run below each
local qa = require "qa"

local function report_below(folder)
  local newest
  for _, name in ipairs(qa.fs.list(folder) or {}) do newest = name:find "/$" and folder .. "/" .. name or newest end
  local text = newest and qa.fs.read(newest .. "report.json")
  return text and qa.json.decode(text)
end

---A set of names as one text.
local function joined(list, field)
  local seen, names = {}, {}
  for _, item in ipairs(list) do
    local name = item[field]
    if name and not seen[name] then seen[name], names[#names + 1] = true, tostring(name) end
  end
  table.sort(names)
  return table.concat(names, " ")
end

local function facts_of(report)
  if not report then return { report = "none" } end
  local facts = {
    status = report.status, start = report.start.found and tostring(report.start.method) or "none",
    controls = joined(report.controls, "key"), issues = joined(report.issues, "kind"),
  }
  for _, check in ipairs(report.checks) do facts[check.id] = check.outcome end
  return facts
end

local a, b = facts_of(report_below(qa.args[1])), facts_of(report_below(qa.args[2]))
local names = {}
for name, value in pairs(a) do if b[name] ~= value then names[#names + 1] = name end end
for name in pairs(b) do if a[name] == nil then names[#names + 1] = name end end
table.sort(names)
for _, name in ipairs(names) do print(name) end
