-- One question, unchanged, to every surface that a server speaks: text, usage and cost of each.
-- usage: qa-host tests/accept/models/surfaces.lua FACTS.json PROMPT     FACTS is the ready line of aimock or of the tiny model
local qa = require "qa"

local facts = qa.json.decode(assert(qa.fs.read(qa.args[1])))
local surfaces = facts.surfaces or { tiny = { dialect = "openai-chat", base_url = ("http://127.0.0.1:%d/v1"):format(facts.port) } }
local names = {}
for name in pairs(surfaces) do names[#names + 1] = name end
table.sort(names)
for _, name in ipairs(names) do
  local surface = surfaces[name]
  local endpoint = { name = name, dialect = surface.dialect, base_url = surface.base_url, model = "gpt-4o", key_env = "QA_PEER_KEY",
    price = { input = "2.50", output = "10" } }
  if surface.query then endpoint.path = "/chat/completions?" .. surface.query end
  local answer, err = qa.llm.ask{ endpoint = endpoint, prompt = qa.args[2] or "say hello", max_output = 200 }
  if answer then
    local usage = answer.usage or {}
    print(("%s %q input %s output %s usd %.6f"):format(name, answer.text, tostring(usage.input), tostring(usage.output), answer.usd))
  else
    print(("%s FAILED %s"):format(name, tostring(err)))
  end
end
