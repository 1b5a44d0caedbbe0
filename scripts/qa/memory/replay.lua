--- Replay: does a remembered step again, guarded (D-G5): only on the screen that it was recorded on, or where its
-- target is found again. A target that has moved is healed, and said so; one that is gone fails the step. Nothing here
-- asks a model.
--
--   target found where it was ------------------------------> act -> effect? -> done
--   target found elsewhere (id, text, painted text, picture) -> act there, "healed"
--   no target that could be told, same screen --------------> act where it was
--   else, until guard_ms are over --------------------------> failed: what is missing
local actions = require "qa.input.actions"
local anchors = require "qa.memory.target_match"
local distance = require("qa.memory.memory").distance
local recorder = require "qa.memory.recorder"
local time = require "qa.page.time"

local M = {}

---A point of the view that was recorded in a view of another size.
local function scaled(point, view, ctx)
  if not view or view.width == ctx.width and view.height == ctx.height then return point end
  return { x = point.x * ctx.width / view.width, y = point.y * ctx.height / view.height }
end

local function is_same_screen(step, screen, policy, scene_distance)
  if not step.screen then return true end
  local limit = step.screen.is_still and scene_distance or policy.moving_distance
  return distance(step.screen.hash, screen.hash) <= limit
end

---Looks once: where to act, or why not. The caller closes `shot`.
local function guard(ctx, step, policy, scene_distance)
  local screen, shot = recorder.look(ctx.page)
  if not screen then return nil, "the page gives no picture" end
  local made, why = { screen = screen, shot = shot, same = is_same_screen(step, screen, policy, scene_distance) }, nil
  for _, field in ipairs{ "anchor", "to_anchor" } do
    local anchor = step[field]
    if anchor and anchors.is_strong(anchor) then
      local point, how = anchors.find(ctx.page, shot, anchor, policy.match)
      if not point then
        why = why or how
      else
        local before = scaled(anchor, step.view, ctx)
        local moved = math.sqrt((point.x - before.x) ^ 2 + (point.y - before.y) ^ 2)
        made[field] = { x = point.x, y = point.y }
        if moved > policy.same_px then
          made.healed = { by = how, from = { x = before.x, y = before.y }, to = made[field],
            px = math.floor(moved + 0.5), what = anchors.describe(anchor) }
        end
      end
    elseif anchor then
      made[field] = scaled(anchor, step.view, ctx)
      if not made.same then why = why or "the screen is not the recorded one, and nothing tells its target" end
    end
  end
  if not step.anchor and not made.same then why = why or "the screen is not the recorded one" end
  if why then shot:close() end
  if why then
    return nil, ("%s (the screen differs by %d of 64 bits)"):format(why, step.screen
      and distance(step.screen.hash, screen.hash) or 0)
  end
  return made
end

---Waits for a change of the screen like the one that the step had when it was recorded.
local function had_effect(ctx, step, before, policy)
  local change = step.after and step.after.change or 0
  if change == 0 then return true end
  local deadline = time.now_ms() + policy.effect_ms
  repeat
    local screen, shot = recorder.look(ctx.page)
    local now = screen and recorder.change(before, shot) or 0
    if shot then shot:close() end
    if now > 0 and now >= policy.effect_share * change then return true end
  until time.now_ms() >= deadline
  return false
end

---@param ctx table
---@param step table of qa.memory.recorder; one that was imported has no screen and no anchor
---@param policy table lists.replay_policy
---@param scene_distance integer bits by which one scene may differ
---@return {ok: boolean, reason?: string, healed?: table, stop?: string, seen?: table} seen: the screen, and where the
---target was found
function M.step(ctx, step, policy, scene_distance)
  if step.is_foreign then
    return { ok = false, reason = ("'%s' is no action of qa.input.actions"):format(tostring(step.action.action)) }
  end
  local deadline = time.now_ms() + policy.guard_ms
  local found, why
  repeat
    found, why = guard(ctx, step, policy, scene_distance)
  until found or time.now_ms() >= deadline
  if not found then return { ok = false, reason = why } end
  local action = {}
  for key, value in pairs(step.action) do action[key] = value end
  action.target, action.to = found.anchor or action.target, found.to_anchor or action.to
  local outcome = actions.perform(ctx, action, { snap = step.screen == nil })
  local effect = outcome.success and had_effect(ctx, step, found.shot, policy)
  found.shot:close()
  if outcome.stop then return { ok = false, stop = outcome.stop, reason = outcome.stop } end
  actions.record(ctx, action, outcome, outcome.success and effect)
  if not outcome.success then
    return { ok = false, reason = outcome.error and outcome.error.message or "it could not be done",
      healed = found.healed }
  end
  if not effect then return { ok = false, reason = "it had no effect", healed = found.healed } end
  return { ok = true, healed = found.healed, seen = found }
end

return M
