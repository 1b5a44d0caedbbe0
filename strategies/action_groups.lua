--- Action groups (seed 000): in each iteration a model proposes groups of actions, each of one idea; a group is
-- assessed as a whole, and those that changed the game are continued in the next iteration by longer ones. Everything
-- else is the standard strategy.
local action_groups = require "qa.input.action_groups"
local group_pictures = require "parts.action_groups.pictures"
local group_play = require "parts.action_groups.play"
local led_options = require "parts.model_led.options"
local model_play = require "parts.model_led.play"
local question = require "parts.model_led.question"

local hooks = {}
hooks.prepare = model_play.prepare({ "vision" }, { success_rule = { "progressed", "some", "every" } })

---A-021: one prompt for each kind of iteration.
local function prompt_of(ctx, iteration)
  local prompts = ctx.lists.group_prompts
  return prompts[iteration] or prompts[#prompts]
end

---Asks for the groups of this iteration (A-010 to A-012).
---@return table[]? groups highest confidence first
---@return string? reason why the play of the model ends
local function propose(ctx)
  local state, iteration, parents = ctx.state, ctx.state.iteration, ctx.state.successful
  local seen, err = group_pictures.now(ctx)
  if not seen then return nil, err.kind end
  local rule = action_groups.rule(ctx.lists.group_sizes, iteration, #parents)
  local images, shown = group_pictures.of_question(ctx, seen, parents)
  local vars = { groups = action_groups.range(rule.groups), actions = action_groups.range(rule.actions),
    failed = group_play.failed_text(ctx) }
  if iteration > 1 then vars.parents = group_play.parents_text(parents, shown) end
  local function make_schema(check)
    return action_groups.schema(rule, iteration, #parents, { actions = ctx.lists.action_names,
      reasoning = ctx.lists.group_reasoning, check = function(list)
        local texts = {}
        for i, group in ipairs(list) do texts[i] = group.reasoning end
        return check(texts)
      end })
  end
  local value, answer = question.ask(ctx, seen, { prompt = prompt_of(ctx, iteration), name = "action_groups",
    images = images, vars = vars, make_schema = make_schema })
  if not value then return nil, model_play.reason_of(ctx, answer) end
  -- A-014: the order is ours, whatever the answer's was.
  local list = value.groups
  for i, group in ipairs(list) do group.number = i end
  table.sort(list,
    function(a, b) return a.confidence > b.confidence or a.confidence == b.confidence and a.number < b.number end)
  state.seen_hash = seen.hash
  -- D-G1: where memory knows this scene, what actions have earned counts beside the model's confidence.
  local here = ctx.memory and ctx.memory.here
  return here and ctx.memory:rank(here, list, { width = ctx.width, height = ctx.height }) or list
end

---Begins an iteration.
---@return boolean going, string? reason
local function begin(ctx)
  local state = ctx.state
  if not state.successful then
    state.successful, state.failed_groups = {}, {}
    -- For a look at the questions of later iterations.
    if ctx.options.first_iteration > 1 then
      state.iteration, state.successful = ctx.options.first_iteration - 1, { group_play.stand_in(ctx) }
    end
  end
  state.iteration, state.winners = state.iteration + 1, {}
  local list, reason = propose(ctx)
  if not list then return false, reason end
  -- A-031, A-X2: nothing more to do.
  if #list == 0 then return false, "llm_complete" end
  state.queue, state.of_iteration = list, #list
  ctx.this_step.iteration, ctx.this_step.groups = state.iteration, #list
  return true
end

---Ends an iteration: what succeeded is continued by the next.
local function close(ctx)
  local state = ctx.state
  ctx:event("iteration", { n = state.iteration, groups = state.of_iteration, successful = #state.winners,
    elapsed_ms = math.floor(ctx:elapsed_ms()) })
  ctx.log.info(("iteration %d: %d groups, %d successful, %.1f s"):format(state.iteration, state.of_iteration,
    #state.winners, ctx:elapsed_ms() / 1000))
  state.queue, state.successful = nil, state.winners
end

---One step: the question of an iteration, or one of its groups.
local function iterate(ctx)
  local state = ctx.state
  if not state.queue then return begin(ctx) end
  local group = table.remove(state.queue, 1)
  local outcome, reason = group_play.run(ctx, group)
  if outcome.winner then table.insert(state.winners, outcome.winner) end
  -- A-X3: complete wins over what else the iteration says.
  if outcome.complete then return false, "llm_complete" end
  if reason then return false, reason end
  if #state.queue > 0 then return true end
  close(ctx)
  -- A-042: without any that succeeded the play is over.
  if #state.winners == 0 then return false, "zero_successful_groups" end
  return true
end

function hooks.step(ctx, base)
  local going, reason = model_play.step(ctx, base, iterate)
  -- A limit, or `complete`, ends an iteration in its middle.
  if ctx.state.led_until and ctx.state.queue then close(ctx) end
  return going, reason
end

local options = led_options.with{
  max_actions = { default = 100, doc = "actions of the model at most (A-X4); the seed gives no number" },
  isolate = { default = false, doc = "restart the game before each group, so that groups are comparable (A-G1)" },
  success_rule = { default = "progressed", doc = "when a group succeeds: progressed, or progressed and some, or " ..
    "every action done (A-X1)" },
  first_iteration = { default = 1, doc = "iteration to begin with, as if one group had succeeded; for qa-host prompt" },
}

return {
  name = "action_groups",
  clock = "auto",
  doc = "A model proposes groups of actions; those that change the game are continued by longer ones; the verdict " ..
    "is measured.",
  extends = "standard",
  prepare = hooks.prepare,
  step = hooks.step,
  limits = { usd = 0.50 },
  options = options,
  lists = {
    -- A-010 to A-012, A-X5: groups and actions of an iteration, least and most. From the second on, each that succeeded
    -- is continued by one.
    group_sizes = { [1] = { groups = { 1, 3 }, actions = { 1, 1 } }, [2] = { actions = { 1, 5 } },
      n = { actions = { 1, 10 } } },
    group_reasoning = { min = 10, max = 500 },
    group_prompts = { "action_groups_first", "action_groups_second", "action_groups_more" },
    action_names = led_options.action_names,
  },
}
