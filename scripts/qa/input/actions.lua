--- Actions: the one vocabulary in which strategies and models say what to do in a game, as plain data:
--   {action = "click", target = {x, y} | "#css" | {text = "Play"}, to?, key?, text?, hold_ms?, wait_ms?, repeat?,
--    dx?, dy?, reasoning?, confidence?}
-- schema() declares one as a model writes it, check() says what is wrong with one, perform() does it with the page's
-- own primitives: the journal, the limits and every gate of the host see it. What is out of bounds is refused, by name.
local qa = require "qa"
local checker = require "qa.input.action_check"
local failure = require "qa.text.failure"
local player = require "qa.input.action_player"
local schema = require "qa.model.schema"
local spelling = require "qa.text.spelling"
local utf8 = require "qa.text.utf8"

local M = {
  vocabulary = checker.vocabulary, aliases = checker.aliases, caps = checker.caps, check = checker.check,
  bounds = player.bounds, snap = player.snap, limit = player.limit, perform = player.perform,
  perform_all = player.perform_all,
}

---- As a model writes it
---------------------------------------------------------------------------------------------------

---An action as a model answers with it. A place is a point of the picture that it sees, in its own space
---(qa.model.point_space), and comes back in CSS pixels of the page; a key is {key = "Space"} or its bare name.
---@param opts? {actions?: string[], reasoning?: {min?: integer, max?: integer}|false, confidence?: boolean, caps?:
---table, more?: table[]} more: fields of the caller's own, as of qa.schema.object
---@return qa.schema.Type
function M.schema(opts)
  opts = spelling.check_options("qa.actions.schema", opts,
    { actions = "table", reasoning = "any", confidence = "boolean", caps = "table", more = "table" })
  local caps = setmetatable(opts.caps or {}, { __index = M.caps })
  local names, wanted = opts.actions or spelling.names(M.vocabulary), {}
  for _, name in ipairs(names) do
    local form = M.vocabulary[M.aliases[name] or name]
    if not form then
      error(("qa.actions.schema: unknown action '%s'%s"):format(name,
        spelling.hint(name, spelling.names(M.vocabulary))), 2)
    end
    for _, list in pairs(form) do
      for _, field in ipairs(list) do wanted[field] = true end
    end
  end
  local fields = {}
  local function add(name, made) fields[#fields + 1] = { name, made } end
  if opts.reasoning ~= false then add("reasoning", schema.string(opts.reasoning or { max = 300 })) end
  add("action", schema.enum(names))
  local forms = {}
  if wanted.target then forms[1] = schema.point() end
  if wanted.key then
    forms[#forms + 1] = schema.object{ { "key", schema.string{ max = 40,
      doc = "a KeyboardEvent.code such as Space, Enter, ArrowUp, KeyW." } } }
    forms[#forms + 1] = schema.string{ max = 40 }
  end
  if #forms > 0 then
    add("target", schema.nullable(#forms == 1 and forms[1] or schema.any_of(forms), { doc = "Where, or which key." }))
  end
  if wanted.to then add("to", schema.nullable(schema.point(), { doc = "Where a drag ends." })) end
  if wanted.text then add("text", schema.nullable(schema.string{ max = caps.text })) end
  for _, field in ipairs{ "hold_ms", "wait_ms" } do
    if wanted[field] then add(field, schema.nullable(schema.integer{ min = 0, max = caps[field] })) end
  end
  if wanted["repeat"] then add("repeat", schema.nullable(schema.integer{ min = 1, max = caps["repeat"] })) end
  for _, field in ipairs{ "dx", "dy" } do
    if wanted[field] then add(field, schema.nullable(schema.integer{ min = -caps[field], max = caps[field] })) end
  end
  if opts.confidence ~= false then add("confidence", schema.number{ min = 0, max = 1 }) end
  for _, field in ipairs(opts.more or {}) do fields[#fields + 1] = field end
  return schema.object(fields)
end

---- Told
-------------------------------------------------------------------------------------------------------------------

---A number without its fraction; what is none as it was given, for what was refused is told, too.
local function whole(value) return type(value) == "number" and ("%.0f"):format(value) or tostring(value) end

---What an action does, in a few words: "click 640,360", "press Space x10". It need not be a valid one.
---@return string
function M.describe(action)
  local key, target = action.key, action.target
  if type(target) == "table" and target.key then key, target = target.key, nil end
  if type(key) == "table" and type(key.key) == "string" then key = key.key end
  if type(key) == "table" then
    local names = {}
    for i, name in ipairs(key) do names[i] = tostring(name) end
    key = table.concat(names, "+")
  end
  local parts = { tostring(M.aliases[action.action] or action.action) }
  for _, at in ipairs{ target or false, action.to or false } do
    if type(at) == "table" and type(at.x) == "number" and type(at.y) == "number" then
      parts[#parts + 1] = ("%.0f,%.0f"):format(at.x, at.y)
    elseif at then
      parts[#parts + 1] = ("%q"):format(tostring(type(at) == "table" and (at.text or at.selector) or at))
    end
  end
  if key then parts[#parts + 1] = tostring(key) end
  if action.text then parts[#parts + 1] = ("%q"):format(tostring(action.text)) end
  if action["repeat"] then parts[#parts + 1] = ("x%s"):format(whole(action["repeat"])) end
  if action.dx or action.dy then
    parts[#parts + 1] = ("by %s,%s"):format(whole(action.dx or 0), whole(action.dy or 0))
  end
  for _, field in ipairs{ "hold_ms", "wait_ms" } do
    if action[field] then parts[#parts + 1] = ("%s ms"):format(whole(action[field])) end
  end
  return utf8.shorten(utf8.printable(table.concat(parts, " ")):gsub("%s+", " "), 120)
end

---Tells the report of an action that was done (A-004). progressed: true, false, or nil where nobody looked.
function M.record(ctx, action, outcome, progressed)
  local words = M.describe(action)
  ctx:event("action", { action = M.aliases[action.action] or action.action, target = words:match "^%S+ (.+)$",
    success = outcome.success, stateProgressed = progressed, confidence = action.confidence, at = outcome.at,
    snapped_to = outcome.snapped_to,
    reasoning = action.reasoning and utf8.shorten(utf8.printable(action.reasoning), 500),
    error = outcome.error and utf8.shorten(failure.text(outcome.error), 200),
    timestamp = qa.utc(), ms = math.floor(outcome.ms) })
end

return M
