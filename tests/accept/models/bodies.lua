-- Asks in every way that the client knows, so that a server can record the bodies: three dialects, pictures, schemas, tools,
-- models with limits, streams, conversations.
-- usage: qa-host tests/accept/models/bodies.lua PORT
local qa = require "qa"
local s = qa.schema

local port = tonumber(qa.args[1])
local schema = s.object{
  { "action", s.enum{ "click", "press", "wait" } },
  { "at", s.nullable(s.point()) },
  { "groups", s.array(s.object{ { "why", s.string{ max = 40 } }, { "confidence", s.number{ min = 0, max = 1 } } }, { max = 3 }) },
}
local pixel = qa.image.load(qa.args[2])
local tool = { name = "zoom", description = "look closer",
  parameters = '{"type":"object","properties":{"x":{"type":"number"}},"required":["x"],"additionalProperties":false}' }
local history = { { role = "user", content = "hello" }, { role = "assistant", content = "hi" }, { role = "user", content = "and now?" } }

local ways = {
  plain = { prompt = "say ok" },
  system = { system = "You test games.\nBe brief.", prompt = "say \"ok\" \1 \240\159\152\128" },
  warm = { prompt = "say ok", temperature = 0.3 },
  picture = { prompt = "say ok", images = { pixel }, detail = "low" },
  pictures = { system = "Look.", prompt = "say ok", images = { pixel, pixel } },
  tools = { prompt = "say ok", tools = { tool }, tool_choice = "auto" },
  must_use = { prompt = "say ok", tools = { tool }, tool_choice = "required" },
  talk = { messages = history },
  stream = { prompt = "say ok", stream = true },
}
local models = { ["openai-chat"] = { "gpt-4o", "gpt-5.4", "gpt-4-turbo" }, ["openai-responses"] = { "gpt-4o", "gpt-5.4" },
  ["anthropic-messages"] = { "claude-sonnet-5", "claude-haiku-4-5" } }
local asked, failed = 0, 0
for dialect, list in pairs(models) do
  for _, model in ipairs(list) do
    local base = ("http://127.0.0.1:%d%s"):format(port, dialect == "anthropic-messages" and "" or "/v1")
    local endpoint = { name = "peer", dialect = dialect, base_url = base, model = model, key_env = "QA_PEER_KEY", free = true }
    for name, way in pairs(ways) do
      local opts = { endpoint = endpoint, max_output = 64 }
      for key, value in pairs(way) do opts[key] = value end
      local answer, err = qa.llm.ask(opts)
      asked = asked + 1
      if not answer then
        failed = failed + 1
        print(("%s %s %s: %s"):format(dialect, model, name, tostring(err)))
      end
    end
    qa.llm.object{ endpoint = endpoint, prompt = "say ok", images = { pixel }, schema = schema, max_output = 64, repair = 1 }
    asked = asked + 1
  end
end
print(("%d asked, %d failed"):format(asked, failed))
return failed == 0
