-- A game as the test of a task: a strategy plays it, and the run's verdict counts, or that of an oracle: a file of the
-- tester's own that looks at the open page when the play is over. Everything is read from disk for each run, so that a
-- changed strategy is in force in the next one.
local qa = require "qa"
local failure = require "qa.text.failure"

local M = {}

local function place(node, path)
  if not path or path:match "^https?://" then return path end
  return node.dir .. "/" .. path
end

---The function of an oracle file: function(ctx, report) -> true, or false and why.
local function load_oracle(path)
  local chunk, err = qa.load_chunk(path)
  if not chunk then error(failure.text(err), 0) end
  local oracle = chunk()
  if type(oracle) ~= "function" then error(path .. ": an oracle is a file that returns a function(ctx, report)", 0) end
  return oracle
end

---What a report says against the game, in words.
local function against(report)
  local lines = { ("the run ended with %s, score %d"):format(report.status, report.playability_score) }
  for _, check in ipairs(report.checks or {}) do
    if check.outcome ~= "pass" then
      lines[#lines + 1] = ("check %s: %s%s"):format(check.id, check.outcome, type(check.missing) == "string"
        and ": " .. check.missing or "")
    end
  end
  for _, issue in ipairs(report.issues or {}) do
    lines[#lines + 1] = ("%s %s: %s"):format(issue.severity, issue.kind, issue.description)
  end
  for _, missing in ipairs(report.missing or {}) do lines[#lines + 1] = "missing: " .. tostring(missing) end
  return table.concat(lines, "\n")
end

---@return table result as of qa.project.task_test.run, with `report`, the path of the run's report
function M.run(node, test, opts)
  local game, said, why = test.game, nil, nil
  local began = qa.now_ms()
  local oracle = game.oracle and load_oracle(place(node, game.oracle))
  local strategy = game.strategy
  if strategy and strategy:find "[/.]" then strategy = place(node, strategy) end
  local ok, outcome = pcall(require("qa.run.loop").run, {
    strategy = strategy or "standard", target = place(node, game.target), metadata = place(node, game.metadata),
    set = game.set, seed = game.seed, quiet = true, slug = node.path, max_duration_ms = opts.timeout_ms,
    on = function(stage, ctx)
      if stage ~= "done" or not oracle then return end
      local asked, answer, reason = pcall(oracle, ctx, require("qa.run.report").build(ctx.fold))
      if not asked and failure.is_loss(answer) then error(answer, 0) end
      said, why = asked and answer == true, asked and reason or not asked and failure.text(answer)
    end })
  if not ok and failure.is_loss(outcome) and outcome.kind ~= "browser_lost" then error(outcome, 0) end
  if ok and outcome.reason == "cancelled" then error(failure.new("cancelled", "stopped by a signal", "loop.run"), 0) end
  local ms = qa.now_ms() - began
  if not ok then
    -- A strategy or metadata that does not load is what a task may be about; a missing browser is not.
    local is_broken = type(outcome) == "table" and (outcome.kind == "browser_launch_failed"
      or outcome.kind == "browser_lost")
    return { passed = false, output = "", failure_details = failure.text(outcome), ms = ms, is_broken = is_broken }
  end
  local passed = outcome.status == "pass"
  -- An oracle may say more than the judge, not less: what was measured as a failure stays one.
  if oracle then passed = said == true and (passed or outcome.status == "inconclusive") end
  local result = { passed = passed, output = ("%s, score %d"):format(outcome.status, outcome.score), ms = ms,
    report = outcome.path }
  if not passed then
    result.failure_details = (oracle and ("the oracle says: %s\n"):format(tostring(why or "no")) or "")
      .. against(outcome.report)
  end
  return result
end

return M
