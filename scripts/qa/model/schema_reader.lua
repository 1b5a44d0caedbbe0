-- An answer against its schema: the value as Lua data, or errors with JSON pointers. The schema decides what is a list
-- and what a map; a null field of an object is nil, points are CSS pixels of the page. Called by qa.model.structured.
local qa = require "qa"
local json_text = require "qa.text.json_text"
local point_space = require "qa.model.point_space"
local utf8 = require "qa.text.utf8"

local M = {}

local max_errors, max_bytes, max_message = 20, 1024, 200
local enough = 1000  -- errors after which the rest of a list or an object is not looked at
local exact = 2 ^ 53  -- beyond it doubles skip whole numbers

local function pointer(path, key) return path .. "/" .. tostring(key):gsub("~", "~0"):gsub("/", "~1") end

local function problem(ctx, path, message)
  ctx.total = ctx.total + 1
  if #ctx.errors < max_errors then
    local text = utf8.shorten(utf8.printable(message), max_message)
    ctx.errors[#ctx.errors + 1] = { path = utf8.shorten(utf8.printable(path), max_message), message = text }
  end
  return false
end

local function unexpected(ctx, path, wanted, node)
  return problem(ctx, path, ("expected %s, got %s"):format(wanted, node.kind))
end

---Is a spelt number whole, to the last digit?
local function is_whole(text)
  local whole, fraction, exponent = text:match "^%-?(%d+)%.?(%d*)[eE]?([+-]?%d*)$"
  local digits, shift = whole .. fraction, (tonumber(exponent) or 0) - #fraction
  local significant = digits:match "^.*[1-9]" or ""  -- not gsub "0+$": that takes the square of a row of zeros
  return significant == "" or shift + #digits - #significant >= 0
end

local function in_range(ctx, made, value, path)
  if made.min and value < made.min then
    return problem(ctx, path, ("expected at least %s, got %s"):format(made.min, value))
  elseif made.max and value > made.max then
    return problem(ctx, path, ("expected at most %s, got %s"):format(made.max, value))
  end
  return true, value
end

---A number, or a string that spells one where coercions are allowed.
local function number_of(ctx, node, path, wanted)
  if node.kind == "number" then return node.value, node.text end
  local value = ctx.coerce and node.kind == "string" and json_text.number(node.value)
  if not value then return unexpected(ctx, path, wanted, node) end
  ctx.coerced[#ctx.coerced + 1] = path
  return value, node.value
end

local read = {}

function read.number(ctx, made, node, path)
  local value = number_of(ctx, node, path, "a number")
  if not value then return false end
  return in_range(ctx, made, value, path)
end

function read.integer(ctx, made, node, path)
  local value, text = number_of(ctx, node, path, "a whole number")
  if not value then return false end
  if not is_whole(text) or math.abs(value) >= exact then
    return problem(ctx, path, "expected a whole number below 2^53, got " .. text)
  end
  if text:find "[.eE]" then
    if not ctx.coerce then return problem(ctx, path, "expected a whole number in plain digits, got " .. text) end
    ctx.coerced[#ctx.coerced + 1] = path
  end
  return in_range(ctx, made, value, path)
end

local function count_fits(ctx, made, count, unit, path)
  if made.min and count < made.min then
    return problem(ctx, path, ("expected at least %d %s, got %d"):format(made.min, unit, count))
  elseif made.max and count > made.max then
    return problem(ctx, path, ("expected at most %d %s, got %d"):format(made.max, unit, count))
  end
  return true
end

function read.string(ctx, made, node, path)
  if node.kind ~= "string" then return unexpected(ctx, path, "a string", node) end
  if not count_fits(ctx, made, utf8.length(node.value), "characters", path) then return false end
  if made.pattern and not node.value:find(made.pattern) then
    return problem(ctx, path, "expected a match of the Lua pattern " .. made.pattern)
  end
  return true, node.value
end

function read.boolean(ctx, _, node, path)
  if node.kind ~= "boolean" then return unexpected(ctx, path, "true or false", node) end
  return true, node.value
end

function read.enum(ctx, made, node, path)
  if node.value ~= nil and made.allowed[node.value] then return true, node.value end
  local shown = {}
  for i, value in ipairs(made.values) do shown[i] = qa.json.encode(value) end
  return problem(ctx, path, "expected " .. (#shown > 1 and "one of " or "") .. table.concat(shown, ", "))
end
read.const = read.enum

function read.nullable(ctx, made, node, path)
  if node.kind == "null" then return true, qa.json.null end
  return M.value(ctx, made.inner, node, path)
end

local function attempt(ctx, made, node, path, coerce)
  local inner = { errors = {}, total = 0, coerced = {}, coerce = coerce, space = ctx.space }
  local ok, value = M.value(inner, made, node, path)
  return ok, value, inner
end

---The first form that fits as it is, else the first that fits with coercions; else the errors of the nearest one.
function read.any_of(ctx, made, node, path)
  local nearest
  for _, coerce in ipairs(ctx.coerce and { false, true } or { false }) do
    for _, one in ipairs(made.types) do
      local ok, value, inner = attempt(ctx, one, node, path, coerce)
      if ok then
        for _, at in ipairs(inner.coerced) do ctx.coerced[#ctx.coerced + 1] = at end
        return true, value
      end
      if not nearest or inner.total < nearest.total then nearest = inner end
    end
  end
  for _, err in ipairs(nearest.errors) do problem(ctx, err.path, err.message) end
  ctx.total = ctx.total + nearest.total - #nearest.errors
  return false
end

---Reads the named members of an object; calls put(name, value) for each that fits.
local function members(ctx, node, path, names, types, put)
  local before = ctx.total
  for _, name in ipairs(names) do
    local member = node.by[name]
    if not member then
      problem(ctx, path, ("missing property %q"):format(name))
    else
      local ok, value = M.value(ctx, types[name], member, pointer(path, name))
      if ok and value ~= qa.json.null then put(name, value) end
    end
  end
  for _, key in ipairs(node.keys) do
    if ctx.total >= enough then break end
    if not types[key] then problem(ctx, pointer(path, key), "unknown property") end
  end
  return ctx.total == before
end

function read.object(ctx, made, node, path)
  if node.kind ~= "object" then return unexpected(ctx, path, "an object", node) end
  local names, value = {}, {}
  for i, field in ipairs(made.fields) do names[i] = field[1] end
  return members(ctx, node, path, names, made.by, function(name, member) value[name] = member end), value
end

---Falling, equal ones as they came: table.sort keeps no order of equals.
local function sort_falling(list, key)
  local places = {}
  for i, item in ipairs(list) do places[item] = i end
  table.sort(list, function(a, b)
    if a[key] ~= b[key] then return a[key] > b[key] end
    return places[a] < places[b]
  end)
end

function read.array(ctx, made, node, path)
  if node.kind ~= "array" then return unexpected(ctx, path, "an array", node) end
  local before, list = ctx.total, {}
  if not count_fits(ctx, made, #node.items, "items", path) then return false end
  for i, item in ipairs(node.items) do
    if ctx.total >= enough then break end
    local ok, value = M.value(ctx, made.items, item, pointer(path, i - 1))
    if ok then list[i] = value end
  end
  if ctx.total > before then return false end
  if made.sort_desc then sort_falling(list, made.sort_desc) end
  return true, qa.json.array(list)
end

local number_type = { kind = "number" }
local coordinates = { x = number_type, y = number_type }

function read.point(ctx, _, node, path)
  local space = ctx.space
  local form, found = space and space.form or "object", {}
  if form == "object" then
    if node.kind ~= "object" then return unexpected(ctx, path, "a point {x, y}", node) end
    local names = { "x", "y" }
    if not members(ctx, node, path, names, coordinates, function(name, value) found[name] = value end) then
      return false
    end
    if not space then return true, found end
    found = space.order == "yx" and { found.y, found.x } or { found.x, found.y }
  else
    if node.kind ~= "array" then return unexpected(ctx, path, "an array of numbers", node) end
    local count, before = form == "box" and 4 or 2, ctx.total
    if not count_fits(ctx, { min = count, max = count }, #node.items, "numbers", path) then return false end
    for i, item in ipairs(node.items) do
      local _, value = read.number(ctx, number_type, item, pointer(path, i - 1))
      found[i] = value
    end
    if ctx.total > before then return false end
  end
  local convert = form == "box" and point_space.box_to_page or point_space.to_page
  local point, message = convert(space, unpack(found))
  if not point then return problem(ctx, path, message) end
  return true, point
end

function read.raw(_, _, node) return true, json_text.plain(node) end

---@return boolean ok, any value
function M.value(ctx, made, node, path)
  local ok, value = read[made.kind](ctx, made, node, path)
  if not ok then return false end
  if made.check and value ~= qa.json.null then
    local is_fine, message = made.check(value)
    if not is_fine then return problem(ctx, path, tostring(message or "refused")) end
  end
  return true, value
end

---@param schema qa.schema.Compiled
---@param node qa.text.json_text.Node
---@param opts {coerce?: boolean}
---@return table? value
---@return {path: string, message: string}[] errors at most 20; errors.total counts up to 1000
---@return string[] coerced pointers of values that were read from another spelling
function M.read(schema, node, opts)
  local ctx = { errors = {}, total = 0, coerced = {}, coerce = opts.coerce, space = schema.space }
  local ok, value = false
  if node.kind == "object" then
    ok, value = M.value(ctx, schema.root, node, "")
  else
    unexpected(ctx, "", "an object", node)
  end
  ctx.errors.total = ctx.total
  if not ok then return nil, ctx.errors, ctx.coerced end
  return value, ctx.errors, ctx.coerced
end

---Errors as lines of at most 1 kB, for a model to read.
---@param errors {path: string, message: string}[]
---@return string
function M.text(errors)
  local lines, bytes, total = {}, 0, errors.total or #errors
  for _, err in ipairs(errors) do
    local line = ("%s: %s"):format(err.path == "" and "(root)" or err.path, err.message)
    if bytes + #line + 24 > max_bytes then break end
    lines[#lines + 1] = line
    bytes = bytes + #line + 1
  end
  if total > #lines then lines[#lines + 1] = ("and %d more"):format(total - #lines) end
  return table.concat(lines, "\n")
end

return M
