-- One text and one value, asked unchanged of every surface that a server speaks: what came back, what it used, what it
-- cost. usage: qa-host tests/accept/models/surfaces.lua FACTS.json     FACTS is the ready line of aimock or of the tiny
-- model
local qa = require "qa"
local s = qa.schema

local facts = qa.json.decode(assert(qa.fs.read(qa.args[1])))
local surfaces = facts.surfaces
  or { tiny = { dialect = "openai-chat", base_url = ("http://127.0.0.1:%d/v1"):format(facts.port) } }
-- As long as the usage that aimock claims: who is billed more than its bytes allow has overrun its reservation.
local padding = (" ."):rep(600)
local action = s.object{ { "action", s.enum{ "click", "wait" } }, { "is_sure", s.boolean() } }

local function show(surface, asked, answer, value, err)
  -- A text that is cut off at max_output is an answer, too: the tiny model knows no end.
  answer = answer or err.kind == "llm_truncated" and err.detail
  local usage = answer and answer.usage or {}
  print(qa.json.encode{ surface = surface, asked = asked, text = answer and answer.text or nil, value = value,
    input = usage.input,
    output = usage.output, usd = answer and answer.usd or nil, problem = not answer and tostring(err) or nil })
end

local names = {}
for name in pairs(surfaces) do names[#names + 1] = name end
table.sort(names)
for _, name in ipairs(names) do
  local surface = surfaces[name]
  local endpoint = { name = name, dialect = surface.dialect, base_url = surface.base_url, model = "gpt-4o",
    key_env = "QA_PEER_KEY",
    price = { input = "2.50", output = "10" } }
  if surface.query then endpoint.path = "/chat/completions?" .. surface.query end
  local answer, err = qa.llm.ask{ endpoint = endpoint, prompt = "say hello" .. padding, max_output = 60 }
  show(name, "say hello", answer, nil, err)
  local value, more = qa.llm.object{ endpoint = endpoint, prompt = "click or wait?" .. padding, schema = action,
    max_output = 200, repair = 0 }
  show(name, "click or wait?", value and more, value, more)
end
