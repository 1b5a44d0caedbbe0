-- usage: qa-host budget [--since YYYY-MM-DD] [--by model|purpose|day|suite|run]
--
-- What models have cost, all processes together.
local failure = require "qa.text.failure"
local internal = require "qa.internal"
local words = require "qa.run.command_words"

local columns = { model = true, purpose = true, day = true, suite = true, run = true }

local function run(command)
  local options = words.parse("budget", command, { "since", "by" })
  local by = options.by or "model"
  if not columns[by] then error("qa-host budget: --by is model, purpose, day, suite or run, got '" .. by .. "'", 0) end
  local rows, err = internal.shared_spending(options.since or "")
  if not rows then error(failure.text(err), 0) end
  local sums, names, total = {}, {}, 0
  for _, row in ipairs(rows) do
    local name = row[by] ~= "" and row[by] or "-"
    if not sums[name] then
      sums[name] = { calls = 0, usd = 0, assumed_usd = 0, held_usd = 0 }
      names[#names + 1] = name
    end
    for field in pairs(sums[name]) do sums[name][field] = sums[name][field] + row[field] end
    total = total + row.usd
  end
  table.sort(names)
  print(("%-40s %7s %12s %12s %12s"):format(by, "calls", "usd", "assumed", "held"))
  for _, name in ipairs(names) do
    local sum = sums[name]
    print(("%-40s %7d %12.6f %12.6f %12.6f"):format(name, sum.calls, sum.usd, sum.assumed_usd, sum.held_usd))
  end
  print(("%-40s %7s %12.6f"):format("total", "", total))
  return { exit_code = 0 }
end

return words.command(run)
