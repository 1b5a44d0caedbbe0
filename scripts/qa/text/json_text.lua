-- JSON text of a model as nodes, which keep what qa.json.decode forgets: how a number is spelt, the order of keys, that
-- a key came twice, and which elements of an array were closed when the text ended too early. Called by qa.schema and
-- qa.model.structured. Strict (RFC 8259); what is wrong with a text is returned, never raised.
local qa = require "qa"

local M = {}

---@class qa.text.json_text.Node
---@field kind "object"|"array"|"string"|"number"|"boolean"|"null"
---@field value? string|number|boolean
---@field text? string a number as it is spelt
---@field items? qa.text.json_text.Node[] of an array
---@field keys? string[] of an object, in the order of the text
---@field by? table<string, qa.text.json_text.Node> of an object, by key

---@class qa.text.json_text.Problem
---@field message string
---@field is_truncated boolean the text ended inside a value that was fine so far
---@field open qa.text.json_text.Node[] objects and arrays that were not closed, outermost first

local max_depth = 64
local literals = { t = "true", f = "false", n = "null" }
local problem_type = {}  -- tells our own raise from a loss that passes through

local function fail(p, message)
  local is_truncated = p.at > #p.text
  if is_truncated then message = "the text ends too early" end
  error(setmetatable({ message = ("%s at byte %d"):format(message, p.at), is_truncated = is_truncated, open = p.open },
    problem_type), 0)
end

---The value of a JSON number, or nil and why not. A number that a double cannot hold, even as zero, is refused.
---@param text string
---@return number?, string?
function M.number(text)
  local whole, rest = text:match "^%-?(%d+)(.*)$"
  if not whole or (whole ~= "0" and whole:find "^0") or not (rest == "" or rest:find "^%.%d+$"
      or rest:find "^%.%d+[eE][+-]?%d+$" or rest:find "^[eE][+-]?%d+$") then
    return nil, "malformed number"
  end
  local is_zero = not text:match("^[^eE]*"):find "[1-9]"
  local value = tonumber(text) or is_zero and 0  -- tonumber gives up on an exponent of many digits
  local is_lost = value == 0 and not is_zero
  if not value or is_lost or math.abs(value) == math.huge then return nil, "number out of range" end
  return value
end

---The next character that is no white space; "" at the end. p.at is moved to it.
local function look(p)
  p.at = p.text:find("[^ \t\r\n]", p.at) or #p.text + 1
  return p.text:sub(p.at, p.at)
end

local function take(p, wanted, name)
  local c = look(p)
  if c == "" or not c:find(wanted) then fail(p, "expected " .. name) end
  p.at = p.at + 1
  return c
end

local function string_at(p)
  local text, first, i, is_plain = p.text, p.at, p.at + 1, true
  while true do
    local stop = text:find('["\\%z\1-\31]', i)
    local c = stop and text:byte(stop)
    p.at = stop or #text + 1
    if c == 34 then break end
    if c ~= 92 then fail(p, "control character in a string") end
    i, is_plain = stop + 2, false
  end
  local literal = text:sub(first, p.at)
  p.at = p.at + 1
  if is_plain and not literal:find "[\128-\255]" then return literal:sub(2, -2) end
  local ok, value = pcall(qa.json.decode, literal)
  if not ok then
    p.at = first
    fail(p, "string with a wrong escape or invalid UTF-8")
  end
  return value
end

local function number_at(p)
  local text = p.text:match("^[%d+%-.eE]+", p.at)
  -- More digits could follow: a number ends where something else begins.
  if p.at + #text > #p.text then p.at = #p.text + 1 end
  local value, why = M.number(text)
  if not value or p.at > #p.text then fail(p, why) end
  p.at = p.at + #text
  return { kind = "number", value = value, text = text }
end

local function literal_at(p, c)
  local word = literals[c]
  local found = p.text:sub(p.at, p.at + #(word or "") - 1)
  if word and found == word then
    p.at = p.at + #word
    return c == "n" and { kind = "null" } or { kind = "boolean", value = c == "t" }
  end
  if word and p.at + #found > #p.text and word:sub(1, #found) == found then p.at = #p.text + 1 end
  fail(p, "unexpected text")
end

local value_at

local function array_at(p, node)
  if look(p) == "]" then return take(p, "]") end
  repeat
    node.items[#node.items + 1] = value_at(p)
  until take(p, "[%],]", "',' or ']'") == "]"
end

local function object_at(p, node)
  if look(p) == "}" then return take(p, "}") end
  repeat
    if look(p) ~= '"' then fail(p, "expected a key") end
    local key = string_at(p)
    if node.by[key] then fail(p, "duplicate key " .. qa.json.encode(key:sub(1, 40))) end
    take(p, ":", "':'")
    node.pending = key
    node.by[key] = value_at(p)
    node.keys[#node.keys + 1] = key
  until take(p, "[},]", "',' or '}'") == "}"
end

function value_at(p)
  local c = look(p)
  if c == '"' then return { kind = "string", value = string_at(p) } end
  if c:find "[%d-]" then return number_at(p) end
  if c ~= "{" and c ~= "[" then return literal_at(p, c) end
  if #p.open == max_depth then fail(p, "nested deeper than " .. max_depth) end
  local node = c == "{" and { kind = "object", keys = {}, by = {} } or { kind = "array", items = {} }
  p.open[#p.open + 1] = node
  p.at = p.at + 1
  if c == "{" then object_at(p, node) else array_at(p, node) end
  p.open[#p.open] = nil
  return node
end

---One value of a text, and the byte after it.
---@param text string
---@param at? integer first byte to read
---@return qa.text.json_text.Node? node
---@return integer|qa.text.json_text.Problem next_or_problem
function M.read(text, at)
  local p = { text = text, at = at or 1, open = {} }
  local ok, node = pcall(value_at, p)
  if ok then return node, p.at end
  if getmetatable(node) ~= problem_type then error(node, 0) end
  return nil, node
end

---What a text that ended too early said for certain: the outermost open array with the elements that were closed,
---inside what it is in; without an open array, the closed members of the root. nil when there is none. An element or a
---member that was still open is never part of it, whatever it held.
---@param problem qa.text.json_text.Problem
---@return qa.text.json_text.Node? root, integer? kept how many
function M.closed_part(problem)
  local root = problem.is_truncated and problem.open[1]
  if not root then return nil end
  for depth, node in ipairs(problem.open) do
    if node.kind == "array" then
      if #node.items == 0 then return nil end
      for outer = 1, depth - 1 do
        local parent = problem.open[outer]
        parent.by[parent.pending] = problem.open[outer + 1]
        parent.keys[#parent.keys + 1] = parent.pending
      end
      return root, #node.items
    end
  end
  if #root.keys > 0 then return root, #root.keys end
end

---A node as qa.json.decode would give it.
---@param node qa.text.json_text.Node
---@return any
function M.plain(node)
  if node.kind == "null" then return qa.json.null end
  if node.kind == "array" then
    local list = {}
    for i, item in ipairs(node.items) do list[i] = M.plain(item) end
    return qa.json.array(list)
  end
  if node.kind ~= "object" then return node.value end
  local map = {}
  for key, item in pairs(node.by) do map[key] = M.plain(item) end
  return map
end

---A node as compact text, keys in their order and numbers as they were spelt.
---@param node qa.text.json_text.Node
---@return string
function M.compact(node)
  if node.kind == "null" then return "null" end
  if node.kind == "number" then return node.text end
  local parts = {}
  if node.kind == "array" then
    for i, item in ipairs(node.items) do parts[i] = M.compact(item) end
    return "[" .. table.concat(parts, ",") .. "]"
  end
  if node.kind ~= "object" then return qa.json.encode(node.value) end
  for i, key in ipairs(node.keys) do parts[i] = qa.json.encode(key) .. ":" .. M.compact(node.by[key]) end
  return "{" .. table.concat(parts, ",") .. "}"
end

return M
