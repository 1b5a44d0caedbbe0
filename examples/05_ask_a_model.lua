-- Asks a model where the start button is, clicks there, and says what that cost. Without an endpoint it says how to give one.
-- usage: qa-host examples/05_ask_a_model.lua [URL]
local qa = require "qa"

if not qa.llm.is_available("vision") then
  print("nobody answers: set OPENAI_API_KEY, or QA_MODEL=ollama/qwen3-vl for a server of your own (docs/models.md)")
  return
end

local browser = assert(qa.browser.launch{})
local page = assert(browser:new_page{ width = 1280, height = 720 })
assert(page:navigate(qa.args[1] or qa.serve("examples/games/clicker").url))

local s = qa.schema
local answer_schema = s.object{
  { "reasoning", s.string{ max = 200 } },
  { "start", s.nullable(s.point{ doc = "centre of the start button" }) },
}

-- Before a byte is sent: who would be asked, and at most at what cost?
local request = { prompt = "Where is the button that starts this game?", images = { page:screenshot() }, max_output = 200 }
local estimate = assert(qa.llm.estimate(request))
print(("asking %s %s: at most $%.5f of $%.2f, pictures not counted"):format(estimate.endpoint, estimate.model, estimate.usd, qa.budget.left()))

request.schema = answer_schema
local value, answer = qa.llm.object(request)
if not value then
  print("no answer: " .. tostring(answer))
elseif value.start then
  local before = page:screenshot()
  page:click(value.start, {})
  page:settle{ quiet_ms = 200, max_ms = 2000 }
  print(("%s -> clicked %d,%d; %.1f %% of the page changed; $%.5f"):format(value.reasoning, value.start.x, value.start.y,
    before:diff(page:screenshot()).changed_ratio * 100, answer.usd))
else
  print("the model sees no start: " .. value.reasoning)
end
browser:close()
