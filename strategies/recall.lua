--- Recall: what led to the goal before is done again before any model is asked, guarded at each step; where nothing is
-- remembered, or the sampler wants to know better, another strategy plays and is learned from. A remembered control
-- that is gone fails the run. `--strategy recall --set strategies=standard,adaptive` lets the sampler choose between
-- them. What is remembered: qa-host memory show.
local cascade_order = require "parts.recall.start_order"
local decisive = require "parts.standard.decisive"
local lessons = require "parts.recall.lessons"
local observe = require "parts.standard.observe"
local recorder = require "qa.memory.recorder"
local replay = require "qa.memory.replay"
local words_option = require "parts.model_led.word_options"

local hooks = {}

---The strategy that plays where memory does not; nil when that is the one that this one extends.
local function inner(ctx)
  local recall = ctx.state.recall
  if not recall or recall.how == "memory" or recall.how == "standard" then return nil end
  ctx.inner = ctx.inner or require("qa.run.strategy_file").load(recall.how)
  return ctx.inner
end

---The hook of the strategy that plays, else the one that this strategy extends. A hook's last argument is its base.
local function delegated(name)
  return function(ctx, ...)
    local count, arguments = select("#", ...), { ... }
    local base, playing = arguments[count], inner(ctx)
    local hook = playing and playing[name] or base
    if hook then return hook(ctx, unpack(arguments, 1, count - 1)) end
  end
end

for _, name in ipairs{ "observe", "propose", "act", "assess", "recover", "learn" } do hooks[name] = delegated(name) end

---What the strategy that plays has for options, lists and limits, where this run has no own; a swap resets them.
local function take_settings(ctx)
  local recall, playing = ctx.state.recall, inner(ctx)
  if not recall or ctx.settled == ctx.strategy then return end
  ctx.settled = ctx.strategy
  -- D-006: nobody is asked while memory leads the way.
  if recall.how == "memory" then ctx.options.use_models = false end
  if not playing then return end
  for name, option in pairs(playing.options) do
    local own = ctx.strategy.options[name]
    if not own or own.default == ctx.options[name] then ctx.options[name] = option.default end
  end
  local lists = {}
  for name, list in pairs(playing.lists) do lists[name] = list end
  for name, list in pairs(ctx.lists) do lists[name] = lists[name] or list end
  ctx.lists = lists
  for name, limit in pairs(playing.limits) do ctx.limits[name] = ctx.limits[name] or limit end
end

function hooks.prepare(ctx, base)
  local ok, err = words_option.check(ctx, { memory = { "auto", "always", "never" } })
  if not ok then return nil, err end
  ok, err = base(ctx)
  if not ok then return ok, err end
  local recall = lessons.begin(ctx)
  ctx.state.recall = recall
  take_settings(ctx)
  if recall.how == "memory" then
    -- What was imported has no screens yet.
    if not recall.pattern.signature or (recall.pattern.actions[1] or {}).seed ~= nil then
      ctx.recorder = recorder.new(ctx)
      ctx.recorder.phase = "start"
    end
  else
    local playing = inner(ctx)
    if playing then
      -- It opens the game anew, by its own rules.
      ok, err = playing.prepare(ctx)
      if not ok then return ok, err end
    end
    ctx.recorder = recorder.new(ctx)
  end
  return true
end

---Replays one remembered step.
---@return boolean? done nil: it failed, and why is in ctx.state.recall.lost
local function replay_step(ctx)
  local recall = ctx.state.recall
  local step = recall.pattern.actions[recall.next]
  local result = replay.step(ctx, step, ctx.lists.replay_policy, ctx.lists.memory_policy.scene_distance)
  if result.healed then
    table.insert(recall.healed, result.healed)
    ctx:event("healed", { step = recall.next, by = result.healed.by, from = result.healed.from, to = result.healed.to,
      px = result.healed.px, what = result.healed.what })
  end
  ctx:event("replayed", { step = recall.next, of = #recall.pattern.actions, ok = result.ok, reason = result.reason })
  if not result.ok then
    recall.lost = { step = recall.next, reason = result.reason, stop = result.stop }
    return nil
  end
  -- The next replay is compared with what was seen now.
  local seen = result.seen
  step.screen = step.screen and seen.screen
  for field, anchor in pairs{ target = "anchor", to = "to_anchor" } do
    if step[anchor] and seen[anchor] then
      step.action[field], step[anchor].x, step[anchor].y = seen[anchor], seen[anchor].x, seen[anchor].y
    end
  end
  if step.screen then step.view = { width = ctx.width, height = ctx.height } end
  recall.next = recall.next + 1
  return true
end

---Are there steps left, of this phase where one is named?
local function has_steps(ctx, phase)
  local recall = ctx.state.recall
  local step = recall and recall.how == "memory" and not recall.lost and recall.pattern.actions[recall.next]
  return step and (not phase or (step.phase or "start") == phase)
end

---The game runs, by what was remembered.
local function is_started(ctx)
  local state = ctx.state
  local recall = state.recall
  state.started, state.start_method, state.is_certain = true, "memory", recall.pattern.is_certain
  state.start_summary = ("memory: %d steps as remembered"):format(recall.next - 1)
  ctx:event("start", { found = true, method = "memory", attempts = recall.next - 1 })
  observe.controls(ctx)
  ctx:shot("post_start")
  observe.game_type(ctx)
  return true
end

function hooks.start(ctx, base)
  local state = ctx.state
  local recall = state.recall
  if recall.how ~= "memory" or #recall.pattern.actions == 0 then
    -- For the first start only: new rounds have an order of their own.
    local lists, playing = ctx.lists, inner(ctx)
    ctx.lists = cascade_order.learned(ctx)
    local found, err = (playing and playing.start or base)(ctx)
    ctx.lists = lists
    return found, err
  end
  ctx:phase("start_button_detection")
  while has_steps(ctx, "start") and not decisive.by(ctx) do replay_step(ctx) end
  if decisive.by(ctx) then return decisive.decide(ctx, state.decided) end
  if recall.lost then return nil, { kind = "element_not_found", op = "start", message = recall.lost.reason } end
  -- A way that is all play starts the game somewhere on it.
  if recall.next > 1 then return is_started(ctx) end
end

function hooks.step(ctx, base)
  local recall = ctx.state.recall
  take_settings(ctx)
  -- A run that was swapped to this strategy in its middle has nothing to recall.
  if recall and recall.lost then return false, recall.lost.stop or "memory_lost" end
  if has_steps(ctx) then
    if decisive.by(ctx) then return false, ctx.state.decided end
    if not replay_step(ctx) then return false, recall.lost.stop or "memory_lost" end
    ctx.this_step.replayed = recall.next - 1
    if not has_steps(ctx) and not ctx.state.started then is_started(ctx) end
    return true
  end
  local playing = inner(ctx)
  if playing and playing.step then return playing.step(ctx) end
  return base(ctx)
end

function hooks.conclude(ctx, report, base)
  local recall, playing = ctx.state.recall, inner(ctx)
  if playing and playing.conclude then report = playing.conclude(ctx, report) else report = base(ctx, report) end
  if recall then
    if recall.lost and not recall.lost.stop then lessons.tell_lost(ctx, report) end
    lessons.keep(ctx, report)
  end
  return report
end

return {
  name = "recall",
  doc = "Do again what led to the goal before; learn from what plays where nothing is remembered.",
  extends = "standard",
  prepare = hooks.prepare, start = hooks.start, step = hooks.step, observe = hooks.observe, propose = hooks.propose,
  act = hooks.act, assess = hooks.assess, recover = hooks.recover, learn = hooks.learn, conclude = hooks.conclude,
  options = {
    goal = { default = "find out whether the game can be played",
      doc = "what is remembered belongs to it; a model is told it, too" },
    strategies = { default = "standard", doc = "strategies that may play where memory does not, by name, with " ..
      "commas between" },
    memory = { default = "auto", doc = "auto: the sampler decides between memory and playing anew; always; never" },
  },
}
