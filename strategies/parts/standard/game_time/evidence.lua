--- What a report shows of a run on game time for its verdict: what was pressed and what it changed, the game with an
-- input and without it, and the command that plays the run again. Kept in ctx.state.shown, the table of this module:
-- {effect?, last?}: paths of two pictures each.
local effects = require "qa.effect.effect"

local M = {}

---Sentences of effects, and of inputs without one.
local MOST_SENTENCES, MOST_IN_VAIN = 6, 3

---Keeps two pictures beside the report, where pictures are kept.
---@param with qa.Image closed here, like the other
---@param without qa.Image
---@return string[] paths
local function keep(ctx, what, with, without)
  local paths = {}
  for i, picture in ipairs{ with, without } do
    local path = ("evidence/%s_%s_input.png"):format(what, i == 1 and "with" or "without")
    if ctx.keep_shots ~= false and picture:save(path) then paths[#paths + 1] = path end
    picture:close()
  end
  return paths
end

---The pictures of the first answer of the game are wanted.
function M.wants_pictures(ctx, stage)
  return stage ~= "start" and not (ctx.state.shown and ctx.state.shown.effect)
end

---Keeps the pictures of an effect, if it has any.
---@param effect qa.Effect
function M.keep_effect(ctx, effect)
  local pictures = effect.pictures
  effect.pictures = nil
  if not pictures then return end
  if not effect.counts or not (pictures.with and pictures.without) then
    for _, picture in pairs(pictures) do picture:close() end
    return
  end
  ctx.state.shown = ctx.state.shown or {}
  ctx.state.shown.effect = keep(ctx, "effect", pictures.with, pictures.without)
end

---Keeps what the game showed when its answers had stopped, with the last inputs and without them.
function M.keep_last(ctx)
  local twin = ctx.world.twin
  local with, without = ctx.page:screenshot(), twin and twin.page:screenshot()
  if not (with and without) then
    for _, picture in ipairs{ with or false, without or false } do if picture then picture:close() end end
    return
  end
  ctx.state.shown = ctx.state.shown or {}
  ctx.state.shown.last = keep(ctx, "last", with, without)
end

---The first effects of each stage, as sentences.
local function sentences(answers)
  local list, seen = {}, {}
  for _, entry in ipairs(answers.list) do
    local key = entry.stage .. entry.name
    if not seen[key] and #list < MOST_SENTENCES then list[#list + 1] = effects.sentence(entry.move, entry.effect) end
    seen[key] = true
  end
  return list
end

local function add_all(list, more)
  for _, entry in ipairs(more or {}) do list[#list + 1] = entry end
  return list
end

---@return string[] evidence of what the game answered
function M.of_answers(ctx)
  local state = ctx.state
  if not state.answers then return {} end
  return add_all(sentences(state.answers), state.shown and state.shown.effect)
end

---@return string[] evidence of a game that does not answer, or not any more
function M.of_silence(ctx)
  local state, list = ctx.state, {}
  local in_vain = state.answers and state.answers.in_vain or {}
  for i = math.max(1, #in_vain - MOST_IN_VAIN + 1), #in_vain do list[#list + 1] = in_vain[i] end
  return add_all(list, state.shown and state.shown.last)
end

---@return string command that plays the run again
function M.command(ctx) return "qa-host replay " .. ctx.dir end

return M
