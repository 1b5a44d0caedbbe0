-- Answers of models that nobody scripted, through the schema ladder: four schemas in turn, whole answers and cut ones.
-- usage: qa-host tests/accept/models/ladder.lua COUNT PICTURE PORT...
--   prints a line an answer, as the hex of JSON, since print() spells control characters out: what came, what it became
local qa = require "qa"
local s = qa.schema

local count = tonumber(qa.args[1])
local picture = assert(qa.image.load(qa.args[2]))
local questions = {
  { name = "groups", partial = "closed", schema = s.object{ { "groups",
    s.array(s.object{ { "action", s.enum{ "click", "wait" } },
    { "times", s.any_of{ s.const "once", s.number{ min = 0, max = 99 } } } }, { max = 9 }) } } },
  { name = "action", schema = s.object{ { "action", s.enum{ "click", "press", "wait" } },
    { "repeats", s.integer{ min = 1, max = 5000 } },
    { "key", s.nullable(s.string{ max = 8 }) }, { "is_sure", s.boolean() } } },
  { name = "place", images = { picture },
    schema = s.object{ { "how", s.any_of{ s.const "fast", s.integer{ min = 1, max = 9 } } },
    { "at", s.nullable(s.point()) } } },
  { name = "verdict", schema = s.object{ { "score", s.integer{ min = 0, max = 100 } },
    { "kinds", s.array(s.enum{ "frozen", "blank", "popup" }, { max = 4 }) } } },
}

local begun = 0

local function ask(endpoint, number)
  local question = questions[number % #questions + 1]
  local value, answer = qa.llm.object{ endpoint = endpoint, prompt = "what next?", schema = question.schema,
    images = question.images,
    partial = question.partial, max_output = 90, repair = 0 }
  if not value and not answer.detail then error(answer, 0) end
  local line = qa.json.encode{ schema = question.name, value = value, text = value and answer.text
    or answer.detail.text, kind = answer.kind,
    is_partial = value and answer.is_partial or nil }
  print((line:gsub(".", function(c) return ("%02x"):format(c:byte()) end)))
end

local workers = {}
for i = 3, #qa.args do
  local endpoint = { name = "tiny", base_url = ("http://127.0.0.1:%s/v1"):format(qa.args[i]), model = "gpt-4o",
    key_env = "QA_PEER_KEY", free = true }
  local function worker()
    while begun < count do
      begun = begun + 1
      ask(endpoint, begun)
    end
  end
  for _ = 1, 10 do workers[#workers + 1] = worker end  -- a server works on eight at once
end
local _, errs = qa.all(unpack(workers))
assert(not errs, errs and tostring(errs[1]))
