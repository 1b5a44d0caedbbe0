-- What the models of the batched strategy answer, by a script, and a run of it on the page of scripted_answers.
local qa = require "qa"
local scripted = qa.load_chunk("tests/strategies/support/scripted_answers.lua")()
local strategies = require "qa.run.strategy_file"

local models = strategies.part "batched.schemas"
local batched = strategies.load "batched"

local null = qa.json.null
local places = { Red = { 160, 135 }, Green = { 420, 135 }, Blue = { 680, 135 }, Pink = { 160, 335 },
  Teal = { 420, 335 }, Gold = { 680, 335 },
  Next = { 1000, 110 }, Home = { 640, 350 }, Field = { 1000, 320 }, Nothing = { 1200, 650 } }

---An action as the orchestrator writes it: all fields, most of them null.
local function action(kind, more, names)
  local made = { reasoning = "it is worth a try", action = kind, leads_on = false, element = null, target = null }
  for _, field in ipairs(models.action(names or batched.lists.plan_actions).fields) do
    if made[field[1]] == nil then made[field[1]] = null end
  end
  for key, value in pairs(more or {}) do made[key] = value end
  return made
end

local function click(name, more)
  local made = action("click", { target = scripted.at(unpack(places[name])) })
  for key, value in pairs(more or {}) do made[key] = value end
  return made
end

local function press(key) return action("press", { target = { key = key } }) end

local function plan(list, more)
  local made = { reasoning = "try what is there", kind = "plan", actions = qa.json.array(list), query = null }
  for key, value in pairs(more or {}) do made[key] = value end
  return { value = made }
end

---Without the fields that this question does not know: exploring actions have fewer, plans say nothing of a revision.
local function fitted(spec, answer)
  local value = answer.value
  if not (value and spec.schema) then return answer end
  local function keep(object)
    for key in pairs(object) do
      if not spec.schema.text:find('"' .. key .. '"', 1, true) then object[key] = nil end
    end
  end
  keep(value)
  for _, one in ipairs(value.actions or {}) do keep(one) end
  return answer
end

local function complete() return plan({}, { kind = "complete" }) end
local function revised(list, how, more)
  local made = plan(list, more)
  made.value.revision = how or "other_element"
  return made
end

---An analysis that names the tiles.
local function analysis(names)
  local elements = {}
  for i, name in ipairs(names or {}) do
    elements[i] = { label = name, kind = "button", point = scripted.at(unpack(places[name])), is_interactive = true,
      confidence = 0.9 }
  end
  return { value = { summary = "tiles", screen = "play", elements = qa.json.array(elements) } }
end

---Nothing is where somebody looks for it, but a Next button is there.
local function not_there()
  return { value = { is_there = false, point = null, confidence = 0.1, reason = "no such thing here",
    alternatives = qa.json.array{ { label = "a Next button", point = scripted.at(unpack(places.Next)) } } } }
end

---A script of the orchestrator's answers in their order; vision always sees the same, unless told.
local function answers(list, see, locate)
  local n = 0
  return function(spec)
    if spec.purpose == "page_analysis" then return (see or analysis)() end
    if spec.purpose == "element_location" then return (locate or not_there)(spec) end
    n = n + 1
    local answer = list[math.min(n, #list)]
    return fitted(spec, type(answer) == "function" and answer(spec) or answer)
  end
end

local function count(asked, purpose)
  local n = 0
  for _, spec in ipairs(asked) do n = n + (spec.purpose == purpose and 1 or 0) end
  return n
end

local function text_of(spec)
  local texts = {}
  for _, message in ipairs(spec.messages) do
    for _, part in ipairs(message.parts) do texts[#texts + 1] = part.text end
  end
  return table.concat(texts, "\n")
end

---The first question of a purpose.
local function first_of(asked, purpose)
  for _, spec in ipairs(asked) do
    if spec.purpose == purpose then return spec end
  end
end

---A run whose first turn explores by one click.
local function play(list, more)
  local all = { function() return plan{ click "Gold" } end }
  for _, answer in ipairs(list) do all[#all + 1] = answer end
  return scripted.play("batched", answers(all, more and more.see), more)
end

return { scripted = scripted, places = places, action = action, click = click, press = press, plan = plan,
  fitted = fitted, complete = complete,
  revised = revised, analysis = analysis, not_there = not_there, answers = answers, count = count, text_of = text_of,
  first_of = first_of, play = play }
