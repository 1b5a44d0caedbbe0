--- Checks an action: is it one of the vocabulary, with what it needs and within bounds? Names what is wrong, and what
-- was probably meant. Nothing is clamped. Called by qa.input.actions; places come out in CSS pixels, keys as codes.
local failure = require "qa.text.failure"
local keys = require "qa.text.key_names"
local spelling = require "qa.text.spelling"
local utf8 = require "qa.text.utf8"

local M = {}

---What each action needs, and what it may have.
M.vocabulary = {
  click = { needs = { "target" }, may = { "repeat", "hold_ms" } },
  double_click = { needs = { "target" } },
  drag = { needs = { "target", "to" }, may = { "hold_ms" } },
  press = { needs = { "key" }, may = { "repeat", "hold_ms" } },
  hold = { needs = { "hold_ms" }, one_of = { "key", "target" } },
  type = { needs = { "text" }, may = { "target" } },
  scroll = { one_of = { "dx", "dy" }, may = { "target" } },
  move = { needs = { "target" } },
  wait = { may = { "wait_ms" } },
  burst = { needs = { "repeat" }, one_of = { "key", "target" }, may = { "hold_ms" } },
  complete = {},
}

---Names of the seeds for the same things (A-006, D-011).
M.aliases = { keypress = "press", tap = "click", swipe = "drag" }

---The most that one action may ask for; a caller's caps replace them one by one.
M.caps = { ["repeat"] = 200, hold_ms = 10000, wait_ms = 10000, text = 200, dx = 5000, dy = 5000, total_ms = 20000 }

local said = { action = "string", reasoning = "string", confidence = "number", label = "string" }
local kinds = { key = "any", target = "any", to = "any", text = "string", hold_ms = "number", wait_ms = "number",
  ["repeat"] = "number",
  dx = "number", dy = "number" }

local function refuse(field, message, ...)
  return nil, failure.new("type_mismatch", message:format(...), "qa.actions", { field = field })
end

---@return string|string[]|nil code, qa.Error?
local function key_of(name)
  if type(name) == "table" and type(name.key) == "string" then name = name.key end
  local parts = type(name) == "table" and name or { name }
  -- "Control+KeyA"; a lone "+" is a key.
  if type(name) == "string" and name:find("[^+]%+[^+]") then
    parts = {}
    for part in name:gmatch "[^+]+" do parts[#parts + 1] = part end
  end
  local codes = {}
  for i, part in ipairs(parts) do
    if type(part) ~= "string" then return refuse("key", "key: expected a name, got a %s", type(part)) end
    local code = keys.code((part:gsub("^%s+(.)", "%1"):gsub("(.)%s+$", "%1")))
    if not keys.is_known(code) then
      return refuse("key", "unknown key '%s'%s", utf8.shorten(utf8.printable(part), 40),
        spelling.hint(code, keys.names()))
    end
    codes[i] = code
  end
  if #codes == 0 or #codes > 4 then return refuse("key", "key: expected one key, or a chord of up to four") end
  return #codes == 1 and codes[1] or codes
end

local function is_number(value) return type(value) == "number" and value - value == 0 end

---A point as CSS pixels of the view. unit: "px", "percent" of the view's sides, "canvas" (the canvas's own pixels).
local function on_page(point, bounds)
  local x, y = point.x, point.y
  if point.unit == "percent" then
    if not bounds.width then return nil, "a percentage needs the size of the view" end
    return x * bounds.width / 100, y * bounds.height / 100
  elseif point.unit == "canvas" then
    local canvas = bounds.canvas
    if not canvas then return nil, "there is no canvas" end
    if x < 0 or y < 0 or x >= canvas.pixel_width or y >= canvas.pixel_height then
      return nil, ("the point %g,%g is outside the canvas of %gx%g"):format(x, y, canvas.pixel_width,
        canvas.pixel_height)
    end
    return canvas.x + x * canvas.width / canvas.pixel_width, canvas.y + y * canvas.height / canvas.pixel_height
  elseif point.unit == nil or point.unit == "px" then
    return x, y
  end
  return nil, ("unknown unit '%s'%s"):format(tostring(point.unit),
    spelling.hint(point.unit, { "px", "percent", "canvas" }))
end

---@return any target, qa.Error?
local function target_of(field, target, bounds)
  if type(target) == "string" then
    if target == "" then return refuse(field, "%s: the selector is empty", field) end
    return target
  elseif type(target) ~= "table" then
    return refuse(field, "%s: expected a point {x, y}, a CSS selector or {text = ...}, got a %s", field, type(target))
  end
  if type(target.text) == "string" and target.x == nil then return { text = target.text } end
  if type(target.selector) == "string" and target.x == nil then return target.selector end
  if not (is_number(target.x) and is_number(target.y)) then
    return refuse(field, "%s: a point has finite numbers x and y", field)
  end
  local x, y = on_page(target, bounds)
  if not x then return refuse(field, "%s: %s", field, y) end
  if bounds.width and (x < 0 or y < 0 or x >= bounds.width or y >= bounds.height) then
    return nil, failure.new("element_not_found", ("%s: the point %g,%g is outside the view of %gx%g"):format(field, x,
      y, bounds.width, bounds.height),
      "qa.actions", { field = field })
  end
  return { x = x, y = y }
end

local readers = {}
function readers.key(value) return key_of(value) end
function readers.target(value, bounds) return target_of("target", value, bounds) end
function readers.to(value, bounds) return target_of("to", value, bounds) end
function readers.text(value, _, caps)
  if #value > caps.text then return refuse("text", "text: %d bytes, at most %d", #value, caps.text) end
  return (utf8.printable(value):gsub("[\r\n\t]", " "))
end
for field, least in pairs{ hold_ms = 0, wait_ms = 0, ["repeat"] = 1, dx = -math.huge, dy = -math.huge } do
  readers[field] = function(value, _, caps)
    if value ~= value or value % 1 ~= 0 then return refuse(field, "%s: expected a whole number", field) end
    if value < least or math.abs(value) > caps[field] then
      return refuse(field, "%s: %g, at most %d", field, value, caps[field])
    end
    return value
  end
end

---Is it an action of this vocabulary, within bounds? Gives a copy in its plain form: known key codes, places in CSS
---pixels of the view.
---@param action table
---@param bounds? {width?: number, height?: number, canvas?: table, caps?: table} see actions.bounds; without it places
---are not checked
---@return table? action, qa.Error? err type_mismatch, or element_not_found for a place outside the view
function M.check(action, bounds)
  bounds = bounds or {}
  local caps = setmetatable(bounds.caps or {}, { __index = M.caps })
  if type(action) ~= "table" then return refuse("action", "an action is a table, got a %s", type(action)) end
  local name = M.aliases[action.action] or action.action
  local form = M.vocabulary[name]
  if not form then
    return refuse("action", "unknown action '%s'%s", utf8.shorten(utf8.printable(tostring(name)), 40),
      spelling.hint(name, spelling.names(M.vocabulary)))
  end
  local made = { action = name }
  local given = {}
  for field, value in pairs(action) do
    local kind = said[field] or kinds[field]
    if not kind then
      return refuse(tostring(field), "unknown field '%s'%s", tostring(field),
        spelling.hint(field, spelling.names(kinds)))
    end
    if kind ~= "any" and type(value) ~= kind then
      return refuse(field, "%s: expected a %s, got a %s", field, kind, type(value))
    end
    if said[field] then made[field] = made[field] or value else given[field] = value end
  end
  local takes = {}
  for _, list in pairs(form) do
    for _, field in ipairs(list) do takes[field] = true end
  end
  -- C-X7: a key may be given as the target, {key = "Space"} or just its name.
  if given.key == nil and takes.key and (type(given.target) == "table" and given.target.key ~= nil
    or type(given.target) == "string" and not takes.target) then
    given.key, given.target = given.target, nil
  elseif given.key == nil and takes.key and type(given.target) == "string"
    and keys.is_known(keys.code(given.target)) then
    given.key, given.target = given.target, nil
  end
  for field, value in pairs(given) do
    -- What an action has no use for is left out: models fill in fields.
    if takes[field] then
      local read, err = readers[field](value, bounds, caps)
      if read == nil then return nil, err end
      made[field] = read
    end
  end
  local held_ms = (made.hold_ms or 0) * (made["repeat"] or 1)
  if held_ms > caps.total_ms then
    return refuse("hold_ms", "%s: holds for %d ms in all, at most %d", name, held_ms, caps.total_ms)
  end
  for _, field in ipairs(form.needs or {}) do
    if made[field] == nil then return refuse(field, "%s: %s is missing", name, field) end
  end
  local found = not form.one_of
  for _, field in ipairs(form.one_of or {}) do found = found or made[field] ~= nil end
  if not found then return refuse(form.one_of[1], "%s: give %s", name, table.concat(form.one_of, " or ")) end
  return made
end

return M
