-- What a game's metadata says about its controls: `gameBuilder.…` JavaScript,
-- prose, or lists of actions and axes, to names with key codes.
local keys = require "qa.text.key_names"

local M = {}

---Every key named in the arguments of a bind call: quoted names, and Key.Space style constants.
local function keys_in(arguments)
  local found = {}
  for position, quoted in arguments:gmatch("()[\"'`]([^\"'`]*)[\"'`]") do
    if quoted ~= "" then found[#found + 1] = { position, quoted } end
  end
  for position, constant in arguments:gmatch("()%f[%w_][%a_]+%.([%w_]+)") do
    found[#found + 1] = { position, constant }
  end
  table.sort(found, function(a, b) return a[1] < b[1] end)
  local codes = {}
  for _, entry in ipairs(found) do keys.add(codes, { keys.code(entry[2]) }) end
  return codes
end

---Reads createAction/createAxis/createAxis2D chains.
---@param source string
---@return {actions: table[], axes: table[], mouse: boolean}
function M.parse_javascript(source)
  local found = { actions = {}, axes = {}, mouse = false }
  -- Comments would otherwise declare keys that the game does not have.
  source = source:gsub("/%*.-%*/", " "):gsub("(%f[/]//)[^\n]*", " ")
  local position = 1
  while true do
    local first, last, kind, name = source:find("create(%w+)%s*%(%s*[\"'`]([^\"'`]+)[\"'`]", position)
    if not first then break end
    local following = source:find("create%w+%s*%(", last + 1)
    local chain = source:sub(last + 1, following and following - 1 or #source)
    local codes = {}
    for method, arguments in chain:gmatch("%.(bind%w*)%s*(%b())") do
      if method == "bindWASD" then
        keys.add(codes, keys.wasd)
      elseif method == "bindArrowKeys" or method == "bindArrows" then
        keys.add(codes, keys.arrows)
      elseif method:find("Mouse") or method:find("Pointer") or method:find("Click") then
        found.mouse = true
      else
        keys.add(codes, keys_in(arguments))
      end
    end
    local entry = { name = name, keys = codes }
    if kind:find("^Axis") then
      entry.is2D = kind == "Axis2D"
      table.insert(found.axes, entry)
    else
      table.insert(found.actions, entry)
    end
    position = last + 1
  end
  return found
end

local function has_word(text, word) return text:find("%f[%w]" .. word .. "%f[%W]") ~= nil end

---Reads prose such as "Arrow keys move, space to jump, escape to pause".
---@param text string
---@return {actions: table[], axes: table[], mouse: boolean}
function M.parse_semantic(text)
  local found = { actions = {}, axes = {}, mouse = false }
  text = text:lower()
  local function axis(name, codes) table.insert(found.axes, { name = name, keys = codes, is2D = true }) end
  local function action(name, code) table.insert(found.actions, { name = name, keys = { code } }) end
  if has_word(text, "arrows?") or has_word(text, "arrow") or has_word(text, "arrows") then
    axis("arrows", keys.arrows)
  end
  if has_word(text, "wasd") then axis("wasd", keys.wasd) end
  for name, code in text:gmatch("%f[%w](arrow%s?%l+)%f[%W]()") do
    local one = keys.code(name)
    if one:find("^Arrow") and #found.axes == 0 and code then action(name, one) end
  end
  if has_word(text, "space") or has_word(text, "spacebar") then
    action(has_word(text, "jump") and "jump" or has_word(text, "shoot") and "shoot" or "space", "Space")
  end
  if has_word(text, "enter") or has_word(text, "return") then
    action(has_word(text, "start") and "start" or "enter", "Enter")
  end
  if has_word(text, "escape") or has_word(text, "esc") then
    action(has_word(text, "pause") and "pause" or "escape", "Escape")
  end
  for word in text:gmatch("key(%l)%f[%W]") do action("key" .. word, keys.code(word)) end
  for word in text:gmatch("press%s+[\"'`]?(%l)[\"'`]?%f[%W]") do action(word, keys.code(word)) end
  for _, word in ipairs { "mouse", "click", "clicks", "clicking", "tap", "drag", "touch", "pointer" } do
    found.mouse = found.mouse or has_word(text, word)
  end
  return found
end

local function listed(entries)
  local list = {}
  for _, entry in ipairs(entries or {}) do
    if type(entry) == "string" then
      list[#list + 1] = { name = entry, keys = {} }
    else
      local codes = {}
      for _, key in ipairs(entry.keys or {}) do keys.add(codes, { keys.code(key) }) end
      list[#list + 1] = { name = entry.name, keys = codes, description = entry.description, is2D = entry.is2D }
    end
  end
  return list
end

---Declared entries win; the parsed ones give keys to names that have none, and what was not declared.
local function combine(declared, parsed)
  local by_name, result = {}, {}
  for _, entry in ipairs(declared) do
    by_name[entry.name:lower()] = entry
    result[#result + 1] = entry
  end
  for _, entry in ipairs(parsed) do
    local known = by_name[entry.name:lower()]
    if not known then
      result[#result + 1] = entry
    elseif #known.keys == 0 then
      known.keys = entry.keys
    end
  end
  for _, entry in ipairs(result) do
    -- A bare name such as "Space" or "ArrowLeft" is its own key.
    local code = keys.code(entry.name)
    if #entry.keys == 0 and (code ~= entry.name or code:find("^Arrow") or code:find("^Key%u$")) then
      entry.keys = { code }
    end
  end
  return result
end

local function critical_first(entries, critical)
  local rank = {}
  for index, name in ipairs(critical or {}) do rank[tostring(name):lower()] = index end
  local order = {}
  for index, entry in ipairs(entries) do order[entry] = index end
  table.sort(entries, function(a, b)
    local ra, rb = rank[a.name:lower()] or math.huge, rank[b.name:lower()] or math.huge
    if ra ~= rb then return ra < rb end
    return order[a] < order[b]
  end)
  for _, entry in ipairs(entries) do entry.critical = rank[entry.name:lower()] ~= nil end
  return entries
end

---The controls of a game's metadata, critical ones first.
---@param metadata table checked
---@return {actions: {name: string, keys: string[], critical: boolean}[], axes: table[], inputs: table[], keys:
---string[], mouse: boolean}
function M.controls(metadata)
  local schema = metadata.inputSchema or {}
  local content = schema.content or ""
  local parsed = { actions = {}, axes = {}, mouse = false }
  if schema.type == "javascript" then
    parsed = M.parse_javascript(content)
  elseif schema.type == "semantic" then
    parsed = M.parse_semantic(content)
  elseif schema.type == "mouse-only" then
    parsed.mouse = true
  end
  local testing = metadata.testingStrategy or {}
  local result = {
    actions = critical_first(combine(listed(schema.actions), parsed.actions), testing.criticalActions),
    axes = critical_first(combine(listed(schema.axes), parsed.axes), testing.criticalAxes),
    mouse = parsed.mouse, inputs = {}, keys = {},
  }
  for _, critical in ipairs { true, false } do
    for _, group in ipairs { result.actions, result.axes } do
      for _, entry in ipairs(group) do
        if entry.critical == critical then
          table.insert(result.inputs, entry)
          keys.add(result.keys, entry.keys)
        end
      end
    end
  end
  return result
end

return M
