-- "did you mean": the nearest known name to a misspelt one, and the check that
-- every table of options goes through.
local M = {}

local function distance(a, b)
  local row = {}
  for j = 0, #b do row[j] = j end
  for i = 1, #a do
    local diagonal = row[0]
    row[0] = i
    for j = 1, #b do
      local cost = a:byte(i) == b:byte(j) and 0 or 1
      local value = math.min(row[j] + 1, row[j - 1] + 1, diagonal + cost)
      diagonal, row[j] = row[j], value
    end
  end
  return row[#b]
end

---The known name nearest to `name`, or nil when none is near.
---@param name string
---@param known string[]
---@return string?
function M.nearest(name, known)
  local best, best_distance
  for _, candidate in ipairs(known) do
    local d = distance(name:lower(), candidate:lower())
    if not best or d < best_distance then best, best_distance = candidate, d end
  end
  if best and best_distance <= math.max(1, math.floor((#name + 1) / 3)) then return best end
end

---" (did you mean 'step'?)", or "".
function M.hint(name, known)
  local near = M.nearest(tostring(name), known)
  return near and (" (did you mean '%s'?)"):format(near) or ""
end

---Sorted keys of a table.
---@return string[]
function M.names(set)
  local names = {}
  for name in pairs(set) do names[#names + 1] = tostring(name) end
  table.sort(names)
  return names
end

---Checks an option table against `known`, a map of key to Lua type name, or to "any". Raises at the caller of the
---function that received the options.
---@param op string the public name, e.g. "page:click"
---@param opts? table
---@param known table<string, string>
---@param level? integer whose line is at fault, as for error(); 3
---@return table opts never nil
function M.check_options(op, opts, known, level)
  level = level or 3
  if opts == nil then return {} end
  if type(opts) ~= "table" then error(("%s: options: expected a table, got %s"):format(op, type(opts)), level) end
  for key, value in pairs(opts) do
    local expected = known[key]
    if not expected then
      error(("%s: unknown option '%s'%s"):format(op, tostring(key), M.hint(key, M.names(known))), level)
    end
    if expected ~= "any" and type(value) ~= expected then
      error(("%s: option '%s': expected a %s, got %s"):format(op, key, expected, type(value)), level)
    end
  end
  return opts
end

return M
