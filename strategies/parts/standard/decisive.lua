--- What ends a run before its time: a crash, a hang, a dialog storm, a reload loop, a page that left or never came.
local findings = require "parts.standard.findings"
local reloads = require "parts.standard.game_time.reloads"
local time = require "qa.page.time"

local M = {}

---A page that stopped answering gets this long to come back.
local HANG_CONFIRM_MS = 1500
---A page that answers nothing for so long has hung, though the host has not said so.
local ANSWER_MS = 30000

---The health event kinds that decide a run at once.
local decisive = { "crash", "dialog_storm", "reload_loop", "redirect" }

---Loads by the page itself after which it is asked, on game time, whether it would go on without input.
local asked_loads = 3

---On game time: does the page load itself again without any input?
local function reloads_by_itself(ctx)
  local loads = findings.count(ctx.page:events(0), "navigation")
  return loads >= asked_loads and reloads.by_itself(ctx)
end

---What has already decided this run, if anything. A page that stopped answering gets hang_confirm_ms to come back.
function M.by(ctx)
  if ctx.state.decided then return ctx.state.decided end
  local health = ctx.page:health()
  for _, kind in ipairs(decisive) do
    local is_so = (health.counts[kind] or 0) > 0
    if kind == "reload_loop" and ctx.world then is_so = reloads_by_itself(ctx) end
    if is_so then ctx.state.decided = kind end
  end
  -- On game time what takes long to draw is waited for.
  if not ctx.state.decided and health.hung and not (ctx.world and health.hung_drawing) then
    local until_ms = time.now_ms() + HANG_CONFIRM_MS
    repeat time.sleep(100) until not ctx.page:health().hung or time.now_ms() > until_ms
    if ctx.page:health().hung then ctx.state.decided = "hang" end
  end
  return ctx.state.decided
end

---Does the page answer? A page that does not within answer_ms has hung.
function M.still_answers(ctx)
  local until_ms = time.now_ms() + ANSWER_MS
  repeat
    if ctx.page:is_closed() then ctx.state.decided = ctx.state.decided or "page_closed" end
    if M.by(ctx) then return false end
    if ctx.page:evaluate("1", { world = "host", timeout_ms = 1500 }) then return true end
  until time.now_ms() > until_ms
  ctx.state.decided = "hang"
  ctx.state.no_answer = true
  return false
end

---Decides the run, if nothing has yet; gives what a hook returns to end it.
---@return boolean going, string reason
function M.decide(ctx, kind)
  ctx.state.decided = ctx.state.decided or kind
  return false, ctx.state.decided
end

---Did the page's own script fail to load or throw?
function M.own_failure(ctx)
  for _, event in ipairs(ctx.page:events(0)) do
    local detail = event.detail or {}
    local is_script = event.kind == "request_failed" and detail.type == "Script" and detail.same_origin ~= false
    if is_script or event.kind == "exception" and findings.is_harmful(event) then return true end
  end
  return false
end

return M
