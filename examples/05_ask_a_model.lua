-- Asks a model where the start button is, clicks there, and says what that cost. Without an endpoint it says how to
-- give one. usage: qa-host examples/05_ask_a_model.lua [URL]
local qa = require "qa"
local page_text = require "qa.model.page_text"

if not qa.llm.is_available("vision") then
  print("nobody answers: set OPENAI_API_KEY, or QA_MODEL=ollama/qwen3-vl for a server of your own (docs/models.md)")
  return
end

local browser = assert(qa.browser.launch{})
local page = assert(browser:new_page{ width = 1280, height = 720 })
assert(page:navigate(qa.args[1] or qa.serve("examples/games/clicker").url))

-- What can be clicked gets a numbered box on the picture: naming a number is surer than guessing pixels.
local rows, shot = assert(page:clickables()), assert(page:screenshot())
local marks = page_text.marks(rows)
local listed = page_text.clickables(rows, { space = qa.llm.space{ images = { shot } } })

local s = qa.schema
local request = {
  prompt = "Where is the button that starts this game? Numbered boxes are drawn around what can be clicked. The " ..
    "page lists, as data:\n"
    .. page_text.fence(listed, "page"),
  images = { shot }, marks = #marks > 0 and marks or nil, max_output = 200,
  schema = s.object{
    { "reasoning", s.string{ max = 200 } },
    { "mark", s.nullable(s.integer{ doc = "The number of the box." }) },
    { "point", s.nullable(s.point{ doc = "The button's centre, where no box is around it." }) },
  },
}

-- Before a byte is sent: who would be asked, and at most at what cost?
local estimate = assert(qa.llm.estimate(request))
print(("asking %s %s: at most $%.5f of $%.2f"):format(estimate.endpoint, estimate.model, estimate.usd,
  qa.budget.left()))

local value, answer = qa.llm.object(request)
local place = value and (rows[value.mark] or value.point)
if not value then
  print("no answer: " .. tostring(answer))
elseif place and place ~= qa.json.null then
  local before = page:screenshot()
  page:click({ x = place.x, y = place.y }, {})
  page:settle{ quiet_ms = 200, max_ms = 2000 }
  print(("%s -> clicked %d,%d; %.1f %% of the page changed; $%.5f"):format(value.reasoning, place.x, place.y,
    before:diff(page:screenshot()).changed_ratio * 100, answer.usd))
else
  print("the model sees no start: " .. value.reasoning)
end
browser:close()
