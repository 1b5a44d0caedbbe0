-- usage: qa-host recover DIR
-- Makes report.json of the run directory DIR from its journal: of a run that died a partial one, of a finished run the
-- same report again. The exit code is that of the verdict, 0 of a partial one.
local qa = require "qa"
local exit_codes = require "qa.run.exit_codes"
local failure = require "qa.text.failure"
local report_of = require "qa.run.report"

local function recover(path)
  local dir, err = qa.run.open{ reopen = path }
  if not dir then error(("%s: %s"):format(path, failure.text(err)), 0) end
  local lines
  lines, err = qa.run.journal()
  if not lines then error(("%s: %s"):format(path, failure.text(err)), 0) end
  local report = report_of.from_journal(lines)
  if report.metadata.sessionId == "" then error(path .. ": the journal has no run in it", 0) end
  local ok
  ok, err = qa.run.publish("report.json", report_of.encode(report))
  if not ok then error(("%s: %s"):format(path, failure.text(err)), 0) end
  return report, dir .. "/report.json"
end

return function(command)
  local path = command.dir or command.target or (command.args or qa.args or {})[1]
  if not path then
    qa.log.line(require("qa.run.command_words").usage())
    return { exit_code = 3 }
  end
  local ok, report, file = pcall(recover, (path:gsub("(.)/+$", "%1")))
  if not ok then
    if failure.is_loss(report) then error(report, 0) end
    qa.log.error(failure.text(report))
    return { exit_code = 3 }
  end
  print(("%s: %s, score %d, %d steps%s"):format(file, report.status, report.playability_score, #report.steps,
    report.partial and ", partial" or ""))
  return { exit_code = report.partial and 0 or exit_codes[report.status] or 3 }
end
