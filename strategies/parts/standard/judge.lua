--- The judge: from measured facts to checks, issues, status and score. Without a model it works alone. Rule
-- (docs/report.md): `loaded`, `responsive`, `alive` or `healthy` fail -> fail. `loaded`, `responsive`, `alive` pass and
-- none fails -> pass. Else inconclusive, naming what is missing and what the tester can do.
local findings = require "parts.standard.findings"
local rules = require "parts.standard.game_time.rules"
local unreachable = require "parts.standard.unreachable"

local M = { score = require "parts.standard.score" }

M.too_slow_fps = 8  -- below this a missing answer may still be on its way
M.promising_p = 0.05  -- up to this the game may well have answered before it stopped
M.slow_hang_fps = 15  -- below this a page that stops answering may be drawing its next frame

---Did the page stop answering for its picture, not for an endless script? Drawing took long before, or does now.
local function is_slow_hang(f)
  if f.decided ~= "hang" or f.draws_slowly then return f.decided == "hang" end
  for _, event in ipairs(f.events) do
    local detail = event.kind == "hang" and event.detail or {}
    if (detail.gpu_cpu or 0) > math.max(0.1, detail.renderer_cpu or 0) then return true end
  end
  return f.fps ~= nil and f.fps < M.slow_hang_fps
end

local function check_loaded(f, add)
  if f.load_error then
    add("critical", f.load_error.kind, f.load_error.message)
    return "fail"
  end
  if f.refusal and f.response.outcome ~= "yes" then
    add("critical", "webgl_unavailable", ("The page refuses to run for lack of WebGL: it says %q."):format(f.refusal))
    return "fail"
  end
  if f.ready.blank and f.response.outcome ~= "yes" then
    add("critical", "blank_screen", "Nothing is painted: the page shows one flat colour and no text.")
    return "fail"
  end
  if f.ready.stalled and f.response.outcome ~= "yes" then
    add("critical", "load_timeout",
      ("The page is stuck at its loader: it still says %q after %.0f s."):format(f.ready.stalled, f.ready.ms / 1000))
    return "fail"
  end
  return "pass"
end

local function check_healthy(f, add)
  local failed = false
  local sentences = {
    crash = "The game crashed the tab.",
    hang = "The page stopped answering: its script does not give control back.",
    dialog_storm = "The page opens dialogs faster than a player could close them.",
    reload_loop = "The page reloads itself again and again.",
    redirect = "The page left for another site.",
  }
  for _, kind in ipairs{ "crash", "hang", "dialog_storm", "reload_loop", "redirect" } do
    local n, first = findings.count(f.events, kind)
    local counts = n > 0 and not (kind == "hang" and f.recovered) or kind == "hang" and f.no_answer
      or kind == "reload_loop" and f.decided == kind
    if counts and not (kind == "hang" and is_slow_hang(f)) then
      failed = true
      add("critical", kind, sentences[kind] .. (first and first.message ~= "" and (" " .. first.message) or ""))
    end
  end
  return failed and "fail" or "pass"
end

local function check_responsive(f, add)
  local r = f.response
  if f.ended_by_exception and not f.game_over then return "fail" end
  if r.outcome == "yes" and not f.stopped then return "pass" end
  if r.outcome == "yes" then
    if f.game_over then
      return "unknown", "The game answered and then stopped at its own end screen. Give metadata or a start hook " ..
        "that begins a new round."
    end
    if f.still_at_end and (f.loop_alive or f.restart_worked or not f.was_animated)
      and not findings.cause_of_death(f) then
      return "unknown", "The game answered, then showed a still picture: an end screen or a pause. Give a start " ..
        "hook that begins a new round."
    end
    local kind = f.still_at_end and "frozen" or "soft_lock"
    if not findings.cause_of_death(f) then
      add("critical", kind, kind == "frozen" and "The game answered at first, then its picture stopped for good."
        or "The game answered at first, then no input changed anything while it went on running.")
    end
    return "fail"
  end
  if is_slow_hang(f) then
    return "unknown", "The page stopped answering while its picture was drawn in software. Run it on a machine with " ..
      "a GPU, or --headed."
  end
  if not f.declared and f.failed_before_ready then return "fail" end
  if f.fps and f.fps < M.too_slow_fps and not findings.cause_of_death(f) then
    return "unknown", ("The game makes only %.1f frames per second here, too few to see its answers. Run it on a " ..
      "machine with a GPU, or --headed.")
      :format(f.fps)
  end
  if f.game_over and not findings.cause_of_death(f) then
    return "unknown", "The game reached its end screen before it could be judged. Give metadata or a start hook " ..
      "that begins a new round."
  end
  if f.was_hung and not findings.cause_of_death(f) then
    return "unknown", "The page stopped answering for a while as the game went on, so its silence proves little. " ..
      "Run it on a faster machine, or --headed."
  end
  if (f.revived or f.restart_worked) and not findings.cause_of_death(f) then
    return "unknown", "The game plays on after a new start, but stops before it can be judged. Give metadata, or a " ..
      "step hook that plays it."
  end
  if f.was_animated and f.still_at_end and not f.loop_alive and f.started and r.p > 0.2
    and not findings.cause_of_death(f) then
    add("critical", "frozen", "The game moved after its start, then its picture stopped for good and input does " ..
      "nothing.")
    return "fail"
  end
  if findings.cause_of_death(f) and f.still_at_end and not f.loop_alive and r.p > M.promising_p
    and (f.started or not f.ready.ok or f.failed_before_ready) then return "fail" end
  if r.outcome == "unknown" and r.inputs == 0 then
    return "unknown", "No input was tried before the run ended. Give it more time."
  end
  if r.outcome == "unknown" and r.noise_share < 0.5 then
    return "unknown", ("Whether the game answers is not clear after %d single inputs (p = %.4f). Play longer (--set " ..
      "interaction_ms=60000) or give metadata.")
      :format(r.inputs, r.p)
  end
  if r.outcome == "unknown" then
    return "unknown", ("The scene is too busy to tell input from animation (%.0f %% of it moves by itself). "
      .. "Give a strategy that reads the score from the page.")
      :format(r.noise_share * 100)
  end
  if not f.declared then
    return "unknown", "No control is known: nothing listens for input and no instruction names any. Give metadata " ..
      "with an inputSchema."
  end
  if not f.started then
    return "unknown", "No attempt to start the game had an effect, so its controls could not be judged. Give a " ..
      "start hook or metadata instructions."
  end
  if not f.start_is_certain then
    return "unknown", "Whether the game has really started is not certain, so its silence proves nothing. Give a " ..
      "start hook or metadata instructions."
  end
  if f.still_at_end and f.loop_alive and f.was_animated then
    return "unknown", "The game shows a still picture while its script goes on: an end screen or a pause. Give a " ..
      "start hook that begins a new round."
  end
  add("critical", "unresponsive", ("%d inputs were tried one by one and none changed the scene beyond what it did " ..
    "without input."):format(r.inputs))
  return "fail"
end

---Judges the facts of a run.
---@param f table facts, see parts/standard/facts.lua
---@return {status: string, score: integer, checks: table[], issues: table[], missing: string[]}
function M.judge(f)
  local issues, checks, missing = {}, {}, {}
  local function add(severity, kind, description, evidence)
    issues[#issues + 1] = { severity = severity, kind = kind, description = description, evidence = evidence or {} }
  end
  local outcomes = {}
  local function check(id, outcome, why, evidence)
    outcomes[id] = outcome
    checks[#checks + 1] = { id = id, outcome = outcome, missing = outcome == "unknown" and why or nil,
      evidence = evidence or {} }
    if outcome == "unknown" and why then missing[#missing + 1] = why end
  end
  check("loaded", check_loaded(f, add))
  check("ready", f.ready.ok and "pass" or "fail", nil, { f.ready.summary })
  local responsive, why = (f.cause and rules.responsive or check_responsive)(f, add)
  local started = f.started and "pass" or (f.auto and responsive == "pass") and "pass" or "unknown"
  check("started", started, started == "unknown" and responsive ~= "pass"
    and "Nothing that was tried started the game." or nil,
    { f.start_summary })
  if started == "unknown" and responsive == "unknown" then
    add("major", "start_not_found", "No way to start the game was found.")
  end
  check("responsive", responsive, why, f.response_evidence or { f.response_summary })
  check("alive", (f.alive == nil or is_slow_hang(f)) and "unknown" or f.alive and "pass" or "fail",
    "The renderer was not heard from at the end of the run.")
  check("healthy", check_healthy(f, add))
  findings.add_all(f, responsive == "fail" or outcomes.ready == "fail", add)
  table.sort(issues, function(a, b) return findings.rank(a) < findings.rank(b) end)

  local status = "inconclusive"
  local failed = outcomes.loaded == "fail" or outcomes.alive == "fail" or outcomes.healthy == "fail"
    or responsive == "fail"
  if failed then
    status = "fail"
  elseif outcomes.loaded == "pass" and responsive == "pass" and outcomes.alive == "pass" then
    status = "pass"
  end
  if status ~= "pass" and outcomes.healthy ~= "fail" and not f.load_error then
    local why_not = unreachable.cut_off(f, responsive == "fail" and outcomes.loaded == "pass"
      and not findings.cause_of_death(f))
    if why_not then status, missing = "inconclusive", { why_not } end
  end
  return { status = status, score = M.score.of(outcomes, f, status), checks = checks, issues = issues,
    missing = status == "inconclusive" and missing or {} }
end

return M
