--- A model of a script's making, for specs: what the host would send is recorded, and answered from a list. Everything
-- above the wire is real: the form that the answer must have, its points, the question that is asked again. Nothing is
-- sent and nothing is spent.
local qa = require "qa"
local internal = require "qa.internal"

local M = {}

local function text_of(messages)
  local parts, images = {}, {}
  for _, message in ipairs(messages) do
    for _, part in ipairs(message.parts) do
      if part.text then parts[#parts + 1] = part.text end
      if part.image then images[#images + 1] = part.image end
    end
  end
  return table.concat(parts, "\n"), #images
end

---The answer that is due: the next of the list, the last one for good where it is a function.
local function next_of(list, turn)
  local answer = list[turn]
  if answer == nil and type(list[#list]) == "function" then answer = list[#list] end
  return answer
end

---Runs fn while `answers` stand in for every model.
---@param answers table<string, (string|table|fun(asked: table): string|table)[]> by purpose: texts, or tables that are
---sent as JSON; a table {refusal = text} declines, {error = kind} fails
---@param fn fun(asked: table[]): any
---@return any value of fn
---@return {purpose: string, text: string, images: integer, schema?: string, temperature?: number}[] asked
function M.run(answers, fn)
  local asked, turns, real, endpoint, model = {}, {}, internal.ask_model, qa.command.endpoint, qa.command.model
  function internal.ask_model(spec)
    local purpose = spec.purpose or "other"
    -- A question that is asked again belongs to the one before it.
    local list_of = purpose == "repair" and asked[#asked].list_of or purpose
    local text, images = text_of(spec.messages)
    asked[#asked + 1] = { purpose = purpose, list_of = list_of, text = text, images = images, schema = spec.schema
      and spec.schema.text, temperature = spec.temperature }
    turns[list_of] = (turns[list_of] or 0) + 1
    local answer = next_of(answers[list_of] or {}, turns[list_of])
    if type(answer) == "function" then answer = answer(asked[#asked]) end
    if answer == nil then
      return nil, { kind = "llm_unavailable", message = "the script has no answer for " .. purpose, op = "qa.llm" }
    end
    if type(answer) == "table" and answer.error then
      return nil, { kind = answer.error, message = "as the script says", op = "qa.llm" }
    end
    local refusal = type(answer) == "table" and answer.refusal or nil
    return { text = refusal or type(answer) == "table" and qa.json.encode(answer) or answer, usd = 0, attempts = {},
      finish = refusal and "refusal" or "stop", refusal = refusal, id = "script", tool_calls = {}, items = "", ms = 0 }
  end
  qa.command.endpoint, qa.command.model = "openai", "gpt-4o"
  local ok, value = pcall(fn, asked)
  internal.ask_model, qa.command.endpoint, qa.command.model = real, endpoint, model
  if not ok then error(value, 0) end
  return value, asked
end

return M
