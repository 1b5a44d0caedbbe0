--- The orchestrator of the batched strategy: makes a plan and revises it. Turn 1 only explores (B-008); a revision is
-- told what failed, what was done before, and what is there instead (B-009).
local qa = require "qa"
local actions = require "qa.input.actions"
local measured_play = require "parts.model_led.measured_play"
local metrics = require "qa.run.metrics"
local models = require "parts.batched.schemas"
local page_text = require "qa.model.page_text"
local prompt = require "qa.model.prompt"
local question = require "parts.model_led.question"
local utf8 = require "qa.text.utf8"
local vision = require "parts.batched.vision"

local M = {}

---Does the page itself offer something at this point?
local function is_offered(point, rows)
  for _, row in ipairs(rows) do
    if math.abs(point.x - row.x) <= row.width / 2 + 1 and math.abs(point.y - row.y) <= row.height / 2 + 1 then
      return true
    end
  end
  return false
end

---Turn 1 assumes nothing about the page: few exploratory actions, pointed at what the page itself offers (B-008).
---@return true?, string? message
function M.explores(ctx, value, rows)
  local allowed = {}
  for _, name in ipairs(ctx.lists.exploratory_actions) do allowed[name] = true end
  if value.kind == "complete" then return nil, "the first turn explores: nothing is complete yet" end
  if #value.actions > ctx.options.explore_actions then
    return nil, ("the first turn explores: at most %d actions, got %d"):format(ctx.options.explore_actions,
      #value.actions)
  end
  for i, action in ipairs(value.actions) do
    local name = actions.aliases[action.action] or action.action
    if not allowed[name] then return nil, ("action %d: the first turn explores: no %s"):format(i, name) end
    if action.element or action.leads_on then
      return nil, ("action %d: the first turn assumes nothing about the page: no element, no leads_on"):format(i)
    end
    local at = type(action.target) == "table" and action.target.x and action.target
    if at and name == "click" and #rows > 0 and not is_offered(at, rows) then
      return nil, ("action %d: the first turn clicks only what the page offers; nothing is at that point"):format(i)
    end
  end
  return true
end

---A revision is something else than what failed: not the same first action again (B-010).
---@return true?, string? message
local function differs(failed, value)
  local first = value.actions[1]
  if value.kind ~= "plan" or not (failed and failed.action and first) then return true end
  local same = actions.describe(first) == actions.describe(failed.action) and first.element == failed.action.element
  if same and value.revision ~= "other_order" then
    return nil, "the revision begins with the action that failed; change it or what comes before it"
  end
  return true
end

---Does it repeat an example or a sentence of the question instead of looking at the picture (P-02)?
local function is_quoting(ctx, name, value)
  local texts = { value.reasoning }
  for _, action in ipairs(value.actions) do texts[#texts + 1] = action.reasoning end
  if not prompt.quoted(prompt.load(name), texts) then return false end
  metrics.add(ctx, "quoting_answers")
  return true
end

---What an answer must keep to beyond its shape.
local function rule_of(ctx, name, look, failed)
  return function(value)
    if is_quoting(ctx, name, value) then return nil, "this repeats the question: answer for the picture" end
    if value.kind == "query" and not value.query then return nil, "query: give what is asked for" end
    if value.kind == "tool_call" and #value.actions ~= 1 then return nil, "a tool_call has one action" end
    if value.kind == "plan" and #value.actions == 0 then return nil, "a plan has actions" end
    if failed then return differs(failed, value) end
    if name == "batched_explore" then return M.explores(ctx, value, look.rows) end
    return true
  end
end

local function list(lines, empty) return #lines > 0 and table.concat(lines, "\n") or empty end

---What went before. A model chose the words: they are data.
local function said(ctx)
  local lines, messages = {}, ctx.state.batched.messages
  for i = math.max(1, #messages - ctx.options.history_lines + 1), #messages do
    lines[#lines + 1] = ("turn %d, %s: %s"):format(messages[i].turn, messages[i].role, messages[i].text)
  end
  return #lines > 0 and page_text.fence(table.concat(lines, "\n"), "history") or "(nothing yet)"
end

---An ExecutionError in words, with what was done before it and what is there instead; names come from the page.
local function error_lines(ctx, failed)
  local lines = { ("%s: %s"):format(failed.type, failed.message) }
  if failed.action then
    local element = failed.action.element
    lines[#lines + 1] = "It happened at: " .. actions.describe(failed.action)
      .. (element and (" (%s)"):format(utf8.printable(element)) or "")
  end
  for _, other in ipairs(failed.alternatives or {}) do
    lines[#lines + 1] = "There is instead: " .. utf8.shorten(utf8.printable(other.label), 80)
  end
  lines[#lines + 1] = ("Done before it and kept: %s"):format(list(failed.done or {}, "nothing"):gsub("\n", ", "))
  lines[#lines + 1] = ("This is revision %d of at most %d in a row."):format(ctx.state.batched.revisions + 1,
    ctx.options.max_revisions)
  return page_text.fence(table.concat(lines, "\n"), "failure")
end

local function controls_of(ctx)
  local names = {}
  for i, control in ipairs(ctx.state.controls or {}) do names[i] = control.key or control.kind end
  return #names > 0 and table.concat(names, ", ") or "not known"
end

---The question as it is sent. failed: an ExecutionError, for a revision.
---@return table request
function M.request(ctx, look, analysis, failed)
  local options, is_first = ctx.options, not ctx.state.batched.has_explored and not failed
    and ctx.options.begin_with == "explore"
  local name = failed and "batched_revise" or is_first and "batched_explore" or "batched_plan"
  local most = is_first and options.explore_actions or options.plan_actions
  local request = { role = "orchestrator", purpose = failed and "revision" or "plan",
    name = failed and "revised_plan" or "execution_plan", images = { look.image }, scale = look.scale,
    max_side = options.look_side, max_output = options.answer_tokens, temperature = options.temperature,
    schema = models.orchestration{ most = most,
      actions = is_first and ctx.lists.exploratory_actions or ctx.lists.plan_actions,
      is_revision = failed ~= nil, check = rule_of(ctx, name, look, failed) } }
  local vars = { goal = ctx.options.goal, most = most, history = said(ctx), analysis = vision.lines(analysis, request),
    clickables = vision.offered(look, request), controls = controls_of(ctx) }
  if failed then vars.error = error_lines(ctx, failed) end
  if is_first then vars.history = nil end
  request.prompt = ctx:prompt(name, vars)
  return request
end

---Asks for a plan, or for a revision of one that failed.
---@return table? orchestration, qa.Error?
function M.ask(ctx, look, analysis, failed)
  local request = M.request(ctx, look, analysis, failed)
  local value, answer = measured_play.while_watched(ctx,
    function() return question.answered(ctx, "orchestrator", qa.llm.object, request) end)
  if not value then return nil, answer end
  return value
end

return M
