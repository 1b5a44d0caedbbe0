-- A game's metadata file: what a team knows about its game. JSON, or a .lua
-- file that returns the same table. Wrong fields are refused with their path.
local qa = require "qa"
local failure = require "qa.text.failure"
local spelling = require "qa.text.spelling"

local M = {}

local text, number, flag = { kind = "string" }, { kind = "number" }, { kind = "boolean" }
local milliseconds = { kind = "number", whole = true }
local function list(of) return { kind = "array", of = of } end
local function object(fields, required) return { kind = "object", fields = fields, required = required or {} } end
local function one_of(...) return { kind = "string", values = { ... } } end
local named_or = function(fields) return { kind = "string or object", fields = fields, required = { "name" } } end

local schema = object({
  id = text, metadataVersion = text, genre = text, description = text, expectedControls = text,
  inputSchema = object({
    type = one_of("javascript", "semantic", "mouse-only"),
    content = text,
    actions = list(named_or { name = text, keys = list(text), description = text }),
    axes = list(named_or { name = text, keys = list(text), description = text, is2D = flag }),
  }, { "type", "content" }),
  loadingIndicators = list(object({
    type = one_of("element", "text", "network"), pattern = text, description = text, selector = text,
  }, { "type", "pattern", "description" })),
  successIndicators = list(object({
    type = one_of("score_change", "animation", "element_visible", "interaction_response"),
    description = text, selector = text,
  }, { "type", "description" })),
  testingStrategy = object {
    waitBeforeInteraction = milliseconds, interactionDuration = milliseconds,
    criticalActions = list(text), criticalAxes = list(text), instructions = text,
    clicksPerSecond = number, clickStrategy = text,
    gridBounds = object { xStart = number, yStart = number, width = number, height = number },
  },
  -- Retired, but in files that exist: read, not used.
  specialInstructions = { kind = "any" },
}, { "inputSchema" })

local function kind_of(value)
  if type(value) ~= "table" then return value == qa.json.null and "null" or type(value) end
  if next(value) == nil then return "empty" end
  return value[1] ~= nil and "array" or "object"
end

local check

local function check_object(value, rule, path, fail)
  local names = spelling.names(rule.fields)
  for _, name in ipairs(spelling.names(value)) do
    local inner = path == "" and name or path .. "." .. name
    local field = rule.fields[name]
    if not field then fail(inner, "unknown field" .. spelling.hint(name, names)) end
    -- A JSON null is an absent field.
    if value[name] == qa.json.null then value[name] = nil else check(value[name], field, inner, fail) end
  end
  for _, name in ipairs(rule.required) do
    if value[name] == nil then fail(path == "" and name or path .. "." .. name, "required, but missing") end
  end
end

function check(value, rule, path, fail)
  local kind = kind_of(value)
  if rule.kind == "any" then return end
  if rule.kind == "string or object" then
    if kind == "string" then return end
    rule = object(rule.fields, rule.required)
  end
  local matches = kind == rule.kind or (kind == "empty" and (rule.kind == "array" or rule.kind == "object"))
  if not matches then fail(path, ("expected %s, got %s"):format(rule.kind, kind == "empty" and "object" or kind)) end
  if rule.values then
    for _, allowed in ipairs(rule.values) do if allowed == value then return end end
    fail(path, ("expected one of %s, got '%s'%s"):format(table.concat(rule.values, ", "), value,
      spelling.hint(value, rule.values)))
  elseif rule.whole then
    if value < 0 or value % 1 ~= 0 then
      fail(path, ("expected whole milliseconds >= 0, got %s"):format(tostring(value)))
    end
  elseif rule.kind == "array" then
    for index, item in ipairs(value) do check(item, rule.of, ("%s[%d]"):format(path, index - 1), fail) end
  elseif rule.kind == "object" then
    check_object(value, rule, path, fail)
  end
end

---Raises "FILE: inputSchema.type: ..." for a table that is not metadata. Nulls are removed, and `inputs` is added: the
---named actions and axes with key codes, critical ones first.
---@param value any
---@param file string for messages
---@return table value
function M.check(value, file)
  local function fail(path, message) error(("%s: %s: %s"):format(file, path == "" and "(top)" or path, message), 0) end
  check(value, schema, "", fail)
  value.inputs = M.controls(value).inputs
  return value
end

---Reads a .json or .lua metadata file. Raises one sentence with the file otherwise.
---@param path string
---@return table metadata
function M.load(path)
  local bytes, err = qa.fs.read(path)
  if not bytes then error(("%s: %s"):format(path, failure.text(err)), 0) end
  local value
  if path:match("%.lua$") then
    local chunk, problem = qa.load_chunk(path)
    if not chunk then error(tostring(type(problem) == "table" and problem.message or problem), 0) end
    value = chunk()
  else
    local ok, decoded = pcall(qa.json.decode, (bytes:gsub("^\239\187\191", "")))
    if not ok then error(("%s: not valid JSON: %s"):format(path, failure.text(decoded)), 0) end
    value = decoded
  end
  return M.check(value, path)
end

---The controls that the metadata names, with key codes, critical ones first. See qa.game.input_schema.
function M.controls(metadata) return require("qa.game.input_schema").controls(metadata) end

---What an indicator can be looked for by. Selectors in real files are sometimes prose ("text containing '$'").
---@param indicator table
---@return {css?: string, text?: string, pattern?: string}
function M.indicator_target(indicator)
  local selector, target = indicator.selector, {}
  if selector then
    local quoted = selector:match("[\"'“]([^\"'”]+)[\"'”]")
    local is_prose = selector:find("%f[%w]containing%f[%W]") or selector:find("^%l+ %l+ %l+")
    if is_prose then target.text = quoted else target.css = selector end
  end
  if indicator.type == "text" then target.text = target.text or indicator.pattern end
  if indicator.type == "element" and not target.css then target.css = indicator.pattern end
  if indicator.type == "network" then target.pattern = indicator.pattern end
  return target
end

return M
