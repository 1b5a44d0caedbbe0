-- Configuration: that of a trusted project (qa-host.lua), then the user's own, $XDG_CONFIG_HOME/qa-host/config.lua.
-- Each returns a table {endpoints, roles, prices, models}; what the first says counts. A project says nothing about
-- servers, keys and programs. Keys never stand in either, only the names of the variables that hold them.
local qa = require "qa"
local internal = require "qa.internal"
local spelling = require "qa.text.spelling"

local M = {}

local known = { endpoints = "table", roles = "table", prices = "table", models = "table" }

---What a project may not say, as names in its configuration.
local not_for_projects = { endpoints = true, base_url = true, base_url_env = true, key_env = true, headers = true,
  ca_file = true, allow_process = true }

local function refuse(path, field)
  local _, own = internal.user_configuration()
  error(("%s: %s is not for a project: put it into your own configuration, %s"):format(path, field, own), 0)
end

---The roles of a project name endpoints that are known; each is one word.
local function check_project(path, value)
  for field in pairs(value) do
    if not_for_projects[field] then refuse(path, field) end
  end
  for role, who in pairs(type(value.roles) == "table" and value.roles or {}) do
    if type(who) ~= "string" then refuse(path, ("roles.%s: a command or an endpoint of its own"):format(role)) end
  end
end

---The configuration of a trusted project, or nil.
local function of_project()
  local path = internal.project_path("qa-host.lua")
  if not path then return nil end
  local chunk, err = qa.load_chunk(path)
  if not chunk then error(tostring(type(err) == "table" and err.message or err), 0) end
  local value = chunk()
  if type(value) ~= "table" then
    error(path .. ": a project's configuration returns a table {roles, prices, models}", 0)
  end
  check_project(path, value)
  return value, path
end

---The configuration of this process: read once. Raises one sentence that names the file.
---@return {endpoints: table, roles: table}
function M.get()
  if M.loaded then return M.loaded end
  local made = { endpoints = {}, roles = {} }
  local function add(value, path)
    if not value then return end
    spelling.check_options(path, value, known)
    for field, all in pairs(made) do
      for name, item in pairs(value[field] or {}) do
        if all[name] == nil then all[name] = item end
      end
    end
    local function rows(list) return list and qa.json.encode({ rows = qa.json.array(list) }) or "" end
    if value.prices or value.models then
      local laid, err = internal.overlay_tables(rows(value.prices), rows(value.models))
      if not laid then error(("%s: %s"):format(path, err.message), 0) end
    end
  end
  add(of_project())
  add(internal.user_configuration())
  M.loaded = made
  return made
end

return M
