--- What the agent is asked with: the form of its tools, what it sees, and the request as it is sent.
local qa = require "qa"
local agent_tools = require "parts.agent.tools"
local computer_use = require "qa.model.computer_use"
local conversation = require "qa.model.conversation"
local failure = require "qa.text.failure"
local measured_play = require "parts.model_led.measured_play"
local question = require "parts.model_led.question"
local tools_of = require "qa.model.tools"
local words_option = require "parts.model_led.word_options"

local M = {}

---Who is asked.
function M.who(ctx) return { role = "agent", otherwise = ctx.options.model } end

---Which form of tool the model is asked with: its vendor's computer tool, or functions. No other is tried.
---@return string? computer type of the vendor's tool, "" for functions
---@return table? model, qa.Error?
function M.form(ctx)
  local ok, err = words_option.check(ctx, { tool_form = { "auto", "computer", "functions" } })
  if not ok then return nil, nil, err end
  local model = qa.llm.model(M.who(ctx))
  if not model then
    return nil, nil, failure.new("llm_unavailable",
      "the agent strategy needs a model: set OPENAI_API_KEY or ANTHROPIC_API_KEY, --model, or the role 'agent' in " ..
        "your configuration", "agent")
  end
  local wanted, computer = ctx.options.tool_form, ctx.options.computer_tool ~= "" and ctx.options.computer_tool
    or model.computer
  local fits = computer ~= "" and computer_use.tool(computer, model.dialect, 1, 1) ~= nil
  if wanted == "functions" or wanted == "auto" and not fits then
    if not model.tools then
      return nil, nil, failure.new("llm_unavailable", model.model .. " calls no tools", "agent")
    end
    return "", model
  end
  if fits then return computer, model end
  return nil, nil, failure.new("llm_unavailable", ("%s at %s has no computer tool: give computer_tool, or " ..
    "tool_form=functions"):format(model.model, model.dialect), "agent")
end

---What the model sees now, in the size in which it is sent.
---@return table? look {picture, space}, qa.Error?
function M.look(ctx)
  measured_play.rest(ctx)
  local image, err = question.picture(ctx, "agent")
  if not image then return nil, err end
  local picture, space = question.fit(ctx, image, M.who(ctx))
  if not picture then return nil, space end
  return { picture = picture, space = space }
end

---The tools that are functions: those of the strategy's list, and the actions where no computer tool stands for them.
function M.tools(ctx, computer)
  local tools = computer == "" and agent_tools.of_actions(ctx.lists.agent_actions) or {}
  for name, tool in pairs(ctx.lists.tools) do tools[name] = tool end
  return tools
end

---The question as it is sent.
function M.request(ctx, look)
  local agent, options = ctx.state.agent, ctx.options
  local declared = tools_of.declare(M.tools(ctx, agent.computer), look.space)
  if agent.computer ~= "" then
    table.insert(declared, 1,
      assert(computer_use.tool(agent.computer, agent.dialect, look.space.width, look.space.height)))
  end
  local request = M.who(ctx)
  request.messages, request.tools = conversation.messages(agent.talk, ctx.agent_pictures, options.keep_turns), declared
  local most = qa.llm.model(request).max_output
  request.max_output = most > 0 and math.min(most, options.turn_output) or options.turn_output
  request.purpose = "play"
  -- What was said before is sent again and again: Anthropic keeps it only where it is asked to.
  request.extra = agent.dialect == "anthropic-messages" and { cache_control = { type = "ephemeral" } } or nil
  return request
end

return M
