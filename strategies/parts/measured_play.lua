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
  rounds.notice(ctx, burst.still)
  if burst.moved then state.last_answer_ms = qa.now_ms() end
  state.bursts[#state.bursts + 1] = burst
end

---Waits until the scene rests before it is looked at; not where it never does, nor where the last assessment has just waited for it.
---@param quiet_ms integer for how long it is unchanged then
function M.rest(ctx, quiet_ms)
  local state = ctx.state
  if state.scene_moves or state.is_assessed then return end
  local rest = ctx.page:settle{ quiet_ms = quiet_ms, max_ms = ctx.options.settle_ms }
  state.scene_moves = rest ~= nil and rest.verdict == "animating"
end

---Calls act, which does the actions, and says whether the scene progressed.
---@param ctx table
---@param list table[] actions that are to be sent; act may do more
---@param act fun(before: qa.Window?): boolean? false when none of them was sent; before: how the scene looked
---@return "yes"|"no"|"unknown" progressed
---@return table? result of groups.assess, qa.Error? err where the scene could not be watched
function M.measured(ctx, list, act)
  local state, o, sent = ctx.state, ctx.options, nil
  local function once(before) sent = act(before) ~= false end
  if #list == 0 then
    once()
    state.is_assessed = false
    return "unknown"
  end
  local result, err = groups.assess(ctx, once, { settle_ms = o.settle_ms, window_ms = o.window_ms_moving, margin = o.margin,
    rested = state.is_assessed and not state.scene_moves, believed = response.answers_in_quiet(state.bursts, facts.rule(ctx)) })
  if sent == nil then once() end
  state.is_assessed = result ~= nil
  if not result then return "unknown", nil, err end
  state.scene_moves = not result.still
  -- What was not sent proves nothing, and what came up during a wait came by itself.
  local move = sent and list[1].action ~= "wait" and move_of(list)
  if move then
    if result.burst then take(ctx, result.burst, move) end
    state.answered_last = result.progressed == "yes"
  end
  return result.progressed, result
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

---Weighs what the model's inputs showed, when its part ends: what was silent is set aside, so that the standard inputs decide. An answer of a
---scene that rested before it is kept: one is no verdict yet.
function M.weigh(ctx)
  local state, kept = ctx.state, {}
  if response.of(state.bursts, facts.rule(ctx)).outcome == "yes" then return end
  for _, burst in ipairs(state.bursts) do
    if burst.moved and #burst.control == 0 and not burst.control_dom then kept[#kept + 1] = burst end
  end
  state.model_bursts, state.bursts = #state.bursts, kept
end

return M
