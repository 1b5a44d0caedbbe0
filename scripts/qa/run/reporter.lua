-- What a person sees: progress on stderr while a run goes on, the result on
-- stdout. Page text goes through the host's terminal-safe writers.
local qa = require "qa"

local M = {}

local words = { pass = "PASS", fail = "FAIL", inconclusive = "INCONCLUSIVE", error = "ERROR" }

---A phase begins.
function M.phase(name, elapsed_ms)
  qa.log.line(("[%6.1f s] %s"):format((elapsed_ms or 0) / 1000, (name:gsub("_", " "))))
end

---The lines of the list reporter.
---@param report table
---@param path string where report.json is
---@param target? string as the user named it
---@return string[]
function M.lines(report, path, target)
  local lines = { ("%s  score %d  %s"):format(words[report.status] or tostring(report.status), report.playability_score,
    tostring(target or report.metadata.gameUrl)) }
  local function add(format, ...) lines[#lines + 1] = "  " .. format:format(...) end
  local start = report.start or {}
  -- A game that answers without a start needs none.
  local no_start = report.status == "pass" and "none needed" or "not found"
  add("type %s, start %s, %d steps, %.1f s, ended: %s", tostring(report.metadata.gameType),
    start.found and tostring(start.method) or no_start, #report.steps, report.metadata.duration / 1000,
    tostring(report.completion_reason))
  for _, issue in ipairs(report.issues) do
    add("%s %s: %s", issue.severity, issue.kind, issue.description)
    -- What decided the verdict is shown here; the rest is in the report.
    for _, entry in ipairs(issue.severity == "critical" and issue.evidence or {}) do add("  %s", tostring(entry)) end
  end
  for _, entry in ipairs(report.missing) do add("missing: %s", tostring(entry)) end
  add("report %s", path)
  return lines
end

---Prints the result on stdout.
---@param report table
---@param path string
---@param kind "list"|"json"
---@param target? string
function M.result(report, path, kind, target)
  if kind == "json" then
    print(qa.json.encode(report))
    return
  end
  for _, line in ipairs(M.lines(report, path, target)) do print(line) end
end

return M
