local qa = require "qa"
local report_of, reporter = require "qa.run.report", require "qa.run.reporter"

---Journal lines as the journal gives them back.
local function journal(list)
  local lines = {}
  for index, entry in ipairs(list) do
    lines[index] = qa.json.decode(qa.json.encode {
      seq = index, t_ms = index * 100, step = 0, op = "event", args = { name = entry[1], data = entry[2] or {} },
      ok = true })
  end
  return lines
end

local started = { "run_started", { url = "http://127.0.0.1:4567/", origin = "http://127.0.0.1:4567",
  strategy = "standard",
  session_id = "s1", utc = "2026-02-28T23:59:59.900Z", seed = 7, limits = { usd = 0.5 }, notes = qa.json.array {} } }

return {
  ["C-022: the report has the keys of the seeds"] = function(t)
    local report = report_of.from_journal(journal { started, { "game_type", { type = "canvas" } },
      { "screenshot", { stage = "initial_load", path = "shots/001_initial_load.png" } },
      { "verdict", { status = "pass", score = 83, missing = {} } },
      { "run_ended", { completion_reason = "completed", duration_ms = 450 } } })
    t.equal(report.status, "pass")
    t.equal(report.playability_score, 83)
    t.equal(report.timestamp, "2026-02-28T23:59:59.900Z")
    t.equal(report.screenshots, { { stage = "initial_load", path = "shots/001_initial_load.png" } })
    t.equal(report.partial, false)
    t.equal(report.completion_reason, "completed")
    for key, value in pairs { sessionId = "s1", duration = 450, gameType = "canvas", visionAnalysisTokens = 0,
      estimatedCost = 0 } do
      t.equal(report.metadata[key], value, key)
    end
    t.equal(report.metadata.consoleErrors, {})
    t.equal(report.metadata.actionHistory, {})
  end,
  ["C-X6: a ready time-out is in the report, with the signals that did not hold"] = function(t)
    local report = report_of.from_journal(journal { started,
      { "ready", { ok = false, ms = 60000, signals = { painted = true, network_idle = false } } } })
    t.equal(report.ready, { ok = false, ms = 60000, signals = { painted = true, network_idle = false } })
    t.equal(report_of.from_journal(journal { started }).ready.ok, false)
  end,
  ["the local server is written as game.local, whatever its port"] = function(t)
    local report = report_of.from_journal(journal { started,
      { "issue", { severity = "major", kind = "request_failed", evidence = {},
        description = "404 http://localhost:4567/a.js, not http://localhost:45678/" } } })
    t.equal(report.metadata.gameUrl, "http://game.local/")
    t.equal(report.issues[1].description, "404 http://game.local/a.js, not http://localhost:45678/")
  end,
  ["the moment of an issue is the start plus the journal's time"] = function(t)
    local report = report_of.from_journal(journal { started,
      { "issue", { severity = "minor", kind = "popup", description = "d" } } })
    t.equal(report.issues[1].timestamp, "2026-03-01T00:00:00.100Z")
    t.equal(report_of.moment("2024-12-31T23:59:59.999Z", 1), "2025-01-01T00:00:00.000Z")
    t.equal(report_of.moment("2024-02-29T12:00:00.000Z", 0), "2024-02-29T12:00:00.000Z")
  end,
  ["the last statement about a check stands, and an issue is listed once"] = function(t)
    local issue = { "issue", { severity = "minor", kind = "popup", description = "d" } }
    local report = report_of.from_journal(journal { started, issue, issue,
      { "check", { id = "loaded", outcome = "unknown" } }, { "check", { id = "loaded", outcome = "pass" } } })
    t.equal(#report.issues, 1)
    t.equal(#report.checks, 1)
    t.equal(report.checks[1].outcome, "pass")
  end,
  ["a journal that ends in the middle gives a partial report with its steps"] = function(t)
    local report = report_of.from_journal(journal { started, { "step", { n = 1, ms = 5 } },
      { "step", { n = 2, ms = 6 } } })
    t.equal(report.partial, true)
    t.equal(report.status, "inconclusive")
    t.equal(#report.steps, 2)
    t.equal(report.metadata.duration, 300)
  end,
  ["the line for a person tells a start that was missing from one that was not needed"] = function(t)
    local function told(status, start)
      local run = { started, { "start", start }, { "verdict", { status = status, score = 50, missing = {} } } }
      return reporter.lines(report_of.from_journal(journal(run)), "report.json")[2]:match("start ([%w ]+),")
    end
    t.equal(told("pass", { found = true, method = "key" }), "key")
    t.equal(told("pass", { found = false, method = "none" }), "none needed")
    t.equal(told("inconclusive", { found = false, method = "none" }), "not found")
  end,
  ["lines after the end of the run change nothing"] = function(t)
    local lines = journal { started, { "run_ended", { completion_reason = "completed", duration_ms = 200 } } }
    local before = report_of.encode(report_of.from_journal(lines))
    lines[#lines + 1] = { seq = 3, t_ms = 9000, op = "browser:close", ok = true }
    t.equal(report_of.encode(report_of.from_journal(lines)), before)
  end,
  ["what conclude changed in the report is kept"] = function(t)
    local report = report_of.from_journal(journal { started,
      { "verdict", { status = "fail", score = 10, missing = {}, changes = { level = 3 } } } })
    t.equal(report.level, 3)
    t.equal(report.status, "fail")
  end,
  ["an empty list stays a list in the text"] = function(t)
    local text = report_of.encode(report_of.from_journal(journal { started }))
    t.truthy(text:find('"issues":[]', 1, true))
    t.truthy(text:find('"steps":[]', 1, true))
  end,
  ["lines of a wrong shape are passed over"] = function(t)
    local lines = journal { started }
    for _, line in ipairs { { op = "event" }, { op = "event", args = { name = "issue" }, t_ms = 5 },
      { op = "event", args = 3, t_ms = "x" }, {} } do
      lines[#lines + 1] = line
    end
    t.equal(report_of.from_journal(lines).metadata.sessionId, "s1")
  end,
}
