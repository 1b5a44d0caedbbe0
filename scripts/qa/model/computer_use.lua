--- Computer use: the vendors' own tools for a screen, translated into the one vocabulary (qa.input.actions). Pure: it
-- knows how the tools are declared and what their actions mean; who calls it checks and does them like any other
-- action.
--   OpenAI: computer_use_preview (one action a call) and computer (a batch)
--   Anthropic: computer_toolset_* and the dated computer_20*
local qa = require "qa"
local failure = require "qa.text.failure"
local point_space = require "qa.model.point_space"

local M = {}

M.wait_ms = 1000     -- OpenAI's wait has no duration
M.notch_px = 100     -- one click of a wheel
M.most_actions = 50  -- of one call; what follows is not read

---Members of Anthropic's toolset that are not offered: games have no use for them, or the vocabulary has none.
M.not_offered = { "right_click", "middle_click", "triple_click", "left_mouse_down", "left_mouse_up", "cursor_position",
  "zoom" }

local function openai_preview(width, height)
  return { type = "computer_use_preview", environment = "browser", display_width = width, display_height = height }
end

local function anthropic_dated(width, height, kind)
  return { type = kind, name = "computer", display_width_px = width, display_height_px = height }
end

local function anthropic_toolset(_, _, kind)
  local configs = {}
  for _, name in ipairs(M.not_offered) do configs[name] = { enabled = false } end
  return { type = kind, configs = configs }
end

local forms = {
  { "^computer_use_preview$", "openai-responses", openai_preview },
  { "^computer$", "openai-responses", function() return { type = "computer" } end },
  { "^computer_toolset_%d+$", "anthropic-messages", anthropic_toolset },
  { "^computer_20%d%d%d%d%d%d$", "anthropic-messages", anthropic_dated },
}

---The vendor's tool, for `tools` of qa.llm.ask.
---@param kind string its type, as models.json names it
---@param dialect string of the endpoint
---@param width integer of the picture as it is sent
---@param height integer
---@return {name: string, vendor: string}? tool, qa.Error?
function M.tool(kind, dialect, width, height)
  for _, form in ipairs(forms) do
    if kind:find(form[1]) then
      if form[2] == dialect then return { name = "computer", vendor = qa.json.encode(form[3](width, height, kind)) } end
      return nil, failure.new("llm_unavailable",
        ("the tool %s is one of %s, the endpoint speaks %s"):format(kind, form[2], dialect), "qa.computer_use")
    end
  end
  return nil, failure.new("llm_unavailable", ("no computer tool of type %q is known"):format(kind), "qa.computer_use")
end

---Is this call one of a computer tool?
---@param call qa.llm.ToolCall
function M.is_computer(call) return call.toolset == "computer" or call.name == "computer" end

---- What the actions mean: each gives {action = ...}, {look = true}, or nil and a sentence for the model
------------------------------

local function refused(sentence, ...) return nil, sentence:format(...) end

local function has_keys(item)
  return type(item.keys) == "table" and #item.keys > 0 or type(item.text) == "string" and item.text ~= ""
end

---@param place {space: qa.Space, at?: qa.Point} at: where the pointer is
local function point(place, x, y)
  if type(x) ~= "number" or type(y) ~= "number" then return nil, "the coordinate is missing" end
  local at, why = point_space.to_page(place.space, x, y)
  if at then place.at = at end
  return at, why
end

---A coordinate of Anthropic's tools, or where the pointer is.
local function coordinate(place, pair)
  if type(pair) == "table" then return point(place, pair[1], pair[2]) end
  if place.at then return place.at end
  return nil, "the coordinate is missing"
end

local function at_point(action, at, why) return at and { action = action, target = at } or nil, why end

local function milliseconds(seconds)
  return type(seconds) == "number" and seconds == seconds and math.floor(math.min(seconds, 1e6) * 1000 + 0.5) or nil
end

---Keys pressed together: "ctrl+s", or {"CTRL", "S"}.
local function chord(keys)
  if type(keys) == "string" then return keys end
  return type(keys) == "table" and (#keys == 1 and keys[1] or keys) or nil
end

local openai = {}

function openai.click(item, place)
  if (item.button or "left") ~= "left" then
    return refused("only the left button is played with, not %s", tostring(item.button))
  end
  if has_keys(item) then return refused("keys cannot be held while clicking") end
  return at_point("click", point(place, item.x, item.y))
end
function openai.double_click(item, place) return at_point("double_click", point(place, item.x, item.y)) end
function openai.move(item, place) return at_point("move", point(place, item.x, item.y)) end
function openai.drag(item, place)
  local path = type(item.path) == "table" and item.path or {}
  local first, last = path[1] or {}, path[#path] or {}
  local from, why = point(place, first.x, first.y)
  if not from then return nil, why end
  local to
  to, why = point(place, last.x, last.y)
  return to and { action = "drag", target = from, to = to } or nil, why
end
function openai.keypress(item) return { action = "press", key = chord(item.keys) } end
function openai.type(item) return { action = "type", text = item.text } end
function openai.scroll(item, place)
  local at, why = point(place, item.x, item.y)
  return at and { action = "scroll", target = at, dx = item.scroll_x, dy = item.scroll_y } or nil, why
end
function openai.wait() return { action = "wait", wait_ms = M.wait_ms } end
function openai.screenshot() return { look = true } end

local anthropic = { screenshot = openai.screenshot, type = openai.type }

function anthropic.key(item)
  return { action = "press", key = item.text, ["repeat"] = type(item["repeat"]) == "number" and item["repeat"] or nil }
end
function anthropic.hold_key(item) return { action = "hold", key = item.text, hold_ms = milliseconds(item.duration) } end
function anthropic.mouse_move(item, place) return at_point("move", coordinate(place, item.coordinate)) end
function anthropic.left_click(item, place)
  if has_keys(item) then return refused("keys cannot be held while clicking") end
  return at_point("click", coordinate(place, item.coordinate))
end
function anthropic.double_click(item, place) return at_point("double_click", coordinate(place, item.coordinate)) end
function anthropic.left_click_drag(item, place)
  local from, why = coordinate(place, item.start_coordinate)
  if not from then return nil, why end
  local to
  to, why = coordinate(place, item.coordinate)
  return to and { action = "drag", target = from, to = to } or nil, why
end
local ways = { up = { 0, -1 }, down = { 0, 1 }, left = { -1, 0 }, right = { 1, 0 } }
function anthropic.scroll(item, place)
  local way, amount = ways[item.scroll_direction], item.scroll_amount
  if not way or type(amount) ~= "number" then return refused("scroll needs a direction and an amount") end
  local at = type(item.coordinate) == "table" and coordinate(place, item.coordinate) or place.at
  return { action = "scroll", target = at, dx = way[1] * amount * M.notch_px, dy = way[2] * amount * M.notch_px }
end
function anthropic.wait(item) return { action = "wait", wait_ms = milliseconds(item.duration) } end

local function decoded(text)
  local ok, value = pcall(qa.json.decode, text)
  return ok and type(value) == "table" and value or nil
end

---JSON's null is a member that is not there.
local function without_nulls(item)
  local copy = {}
  for key, value in pairs(item) do
    if value ~= qa.json.null then copy[key] = value end
  end
  return copy
end

---What one item of a call means.
local function read_item(name, item, place, meanings)
  local meaning = meanings[name]
  if not meaning then return { error = ("%s is not possible here"):format(tostring(name)) } end
  local read, why = meaning(without_nulls(item), place)
  if not read then return { error = ("%s: %s"):format(name, why) } end
  return read.look and read or { action = read }
end

---The steps of a computer call, in order: an action of the vocabulary (still to be checked), a look at the screen, or
---why it is none.
---@param call qa.llm.ToolCall
---@param place {space: qa.Space, at?: qa.Point} space of the picture that the model saw; at is kept up to date
---@return {action?: table, look?: boolean, error?: string}[]
function M.steps(call, place)
  local input = decoded(call.arguments)
  if not input then return { { error = "the arguments are no JSON object" } } end
  if call.toolset == "computer" and call.name ~= "computer" then
    return { read_item(call.name, input, place, anthropic) }
  end
  if input.action ~= nil then return { read_item(input.action, input, place, anthropic) } end
  local steps = {}
  for i, item in ipairs(input) do
    if i > M.most_actions then
      steps[i] = { error = ("more than %d actions in one call"):format(M.most_actions) }
      break
    end
    steps[i] = type(item) == "table" and read_item(item.type, item, place, openai)
      or { error = "an action is an object" }
  end
  return steps
end

return M
