-- A conversation with tools grows, and is sent as each dialect wants it.
local conversation = require "qa.model.conversation"
local tools = require "qa.model.tools"
local qa = require "qa"

local s = qa.schema

local function talk_of(dialect, n, items)
  local talk = conversation.new("play", dialect)
  for i = 1, n do
    local turn = conversation.answered(talk, { text = "I look", items = items or "", tool_calls = {
      { id = "a" .. i, name = "press", arguments = "{}", toolset = "" },
      { id = "b" .. i, name = "computer", arguments = "[]", toolset = "computer" } } })
    conversation.result(turn, 1, "done: " .. i)
    conversation.result(turn, 2, "seen", '[{"id":"x"}]')
    turn.summary = "press " .. i
  end
  return talk
end

return {
  ["what was said stays as it was: the messages of a turn begin with those of the turn before"] = function(t)
    local pictures, talk = { "p1", "p2", "p3" }, talk_of("openai-chat", 1)
    local before = conversation.messages(talk, pictures)
    conversation.answered(talk, { text = "", items = "", tool_calls = {} })
    local after = conversation.messages(talk, pictures)
    for i = 1, #before do t.equal(after[i], before[i]) end
    t.truthy(#after > #before)
  end,

  ["pictures stand where they were seen: the first with the opening, the others with what came of a turn"] = function(t)
    local messages = conversation.messages(talk_of("openai-chat", 2), { "p1", "p2", "p3" })
    t.equal(messages[1], { role = "user", parts = { { text = "play" }, { image = "p1" } } })
    t.equal(messages[2], { role = "assistant", parts = { { text = "I look" } },
      tool_calls = { { id = "a1", name = "press", arguments = "{}" },
      { id = "b1", name = "computer", arguments = "[]" } } })
    t.equal(messages[3], { role = "tool", tool_call_id = "a1", parts = { { text = "done: 1" } } })
    t.equal(messages[4], { role = "tool", tool_call_id = "b1", toolset = "computer",
      parts = { { text = "seen" }, { image = "p2" } }, checks = '[{"id":"x"}]' })
    t.equal(messages[7].parts[2], { image = "p3" })
  end,

  ["items go back as the dialect wrote them; a computer's answer of the Responses API is a picture, its words follow"] =
    function(t)
    local messages = conversation.messages(talk_of("openai-responses", 1, '[{"type":"reasoning"}]'), { "p1", "p2" })
    t.equal(messages[2], { role = "assistant", items = '[{"type":"reasoning"}]' })
    t.equal(messages[5], { role = "user", content = "seen" })
  end,

  ["turns that are no longer kept become a line each"] = function(t)
    local messages = conversation.messages(talk_of("openai-chat", 5), { "p1", "p2", "p3", "p4", "p5", "p6" }, 2)
    t.equal(messages[1].parts[2].text, "What was done before, oldest first:\n- press 1\n- press 2\n- press 3")
    t.equal({ messages[1].parts[3], #messages }, { { image = "p4" }, 7 })
    t.equal(messages[3].tool_call_id, "a4")
  end,

  ["C-042: tools are declared with their schemas, and arguments that do not fit are told, not done"] = function(t)
    local list = { add = { doc = "adds",
      parameters = s.object{ { "n", s.integer{ max = 5 } }, { "at", s.nullable(s.point()) } }, run = function() end } }
    local declared = tools.declare(list)[1]
    t.equal({ declared.name, declared.description }, { "add", "adds" })
    t.truthy(declared.parameters:find('"n"', 1, true))
    t.equal(tools.arguments(list, { name = "add", arguments = '{"n":3,"at":null}' }).n, 3)
    for _, call in ipairs{ { name = "add", arguments = '{"n":9,"at":null}' }, { name = "add", arguments = "" },
      { name = "add", arguments = "nonsense" },
      { name = "ad", arguments = "{}" }, { name = "add", arguments = '{"n":1,"at":null,"more":1}' } } do
      local none, err = tools.arguments(list, call)
      t.equal({ none, err.kind }, { nil, "type_mismatch" })
    end
    local _, err = tools.arguments(list, { name = "ad", arguments = "{}" })
    t.truthy(err.message:find("did you mean 'add'", 1, true), err.message)
    t.raises(function() tools.declare{ x = { doc = "y" } } end, "run or action")
    t.raises(function() tools.declare{ x = { doc = "y", run = function() end, rnu = 1 } } end, "unknown option 'rnu'")
  end,
}
