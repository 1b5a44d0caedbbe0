--- What this machine could not reach, where it may explain why a game failed: then the verdict is open.
local findings = require "parts.standard.findings"

local M = {}

-- What Chromium says of a server that cannot be reached from here (net/base/net_error_list.h), whatever the game is
-- like.
M.unreachable = { "ERR_NAME_NOT_RESOLVED", "ERR_INTERNET_DISCONNECTED", "ERR_NETWORK_", "ERR_ADDRESS_UNREACHABLE",
  "ERR_CONNECTION_", "ERR_TIMED_OUT", "ERR_PROXY_", "ERR_TUNNEL_" }

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
    local reason = url and findings.says(message, M.unreachable)
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
  local _, first = findings.count(f.events, "exception", findings.is_harmful)
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
          "that file with the game."):format(name, script.url, script.reason, script.host)
      end
    end
  end
  local data = missed_data(f)
  if data then
    return ("The game throws just after its data could not be fetched from here: %s (%s). Let this machine reach " ..
      "%s, or serve them with the game."):format(data.url, data.reason, data.host)
  end
  local pictures = out_of_reach(f, "Image")
  local draws_broken = findings.count(f.events, "exception",
    function(event) return (event.message or ""):find(M.broken_picture, 1, true) ~= nil end) > 0
  if #pictures > 0 and draws_broken then
    return ("%d of the game's pictures could not be fetched from here, and it throws as it draws them; first: %s " ..
      "(%s). Let this machine reach %s."):format(#pictures, pictures[1].url, pictures[1].reason, pictures[1].host)
  end
  if not is_unresponsive then return nil end
  if #pictures < 2 then return nil end
  return ("%d pictures of the game could not be fetched from here, so its answers may not be seen; first: %s (%s). " ..
    "Let this machine reach %s."):format(#pictures, pictures[1].url, pictures[1].reason, pictures[1].host)
end

return M
