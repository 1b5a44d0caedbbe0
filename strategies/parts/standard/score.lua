--- The playability score of a run.
local findings = require "parts.standard.findings"

local M = {}

M.pass_score = 50  -- C-021
M.weights = { loaded = 20, ready = 15, started = 15, responsive = 30, alive = 10, healthy = 10 }
M.penalties = { exception = 8, request_failed = 4, console_error = 1, low_frame_rate = 2 }
M.most_penalty = 25

---0-100: weights of the checks that pass, half for what is not known, less penalties; kept on its side of the pass
---mark.
function M.of(outcomes, f, status)
  local score = 0
  for id, weight in pairs(M.weights) do
    local part = outcomes[id] == "pass" and 1 or outcomes[id] == "unknown" and 0.5 or 0
    score = score + weight * part
  end
  local penalty = 0
  for kind, points in pairs(M.penalties) do
    local n = kind == "low_frame_rate" and (f.fps and f.fps < findings.slow_fps and 1 or 0)
      or findings.count(f.events, kind)
    penalty = penalty + math.min(3, n) * points
  end
  score = score - math.min(M.most_penalty, penalty)
  if status == "pass" then score = math.max(M.pass_score, score) else score = math.min(M.pass_score - 1, score) end
  return math.floor(math.max(0, math.min(100, score)) + 0.5)
end

return M
