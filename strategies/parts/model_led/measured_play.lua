--- What a model does, measured like any input: evidence for the judge. And what it is worth: an answer of the game is
-- one whoever gave the input, but silence after inputs of a model proves nothing, for it may have played another game.
local qa = require "qa"
local actions = require "qa.input.actions"
local by_cause = require "parts.model_led.by_cause"
local cell_grid = require "qa.page.cell_grid"
local facts = require "parts.standard.facts"
local groups = require "qa.effect.groups"
local observe = require "parts.standard.observe"
local moves = require "qa.input.moves"
local play = require "qa.effect.play"
local response = require "qa.effect.response"
local rounds = require "parts.standard.rounds"
local time = require "qa.page.time"

local M = {}

---Where an action leaves the pointer: a point of the view.
local function place_of(ctx, action)
  local target = action.to or action.target
  if type(target) == "table" and target.x then return { x = target.x, y = target.y } end
  local found = target and ctx.page:find(target)
  return found and { x = found.x, y = found.y } or nil
end

---The first of a list that is an input, as the statistics know it. A pointer that only moves hovers, and scrolling
---shows another part of the page: where a list has nothing else, or scrolls, it is no evidence.
---@return table? move {action, key?, x?, y?, is_evidence, pointer: qa.Point? where the last of the list leaves it}
local function move_of(ctx, list)
  local move, scrolls, last
  for _, action in ipairs(list) do
    local checked = actions.check(action, actions.bounds(ctx, action))
    local name = checked and checked.action
    scrolls = scrolls or name == "scroll"
    if name and name ~= "wait" and name ~= "complete" then
      local at = type(checked.target) == "table" and checked.target.x and checked.target or {}
      local key = type(checked.key) == "table" and checked.key[1] or checked.key
      local is_input = name ~= "scroll" and name ~= "move"
      if not move or is_input and not move.is_evidence then
        move = { action = key and "press" or name, key = key, x = at.x, y = at.y, is_evidence = is_input }
      end
      if name ~= "scroll" and (checked.to or checked.target) then last = checked end
    end
  end
  if not move then return nil end
  move.pointer = move.is_evidence and last and place_of(ctx, last) or nil
  move.is_evidence = move.is_evidence and not scrolls
  return move
end

---A trial as evidence of the play.
local function take(ctx, trial, move)
  local state = ctx.state
  trial.group, trial.by_key, trial.t_ms = moves.group(move), move.action == "press", time.now_ms()
  trial.is_ordered = true
  trial.spot = move.x and move.action == "click" and { column = math.floor(move.x * cell_grid.columns / ctx.width),
      row = math.floor(move.y * cell_grid.rows / ctx.height) } or nil
  state.was_animated = state.was_animated or trial.animated
  rounds.notice(ctx, trial.still, trial.aims and trial.aims.key)
  if trial.moved then state.last_answer_ms = time.now_ms() end
  state.trials[#state.trials + 1] = trial
end

---Waits until the scene rests before it is looked at; not where it never does, nor where the last assessment has just
---waited for it.
---@return boolean has_moved what was seen of the scene meanwhile may not be what it is now
function M.rest(ctx)
  local state = ctx.state
  if state.scene_moves or state.is_assessed then return false end
  local rest = ctx.page:settle{ quiet_ms = groups.defaults.quiet_ms, max_ms = ctx.options.settle_ms }
  state.scene_moves = rest ~= nil and rest.verdict == "animating"
  return rest ~= nil and (state.scene_moves or rest.last_change_ms > 0)
end

---Calls act, which does the actions, and assesses the scene before against the scene after; keeps what that proves.
---@param ctx table
---@param list table[] actions that are to be sent
---@param act fun(before: table?): boolean? false when none of them was sent; before: the scene, a window or a band
---@param picture? boolean a picture is wanted afterwards, see groups.picture
---@return table? result of groups.assess
---@return qa.Error? err where the scene could not be watched
function M.assessed(ctx, list, act, picture)
  local state, o, sent, last = ctx.state, ctx.options, nil, ctx.state.trials[#ctx.state.trials]
  local function once(before) sent = act(before) ~= false end
  local move = move_of(ctx, list)
  if ctx.world then return by_cause.assessed(ctx, move and move.is_evidence and move or nil, act) end
  -- Of a game that is known to answer, a small change is believed; not after a silence,
  -- which the next answer is held against.
  local believed = last ~= nil and last.moved and response.has_answered(state.trials, facts.rule(ctx))
  local result, err = groups.assess(ctx, once,
    { settle_ms = o.settle_ms, window_ms = o.window_ms_moving, margin = o.margin, believed = believed,
    pointer = move and move.pointer, picture = picture })
  if sent == nil then once() end
  state.is_assessed = result ~= nil and result.rests
  if not result then return nil, err end
  state.scene_moves, state.was_animated = not (result.still and result.rests), state.was_animated or not result.still
  -- What was not sent proves nothing, and what came up during a wait came by itself.
  if not (sent and move and move.is_evidence) or list[1].action == "wait" then return result end
  state.answered_last = result.progressed == "yes"
  if result.trial then
    take(ctx, result.trial, move)
  elseif state.answered_last then
    rounds.notice(ctx, false)
    state.last_answer_ms = time.now_ms()
  end
  return result
end

---In a scene that moves by itself a window with the input is held against one as long without.
local function in_motion(ctx, list, move, act)
  local state, sent = ctx.state, nil
  local trial = play.trial(ctx, move, function(band)
    sent = act(band) ~= false
    return true
  end)
  if sent == nil then act() end
  state.is_assessed = false
  if not (trial and sent) then return "unknown" end
  trial.moved = observe.looks_answered(ctx, trial)
  state.scene_moves = not trial.still
  if trial.moved then ctx.motion = nil end
  -- The window is over before a wait is: what it shows is not of the input.
  if move.is_evidence and list[1].action ~= "wait" then
    take(ctx, trial, move)
    state.answered_last = trial.moved
  end
  return trial.moved and "yes" or "no"
end

---As assessed, for actions whose effect passes by: where the scene moves, it is watched while they are done.
---@return "yes"|"no"|"unknown" progressed
---@return table? result of groups.assess
function M.measured(ctx, list, act, picture)
  local move = move_of(ctx, list)
  if not move then
    act()
    ctx.state.is_assessed, ctx.state.scene_moves = false, false
    return "unknown"
  end
  if ctx.world then return by_cause.assessed(ctx, move.is_evidence and move or nil, act).progressed end
  if ctx.state.scene_moves then return in_motion(ctx, list, move, act) end
  local result = M.assessed(ctx, list, act, picture)
  return result and result.progressed or "unknown", result
end

---Asks a model while the scene is watched: nobody touches the game then, so what it does by itself is seen for nothing.
---@param ctx table
---@param ask fun(): any, any
---@return any value, any answer
function M.while_watched(ctx, ask)
  if ctx.world then return ask() end
  local window_ms, value, answer, is_answered = ctx.options.window_ms_moving, nil, nil, false
  local asking = qa.spawn(function()
    value, answer = ask()
    is_answered = true
  end)
  local goes_on = true
  local function watch() goes_on = groups.watch(ctx, window_ms) end
  while goes_on and not is_answered do
    if groups.is_nearly_known(ctx, window_ms) then watch() else qa.race(function() return asking:join() end, watch) end
  end
  asking:join()
  return value, answer
end

---Weighs what the model's inputs showed, when its part ends. Answers that are too few for a verdict are kept where
---nothing speaks against them: each came from a scene that rested. Else all is set aside, and the play begins afresh
---with the standard inputs.
function M.weigh(ctx)
  local state, is_clean = ctx.state, true
  if ctx.world or response.of(state.trials, facts.rule(ctx)).outcome == "yes" then return end
  state.still_trials, state.restarts, state.restart_failed = 0, 0, false
  for _, trial in ipairs(state.trials) do
    is_clean = is_clean and trial.moved and not trial.animated and #trial.control == 0 and not trial.control_dom
  end
  state.model_trials, state.trials = #state.trials, is_clean and state.trials or {}
end

return M
