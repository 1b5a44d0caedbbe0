--- The file of seed 003, agent_memory.json (D-001): {successful_patterns, failed_patterns, action_rewards}. What is
-- imported keeps each action as it was written beside its name in qa.input.actions, so that it replays here and goes
-- out again unchanged.
local qa = require "qa"
local action_check = require "qa.input.action_check"
local memory = require "qa.memory.memory"
local records = require "qa.memory.record"

local M = {}

---Sections of the file, and where their entries are kept in a record.
local sections = { successful_patterns = "patterns", failed_patterns = "failures", action_rewards = "rewards" }

local function number(value) return type(value) == "number" and value or nil end

local function point_of(x, y) return number(x) and number(y) and { x = x, y = y } or nil end

---Where a mobile action goes, in the spellings that are about: x and y, coordinates [x, y], start and end, x1 y1 x2 y2.
local function places(action)
  local function of(value)
    return type(value) == "table" and (point_of(value.x, value.y) or point_of(value[1], value[2])) or nil
  end
  local from = of(action.target) or of(action.coordinates) or of(action.position) or of(action.start) or of(action.from)
    or point_of(action.x, action.y) or point_of(action.x1, action.y1) or point_of(action.start_x, action.start_y)
  local to = of(action.to) or of(action["end"]) or point_of(action.x2, action.y2)
    or point_of(action.end_x, action.end_y)
  return from, to
end

---An action of the seed in our vocabulary (D-011), nil where it has no equal here.
---@param action any
---@return table?
function M.translated(action)
  if type(action) ~= "table" or type(action.action) ~= "string" then return nil end
  local from, to = places(action)
  local text = type(action.text) == "string" and action.text or nil
  local made = { action = action_check.aliases[action.action] or action.action, to = to, text = text,
    key = type(action.key) == "string" and action.key or nil,
    target = from or type(action.target) == "string" and action.target or nil }
  -- A tap on something that has only a name.
  if made.action == "click" and not made.target and text then made.target, made.text = { text = text }, nil end
  return action_check.check(made)
end

local function split(key)
  local scene, goal = key:match "^(.-):(.*)$"
  return scene or key, goal or ""
end

---A stored step of an imported action: `seed` is the action as it came.
local function step_of(action)
  local translated = M.translated(action)
  local name = type(action) == "table" and tostring(action.action) or "unknown"
  return { action = translated or { action = name }, seed = action, is_foreign = translated == nil or nil }
end

local function check(file)
  if type(file) ~= "table" then
    error("an agent_memory.json is an object with successful_patterns, failed_patterns and action_rewards", 0)
  end
  for name in pairs(file) do
    if not sections[name] then
      error(("unknown field '%s'; expected successful_patterns, failed_patterns, action_rewards"):format(
        tostring(name)), 0)
    end
  end
  for name in pairs(sections) do
    if file[name] ~= nil and type(file[name]) ~= "table" then error(name .. ": expected an object", 0) end
  end
end

local function text_of(value) return type(value) == "string" and value or nil end
local function number_or(value, fallback) return type(value) == "number" and value or fallback end

local exported

---Is an entry in the list that would go out just as this one? Importing a file twice adds nothing.
local function is_there(list, entry)
  local text = qa.json.encode(exported(entry, {}))
  for _, other in ipairs(list) do
    if other.imported and qa.json.encode(exported(other, {})) == text then return true end
  end
  return false
end

---Fields of an entry beside those that we keep ourselves.
local function others(entry)
  local rest
  for key, value in pairs(entry) do
    if not ({ actions = 1, outcome = 1, reason = 1, count = 1, timestamp = 1 })[key] then
      rest = rest or {}
      rest[key] = value
    end
  end
  return rest
end

local function entries_of(list, what)
  if type(list) ~= "table" then error(what .. ": expected a list of patterns", 0) end
  for i, entry in ipairs(list) do
    if type(entry) ~= "table" or type(entry.actions) ~= "table" then
      error(("%s[%d]: expected {actions, ...}"):format(what, i), 0)
    end
  end
  return list
end

local function names_key(game) return game .. "/names" end

---Our names of the types of actions that the file has rewards for; of two that would be one, the file's own stays.
local function own_names(rewards)
  local names = {}
  for name in pairs(rewards) do
    local own = action_check.aliases[name]
    if own and rewards[own] == nil then names[name] = own end
  end
  return names
end

---@param file table decoded JSON; raises one sentence when it is none
---@param game string
---@param policy table
---@return {contexts: integer, patterns: integer, failures: integer, foreign: string[]} foreign: names of actions that
---cannot be replayed
function M.import(file, game, policy)
  check(file)
  local store, counts, foreign = memory.store(), { contexts = 0, patterns = 0, failures = 0, foreign = {} }, {}
  local by_key = {}
  local function taken(section, field, make)
    for key, list in pairs(file[section] or {}) do
      by_key[key] = by_key[key] or { patterns = {}, failures = {} }
      for i, entry in ipairs(entries_of(list, section .. "." .. key)) do
        local steps = {}
        for n, action in ipairs(entry.actions) do
          steps[n] = step_of(action)
          if steps[n].is_foreign then foreign[steps[n].action.action] = true end
        end
        by_key[key][field][i] = make(entry, steps)
        counts[field] = counts[field] + 1
      end
    end
  end
  taken("successful_patterns", "patterns", function(entry, steps)
    return { signature = records.signature(steps), actions = qa.json.array(steps), outcome = entry.outcome,
      count = number_or(entry.count, 1),
      timestamp = entry.timestamp, imported = { count = entry.count, more = others(entry) } }
  end)
  taken("failed_patterns", "failures", function(entry, steps)
    local last = steps[#steps]
    return { bucket = last and records.bucket(last.action, policy) or "unknown", actions = qa.json.array(steps),
      reason = text_of(entry.reason) or text_of(entry.outcome) or "no reason was kept",
      count = number_or(entry.count, 1), timestamp = entry.timestamp,
      imported = { count = entry.count, reason = entry.reason, outcome = entry.outcome, more = others(entry) } }
  end)
  for key, made in pairs(by_key) do
    local scene, goal = split(key)
    local context = { game = game, scene = scene, goal = goal }
    local _, err = store:update(memory.scene_key(context), function(old)
      local record = records.filled(old, context)
      -- The seed's key has no colon where there is no goal.
      record.key = key
      record.sections = record.sections or {}
      for name, field in pairs(sections) do
        if file[name] and file[name][key] then record.sections[name] = true end
        for _, entry in ipairs(made[field] or {}) do
          if not is_there(record[field], entry) then table.insert(record[field], entry) end
        end
      end
      return record
    end)
    if err then error(err, 0) end
    counts.contexts = counts.contexts + 1
  end
  if file.action_rewards then
    local ours = own_names(file.action_rewards)
    local _, err = store:update(game .. "/rewards", function(old)
      local rewards = old or {}
      for name, value in pairs(file.action_rewards) do rewards[ours[name] or name] = value end
      return rewards
    end)
    if not err then _, err = store:update(names_key(game), function() return ours end) end
    if err then error(err, 0) end
  end
  for name in pairs(foreign) do table.insert(counts.foreign, name) end
  table.sort(counts.foreign)
  return counts
end

local function or_raise(value, err)
  if value == nil and type(err) == "table" then error(err, 0) end
  return value or {}
end

---An action as the seed writes it: unchanged where it came from there.
local function untranslated(step)
  if step.seed ~= nil then return step.seed end
  local action = {}
  for key, value in pairs(step.action) do action[key] = value end
  for alias, name in pairs({ tap = "click", swipe = "drag" }) do
    if action.action == name then action.action = alias end
  end
  if type(action.target) == "table" and action.target.x then
    action.x, action.y, action.target = action.target.x, action.target.y, nil
  end
  return action
end

function exported(entry, extra)
  local made, actions = {}, {}
  for i, step in ipairs(entry.actions or {}) do actions[i] = untranslated(step) end
  made.actions, made.timestamp, made.count = qa.json.array(actions), entry.timestamp, entry.count
  for key, value in pairs(extra) do made[key] = value end
  local imported = entry.imported
  if imported then
    -- As it came, so long as nothing was learned since.
    if number_or(imported.count, 1) == entry.count then made.count = imported.count end
    for key, value in pairs(imported.more or {}) do made[key] = value end
  end
  return made
end

---What is remembered of a game as an agent_memory.json.
---@param game string
---@return table
function M.export(game)
  local store = memory.store()
  local file = { successful_patterns = {}, failed_patterns = {}, action_rewards = {} }
  for _, record in store:each{ prefix = game .. "/scene/" } do
    local key = record.key or memory.context_key(record)
    for name in pairs(record.sections or {}) do file[name][key] = file[name][key] or qa.json.array{} end
    for _, pattern in ipairs(record.patterns or {}) do
      file.successful_patterns[key] = file.successful_patterns[key] or qa.json.array{}
      table.insert(file.successful_patterns[key], exported(pattern, { outcome = pattern.outcome }))
    end
    for _, failure in ipairs(record.failures or {}) do
      file.failed_patterns[key] = file.failed_patterns[key] or qa.json.array{}
      local told = failure.imported and { reason = failure.imported.reason, outcome = failure.imported.outcome }
        or { reason = failure.reason }
      table.insert(file.failed_patterns[key], exported(failure, told))
    end
  end
  local theirs = {}
  for name, own in pairs(or_raise(store:get(names_key(game)))) do theirs[own] = name end
  for name, value in pairs(or_raise(store:get(game .. "/rewards"))) do
    file.action_rewards[theirs[name] or name] = value
  end
  return file
end

return M
