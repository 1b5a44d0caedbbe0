-- Advice: where a model would click, and what it would press. One picture of the page, what the page itself offers, a
-- prompt of strategies/prompts; points come back as CSS pixels of the page, on a clickable where they hit one.
local qa = require "qa"
local page_text = require "qa.model.page_text"
local prompt = require "qa.model.prompt"
local schema = require "qa.model.schema"

local M = {}

---What an answer says of a place. Where marks were drawn their number is asked first: it is surer than a point.
local function place_of(marks)
  local fields = { { "what", schema.string{ max = 120, doc = "What is there." } } }
  if #marks > 0 then
    local numbers = {}
    for i, mark in ipairs(marks) do numbers[i] = mark.label end
    fields[2] = { "mark",
      schema.nullable(schema.integer{ min = math.min(unpack(numbers)), max = math.max(unpack(numbers)),
      doc = "the number of the box around it; null where none is." }) }
    fields[3] = { "point", schema.nullable(schema.point{ doc = "Null where a mark is given." }) }
  else
    fields[2] = { "point", schema.point() }
  end
  fields[#fields + 1] = { "confidence", schema.number{ min = 0, max = 1 } }
  return schema.object(fields)
end

local answers = {}

function answers.start(marks)
  return schema.object{
    { "reasoning", schema.string{ max = 300 } }, { "action", schema.enum{ "click", "press", "none" } },
    { "key", schema.nullable(schema.string{ max = 20,
      doc = "a KeyboardEvent.code such as Space, Enter, ArrowUp, KeyW." }) },
    { "places", schema.array(place_of(marks), { max = 3, sort_desc = "confidence" }) },
  }
end

function answers.action(marks)
  return schema.object{ { "is_there", schema.boolean() }, { "places", schema.array(place_of(marks), { max = 1 }) } }
end

---A model's point is meant for the element that it hits.
local function on_clickable(point, rows)
  for _, row in ipairs(rows) do
    local dx, dy = math.abs(point.x - row.x), math.abs(point.y - row.y)
    if dx <= row.width / 2 and dy <= row.height / 2 and row.width * row.height < 90000 then
      return { x = row.x, y = row.y, hit = true }
    end
  end
  return { x = point.x, y = point.y }
end

---The places of an answer that are on the page; a mark is the element that it was drawn around.
local function places_of(value, rows, marks)
  local drawn, places = {}, {}
  for _, mark in ipairs(marks) do drawn[mark.label] = rows[mark.label] end
  for _, item in ipairs(value.places) do
    local row = type(item.mark) == "number" and drawn[item.mark]
    if row then
      item.point = { x = row.x, y = row.y, hit = true }
    elseif type(item.point) == "table" and item.point.x then
      item.point = on_clickable(item.point, rows)
    else
      item.point = nil
    end
    if item.point then places[#places + 1] = item end
  end
  return places
end

---Asks about a page as it is now. purpose is the kind of answer, too.
---@return table? value, table|qa.Error answer
local function ask(page, name, vars, purpose)
  local rows = page:clickables{ limit = 60 } or {}
  local shot, err = page:screenshot()
  if not shot then return nil, err end
  local request = { role = "vision", purpose = purpose, name = name, images = { shot }, max_side = 1024,
    max_output = 400, timeout_ms = 20000 }
  local listed = page_text.clickables(rows, { space = qa.llm.space(request) })
  local width, height = shot:size()
  local marks = page_text.marks(rows, width * height)
  vars.clickables = listed ~= "" and page_text.fence(listed, "page") or "(nothing)"
  if #marks > 0 then
    request.marks = marks
    vars.clickables = vars.clickables .. "\n\n" .. prompt.render("marks", {}):gsub("%s+$", "")
  end
  local identity
  request.prompt, identity = prompt.render(name, vars)
  request.schema = answers[purpose](marks)
  local value, result = qa.llm.object(request)
  shot:close()
  if not value then return nil, result end
  value.places = places_of(value, rows, marks)
  return value, { usd = result.usd, identity = identity }
end

---How the game may be started.
---@param page qa.Page
---@param name string of the prompt
---@param tried string what has been tried
---@return {ideas: ({x: number, y: number}|{key: string})[], usd: number, identity: table}?, qa.Error?
function M.start(page, name, tried)
  local value, answer = ask(page, name, { tried = tried }, "start")
  if not value then return nil, answer end
  local ideas = {}
  if value.action == "press" and value.key then ideas[1] = { key = require("qa.text.key_names").code(value.key) } end
  if value.action == "none" then return { ideas = ideas, usd = answer.usd, identity = answer.identity } end
  for i, item in ipairs(value.places) do
    -- C-053: alternatives count above a confidence of one half.
    if i == 1 or item.confidence > 0.5 then ideas[#ideas + 1] = { x = item.point.x, y = item.point.y } end
  end
  return { ideas = ideas, usd = answer.usd, identity = answer.identity }
end

---Where the thing is that a phrase names.
---@param page qa.Page
---@param phrase string
---@return qa.Point? point, qa.Error?
function M.point(page, phrase)
  local value, answer = ask(page, "find_target", { phrase = phrase }, "action")
  if not value then return nil, answer end
  local found = value.is_there and value.places[1]
  if not found then
    return nil, require("qa.text.failure").new("element_not_found", ("the model sees nothing for %q"):format(phrase),
      "page_actions.act")
  end
  return found.point
end

return M
