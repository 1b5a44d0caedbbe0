--- What a model does, measured like any input: evidence for the judge. And what it is worth: an answer of the game is one whoever gave the
-- input, but silence after inputs of a model proves nothing, for the model may have played another game.

local qa = require "qa"
local actions = require "qa.actions"
local facts = require "parts.facts"
local groups = require "qa.groups"
local play = require "qa.play"
local response = require "qa.response"
local rounds = require "parts.rounds"

local M = {}

---The first of a list that is an input, as the statistics know it.
---@return table? move
local function move_of(list)
  for _, action in ipairs(list) do
    local checked = actions.check(action)
    if checked and checked.action ~= "wait" and checked.action ~= "complete" then
      local at = type(checked.target) == "table" and checked.target.x and checked.target or {}
      local key = type(checked.key) == "table" and checked.key[1] or checked.key
      return { action = key and "press" or checked.action, key = key, x = at.x, y = at.y }
    end
  end
end

---A burst as evidence of the play.
local function take(ctx, burst, move)
  local state = ctx.state
  burst.group, burst.by_key, burst.t_ms = play.group(move), move.action == "press", qa.now_ms()
  burst.spot = move.x and move.action == "click" and
    { column = math.floor(move.x * 128 / ctx.width), row = math.floor(move.y * 72 / ctx.height) } or nil
  state.was_animated = state.was_animated or burst.animated
  state.noise = math.max(state.noise or 0, #burst.control)
  rounds.notice(ctx, burst.still)
  if burst.moved then state.last_answer_ms = qa.now_ms() end
  state.bursts[#state.bursts + 1] = burst
end

---In a scene that moves by itself a window with the input is held against one without.
local function in_motion(ctx, move, act)
  local state, done = ctx.state, false
  local burst = play.burst(ctx, move, function()
    done = true
    act()
    return true
  end)
  if not done then act() end
  if not burst then return "unknown" end
  burst.moved = #burst.input > ctx.options.min_cells and #burst.input > 2 * (state.noise or 0) or burst.input_dom and not burst.control_dom
  state.scene_moves = not burst.still
  if burst.moved then ctx.motion = nil end
  take(ctx, burst, move)
  return burst.moved and "yes" or "no"
end

---@return "yes"|"no"|"unknown" progressed
local function measured(ctx, move, act)
  if ctx.state.scene_moves then return in_motion(ctx, move, act) end
  local acted = false
  local result = groups.assess(ctx, function()
    acted = true
    act()
  end, { settle_ms = ctx.options.settle_ms, window_ms = ctx.options.window_ms_moving, margin = ctx.options.margin })
  if not acted then act() end
  if not result then return "unknown" end
  ctx.state.scene_moves = not result.still
  if result.burst then take(ctx, result.burst, move) end
  return result.progressed
end

---Calls act, which does the actions, and says whether the scene progressed.
---@param ctx table
---@param list table[] actions that are certain to be sent; act may do more
---@param act fun(): any
---@return "yes"|"no"|"unknown" progressed
function M.measured(ctx, list, act)
  local move = move_of(list)
  if not move then
    act()
    return "unknown"
  end
  local progressed = measured(ctx, move, act)
  ctx.state.answered_last = progressed == "yes"
  return progressed
end

---Asks a model while the scene is watched: nobody touches the game then, so what it does by itself is seen for nothing.
---@param ctx table
---@param ask fun(): any, any
---@return any value, any answer
function M.while_watched(ctx, ask)
  local value, answer
  qa.race(function()
    value, answer = ask()
    return true
  end, function()
    while groups.watch(ctx, ctx.options.window_ms_moving) do end
    -- Enough is known, or there is nothing to see: only the model is waited for.
    while true do qa.sleep(60000) end
  end)
  return value, answer
end

---Weighs what the model's inputs showed, when its part ends: what was silent is set aside, so that the standard inputs decide.
function M.weigh(ctx)
  local state = ctx.state
  if response.of(state.bursts, facts.rule(ctx)).outcome == "yes" then return end
  state.model_bursts, state.bursts = #state.bursts, {}
end

return M
