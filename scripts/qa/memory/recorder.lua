--- Recorder: keeps what a run does, so that it can be replayed: each action with the screen before it, what its target
-- was, and the screen after it. As ctx.recorder it is told of actions by qa.input.actions and by the start cascade.
-- What failed is kept apart, with its reason. What is played after the game was begun anew in the middle of the play
-- follows from no step: of such a run only the start is kept.
local anchors = require "qa.memory.target_match"

local M = {}

---@class qa.Recorder
local Recorder = {}
Recorder.__index = Recorder

---How long a screen may take to come to rest after an action before it is looked at.
M.quiet_ms, M.most_ms = 150, 800

---How often the game was begun anew: its page opened, by us and not by itself, or another round.
local function beginnings(ctx)
  local health = ctx.page:health()
  return health.navigations - (health.counts.navigation or 0) + (ctx.state.restarts or 0)
end

---@param ctx table page, dir, width, height, state; the steps are ctx.state.recorded and ctx.state.failed, plain data
function M.new(ctx)
  ctx.state.recorded, ctx.state.failed = ctx.state.recorded or {}, ctx.state.failed or {}
  return setmetatable({ ctx = ctx, beginnings = beginnings(ctx) }, Recorder)
end

---What a screen looks like: its perceptual hash, and whether it stands still.
---@return {hash: string, is_still: boolean}? screen, qa.Image? shot the caller closes it
function M.look(page)
  local settled = page:settle{ quiet_ms = M.quiet_ms, max_ms = M.most_ms }
  local shot = page:screenshot()
  if not shot then return nil end
  local hash = shot:hash()
  if not hash then
    shot:close()
    return nil
  end
  return { hash = hash, is_still = type(settled) == "table" and settled.verdict == "settled" }, shot
end

local function point_of(page, target)
  if type(target) ~= "table" or not target.x then
    local found = target and page:find(target)
    return found and { x = found.x, y = found.y } or nil
  end
  return { x = target.x, y = target.y }
end

---An action is about to be done.
---@param action table of qa.input.actions, checked
---@param phase? "start"|"play" else what self.phase says
---@return table? step to be handed to `after`
function Recorder:before(action, phase)
  local ctx, recorded = self.ctx, self.ctx.state.recorded
  if #recorded >= (self.most or 200) then return nil end
  phase = phase or self.phase or "play"
  if phase == "play" and self.beginnings ~= beginnings(ctx) then
    while #recorded > 0 and recorded[#recorded].phase == "play" do table.remove(recorded) end
    return nil
  end
  local screen, shot = M.look(ctx.page)
  if not screen then return nil end
  local copy = {}
  for _, name in ipairs{ "action", "target", "to", "key", "text", "hold_ms", "wait_ms", "repeat", "dx", "dy" } do
    copy[name] = action[name]
  end
  local step = { action = copy, phase = phase, screen = screen, view = { width = ctx.width, height = ctx.height } }
  self.count = (self.count or 0) + 1
  for _, field in ipairs{ "target", "to" } do
    local point = action[field] and point_of(ctx.page, action[field])
    if point then
      local anchor = anchors.of(ctx.page, shot, point, ctx.dir, ("%03d_%s"):format(self.count, field))
      step[field == "to" and "to_anchor" or "anchor"] = anchor
      copy[field] = point
    end
  end
  self.shot = shot
  return step
end

---The share of pixels that differ between two pictures; 1 where they cannot be compared.
---@param before qa.Image
---@param after qa.Image
function M.change(before, after)
  local diff = before:diff(after)
  return diff and diff.changed_ratio or 1
end

---It was done. Kept for a replay only when it had an effect, as far as anybody looked.
---@param step table?
---@param had_effect boolean
---@param reason? string why it failed, where that is known
function Recorder:after(step, had_effect, reason)
  if not step then return end
  local before = self.shot
  if had_effect then
    local screen, shot = M.look(self.ctx.page)
    if screen then
      step.after = screen
      screen.change = M.change(before, shot)
      shot:close()
    end
    table.insert(self.ctx.state.recorded, step)
  elseif reason then
    table.insert(self.ctx.state.failed, { action = step.action, view = step.view, reason = reason })
  end
  before:close()
end

return M
