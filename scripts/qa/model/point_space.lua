-- Where a model means a point to be: pixels of the picture that it saw, thousandths or hundredths of its sides, x or y
-- first. A space describes the picture sent and how it lies on the page; what is outside is refused.
local spelling = require "qa.text.spelling"

local M = {}

---@class qa.Space
---@field width number pixels of the picture as it was sent
---@field height number
---@field space? "px"|"norm1000"|"percent" pixels of the picture (the default), or 0..1000 or 0..100 of each side
---@field order? "xy"|"yx" which number comes first; "xy"
---@field form? "object"|"list"|"box" how a point is written: {x, y}, two numbers, or four of a box whose centre counts;
---"object"
---@field scale? number|{x: number, y: number} pixels of the picture for one CSS pixel of the page; 1
---@field origin? {x: number, y: number} CSS pixels of the page at the picture's top left corner; 0, 0

local known = { width = "number", height = "number", space = "string", order = "string", form = "string",
  scale = "any", origin = "table" }
local words = {
  space = { px = true, norm1000 = true, percent = true }, order = { xy = true, yx = true },
  form = { object = true, list = true, box = true },
}

---Parts of a side that a space counts in; pixels else.
local parts_of = { norm1000 = 1000, percent = 100 }

local function is_positive(value) return type(value) == "number" and value > 0 and value < math.huge end

---Checks a description and fills in what was left out. Raises.
---@param space qa.Space
---@return table
function M.new(space)
  spelling.check_options("qa.point_space", space, known)
  local made = { space = space.space or "px", order = space.order or "xy", form = space.form or "object",
    width = space.width, height = space.height }
  for name, set in pairs(words) do
    if not set[made[name]] then
      error(("qa.point_space: %s: expected one of %s"):format(name, table.concat(spelling.names(set), ", ")), 2)
    end
  end
  local scale, origin = space.scale or 1, space.origin or { x = 0, y = 0 }
  if type(scale) == "number" then scale = { x = scale, y = scale } end
  if not (is_positive(made.width) and is_positive(made.height)) then
    error("qa.point_space: width and height: expected pixels of the picture", 2)
  end
  if type(scale) ~= "table" or not (is_positive(scale.x) and is_positive(scale.y)) then
    error("qa.point_space: scale: expected a positive number, or {x, y}", 2)
  end
  if type(origin.x) ~= "number" or type(origin.y) ~= "number" then
    error("qa.point_space: origin: expected {x, y}", 2)
  end
  made.scale, made.origin = scale, origin
  return made
end

---The largest value on an axis, in the model's unit.
---@return number x, number y
function M.limits(space)
  local parts = parts_of[space.space]
  if parts then return parts, parts end
  return space.width, space.height
end

local function in_order(space, a, b)
  if space.order == "yx" then return b, a end
  return a, b
end

local function outside(name, value, limit, bracket)
  return ("%s %s is outside 0..%s%s"):format(name, tostring(value), tostring(limit), bracket)
end

local function on_page(space, x, y)
  -- Pixels are left as they are: dividing and multiplying by the size would cost the last digit.
  local parts = parts_of[space.space]
  if parts then x, y = x * space.width / parts, y * space.height / parts end
  return { x = space.origin.x + x / space.scale.x, y = space.origin.y + y / space.scale.y }
end

---A point of the model as CSS pixels of the page; the numbers in the order of the space. The far edge is outside: a
---click there would miss the picture.
---@param space table made by new
---@param a number
---@param b number
---@return qa.Point?, string? message
function M.to_page(space, a, b)
  local x, y = in_order(space, a, b)
  local limit_x, limit_y = M.limits(space)
  if not (x >= 0 and x < limit_x) then return nil, outside("x", x, limit_x, " (exclusive)") end
  if not (y >= 0 and y < limit_y) then return nil, outside("y", y, limit_y, " (exclusive)") end
  return on_page(space, x, y)
end

---The centre of a box of the model as CSS pixels of the page, with the box: {x, y, left, top, width, height}.
---@return table?, string? message
function M.box_to_page(space, a1, b1, a2, b2)
  local x1, y1 = in_order(space, a1, b1)
  local x2, y2 = in_order(space, a2, b2)
  local limit_x, limit_y = M.limits(space)
  for _, x in ipairs { x1, x2 } do
    if not (x >= 0 and x <= limit_x) then return nil, outside("x", x, limit_x, "") end
  end
  for _, y in ipairs { y1, y2 } do
    if not (y >= 0 and y <= limit_y) then return nil, outside("y", y, limit_y, "") end
  end
  if not (x1 < x2 and y1 < y2) then return nil, "the box is empty or its corners are swapped" end
  local first, last = on_page(space, x1, y1), on_page(space, x2, y2)
  return { x = (first.x + last.x) / 2, y = (first.y + last.y) / 2, left = first.x, top = first.y,
    width = last.x - first.x, height = last.y - first.y }
end

local function whole(value, limit)
  -- The largest whole number inside, where rounding up would leave the picture.
  return math.min(math.floor(value + 0.5), math.ceil(limit) - 1)
end

---A point of the page as a model would write it: whole numbers in the order of the space.
---@param space table made by new
---@param point qa.Point CSS pixels of the page
---@return integer? a
---@return integer|string b or why the point is not on the picture
function M.to_model(space, point)
  local limit_x, limit_y = M.limits(space)
  local x = (point.x - space.origin.x) * space.scale.x / space.width * limit_x
  local y = (point.y - space.origin.y) * space.scale.y / space.height * limit_y
  if not (x >= 0 and x < limit_x and y >= 0 and y < limit_y) then return nil, "the point is not on the picture" end
  return in_order(space, whole(x, limit_x), whole(y, limit_y))
end

return M
