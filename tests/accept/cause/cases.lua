-- Rows of tests/accept/cause/20_cases.sh: each case of tests/data/cases in its fine and its broken version, judged on
-- game time. usage: qa-host cases.lua [ID,...]
local qa = require "qa"
local acceptance = assert(qa.load_chunk("tests/support/acceptance.lua"))()

local FOLDER = "tests/data/cases"
local LEAST_FINE, LEAST_BROKEN = 14, 13

local function list()
  local found = {}
  for _, name in ipairs(assert(qa.fs.list(FOLDER))) do
    local id = name:match "^(%d%d%-.+)/$"
    if id and (not qa.args[1] or ("," .. qa.args[1] .. ","):find("," .. id:sub(1, 2) .. ",", 1, true)) then
      found[#found + 1] = id
    end
  end
  table.sort(found)
  return found
end

local function one_of(value, values)
  for _, each in ipairs(values or {}) do if each == value then return true end end
  return false
end

---@return table {status, kinds, seconds, path}
local function judge(folder)
  local began = qa.now_ms()
  local ok, outcome = pcall(require("qa.run.loop").run, { strategy = "standard", target = folder, quiet = true,
    clock = "auto", set = { interaction_ms = "6000" } })
  local seconds = (qa.now_ms() - began) / 1000
  if not ok then return { status = "error", kinds = {}, seconds = seconds, path = tostring(outcome) } end
  local kinds = {}
  for _, issue in ipairs(outcome.report.issues) do kinds[#kinds + 1] = issue.kind end
  return { status = outcome.status, kinds = kinds, seconds = seconds, path = outcome.path }
end

local fine_passed, fine_failed, broken_failed, broken_passed, count = 0, {}, 0, {}, 0
for _, id in ipairs(list()) do
  local case = assert(qa.json.decode(assert(qa.fs.read(("%s/%s/case.json"):format(FOLDER, id)))))
  count = count + 1
  for _, version in ipairs{ "fine", "broken" } do
    local expected, got = case.expected[version], judge(("%s/%s/%s"):format(FOLDER, id, version))
    local is_right = got.status == expected.status
    if version == "broken" and is_right then
      is_right = false
      for _, kind in ipairs(got.kinds) do is_right = is_right or one_of(kind, expected.kinds) end
    end
    if version == "fine" then
      fine_passed = fine_passed + (is_right and 1 or 0)
      if got.status == "fail" or one_of(got.status, expected.never) then fine_failed[#fine_failed + 1] = id end
    else
      broken_failed = broken_failed + (is_right and 1 or 0)
      if got.status == "pass" then broken_passed[#broken_passed + 1] = id end
    end
    qa.log.line(("%-4s %-22s %-6s %-12s %5.1f s  %s  %s"):format(is_right and "ok" or "NOT", id, version, got.status,
      got.seconds, table.concat(got.kinds, " "), is_right and "" or got.path))
  end
end

local function names(these) return #these > 0 and table.concat(these, ", ") or "none" end
acceptance.row("cases_fine", ("%d of %d pass; fail: %s"):format(fine_passed, count, names(fine_failed)),
  ("at least %d, none fails"):format(LEAST_FINE), fine_passed >= LEAST_FINE and #fine_failed == 0)
acceptance.row("cases_broken", ("%d of %d fail for a right reason; pass: %s"):format(broken_failed, count,
  names(broken_passed)), ("at least %d, none passes"):format(LEAST_BROKEN),
  broken_failed >= LEAST_BROKEN and #broken_passed == 0)
