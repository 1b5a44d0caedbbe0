-- Prints the status of a report and the seconds that its run took. usage: qa-host tests/accept/cause/verdict.lua REPORT
local qa = require "qa"

local report = assert(qa.json.decode(assert(qa.fs.read(qa.args[1]))))
print(("%s %.1f"):format(report.status, report.metadata.duration / 1000))
