--- One turn of the agent: the model sees the game, calls tools, and each call is done and answered. Actions of every
-- form of tool become actions of the one vocabulary, and go through the same checks, limits and trace.
local qa = require "qa"
local actions = require "qa.input.actions"
local agent_question = require "parts.agent.question"
local computer_use = require "qa.model.computer_use"
local conversation = require "qa.model.conversation"
local failure = require "qa.text.failure"
local metrics = require "qa.run.metrics"
local measured_play = require "parts.model_led.measured_play"
local point_space = require "qa.model.point_space"
local question = require "parts.model_led.question"
local tools_of = require "qa.model.tools"
local utf8 = require "qa.text.utf8"

local M = {}

---The steps that a call asks for: actions, looks, tools, errors.
local function steps_of(ctx, call, tools, place)
  if computer_use.is_computer(call) and ctx.state.agent.computer ~= "" then return computer_use.steps(call, place) end
  local args, err = tools_of.arguments(tools, call, place.space)
  if not args then return { { error = err.message } } end
  local tool = tools[call.name]
  if not tool.action then return { { tool = tool, name = call.name, args = args } } end
  local action
  action, err = tool.action(ctx, args)
  return { action and { action = action } or { error = failure.text(err) } }
end

---Notes what was done, as C-042 has it.
local function note(ctx, kind, reasoning, completed, more)
  local list = ctx.state.agent.actions
  list[#list + 1] = { type = kind, reasoning = utf8.shorten(utf8.printable(reasoning or ""), 300),
    completed = completed, url = ctx.state.agent.url, timestamp = qa.utc(), error = more }
end

local function do_action(ctx, action, told)
  local outcome = actions.perform(ctx, action)
  if outcome.stop then return "not done: the run has reached its limit", outcome.stop end
  if outcome.complete then return "complete" end
  told[#told + 1] = { action = action, outcome = outcome }
  local failed = outcome.error and utf8.shorten(failure.text(outcome.error), 200)
  note(ctx, action.action, action.reasoning, outcome.success, failed)
  return failed and "refused: " .. failed or "done: " .. actions.describe(action)
end

local function do_step(ctx, step, told)
  if step.look then return "see the picture" end
  if step.error then
    note(ctx, "refused", "", false, utf8.shorten(utf8.printable(step.error), 200))
    metrics.add(ctx, "refused")
    return "refused: " .. step.error
  end
  if step.action then return do_action(ctx, step.action, told) end
  local text, err = step.tool.run(ctx, step.args)
  note(ctx, step.name, step.args.reasoning or step.args.message, text ~= nil,
    err and utf8.shorten(failure.text(err), 200))
  return text ~= nil and tostring(text) or "failed: " .. failure.text(err)
end

---Actions that are certain to reach the page, and whether something else does, too.
local function inputs_of(ctx, plan)
  local inputs, is_pure = {}, true
  for _, steps in ipairs(plan) do
    for _, step in ipairs(steps) do
      -- Nothing is done after it.
      if step.tool and step.name == "done" then return inputs, is_pure end
      if step.action and actions.check(step.action, actions.bounds(ctx, step.action)) then
        inputs[#inputs + 1] = step.action
      end
      if step.tool and step.name ~= "extract" then is_pure = false end
    end
  end
  return inputs, is_pure
end

local function url_of(ctx)
  return ctx.page:evaluate("location.href", { world = "host", timeout_ms = 2000 }) or ctx.url
end

---Does all calls of an answer.
---@return string? reason to end
local function do_calls(ctx, turn, look, plan)
  local told, stop, lines = {}, nil, {}
  local function act()
    for i, steps in ipairs(plan) do
      local texts = {}
      for _, step in ipairs(steps) do
        if stop then break end
        local text
        text, stop = do_step(ctx, step, told)
        if ctx.state.agent.completed then stop = stop or "llm_complete" end
        texts[#texts + 1] = text
      end
      local text = #texts > 0 and table.concat(texts, "\n") or stop and "not done" or "see the picture"
      local call = turn.calls[i]
      conversation.result(turn, i, text, call.checks ~= "" and call.checks or nil)
      lines[#lines + 1] = utf8.shorten(text:gsub("%s+", " "), 100)
    end
    for _, one in ipairs(told) do
      if one.outcome.success then return true end
    end
    return false
  end
  local inputs, is_pure = inputs_of(ctx, plan)
  -- What else is done may open another page: its effect is nobody's.
  local progressed = measured_play.measured(ctx, is_pure and inputs or {}, act)
  local moved = nil
  if progressed ~= "unknown" then moved = progressed == "yes" end
  for _, one in ipairs(told) do actions.record(ctx, one.action, one.outcome, moved) end
  turn.summary = table.concat(lines, "; ")
  ctx.this_step.progressed, ctx.state.agent.at = progressed, look.at
  return stop
end

---Plans the calls of an answer; those beyond the limit of a turn are answered, not done.
local function plan_of(ctx, turn, look)
  local tools, plan = agent_question.tools(ctx, ctx.state.agent.computer), {}
  local place = { space = look.space or point_space.new{ width = ctx.width, height = ctx.height },
    at = ctx.state.agent.at }
  for i, call in ipairs(turn.calls) do
    plan[i] = i <= ctx.options.calls_a_turn and steps_of(ctx, call, tools, place)
      or { { error = ("only %d calls of a turn are done"):format(ctx.options.calls_a_turn) } }
  end
  look.at = place.at
  return plan
end

---The safety checks of an answer, in words; nil for none.
local function checks_of(answer)
  local words = {}
  for _, call in ipairs(answer.tool_calls or {}) do
    local ok, checks = pcall(qa.json.decode, call.checks ~= "" and call.checks or "[]")
    for _, check in ipairs(ok and type(checks) == "table" and checks or {}) do
      words[#words + 1] = utf8.shorten(utf8.printable(("%s: %s"):format(tostring(check.code), tostring(check.message))),
        200)
    end
  end
  return #words > 0 and words or nil
end

local function add_usage(usage, answer)
  usage.calls, usage.usd = usage.calls + 1, usage.usd + (answer.usd or 0)
  usage.input = usage.input + (answer.usage and answer.usage.input or 0)
  usage.output = usage.output + (answer.usage and answer.usage.output or 0)
end

---Asks, and does what the model calls for.
---@param look table of agent_question.look
---@return string? reason the play is over
---@return qa.Error? err the model could not be asked
function M.take(ctx, look)
  local agent = ctx.state.agent
  local request = agent_question.request(ctx, look)
  local answer, err = measured_play.while_watched(ctx,
    function() return question.answered(ctx, "model", qa.llm.ask, request) end)
  if not answer then
    -- One that was cut short or declined has its price, too.
    local cut = type(err.detail) == "table" and err.detail or {}
    if cut.usd then add_usage(agent.usage, cut) end
    return nil, err
  end
  add_usage(agent.usage, answer)
  agent.failures, agent.message = 0, ""
  agent.url = url_of(ctx)
  local checks = checks_of(answer)
  if checks then
    agent.safety_checks = checks
    ctx:event("note", { text = "The model's vendor asks for a safety check: " .. table.concat(checks, "; ") .. "." })
    if not ctx.options.acknowledge_checks then return "safety_check" end
  end
  local turn = conversation.answered(agent.talk, answer)
  if #turn.calls == 0 then
    agent.completed, agent.message = true, utf8.shorten(utf8.printable(answer.text), 1000)
    return "llm_complete"
  end
  return do_calls(ctx, turn, look, plan_of(ctx, turn, look))
end

return M
