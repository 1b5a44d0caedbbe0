-- What a strategy file may contain. Checked at load, before a browser starts:
-- a misspelt hook would otherwise silently never run.
local spelling = require "qa.text.spelling"

local M = {}

---Hooks in the order in which the loop or the standard step calls them.
M.hooks = { "prepare", "start", "step", "observe", "propose", "act", "assess", "recover", "learn", "conclude" }

---Limits and what they bound; all numbers.
M.limits = {
  actions = "inputs sent (ctx.state.actions)",
  steps = "steps of the loop",
  duration_ms = "wall time of the steps",
  usd = "money",
}

local fields = {
  name = "string", extends = "string", url = "string", doc = "string", metadata = "string",
  options = "table", limits = "table", lists = "table", clock = "string",
}
---Times that a game can be played in.
M.clocks = { real = true, game = true, auto = true }

for _, hook in ipairs(M.hooks) do fields[hook] = "function" end

local option_types = { number = true, string = true, boolean = true }

local function fail(file, message, ...) error(file .. ": " .. message:format(...), 0) end

local function check_options(file, options)
  for name, option in pairs(options) do
    local path = "options." .. tostring(name)
    if type(name) ~= "string" then fail(file, "options: expected names, got %s", tostring(name)) end
    if type(option) ~= "table" then
      fail(file, "%s: expected a table { default = ..., doc = ... }, got %s", path, type(option))
    end
    for key in pairs(option) do
      if key ~= "default" and key ~= "doc" then
        fail(file, "%s: unknown field '%s'%s", path, tostring(key), spelling.hint(key, { "default", "doc" }))
      end
    end
    if not option_types[type(option.default)] then
      fail(file, "%s.default: expected a number, string or boolean, got %s", path, type(option.default))
    end
    if option.doc ~= nil and type(option.doc) ~= "string" then
      fail(file, "%s.doc: expected a string, got %s", path, type(option.doc))
    end
  end
end

local function check_limits(file, limits)
  for name, value in pairs(limits) do
    if not M.limits[name] then
      fail(file, "unknown limit '%s'%s", tostring(name), spelling.hint(name, spelling.names(M.limits)))
    end
    if type(value) ~= "number" then fail(file, "limits.%s: expected a number, got %s", name, type(value)) end
    if value < 0 or value ~= value then
      fail(file, "limits.%s: expected a number >= 0, got %s", name, tostring(value))
    end
  end
end

---Raises a sentence that starts with the file when `strategy` is not one.
---@param strategy any what the chunk returned
---@param file string
function M.check(strategy, file)
  if type(strategy) ~= "table" then fail(file, "a strategy returns a table, this returns %s", type(strategy)) end
  local names = spelling.names(fields)
  for _, field in ipairs(spelling.names(strategy)) do
    local expected = fields[field]
    if not expected then fail(file, "unknown field '%s'%s", field, spelling.hint(field, names)) end
    local got = type(strategy[field])
    if got ~= expected then fail(file, "%s: expected a %s, got %s", field, expected, got) end
  end
  if strategy.clock and not M.clocks[strategy.clock] then
    fail(file, "clock: expected 'real', 'game' or 'auto', got '%s'", strategy.clock)
  end
  check_options(file, strategy.options or {})
  check_limits(file, strategy.limits or {})
  for name, list in pairs(strategy.lists or {}) do
    if type(name) ~= "string" then fail(file, "lists: expected names, got %s", tostring(name)) end
    if type(list) ~= "table" then fail(file, "lists.%s: expected a table, got %s", name, type(list)) end
  end
end

---Refuses lists and option types that the extended strategy does not have, so that a misspelt one is not dead.
---@param strategy table checked
---@param file string
---@param parent table merged
function M.check_against(strategy, file, parent)
  for name in pairs(strategy.lists or {}) do
    if parent.lists[name] == nil and next(parent.lists) ~= nil then
      local near = spelling.nearest(name, spelling.names(parent.lists))
      -- A new list is fine (own hooks read it); one that is nearly a known name is a slip.
      if near then fail(file, "unknown list 'lists.%s' (did you mean '%s'?)", name, near) end
    end
  end
  for name, option in pairs(strategy.options or {}) do
    local old = parent.options[name]
    if old and type(old.default) ~= type(option.default) then
      fail(file, "options.%s.default: expected a %s, got %s", name, type(old.default), type(option.default))
    end
  end
end

return M
