--- Many inputs at a time: which of them change anything?
local controls = require "parts.standard.game_time.controls"
local decisive = require "parts.standard.decisive"
local effects = require "qa.effect.effect"

local M = {}

---Frames up to which an effect of some inputs is waited for, from the first one on.
local GROUP_FRAMES = 120
---So many inputs are played one after the other before the twins are compared: what the first one did may have passed
---when many more were played.
local TOGETHER = 16

---So few are asked one by one: that takes no longer, and tells more.
local FEW = 4
---Keys of a group differ in how long they are held, in ms, and how often they are pressed: one that undoes what another
---one did must not do so exactly.
local LONGER_MS, MOST_LONGER = 50, 3

local function apart(moves)
  local list = {}
  for i, move in ipairs(moves) do
    list[i] = move
    if move.action == "press" then
      list[i] = setmetatable({ hold_ms = move.hold_ms + LONGER_MS * (i % MOST_LONGER), count = 1 + i % 2 },
        { __index = move })
    end
  end
  return list
end

---As many of them as are played together.
function M.first(list) return { unpack(list, 1, math.min(#list, TOGETHER)) } end

---Which of many inputs change anything? A few are played at a time; those of a group that changed something are asked
---one by one, for what the pointer does on its way shows in a group, too.
---@param list table[] moves
---@return boolean answered one of them had an effect that counts
function M.ask(ctx, list, stage)
  if #list <= FEW then return controls.ask_all(ctx, list, stage, { enough = 1 }) > 0 end
  for from = 1, #list, TOGETHER do
    if decisive.by(ctx) or controls.is_late(ctx) then return false end
    local group = { unpack(list, from, math.min(#list, from + TOGETHER - 1)) }
    local effect = effects.of_all(ctx.world, apart(group), { frames = GROUP_FRAMES, is_seen = true })
    if not effect then return false end
    ctx.state.answers.asked = ctx.state.answers.asked + #group
    ctx:event("effect", { stage = stage, input = ("%d inputs"):format(#group), changed = effect.changed,
      sentence = effects.sentence({ action = "sequence", moves = group }, effect), frame = effect.frame })
    local may_be = effect.changed and not effect.is_native
    if may_be and controls.ask_all(ctx, group, stage, { enough = 1 }) > 0 then return true end
  end
  return false
end

return M
