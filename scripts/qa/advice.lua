-- Advice: where a model would click, and what it would press. One picture of the page, what the page itself offers, a prompt
-- of strategies/prompts; points come back as CSS pixels of the page, on a clickable where they hit one.
local qa = require "qa"
local page_text = require "qa.page_text"
local prompt = require "qa.prompt"
local schema = require "qa.schema"

local M = {}

local place = schema.object{
  { "what", schema.string{ max = 120, doc = "what is there" } },
  { "point", schema.point() },
  { "confidence", schema.number{ min = 0, max = 1 } },
}

local start = schema.object{
  { "reasoning", schema.string{ max = 300 } },
  { "action", schema.enum{ "click", "press", "none" } },
  { "key", schema.nullable(schema.string{ max = 20, doc = "a KeyboardEvent.code such as Space, Enter, ArrowUp, KeyW" }) },
  { "places", schema.array(place, { max = 3, sort_desc = "confidence" }) },
}

local target = schema.object{ { "is_there", schema.boolean() }, { "places", schema.array(place, { max = 1 }) } }

---A model's point is meant for the element that it hits.
local function on_clickable(point, rows)
  for _, row in ipairs(rows) do
    local dx, dy = math.abs(point.x - row.x), math.abs(point.y - row.y)
    if dx <= row.width / 2 and dy <= row.height / 2 and row.width * row.height < 90000 then return { x = row.x, y = row.y, hit = true } end
  end
  return { x = point.x, y = point.y }
end

---@return table? value, table|qa.Error answer
local function ask(page, name, vars, answer, opts)
  local rows = page:clickables{ limit = 60 } or {}
  local shot, err = page:screenshot()
  if not shot then return nil, err end
  local listed = page_text.clickables(rows, {})
  vars.clickables = listed ~= "" and page_text.fence(listed, "page") or "(nothing)"
  local text, identity = prompt.render(name, vars)
  local value, result = qa.llm.object{ role = "vision", purpose = opts.purpose, prompt = text, images = { shot }, schema = answer, name = name,
    max_side = opts.max_side or 1024, max_output = 400, timeout_ms = opts.timeout_ms or 20000 }
  shot:close()
  if not value then return nil, result end
  for _, item in ipairs(value.places) do item.point = on_clickable(item.point, rows) end
  return value, { usd = result.usd, identity = identity }
end

---How the game may be started.
---@param page qa.Page
---@param name string of the prompt
---@param tried string what has been tried
---@return {ideas: ({x: number, y: number}|{key: string})[], usd: number, identity: table}?, qa.Error?
function M.start(page, name, tried)
  local value, answer = ask(page, name, { tried = tried }, start, { purpose = "start" })
  if not value then return nil, answer end
  local ideas = {}
  if value.action == "press" and value.key then ideas[1] = { key = require("qa.keys").code(value.key) } end
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
  local value, answer = ask(page, "find_target", { phrase = phrase }, target, { purpose = "action" })
  if not value then return nil, answer end
  local found = value.is_there and value.places[1]
  if not found then
    return nil, require("qa.failure").new("element_not_found", ("the model sees nothing for %q"):format(phrase), "page_actions.act")
  end
  return found.point
end

return M
