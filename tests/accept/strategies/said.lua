-- What a report says of one run, for a line. usage: qa-host tests/accept/strategies/said.lua REPORT [FIELD...]    FIELD
-- is Lua over r
local qa = require "qa"
local bytes = qa.fs.read(qa.args[1])
if not bytes then
  print("no report")
  return
end
local r = qa.json.decode(bytes)
if not qa.args[2] then
  local m, played = r.metrics or {}, r.played or {}
  print(("%s, %s, $%.4f (seed's formula $%.2f), %d calls, %d actions, %.2f a screenshot, %s"):format(played.won
    and "won" or "not won", r.status,
    r.budget.spent_usd, r.metadata.estimatedCost or 0, m.model_calls or #r.budget.calls, m.actions or 0,
    m.actions_per_screenshot or 0,
    tostring(r.completion_reason)))
  return
end
local said = {}
for i = 2, #qa.args do
  local chunk = assert(loadstring("local r = ... return " .. qa.args[i]))
  local ok, value = pcall(chunk, r)
  said[#said + 1] = ok and tostring(value) or "?"
end
print(table.concat(said, " "))
