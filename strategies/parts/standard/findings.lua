--- Findings: what the run noticed besides the checks, as issues, and the order in which issues are told.
local M = {}

M.slow_fps = 12
M.slow_drawing = 4  -- Frames a second that a game draws by its own choice.

-- First matching kind is the first issue: causes before effects.
M.order = { "environment", "crash", "hang", "dialog_storm", "reload_loop", "redirect", "load_failed",
  "webgl_unavailable", "request_failed", "exception", "load_timeout", "blank_screen", "frozen", "soft_lock",
  "unresponsive", "start_not_found", "popup", "console_error", "input_lost", "low_frame_rate" }

---How many events of a kind pass the test, and the first.
---@return integer n, table? first
function M.count(events, kind, test)
  local n, first = 0, nil
  for _, event in ipairs(events) do
    if event.kind == kind and (not test or test(event)) then
      n = n + 1
      first = first or event
    end
  end
  return n, first
end

---Rejections that a game lives with: sound that may not play, observers that ran late, servers (of scores, say) that
---cannot be reached. Lua patterns on the message.
M.harmless = { "AbortError", "NotAllowedError", "NotSupportedError", "ResizeObserver", "play%(%)", "AudioContext",
  "Failed to fetch" }

---The first pattern that a message holds.
function M.says(message, patterns)
  for _, pattern in ipairs(patterns) do
    if message:find(pattern) then return pattern end
  end
end

---Is an exception one that a game does not live with?
---@return boolean
function M.is_harmful(event) return not M.says(event.message or "", M.harmless) end

---What the page loads of its own, and cannot do without: its scripts and its styles.
local function own_failed(kind)
  return function(event)
    local detail = event.detail or {}
    return detail.type == kind and detail.same_origin ~= false
  end
end
local own_script_failed, own_style_failed = own_failed("Script"), own_failed("Stylesheet")

---What explains dead input, when anything does: a failed script of its own, or an exception.
---@return string? kind
function M.cause_of_death(f)
  local scripts = M.count(f.events, "request_failed", own_script_failed)
  local exceptions = M.count(f.events, "exception", M.is_harmful)
  return scripts > 0 and "request_failed" or exceptions > 0 and "exception" or nil
end

---Did the picture stop for good when an exception came? Trials as in response.of, with t_ms (their end) and still.
---@param trials table[]
---@return boolean
function M.ended_by_exception(trials, events)
  local last = #trials
  while last > 0 and trials[last].still do last = last - 1 end
  if last == 0 or last == #trials then return false end
  -- Its window may be over before the loop next runs.
  local from_ms, to_ms = last > 1 and trials[last - 1].t_ms or 0, trials[last + 1].t_ms
  return M.count(events, "exception",
    function(event) return M.is_harmful(event) and event.t_ms > from_ms and event.t_ms <= to_ms end) > 0
end

---Exceptions, failed requests, console errors, slow frames: issues, critical only where they explain a failure.
function M.add_all(f, is_broken, add)
  local n, first = M.count(f.events, "exception")
  if n > 0 then
    add(is_broken and M.count(f.events, "exception", M.is_harmful) > 0 and "critical" or "major", "exception",
      ("%d uncaught exception%s; first: %s"):format(n, n > 1 and "s" or "", first.message))
  end
  local scripts, script = M.count(f.events, "request_failed", own_script_failed)
  local styles, style = M.count(f.events, "request_failed", own_style_failed)
  local others, other = M.count(f.events, "request_failed",
    function(event) return not own_script_failed(event) and not own_style_failed(event) end)
  if scripts > 0 then
    add(is_broken and "critical" or "major", "request_failed", "A script of the game did not load: " .. script.message)
  end
  if styles > 0 then add("major", "request_failed", "A stylesheet of the game did not load: " .. style.message) end
  if others > 0 then
    add("minor", "request_failed", ("%d request%s failed; first: %s"):format(others, others > 1 and "s" or "",
      other.message))
  end
  n, first = M.count(f.events, "console_error")
  if n > 0 then
    add("minor", "console_error", ("%d console error%s; first: %s"):format(n, n > 1 and "s" or "", first.message))
  end
  n, first = M.count(f.events, "popup")
  if n > 0 then add("minor", "popup", "The page opened another window: " .. (first.message or "")) end
  if f.answers_only_when_opened then
    add("minor", "soft_lock", "The game was seen to answer in the first seconds after it is opened, and not later: " ..
      "a round may end soon, and nothing that was " .. "tried begins another.")
  end
  if f.lost_input then
    add("minor", "input_lost", ("The key %s does something when it is held for %d ms, and nothing when it is tapped " ..
      "for %d ms: short taps get lost."):format(f.lost_input.key, f.lost_input.hold_ms, f.lost_input.tap_ms))
  end
  if f.draw_rate and f.draw_rate < M.slow_drawing then
    add("minor", "low_frame_rate", ("While it moves, the game draws only %.1f times a second."):format(f.draw_rate))
  end
  if f.fps and f.fps < M.slow_fps then
    add("minor", "low_frame_rate",
      ("%.0f animation frames per second here (software rendering is slow)."):format(f.fps))
  end
end

local severities = { critical = 0, major = 100, minor = 200 }

function M.rank(issue)
  for i, kind in ipairs(M.order) do
    if kind == issue.kind then return severities[issue.severity] + i end
  end
  return severities[issue.severity] + #M.order + 1
end

return M
