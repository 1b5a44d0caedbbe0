-- Configuration: ./qa-host.lua, then $XDG_CONFIG_HOME/qa-host/config.lua. Each returns a table {endpoints, roles,
-- prices, models}; what the first says counts. Keys never stand in it, only the names of the variables that hold them.
local qa = require "qa"
local internal = require "qa.internal"
local spelling = require "qa.text.spelling"

local M = {}

local known = { endpoints = "table", roles = "table", prices = "table", models = "table" }

local function paths()
  local home = internal.environment("XDG_CONFIG_HOME")
  if home == "" then home = internal.environment("HOME") .. "/.config" end
  return { "./qa-host.lua", home .. "/qa-host/config.lua" }
end

local function load(path)
  if not qa.fs.stat(path) then return nil end
  local chunk, err = qa.load_chunk(path)
  if not chunk then error(tostring(type(err) == "table" and err.message or err), 0) end
  local value = chunk()
  if type(value) ~= "table" then
    error(path .. ": a configuration returns a table {endpoints, roles, prices, models}", 0)
  end
  spelling.check_options(path, value, known)
  return value
end

---The configuration of this process: read once. Raises one sentence that names the file.
---@return {endpoints: table, roles: table}
function M.get()
  if M.loaded then return M.loaded end
  local made = { endpoints = {}, roles = {} }
  for _, path in ipairs(paths()) do
    local value = load(path) or {}
    for _, field in ipairs{ "endpoints", "roles" } do
      for name, item in pairs(value[field] or {}) do
        if made[field][name] == nil then made[field][name] = item end
      end
    end
    local function rows(list) return list and qa.json.encode({ rows = qa.json.array(list) }) or "" end
    if value.prices or value.models then
      local laid, err = internal.overlay_tables(rows(value.prices), rows(value.models))
      if not laid then error(("%s: %s"):format(path, err.message), 0) end
    end
  end
  M.loaded = made
  return made
end

return M
