--- Findings: what the run noticed besides the checks, as issues, and the order in which issues are told.

local M = {}

M.slow_fps = 12

-- First matching kind is the first issue: causes before effects.
M.order = { "environment", "crash", "hang", "dialog_storm", "reload_loop", "redirect", "load_failed",
  "webgl_unavailable", "request_failed", "exception",
  "load_timeout", "blank_screen", "frozen", "soft_lock", "unresponsive", "start_not_found", "popup", "console_error",
  "low_frame_rate" }

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
local function says(message, patterns)
  for _, pattern in ipairs(patterns) do
    if message:find(pattern) then return pattern end
  end
end

---Is an exception one that a game does not live with?
---@return boolean
function M.is_harmful(event) return not says(event.message or "", M.harmless) end

---What the page loads of its own, and cannot do without: nothing works without its script, nothing is in its place
---without its style.
local function own_failed(kind)
  return function(event)
    local detail = event.detail or {}
    return detail.type == kind and detail.same_origin ~= false
  end
end
local own_script_failed, own_style_failed = own_failed("Script"), own_failed("Stylesheet")

-- What Chromium says of a server that cannot be reached from here (net/base/net_error_list.h), whatever the game is
-- like.
M.unreachable = { "ERR_NAME_NOT_RESOLVED", "ERR_INTERNET_DISCONNECTED", "ERR_NETWORK_", "ERR_ADDRESS_UNREACHABLE",
  "ERR_CONNECTION_", "ERR_TIMED_OUT",
  "ERR_PROXY_", "ERR_TUNNEL_" }

-- Names that a library gives to scripts, where its file is called otherwise.
M.library_files = { ["$"] = "jquery", _ = "lodash", io = "socket.io" }

---What another site would have given, had this machine reached it, of a kind that the protocol names (Script, Image).
---@return {url: string, host: string, reason: string, t_ms: number}[]
local function out_of_reach(f, kind)
  local list = {}
  for _, event in ipairs(f.events) do
    local detail, message = event.detail or {}, event.message or ""
    local url = event.kind == "request_failed" and detail.type == kind and detail.same_origin == false
      and message:match("https?://%S+")
    local reason = url and says(message, M.unreachable)
    if reason then
      list[#list + 1] = { url = url, host = url:match("//([^/]+)"), reason = message:match("net::([%u_]+)") or reason,
        t_ms = event.t_ms or 0 }
    end
  end
  return list
end

-- So soon a game throws that was left without its data.
local bereft_ms = 1000

---Data that could not be fetched from here, just before the game threw for the first time, at something undefined or
---null.
---@return table? request of out_of_reach
local function missed_data(f)
  local _, first = M.count(f.events, "exception", M.is_harmful)
  local message = first and first.message or ""
  if not message:find "TypeError" or not (message:find "undefined" or message:find "null") then return nil end
  for _, kind in ipairs{ "Fetch", "XHR" } do
    for _, request in ipairs(out_of_reach(f, kind)) do
      local later_ms = (first.t_ms or 0) - request.t_ms
      if later_ms >= 0 and later_ms <= bereft_ms then return request end
    end
  end
end

-- What drawing a picture that could not be fetched throws (HTML standard, drawing images: InvalidStateError).
M.broken_picture = "in the 'broken' state"

---Why a game's failure may be no fault of its own: it misses, by its name, a library that could not be fetched from
---here, or data; it throws as it draws pictures that could not be; or nothing of it answers, and such pictures may be
---what would.
---@param is_unresponsive boolean it failed by not answering alone
---@return string?
function M.cut_off(f, is_unresponsive)
  local names = {}
  for _, event in ipairs(f.events) do
    local name = event.kind == "exception" and (event.message or ""):match("ReferenceError: ([%w_$]+) is not defined")
    if name then names[name] = M.library_files[name] or #name > 2 and name:lower() or nil end
  end
  for _, script in ipairs(out_of_reach(f, "Script")) do
    local called = script.url:lower():gsub("[?#].*$", ""):match("[^/]*$")
    for name, file in pairs(names) do
      if called:find(file, 1, true) then
        return ("The game misses %s: %s could not be fetched from here (%s). Let this machine reach %s, or serve " ..
          "that file with the game.")
          :format(name, script.url, script.reason, script.host)
      end
    end
  end
  local data = missed_data(f)
  if data then
    return ("The game throws just after its data could not be fetched from here: %s (%s). Let this machine reach " ..
      "%s, or serve them with the game.")
      :format(data.url, data.reason, data.host)
  end
  local pictures = out_of_reach(f, "Image")
  local draws_broken = M.count(f.events, "exception",
    function(event) return (event.message or ""):find(M.broken_picture, 1, true) ~= nil end) > 0
  if #pictures > 0 and draws_broken then
    return ("%d of the game's pictures could not be fetched from here, and it throws as it draws them; first: %s " ..
      "(%s). Let this machine reach %s.")
      :format(#pictures, pictures[1].url, pictures[1].reason, pictures[1].host)
  end
  if not is_unresponsive then return nil end
  if #pictures < 2 then return nil end
  return ("%d pictures of the game could not be fetched from here, so its answers may not be seen; first: %s (%s). " ..
    "Let this machine reach %s.")
    :format(#pictures, pictures[1].url, pictures[1].reason, pictures[1].host)
end

---What explains dead input, when anything does: a failed script of its own, or an exception.
---@return string? kind
function M.cause_of_death(f)
  local scripts = M.count(f.events, "request_failed", own_script_failed)
  local exceptions = M.count(f.events, "exception", M.is_harmful)
  return scripts > 0 and "request_failed" or exceptions > 0 and "exception" or nil
end

---Did the picture stop for good when an exception came? Trials as in response.of, each with t_ms, when it ended, and
---still.
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
      "a round may end soon, and nothing that was "
      .. "tried begins another.")
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
