--- Many inputs at a time: which of them change anything?
local controls = require "parts.standard.game_time.controls"
local decisive = require "parts.standard.decisive"
local effects = require "qa.effect.effect"
local inputs = require "parts.standard.game_time.inputs"

local M = {}

---Frames up to which an effect of some inputs is waited for, from the first one on.
local GROUP_FRAMES = 120
---So many inputs are played one after the other before the twins are compared: what the first one did may have passed
---when many more were played.
local TOGETHER = 16

---Some inputs that changed so many pixels together did something, though none of them does it alone.
local MANY_PIXELS = 4096
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
      list[i] = setmetatable({ hold_ms = inputs.held(move).hold_ms + LONGER_MS * (i % MOST_LONGER),
        count = 1 + i % 2 }, { __index = move })
    end
  end
  return list
end

---As many of them as are played together.
function M.first(list) return { unpack(list, 1, math.min(#list, TOGETHER)) } end

---What drags, and the rest.
local function apart_from_drags(list)
  local others, drags = {}, {}
  for _, move in ipairs(list) do table.insert(move.action == "drag" and drags or others, move) end
  return others, drags
end

---Asks for some inputs at once; where they changed something, one by one, for what the pointer does on its way shows
---among many, too.
---@return boolean? answered one of them had an effect that counts; nil: nothing can be said
local function ask_group(ctx, group, stage, options)
  local effect = effects.of_all(ctx.world, apart(group), { frames = GROUP_FRAMES, is_seen = true })
  if not effect then return nil end
  ctx.state.answers.asked = ctx.state.answers.asked + #group
  local sentence = effects.sentence({ action = "sequence", moves = group }, effect)
  ctx:event("effect", { stage = stage, input = ("%d inputs"):format(#group), changed = effect.changed,
    sentence = sentence, frame = effect.frame })
  if not effect.changed then table.insert(ctx.state.answers.in_vain, sentence) end
  if not effect.changed or effect.is_native then return false end
  local one_by_one = setmetatable({ is_long = true }, { __index = options })
  local held = {}
  for i, move in ipairs(group) do held[i] = inputs.held(move) end
  if controls.ask_all(ctx, held, stage, one_by_one) > 0 then return true end
  local answers = ctx.state.answers
  answers.only_together = answers.only_together or not effect.threw and effect.pixels >= MANY_PIXELS
  return false
end

---What drags did together they did: a piece that was moved cannot be moved so again.
---@return boolean? answered nil: nothing can be said
local function ask_drags(ctx, group, stage)
  local move = { action = "sequence", moves = group }
  local effect = controls.ask_of(ctx, move, stage, { frames = GROUP_FRAMES, is_brief = true, is_many = true })
  if not effect then return nil end
  return effect.counts
end

---Which of many inputs change anything? Some are played at a time.
---@param list table[] moves
---@param options? table of controls.ask_all, for those that are asked one by one
---@return boolean answered one of them had an effect that counts
function M.ask(ctx, list, stage, options)
  options = options or { enough = 1 }
  if #list <= FEW then return controls.ask_all(ctx, list, stage, options) > 0 end
  local others, drags = apart_from_drags(list)
  for _, part in ipairs{ { others, ask_group }, { drags, ask_drags } } do
    for from = 1, #part[1], TOGETHER do
      if decisive.by(ctx) or controls.is_late(ctx) then return false end
      local group = { unpack(part[1], from, math.min(#part[1], from + TOGETHER - 1)) }
      local answered = part[2](ctx, group, stage, options)
      if answered ~= false then return answered or false end
    end
  end
  return false
end

return M
