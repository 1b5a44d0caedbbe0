--- The agent strategy (seed 002, C-040 to C-043): the loop belongs to the model. It sees the game, calls tools and
-- decides when it is done; the run keeps the limits, the gates, the money, the trace and the verdict. Phases before and
-- after the play are those of standard (C-005).
local qa = require "qa"
local agent_question = require "parts.agent.question"
local agent_tools = require "parts.agent.tools"
local agent_turn = require "parts.agent.turn"
local conversation = require "qa.model.conversation"
local failure = require "qa.text.failure"
local metrics = require "qa.run.metrics"
local led_options = require "parts.model_led.options"
local model_play = require "parts.model_led.play"
local question = require "parts.model_led.question"
local utf8 = require "qa.text.utf8"
local words_option = require "parts.model_led.word_options"

-- The model is reminded of whole turns (keep_turns), asks for the page's text itself (extract), and answers in
-- turn_output tokens. Models made for computer use take no temperature.
local options = led_options.with(require "parts.agent.options",
  { "answer_tokens", "history", "html_tokens", "pace_ms", "temperature" })

local function names_of(list)
  local names = {}
  for i, item in ipairs(list or {}) do names[i] = type(item) == "table" and item.name or item end
  return names
end

---The words of C-041 from what the metadata says.
local function vars_of(ctx)
  local metadata = ctx.metadata or {}
  local schema, testing = metadata.inputSchema or {}, metadata.testingStrategy or {}
  local controls = names_of(schema.actions)
  for _, name in ipairs(names_of(schema.axes)) do controls[#controls + 1] = name end
  if #controls == 0 then
    for i, control in ipairs(ctx.state.controls or {}) do controls[i] = control.key or control.kind end
  end
  local goals = { ctx.options.goal }
  for _, goal in ipairs(testing.criticalActions or {}) do goals[#goals + 1] = "use " .. goal end
  goals[#goals + 1] = testing.instructions
  return { genre = metadata.genre or "browser", controls = #controls > 0 and table.concat(controls, ", ")
    or "not known",
    objectives = table.concat(goals, "; "), minutes = ctx.options.minutes, steps = ctx.options.max_steps }
end

---What came of the play, as C-042 has it; told after each turn, so that a dead run has it, too.
local function tell(ctx)
  local agent = ctx.state.agent
  ctx:event("agent", { success = agent.success, message = agent.message, actions = qa.json.array(agent.actions),
    completed = agent.completed, usage = agent.usage, form = agent.computer ~= "" and agent.computer or "functions",
    model = agent.model, turns = agent.turns,
    safety_checks = agent.safety_checks and qa.json.array(agent.safety_checks) })
end

---C-043: without a model that has the tools it does not begin.
local function prepare(ctx, base)
  local ok, err = words_option.check(ctx, { cost_rule = { "measured", "seed" } })
  if not ok then return nil, err end
  if ctx.options.use_models then
    local computer, _, unfit = agent_question.form(ctx)
    if computer then unfit = model_play.refusal(ctx, agent_question.who(ctx)) end
    if unfit then return nil, unfit end
  end
  return base(ctx)
end

local function begin(ctx)
  local computer, model, err = agent_question.form(ctx)
  if not computer then error(err, 0) end
  ctx.state.agent = { computer = computer, dialect = model.dialect, model = model.model, turns = 0, actions = {},
    completed = false, success = false,
    message = "", usage = { calls = 0, usd = 0, input = 0, output = 0 },
    talk = conversation.new(ctx:prompt("agent_play", vars_of(ctx)), model.dialect) }
  ctx.agent_pictures = {}
  tell(ctx)
end

---Money that is gone and a model that declines end the play; an answer that cannot be used is asked for again; what
---else keeps the model from answering is an error of the run (C-043).
---@return string? reason
local function unanswered(ctx, err)
  local agent = ctx.state.agent
  agent.message = utf8.shorten(utf8.printable(failure.text(err)), 500)
  local reason = question.endings[err.kind]
  if reason then return reason end
  agent.failures = (agent.failures or 0) + 1
  if (err.kind == "llm_invalid" or err.kind == "llm_truncated") and agent.failures < ctx.options.most_unusable then
    return nil
  end
  tell(ctx)
  error(err, 0)
end

---One turn of the model.
---@return boolean going, string? reason
local function turn(ctx)
  if not ctx.state.agent then begin(ctx) end
  local agent = ctx.state.agent
  if agent.turns >= ctx.options.max_steps then return false, "max_steps" end
  local look, err = agent_question.look(ctx)
  if not look then return false, err.kind end
  agent.turns = agent.turns + 1
  ctx.agent_pictures[#agent.talk.turns + 1] = look.picture
  local reason
  reason, err = metrics.span(ctx, "turn", agent_turn.take, ctx, look)
  if err then reason = unanswered(ctx, err) end
  if not reason then tell(ctx) end
  return not reason, reason
end

---The model's part is over, by its own doing or by a limit.
local function over(ctx)
  -- A limit that was reached before the first turn is told in a result, too.
  if not ctx.state.agent then begin(ctx) end
  local agent = ctx.state.agent
  if agent.is_over then return end
  agent.is_over = true
  if agent.message == "" then agent.message = ("the play ended: %s"):format(ctx.state.led_until) end
  tell(ctx)
  for _, picture in ipairs(ctx.agent_pictures) do picture:close() end
  ctx.agent_pictures = {}
end

local function step(ctx, base)
  local going, reason = model_play.step(ctx, base, turn)
  if ctx.state.led_until then over(ctx) end
  return going, reason
end

return {
  name = "agent",
  clock = "auto",
  doc = "A model plays by itself with tools or its vendor's computer use.",
  extends = "standard",
  prepare = prepare,
  step = step,
  limits = { usd = 0.50 },
  options = options,
  lists = {
    tools = agent_tools.tools,
    agent_actions = { "click", "double_click", "drag", "press", "hold", "type", "scroll", "move", "wait", "burst" },
  },
}
