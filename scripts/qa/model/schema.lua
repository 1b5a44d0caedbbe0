-- What a model has to answer, declared: s.object{ {"action", s.enum{"click", "wait"}}, {"target",
-- s.nullable(s.point())} }. compile() gives the JSON Schema that OpenAI's strict mode and Anthropic both take: every
-- property required, optional ones nullable, additionalProperties false, the order of fields kept (a model answers in
-- it). Bounds are not on the wire: they stand in the description and are enforced on the answer, by
-- qa.model.schema_reader.
local qa = require "qa"
local json_text = require "qa.text.json_text"
local point_space = require "qa.model.point_space"
local spelling = require "qa.text.spelling"

local M = {}

local type_mark = {}  -- metatable of declared types

local function is_type(value) return getmetatable(value) == type_mark end

---@return table a type: plain fields, never changed once made
local function new(kind, opts, known, fields)
  known.doc, known.check = "string", "function"
  local made = { kind = kind }
  for key, value in pairs(spelling.check_options("qa.schema." .. kind, opts, known, 4)) do made[key] = value end
  for key, value in pairs(fields or {}) do made[key] = value end
  return setmetatable(made, type_mark)
end

local function expect(condition, what, message, level)
  if not condition then error("qa.schema." .. what .. ": " .. message, level or 3) end
end

local function check_bounds(what, made, least)
  local min, max = made.min, made.max
  for _, bound in pairs { min = min, max = max } do
    expect(bound == bound and math.abs(bound) ~= math.huge, what, "min and max: expected finite numbers", 4)
    expect(not least or (bound >= least and bound % 1 == 0), what, "min and max: expected counts", 4)
  end
  expect(not (min and max) or min <= max, what, "min is larger than max", 4)
  return made
end

local function is_scalar(value)
  return type(value) == "string" or type(value) == "boolean" or (type(value) == "number" and value - value == 0)
end

---@param fields table[] pairs {name, type} in the order of the answer; a map has no order and is refused
function M.object(fields, opts)
  expect(type(fields) == "table" and not is_type(fields), "object", "expected a list of {name, type}")
  local seen = {}
  for key in pairs(fields) do
    expect(type(key) == "number", "object",
      ("'%s': fields have an order: expected a list of {name, type}"):format(tostring(key)))
  end
  for i, field in ipairs(fields) do
    local name = type(field) == "table" and field[1]
    expect(type(name) == "string" and is_type(field[2]), "object", ("field %d: expected {name, type}"):format(i))
    expect(#name <= 64 and name:find "^[%a_][%w_-]*$", "object",
      ("'%s': a name has up to 64 letters, digits, _ and -, and no digit first"):format(name))
    expect(not seen[name], "object", ("'%s' is declared twice"):format(name))
    seen[name] = field[2]
  end
  return (new("object", opts, {}, { fields = fields, by = seen }))
end

---@param items table type of each
function M.array(items, opts)
  expect(is_type(items), "array", "expected the type of its items")
  local made = check_bounds("array", new("array", opts, { min = "number", max = "number", sort_desc = "string" }), 0)
  made.items = items
  local key = made.sort_desc and items.kind == "object" and items.by[made.sort_desc]
  expect(not made.sort_desc or key and (key.kind == "number" or key.kind == "integer"), "array",
    "sort_desc: expected the name of a number of its items")
  return made
end

-- Parentheses round a call keep this frame, so that an error names the line of the script.
function M.string(opts)
  return (check_bounds("string", new("string", opts, { min = "number", max = "number", pattern = "string" }), 0))
end
function M.number(opts) return (check_bounds("number", new("number", opts, { min = "number", max = "number" }))) end
function M.integer(opts) return (check_bounds("integer", new("integer", opts, { min = "number", max = "number" }))) end
function M.boolean(opts) return (new("boolean", opts, {})) end

function M.enum(values, opts)
  expect(type(values) == "table" and #values > 0, "enum", "expected a list of values")
  local allowed = {}
  for _, value in ipairs(values) do
    expect(is_scalar(value) and type(value) == type(values[1]), "enum",
      "expected strings, numbers or booleans, of one kind")
    expect(not allowed[value], "enum", "a value is listed twice")
    allowed[value] = true
  end
  return (new("enum", opts, {}, { values = values, allowed = allowed }))
end

function M.const(value, opts)
  expect(is_scalar(value), "const", "expected a string, a number or a boolean")
  return (new("const", opts, {}, { values = { value }, allowed = { [value] = true } }))
end

---May be null; such a field of an object is nil in the value.
function M.nullable(inner, opts)
  expect(is_type(inner), "nullable", "expected a type")
  return (new("nullable", opts, {}, { inner = inner }))
end

---The first of the types that fits.
function M.any_of(types, opts)
  expect(type(types) == "table" and not is_type(types) and #types > 0, "any_of", "expected a list of types")
  for _, one in ipairs(types) do expect(is_type(one), "any_of", "expected a list of types") end
  return (new("any_of", opts, {}, { types = types }))
end

---A place on the picture that the model sees; {x, y} in CSS pixels of the page once read.
function M.point(opts) return (new("point", opts, {})) end

---JSON Schema as it is. Its answers are parsed and else unchecked: give a check. Vendors may refuse it.
function M.raw(text, opts)
  expect(type(text) == "string", "raw", "expected the text of a JSON Schema")
  local node, rest = json_text.read(text)
  expect(node, "raw", node or rest.message)
  expect(node.kind == "object" and not text:find("[^ \t\r\n]", rest), "raw", "expected one JSON object")
  return (new("raw", opts, {}, { node = node }))
end

---- To the wire ------------------------------------------------------------------------------------------------------

local function count_text(made, unit)
  local min, max = made.min, made.max
  if min and max then
    return min == max and ("Exactly %d %s."):format(min, unit) or ("%d to %d %s."):format(min, max, unit)
  end
  return min and ("At least %d %s."):format(min, unit) or max and ("At most %d %s."):format(max, unit)
end

local function range_text(made)
  local min, max = made.min, made.max
  local show = qa.json.encode
  if min and max then return ("%s to %s."):format(show(min), show(max)) end
  return min and ("At least %s."):format(show(min)) or max and ("At most %s."):format(show(max))
end

local function point_text(space)
  if not space then return "A point in CSS pixels of the page." end
  local limit_x, limit_y = point_space.limits(space)
  local shape = space.form == "box" and { "x1", "y1", "x2", "y2" } or { "x", "y" }
  if space.order == "yx" then shape = space.form == "box" and { "y1", "x1", "y2", "x2" } or { "y", "x" } end
  local edge = space.form == "box" and 0 or 1
  return ("%s in %s of the picture from its top left corner: x 0 to %d, y 0 to %d%s."):format(
    space.form == "box" and "A box" or "A point",
    ({ px = "pixels", norm1000 = "thousandths", percent = "percent" })[space.space],
    math.ceil(limit_x) - edge, math.ceil(limit_y) - edge,
    space.form == "object" and "" or ", written [" .. table.concat(shape, ", ") .. "]")
end

local bounds = {
  array = function(made)
    local order = made.sort_desc and ("Highest %s first."):format(made.sort_desc)
    local count = count_text(made, "items")
    return order and count and count .. " " .. order or order or count
  end,
  string = function(made)
    local pattern = made.pattern and ("Matches the Lua pattern %s"):format(made.pattern)
    local count = count_text(made, "characters")
    return pattern and count and count .. " " .. pattern or pattern or count
  end,
  number = range_text, integer = range_text,
  point = function(_, w) return point_text(w.space) end,
}

local write

local function with_description(made, w, members)
  local bound = bounds[made.kind] and bounds[made.kind](made, w)
  local text = made.doc and bound and made.doc .. " " .. bound or made.doc or bound
  if text then table.insert(members, math.min(2, #members + 1), '"description":' .. qa.json.encode(text)) end
  return "{" .. table.concat(members, ",") .. "}"
end

local function exceed(w, what, count)
  if count > w.limits[what] then
    error(("qa.schema.compile: %s: %d, at most %d"):format(what, count, w.limits[what]), 0)
  end
end

local function write_object(w, depth, names, types)
  local properties, required = {}, {}
  w.properties = w.properties + #names
  exceed(w, "properties", w.properties)
  for i, name in ipairs(names) do
    local key = qa.json.encode(name)
    properties[i], required[i] = key .. ":" .. write(types[i], w, depth + 1), key
  end
  return { '"type":"object"', '"properties":{' .. table.concat(properties, ",") .. "}",
    '"required":[' .. table.concat(required, ",") .. "]", '"additionalProperties":false' }
end

local function write_values(made, w)
  local values, members = {}, { '"type":"' .. type(made.values[1]) .. '"' }
  for i, value in ipairs(made.values) do values[i] = qa.json.encode(value) end
  w.enum_values = w.enum_values + #values
  exceed(w, "enum_values", w.enum_values)
  members[#members + 1] = made.kind == "const" and '"const":' .. values[1] or '"enum":[' .. table.concat(values, ",")
    .. "]"
  return members
end

local number_type = setmetatable({ kind = "number" }, type_mark)

local function members_of(made, w, depth)
  local kind = made.kind
  if kind == "object" then
    local names, types = {}, {}
    for i, field in ipairs(made.fields) do names[i], types[i] = field[1], field[2] end
    return write_object(w, depth, names, types)
  elseif kind == "point" then
    local space = w.space
    if space and space.form ~= "object" then return { '"type":"array"', '"items":{"type":"number"}' } end
    local names = space and space.order == "yx" and { "y", "x" } or { "x", "y" }
    return write_object(w, depth, names, { number_type, number_type })
  elseif kind == "array" then
    return { '"type":"array"', '"items":' .. write(made.items, w, depth + 1) }
  elseif kind == "enum" or kind == "const" then
    return write_values(made, w)
  elseif kind == "nullable" then
    return { '"anyOf":[' .. write(made.inner, w, depth) .. ',{"type":"null"}]' }
  elseif kind == "any_of" then
    local forms = {}
    for i, one in ipairs(made.types) do forms[i] = write(one, w, depth) end
    return { '"anyOf":[' .. table.concat(forms, ",") .. "]" }
  end
  return { '"type":"' .. kind .. '"' }
end

function write(made, w, depth)
  exceed(w, "depth", depth)
  if made.kind == "raw" then
    w.is_strict = false
    return json_text.compact(made.node)
  end
  return with_description(made, w, members_of(made, w, depth))
end

---@class qa.schema.Compiled
---@field name string
---@field text string JSON Schema; the same declaration gives the same bytes
---@field hash string SHA-256 of text
---@field is_strict boolean false when it holds s.raw
---@field root table
---@field space? table

-- The smallest that vendors document; a row of a model may allow more.
local default_limits = { depth = 10, properties = 5000, enum_values = 1000 }

---@param root table made by object, or by raw with "type": "object"
---@param opts? {name?: string, space?: qa.Space, limits?: {depth?: integer, properties?: integer, enum_values?:
---integer}}
---@return qa.schema.Compiled
function M.compile(root, opts)
  opts = spelling.check_options("qa.schema.compile", opts, { name = "string", space = "table", limits = "table" })
  local raw_type = is_type(root) and root.kind == "raw" and root.node.by.type
  expect(is_type(root) and (root.kind == "object" or raw_type and raw_type.value == "object"), "compile",
    "the root is an object")
  local name = opts.name or "answer"
  expect(#name <= 64 and name:find "^[%w_-]+$", "compile", "name: up to 64 letters, digits, _ and -")
  local limits = {}
  for key, value in pairs(default_limits) do limits[key] = value end
  for key, value in pairs(spelling.check_options("qa.schema.compile: limits", opts.limits,
    { depth = "number", properties = "number", enum_values = "number" })) do limits[key] = value end
  local w = { properties = 0, enum_values = 0, is_strict = true, limits = limits,
    space = opts.space and point_space.new(opts.space) }
  local text = write(root, w, 1)
  return { name = name, text = text, hash = qa.fs.sha256(text), is_strict = w.is_strict, root = root, space = w.space }
end

return M
