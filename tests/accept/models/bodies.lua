-- Asks in every way that the client knows, so that a server can record the bodies: three dialects, pictures, schemas,
-- tools and their results, models with limits and one that no table knows, streams, conversations. usage: qa-host
-- tests/accept/models/bodies.lua PORT PICTURE
local qa = require "qa"
local s = qa.schema

local port = tonumber(qa.args[1])
local picture = assert(qa.image.load(qa.args[2]))
local schema = s.object{
  { "action", s.enum{ "click", "press", "wait" } },
  { "at", s.nullable(s.point()) },
  { "how", s.any_of{ s.const "fast", s.integer{ min = 1, max = 9 } } },
  { "groups", s.array(s.object{ { "why", s.string{ max = 40 } }, { "confidence", s.number{ min = 0, max = 1 } } },
    { max = 3 }) },
}
local tool = { name = "zoom", description = "look closer",
  parameters = '{"type":"object","properties":{"x":{"type":"number"}},"required":["x"],"additionalProperties":false}' }
local history = { { role = "user", content = "hello" }, { role = "assistant", content = "hi" },
  { role = "user", content = "and now?" } }
local tool_talk = { { role = "user", content = "look" },
  { role = "assistant", parts = { { text = "I look." } },
    tool_calls = { { id = "call_1", name = "zoom", arguments = '{"x":1.5}' } } },
  { role = "tool", tool_call_id = "call_1", parts = { { text = "a button" } } } }

---What a tool shows, and two tools that were called together.
local shown = { { role = "user", parts = { { text = "look" }, { image = picture } } },
  { role = "assistant", tool_calls = { { id = "call_1", name = "zoom", arguments = '{"x":1.5}' },
    { id = "call_2", name = "zoom", arguments = '{"x":2}' } } },
  { role = "tool", tool_call_id = "call_1", parts = { { text = "a button" }, { image = picture } } },
  { role = "tool", tool_call_id = "call_2", parts = { { text = "a field" } } } }
local computer = require "qa.model.computer_use"

---A call of a computer as the model wrote it, and the screen as its answer.
local function screen(call, items, checks)
  return { { role = "user", content = "play" }, { role = "assistant", items = items },
    { role = "tool", tool_call_id = call, toolset = "computer", checks = checks,
      parts = { { text = "done" }, { image = picture } } },
    { role = "user", content = "go on" } }
end
local function vendor(kind, dialect) return { assert(computer.tool(kind, dialect, 768, 432)) } end
local openai_call =
  [[ [{"type":"computer_call","id":"cu_1","call_id":"call_1","status":"completed","pending_safety_checks":[],%s}] ]]

local ways = {
  plain = { prompt = "say ok" },
  system = { system = "You test games.\nBe brief.", prompt = "say \"ok\" \1 \240\159\152\128" },
  warm = { prompt = "say ok", temperature = 0.3 },
  picture = { prompt = "say ok", images = { picture }, detail = "low" },
  pictures = { system = "Look.", prompt = "say ok", images = { picture, picture }, detail = "high", max_side = 512 },
  tools = { prompt = "say ok", tools = { tool }, tool_choice = "auto" },
  tool_shows = { messages = shown, tools = { tool }, max_side = 512 },
  tool_talk = { messages = tool_talk, tools = { tool } },
  talk = { messages = history },
  stream = { prompt = "say ok", stream = true },
}
local own_ways = {
  ["openai-chat"] = {
    must_use = { prompt = "say ok", tools = { tool }, tool_choice = "required" },
    extra = { prompt = "say ok", extra = { store = false, metadata = { game = "clicker" } } },
  },
  ["openai-responses"] = {
    must_use = { prompt = "say ok", tools = { tool }, tool_choice = "required" },
    extra = { prompt = "say ok", extra = { store = false, metadata = { game = "clicker" } } },
    goes_on = { prompt = "say ok", previous_id = "resp_1" },
    computer = { prompt = "say ok", tools = vendor("computer", "openai-responses") },
    computer_screen = { tools = vendor("computer", "openai-responses"),
      messages = screen("call_1",
        openai_call:format '"actions":[{"type":"click","button":"left","x":1,"y":2},{"type":"wait"}]') },
    preview = { prompt = "say ok", tools = vendor("computer_use_preview", "openai-responses") },
    preview_screen = { tools = vendor("computer_use_preview", "openai-responses"), messages = screen("call_1",
      openai_call:format '"action":{"type":"screenshot"}',
      '[{"id":"s1","code":"malicious_instructions","message":"careful"}]') },
  },
  ["anthropic-messages"] = {
    extra = { prompt = "say ok", extra = { metadata = { user_id = "tester" } } },
    toolset = { prompt = "say ok", tools = vendor("computer_toolset_20260801", "anthropic-messages"),
      extra = { cache_control = { type = "ephemeral" } } },
    toolset_screen = { tools = vendor("computer_toolset_20260801", "anthropic-messages"), messages = screen("toolu_1",
      '[{"type":"tool_use","id":"toolu_1","name":"left_click","toolset_name":"computer","input":{"coordinate":[3,4]},'
        .. '"caller":{"type":"direct"}}]') },
  },
}
local models = { ["openai-chat"] = { "gpt-4o", "gpt-5.4", "gpt-4-turbo", "house-model" },
  ["openai-responses"] = { "gpt-4o", "gpt-5.4" },
  ["anthropic-messages"] = { "claude-sonnet-5", "claude-haiku-4-5" } }
local asked, failed = 0, 0

local function note(answer, err, name)
  asked = asked + 1
  if answer then return end
  failed = failed + 1
  print(("%s: %s"):format(name, tostring(err)))
end

local function ask_all(dialect, model)
  local base = ("http://127.0.0.1:%d%s"):format(port, dialect == "anthropic-messages" and "" or "/v1")
  local endpoint = { name = "peer", dialect = dialect, base_url = base, model = model, key_env = "QA_PEER_KEY",
    free = true }
  for _, list in ipairs{ ways, own_ways[dialect] } do
    for name, way in pairs(list) do
      local opts = { endpoint = endpoint, max_output = 64 }
      for key, value in pairs(way) do opts[key] = value end
      local answer, err = qa.llm.ask(opts)
      note(answer, err, ("%s %s %s"):format(dialect, model, name))
    end
  end
  -- The server says "ok", which fits no schema: one question and one repair are sent.
  local _, err = qa.llm.object{ endpoint = endpoint, prompt = "say ok", images = { picture }, schema = schema,
    max_output = 64, repair = 1 }
  note(err.kind == "llm_invalid", err, ("%s %s object"):format(dialect, model))
end

for dialect, list in pairs(models) do
  for _, model in ipairs(list) do ask_all(dialect, model) end
end
print(("%d asked, %d failed"):format(asked, failed))
return failed == 0
