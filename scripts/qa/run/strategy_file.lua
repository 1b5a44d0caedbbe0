-- Finds, loads and merges strategies. Each load uses fresh environments, so
-- that a changed file or part is really read again (hot swap).
--
--   name -> file -> table -> contract -> merged with what it extends
local qa = require "qa"
local contract = require "qa.run.contract"
local failure = require "qa.text.failure"
local inherit = require "qa.run.inherit"
local internal = require "qa.internal"

local M = {}

local function exists(path)
  local stat = qa.fs.stat(path)
  return stat ~= nil and stat.kind == "file"
end

local function folder_of(path) return path:match("^(.*)/[^/]*$") or "." end

---Folders in which a file of this path looks for `parts.x` and for what it extends.
local function roots_of(path)
  local own = folder_of(path)
  local roots = { own }
  -- strategies/games/x.lua and strategies/parts/x.lua see their parent.
  local parent = own:match("^(.*/strategies)/[^/]+$") or own:match("^(strategies)/[^/]+$")
  if parent then roots[#roots + 1] = parent end
  roots[#roots + 1] = internal.project_path("strategies")
  roots[#roots + 1] = qa.fs.share() .. "/strategies"
  return roots
end

---The file of a strategy: a name with "/" or ending in .lua is a path; else in strategies and strategies/games, those
---of a trusted project first.
---@param name string
---@param roots? string[] searched first
---@return string path raises when there is none
function M.find(name, roots)
  if name:find("/", 1, true) or name:match("%.lua$") then
    if exists(name) then return name end
    error(("no strategy file '%s'"):format(name), 0)
  end
  local folders = {}
  for _, root in ipairs(roots or {}) do folders[#folders + 1] = root end
  for _, root in ipairs{ internal.project_path("strategies") or false, qa.fs.share() .. "/strategies" } do
    if root then folders[#folders + 1], folders[#folders + 2] = root, root .. "/games" end
  end
  local known = {}
  for _, folder in ipairs(folders) do
    local path = folder .. "/" .. name .. ".lua"
    if exists(path) then return path end
    for _, file in ipairs(qa.fs.list(folder) or {}) do known[#known + 1] = file:match("^(.+)%.lua$") end
  end
  error(("no strategy '%s'%s"):format(name, require("qa.text.spelling").hint(name, known)), 0)
end

---A file that was read, for the report and for hot swap.
local function record(loader, path)
  if loader.seen[path] then return end
  loader.seen[path] = true
  local stat = qa.fs.stat(path) or {}
  local bytes, err = qa.fs.read(path)
  if not bytes then error(("%s: %s"):format(path, failure.text(err)), 0) end
  loader.files[#loader.files + 1] =
    { file = path, sha256 = qa.fs.sha256(bytes), size = stat.size, mtime_ms = stat.mtime_ms }
end

local run_chunk

---The `require` of one strategy file: qa.* comes from the host, as what an embedding program adds; everything else from
---the file's roots.
local function make_require(loader, roots)
  return function(name)
    if type(name) ~= "string" then error("require: expected a string, got " .. type(name), 2) end
    if name:match("^qa%.") or require("qa.internal").is_embedded(name) then return require(name) end
    if not name:match("^[%w_]+[%w_.]*$") then error(("require: '%s' is not a module name"):format(name), 2) end
    local tried = {}
    for _, root in ipairs(roots) do
      local path = root .. "/" .. name:gsub("%.", "/") .. ".lua"
      if exists(path) then return run_chunk(loader, path, roots) end
      tried[#tried + 1] = path
    end
    local former = require("qa.run.former_names").sentence(name)
    error("module " .. (former or ("'%s' not found: %s"):format(name, table.concat(tried, ", "))), 2)
  end
end

function run_chunk(loader, path, roots)
  local cached = loader.modules[path]
  if cached ~= nil then
    if cached == loader then error(path .. ": requires itself", 0) end
    return cached
  end
  loader.modules[path] = loader  -- being loaded
  record(loader, path)
  local chunk, err = qa.load_chunk(path)
  if not chunk then error(type(err) == "table" and tostring(err.message) or tostring(err), 0) end
  rawset(getfenv(chunk), "require", make_require(loader, roots))  -- luacheck: globals getfenv
  local value = chunk()
  if value == nil then value = true end
  loader.modules[path] = value
  return value
end

---The `require` of a script that runs by itself; its modules stay loaded for as long as the function lives.
---@param path string
---@return fun(name: string): any
function M.require_beside(path)
  return make_require({ seen = {}, files = {}, modules = {} }, roots_of(path))
end

---A shipped part by name, as a strategy file would require it; for specs.
---@param name string "standard.judge"
---@return any
function M.part(name)
  local root = qa.fs.share() .. "/strategies"
  return run_chunk({ seen = {}, files = {}, modules = {} }, ("%s/parts/%s.lua"):format(root, (name:gsub("%.", "/"))),
    { root })
end

---hook(ctx, ..., base): base is the overridden hook, bound the same way.
local function bind(hook, base)
  return function(...)
    local count = select("#", ...)
    local arguments = { ... }
    arguments[count + 1] = base
    return hook(unpack(arguments, 1, count + 1))
  end
end

local function empty() return { options = {}, limits = {}, lists = {}, chain = {} } end

---Lays `strategy` over `parent`: hooks one deep, options and limits key by key, lists replaced or added to.
local function merge(parent, strategy, path)
  local merged = empty()
  for _, field in ipairs { "options", "limits" } do
    for key, value in pairs(parent[field]) do merged[field][key] = value end
    for key, value in pairs(strategy[field] or {}) do merged[field][key] = value end
  end
  for name, option in pairs(strategy.options or {}) do
    local old = parent.options[name]
    merged.options[name] = { default = option.default, doc = option.doc or (old and old.doc) }
  end
  for name, list in pairs(parent.lists) do merged.lists[name] = list end
  for name, list in pairs(strategy.lists or {}) do merged.lists[name] = inherit.merge(parent.lists[name], list) end
  for _, hook in ipairs(contract.hooks) do
    merged[hook] = strategy[hook] and bind(strategy[hook], parent[hook]) or parent[hook]
  end
  merged.name = strategy.name or path:match("([^/]+)%.lua$") or path
  merged.url = strategy.url or parent.url
  -- Who plays in his own way says, too, whether that works while time stands still.
  merged.clock = strategy.clock or not strategy.step and parent.clock or "real"
  merged.metadata = strategy.metadata or parent.metadata
  merged.path = path
  for index, name in ipairs(parent.chain) do merged.chain[index] = name end
  table.insert(merged.chain, 1, merged.name)
  return merged
end

local function load_file(loader, path, preloaded)
  for _, earlier in ipairs(loader.chain) do
    if earlier == path then
      error(("%s: extends itself: %s"):format(path, table.concat(loader.chain, " -> ") .. " -> " .. path), 0)
    end
  end
  table.insert(loader.chain, path)
  local roots = roots_of(path)
  local strategy = preloaded
  if strategy == nil then
    strategy = run_chunk(loader, path, roots)
  else
    record(loader, path)
  end
  contract.check(strategy, path)
  local is_standard = path:match("([^/]+)%.lua$") == "standard"
  local extends = strategy.extends or (not is_standard and "standard" or nil)
  local parent = empty()
  if extends then
    local ok, found = pcall(M.find, extends, roots)
    if not ok then error(("%s: extends: %s"):format(path, tostring(found)), 0) end
    parent = load_file(loader, found)
    contract.check_against(strategy, path, parent)
  end
  return merge(parent, strategy, path)
end

---Loads a strategy by name or path and merges it with what it extends. Raises a sentence with the file otherwise.
---@param name_or_path string
---@param preloaded? table what the file's chunk returned, when it was run already
---@return table merged hooks, options, limits, lists, name, chain, files = {{file, sha256, size, mtime_ms}...}
function M.load(name_or_path, preloaded)
  local path = preloaded and name_or_path or M.find(name_or_path)
  local loader = { modules = {}, seen = {}, files = {}, chain = {} }
  local merged = load_file(loader, path, preloaded)
  merged.files = loader.files
  return merged
end

---Whether a script's value is a strategy, to be run on its argument.
---@return boolean
function M.is_strategy(value)
  if type(value) ~= "table" then return false end
  if value.extends ~= nil then return true end
  for _, hook in ipairs(contract.hooks) do
    if type(value[hook]) == "function" then return true end
  end
  return value.name ~= nil and (value.limits ~= nil or value.lists ~= nil or value.options ~= nil or value.url ~= nil)
end

return M
