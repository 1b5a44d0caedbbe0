--- Lessons: at the beginning of a run, what is remembered and who is to play; at its end, what it taught (D-012).
local build = require "qa.game.version"
local memory = require "qa.memory.memory"
local recorder = require "qa.memory.recorder"
local records = require "qa.memory.record"
local start_order = require "parts.recall.start_order"

local M = {}

local function names_of(text)
  local names = {}
  for name in text:gmatch "[^,%s]+" do names[#names + 1] = name end
  return names
end

---Who plays: memory, where it knows a way, or one of the strategies.
local function choose(ctx, recall)
  local policy, names = ctx.lists.memory_policy, names_of(ctx.options.strategies)
  if #names == 0 then error("option strategies names none", 0) end
  local setting = ctx.options.memory
  if recall.pattern and setting == "always" then return "memory", false end
  local ways = {}
  if recall.pattern and setting == "auto" then ways[1] = { name = "memory", prior = policy.memory_prior } end
  for _, name in ipairs(names) do
    ways[#ways + 1] = { name = name, price = recall.pattern and policy.fresh_price or 0 }
  end
  if #ways == 1 then return ways[1].name, false end
  return ctx.memory:choose(recall.question, ways)
end

---@return table recall plain data: {context, how, explored, question, pattern?, next, healed}
function M.begin(ctx)
  ctx.memory.build = build.of(ctx.page)
  local screen, shot = recorder.look(ctx.page)
  if shot then shot:close() end
  local context = ctx.memory:context(screen and screen.hash or "", nil, screen and not screen.is_still)
  local recall = { context = context, hash = screen and screen.hash, next = 1, healed = {}, question = "how:"
    .. memory.context_key(context) }
  ctx.memory.here = context
  recall.pattern = context.is_known and ctx.memory:get_successful_pattern(context) or nil
  recall.how, recall.explored = choose(ctx, recall)
  local hint = ctx.memory:hint(context)
  -- D-007: the reasons reach whoever plans, by the prompts that take ctx.state.hints.
  ctx.state.hints = hint ~= "" and hint or nil
  ctx:event("memory", { game = ctx.memory.game, build = ctx.memory.build, scene = context.scene, goal = context.goal,
    how = recall.how,
    explored = recall.explored, is_known = context.is_known, steps = recall.pattern and #recall.pattern.actions or nil,
    count = recall.pattern and recall.pattern.count or nil,
    hints = hint ~= "" and select(2, hint:gsub("Avoid ", "")) or 0,
    choices = ctx.memory.choices, exploration_rate = ctx.memory:exploration_rate() })
  return recall
end

---A remembered control that is gone is what the run has found: it fails, whatever else could be measured.
function M.tell_lost(ctx, report)
  local recall = ctx.state.recall
  local step = recall.pattern.actions[recall.lost.step]
  local text = ("Step %d of %d of the way that led to the goal before (%s) cannot be done any more: %s."):format(
    recall.lost.step, #recall.pattern.actions, require("qa.input.actions").describe(step.action), recall.lost.reason)
  local kind = step.phase == "play" and "unresponsive" or "start_not_found"
  ctx:issue{ severity = "critical", kind = kind, description = require("qa.text.utf8").printable(text) }
  ctx:check(step.phase == "play" and "responsive" or "started", "fail", nil, { text })
  report.status = "fail"
  report.playability_score = math.min(report.playability_score or 0, 20)
  report.missing = {}
end

---A pattern as a run leaves it: steps, and what the start was worth.
local function success(ctx, recall, steps)
  local context = recall.context
  -- An imported scene has no look of its own: from now on this one has.
  if not context.hash and recall.hash then
    context = { game = context.game, build = context.build, goal = context.goal, scene = recall.hash,
      hash = recall.hash, moves = context.moves }
  end
  context.build = ctx.memory.build
  ctx.memory:record_success(context, steps, ("Test %s passed"):format(ctx.memory.game),
    { is_certain = ctx.state.is_certain or nil })
end

---D-005: actions of the play that failed; each kind of them once a run.
local function failures(ctx, recall)
  local policy, told = ctx.lists.memory_policy, {}
  recall.context.build = ctx.memory.build
  for _, step in ipairs(ctx.state.failed or {}) do
    local bucket = records.bucket(step.action, policy, step.view)
    if not told[bucket] then ctx.memory:record_failure(recall.context, { step }, step.reason) end
    told[bucket] = true
  end
end

---What the play cost and led to is kept. A run that was cut short teaches nothing.
function M.keep(ctx, report)
  local state = ctx.state
  local recall, policy = state.recall, ctx.lists.memory_policy
  local lost = recall.lost and not recall.lost.stop
  local passed = report.status == "pass"
  local is_over = passed or lost or report.status == "fail" or state.facts ~= nil or state.decided ~= nil
  if not is_over or recall.kept then return end
  recall.kept = true
  if recall.how == "memory" then
    local steps = recall.pattern.actions
    if passed then
      -- The steps of an imported pattern were recorded while they were done.
      success(ctx, recall, ctx.recorder and state.recorded or steps)
    elseif lost then
      local done = {}
      for i = 1, recall.lost.step do done[i] = steps[i] end
      recall.context.build = ctx.memory.build
      ctx.memory:record_failure(recall.context, done, recall.lost.reason, recall.pattern.signature)
    end
  else
    failures(ctx, recall)
    -- What has worked after all is not to be avoided: successes come last.
    if passed then success(ctx, recall, state.recorded or {}) end
    start_order.learn(ctx, ctx.report.start.attempts)
  end
  ctx.memory:learn(recall.question, recall.how, passed and 1 or 0, recall.pattern and policy.forget_replay or nil)
  ctx:event("learned", { how = recall.how, passed = passed, steps = recall.how == "memory" and #recall.pattern.actions
    or #(state.recorded or {}),
    healed = #recall.healed, choices = ctx.memory.choices, exploration_rate = ctx.memory:exploration_rate() })
end

return M
