-- How long the vision model and the orchestrator of the first turn took together, by the spans of a run's journal.
-- usage: qa-host tests/accept/strategies/overlap.lua TRACE     prints the milliseconds, and those of each
local qa = require "qa"
local spans = {}
for text in assert(qa.fs.read(qa.args[1])):gmatch "[^\n]+" do
  local ok, line = pcall(qa.json.decode, text)
  local event = ok and type(line.args) == "table" and line.args or {}
  local data = type(event.data) == "table" and event.data or event
  if event.name == "span" and data.ms and not spans[data.name] then
    spans[data.name] = { from = line.t_ms - data.ms, to = line.t_ms, ms = data.ms }
  end
end
local vision, plan = spans.vision, spans.orchestrator
if not (vision and plan) then
  print("no spans of both")
  return false
end
print(("%.0f of %.0f and %.0f"):format(math.max(vision.to, plan.to) - math.min(vision.from, plan.from), vision.ms,
  plan.ms))
