--- The data that the models of the batched strategy answer with, by the names of seed 001 (B-013). What leaves a model
-- is checked by these schemas; points are CSS pixels of the page.
local qa = require "qa"
local actions = require "qa.input.actions"

local s = qa.schema

local M = {}

M.kinds = { "button", "board", "piece", "text", "field", "link", "other" }
M.screens = { "menu", "play", "paused", "end", "loading", "dialog", "other" }

---Vision: one thing on the screen.
M.page_element = s.object{
  { "label", s.string{ max = 80, doc = "How a player would call it." } },
  { "kind", s.enum(M.kinds) },
  { "point", s.point{ doc = "Its centre." } },
  { "is_interactive", s.boolean() },
  { "confidence", s.number{ min = 0, max = 1 } },
}

---Vision: what the screen shows.
M.page_analysis = s.object{
  { "summary", s.string{ max = 400 } },
  { "screen", s.enum(M.screens) },
  { "elements", s.array(M.page_element, { max = 12, sort_desc = "confidence" }) },
}

---Vision: where one element is, or that it is not there and what is there instead.
M.element_answer = s.object{
  { "is_there", s.boolean() },
  { "point", s.nullable(s.point()) },
  { "confidence", s.number{ min = 0, max = 1 } },
  { "reason", s.string{ max = 200 } },
  { "alternatives", s.array(s.object{ { "label", s.string{ max = 80 } }, { "point", s.point() } },
    { max = 3, doc = "What could be meant instead." }) },
}

---ElementLocation or ElementLocationFailure, of an answer.
---@return {element: string, point: qa.Point, confidence: number}? location
---@return {element: string, reason: string, alternatives: table[]}? failure
function M.location(element, answer)
  if answer.is_there and answer.point then
    return { element = element, point = answer.point, confidence = answer.confidence }
  end
  return nil, { element = element, reason = answer.reason, alternatives = answer.alternatives }
end

---Orchestrator: one thing to do. `element` names what it acts on where its place is not certain.
---@param names string[] of the vocabulary
function M.action(names)
  local fields = {}
  for _, field in ipairs(actions.schema{ actions = names, reasoning = { max = 200 }, confidence = false }.fields) do
    fields[#fields + 1] = field
  end
  fields[#fields + 1] = { "element", s.nullable(s.string{ max = 80,
    doc = "Name of what it acts on, instead of a target, where the place is not certain." }) }
  fields[#fields + 1] = { "leads_on", s.boolean{ doc = "Is another screen expected right after it?" } }
  return s.object(fields)
end

---Orchestrator: a question about the screen, before a plan is made (InfoSeekingQuery).
M.info_seeking_query = s.object{ { "element", s.string{ max = 80 } }, { "question", s.string{ max = 200 } } }

M.revisions = { "other_element", "other_order", "intermediate_step", "other_parameters" }  -- B-010

---Orchestrator: an ExecutionPlan, a ToolCall (one action at once, then look again), an InfoSeekingQuery, or the end.
---@param opts {actions: string[], most: integer, is_revision?: boolean, check?: fun(value: table): any, string?}
function M.orchestration(opts)
  local fields = { { "reasoning", s.string{ max = 500 } } }
  if opts.is_revision then
    fields[2] = { "revision", s.enum(M.revisions, { doc = "What is different from the plan that failed." }) }
  end
  fields[#fields + 1] = { "kind", s.enum{ "plan", "tool_call", "query", "complete" } }
  fields[#fields + 1] = { "actions", s.array(M.action(opts.actions),
    { max = opts.most, doc = "Of a plan in their order; of a tool_call one." }) }
  fields[#fields + 1] = { "query", s.nullable(M.info_seeking_query) }
  return s.object(fields, { check = opts.check })
end

return M
