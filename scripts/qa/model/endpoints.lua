-- Endpoints: who answers for a role. Flags come first (--endpoint, --model), then QA_ENDPOINT and QA_MODEL, then the
-- configuration's roles, then the first preset whose key is set. Presets are in scripts/data/endpoints.json.
local qa = require "qa"
local config = require "qa.model.config"
local internal = require "qa.internal"
local spelling = require "qa.text.spelling"

local M = {}

local fields = { name = "string", preset = "string", dialect = "string", base_url = "string", base_url_env = "string",
  path = "string", model = "string", key_env = "string", key_header = "string", version = "string", headers = "table",
  free = "boolean", price = "table" }

---Presets whose key decides, where nothing else does.
local by_key = { "openai", "anthropic", "gemini", "openrouter" }

local function presets()
  if not M.presets then
    local bytes = assert(qa.fs.read(qa.fs.share() .. "/scripts/data/endpoints.json"))
    M.presets = qa.json.decode(bytes)
  end
  return M.presets
end

local function copy(from, into)
  for key, value in pairs(from) do into[key] = value end
  return into
end

local function is_local(url)
  return url:match("^https?://127%.") or url:match("^https?://localhost[:/]") or url:match("^https?://%[::1%]")
end

---A name of the configuration or a preset, or a table, as a complete endpoint. Raises what is wrong with it.
---@param what string|table
---@param model? string instead of its own
function M.resolve(what, model)
  local own = type(what) == "table" and what or config.get().endpoints[what]
  local endpoint = {}
  if own then
    spelling.check_options("endpoint", own, fields)
    local preset = own.preset and presets()[own.preset]
    if own.preset and not preset then
      error(("endpoint: unknown preset '%s'%s"):format(own.preset, spelling.hint(own.preset, M.names())), 0)
    end
    copy(preset or {}, endpoint)
    -- Prices are found by the provider, which several presets may share.
    endpoint.name = endpoint.name or own.preset or (type(what) == "string" and what) or "custom"
    copy(own, endpoint)
  else
    local preset = presets()[what]
    if not preset then
      error(("unknown endpoint '%s'%s"):format(tostring(what), spelling.hint(tostring(what), M.names())), 0)
    end
    copy(preset, endpoint)
    endpoint.name = endpoint.name or what
  end
  local base = endpoint.base_url_env and internal.environment(endpoint.base_url_env) or ""
  if base ~= "" then endpoint.base_url = base end
  endpoint.preset, endpoint.base_url_env = nil, nil
  endpoint.model = model or endpoint.model
  if not endpoint.model then
    error(("endpoint %s: name a model (QA_MODEL, or model in the configuration)"):format(endpoint.name), 0)
  end
  if not endpoint.base_url then error(("endpoint %s: give its base_url"):format(endpoint.name), 0) end
  if endpoint.path then endpoint.path = endpoint.path:gsub("{model}", (endpoint.model:gsub("%%", "%%%%"))) end
  if endpoint.headers then
    for name in pairs(endpoint.headers) do
      if name:lower():find("auth") or name:lower():find("key") then
        error("endpoint: a key belongs into key_env, not into headers", 0)
      end
    end
  end
  return endpoint
end

---Names of endpoints that can be asked for.
function M.names()
  local names = {}
  for name in pairs(presets()) do names[#names + 1] = name end
  for name in pairs(config.get().endpoints) do names[#names + 1] = name end
  table.sort(names)
  return names
end

---"openrouter/qwen/qwen3" names endpoint and model; "gpt-4o" a model alone.
local function split(model)
  local first, rest = model:match("^([^/]+)/(.+)$")
  if first and (presets()[first] or config.get().endpoints[first]) then return first, rest end
  return nil, model
end

---Who answers for a role ("vision", "orchestrator" or one of your own); nil when nobody is configured.
---@param role string
---@param otherwise? string "PRESET/MODEL" that answers where nobody is named for the role and the preset's key is set
---@return table? endpoint
function M.of_role(role, otherwise)
  local command = qa.command or {}
  local name = command.endpoint or internal.environment("QA_ENDPOINT")
  local model = command.model or internal.environment("QA_MODEL")
  if name == "" then name = nil end
  if model == "" then model = nil end
  if model then
    local where, rest = split(model)
    name, model = name or where, where and rest or model
  end
  local configured = config.get().roles[role]
  if not name and configured then name = configured end
  if not name and not model and otherwise then
    local where, rest = split(otherwise)
    if where and internal.has_key(M.resolve(where, rest).key_env or "") then name, model = where, rest end
  end
  for _, preset in ipairs(name and {} or by_key) do
    if not name and internal.has_key(presets()[preset].key_env) then name = preset end
  end
  if not name then return nil end
  local endpoint = M.resolve(name, model)
  if endpoint.key_env and not internal.has_key(endpoint.key_env) and is_local(endpoint.base_url) then
    endpoint.key_env = nil
  end
  return endpoint
end

return M
