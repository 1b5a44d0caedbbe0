--- Conversation: what was said with a model that calls tools, as messages for qa.llm.ask. It only grows: what was said
-- stays as it is, so that caches of prompts hit and what the model thought stays valid. Plain data; pictures are given
-- when messages are made.
--
--   opening + picture 1 -> answer 1 (calls) -> results + picture 2 -> answer 2 ...
local M = {}

---@param opening string what the model is told first
---@param dialect string of the endpoint: "openai-responses" shows a computer's answer as a picture alone
function M.new(opening, dialect) return { opening = opening, dialect = dialect, turns = {} } end

---Takes an answer in. Items are sent back as the dialect wrote them; openai-chat has none.
---@param talk table
---@param answer qa.llm.Answer
---@return table turn {calls, results}
function M.answered(talk, answer)
  local turn = { text = answer.text, items = answer.items ~= "" and answer.items or nil, calls = answer.tool_calls
    or {}, results = {} }
  talk.turns[#talk.turns + 1] = turn
  return turn
end

---What a call of the last answer gave, as text.
---@param turn table of answered
---@param i integer place of the call
---@param text string
---@param checks? string acknowledged safety checks
function M.result(turn, i, text, checks) turn.results[i] = { text = text, checks = checks } end

local function assistant(turn)
  if turn.items then return { role = "assistant", items = turn.items } end
  local calls = {}
  for i, call in ipairs(turn.calls) do calls[i] = { id = call.id, name = call.name, arguments = call.arguments } end
  return { role = "assistant", parts = turn.text ~= "" and { { text = turn.text } } or {},
    tool_calls = #calls > 0 and calls or nil }
end

---The answers of a turn's calls; the picture of what came of them stands with the last, and with each of a computer.
local function add_results(messages, talk, turn, picture)
  local notes = {}
  for i, call in ipairs(turn.calls) do
    local result = turn.results[i] or { text = "not done" }
    local shows = picture and (i == #turn.calls or call.toolset == "computer")
    local parts = { { text = result.text } }
    if shows then parts[2] = { image = picture } end
    if talk.dialect == "openai-responses" and call.toolset == "computer" then notes[#notes + 1] = result.text end
    messages[#messages + 1] = { role = "tool", tool_call_id = call.id, toolset = call.toolset ~= "" and call.toolset
      or nil, parts = parts, checks = result.checks }
  end
  if #turn.calls == 0 then
    messages[#messages + 1] = { role = "user",
      parts = { { text = turn.reply or "Go on." }, picture and { image = picture } } }
  end
  if #notes > 0 then messages[#messages + 1] = { role = "user", content = table.concat(notes, "\n") } end
end

---The messages so far.
---@param talk table
---@param pictures qa.Image[] what the model saw first, and after each turn
---@param keep? integer turns kept; of earlier ones a line each stands in the opening
---@return qa.llm.Message[]
function M.messages(talk, pictures, keep)
  local first = math.max(1, #talk.turns - (keep or #talk.turns) + 1)
  local opening = { { text = talk.opening } }
  if first > 1 then
    local lines = { "What was done before, oldest first:" }
    for i = 1, first - 1 do lines[#lines + 1] = "- " .. (talk.turns[i].summary or "nothing") end
    opening[2] = { text = table.concat(lines, "\n") }
  end
  opening[#opening + 1] = pictures[first] and { image = pictures[first] }
  local messages = { { role = "user", parts = opening } }
  for i = first, #talk.turns do
    messages[#messages + 1] = assistant(talk.turns[i])
    add_results(messages, talk, talk.turns[i], pictures[i + 1])
  end
  return messages
end

return M
