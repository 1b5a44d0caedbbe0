-- Prelude: makes the world of a script from the raw functions of the host: a short list of globals, coroutines
-- that may wait, `require`, the qa table, and the body of the root task. Runs once per Vm, before any script.
local raw, sentinel = ...
local host = raw.host
local take, block, can_yield = host.take, host.block, host.can_yield
local globals = _G
local error, getmetatable, ipairs, pairs, pcall, rawget, setfenv, setmetatable, tostring, type =
  error, getmetatable, ipairs, pairs, pcall, rawget, globals.setfenv, setmetatable, tostring, type

---- Globals --------------------------------------------------------------------------------------------------------
local traceback, lua_os, lua_coroutine = debug.traceback, os, coroutine
local kept = {}
for name in ([[_G _VERSION assert bit error getfenv getmetatable ipairs math next pairs pcall rawequal rawget rawset
  select setfenv setmetatable string table tonumber tostring type unpack]]):gmatch "%S+" do kept[name] = true end
for name in pairs(globals) do
  if not kept[name] then globals[name] = nil end
end
rawset(string, "dump", nil)
getmetatable("").__metatable = "string"

globals.print = host.print
globals.os = { clock = lua_os.clock, date = lua_os.date, difftime = lua_os.difftime, time = lua_os.time }
globals.debug = { traceback = traceback }

function globals.collectgarbage(what)
  if what ~= nil and what ~= "count" then error("collectgarbage(): only \"count\" is available", 2) end
  return raw.memory()
end

-- The native xpcall runs its handler where no time limit can stop it.
local function handled(handler, ok, ...)
  if ok then return true, ... end
  return false, handler(...)
end
function globals.xpcall(fn, handler, ...) return handled(handler, pcall(fn, ...)) end

---- Coroutines of scripts: a primitive's wait travels up through them ------------------------------------------------
local create, resume, running, status, yield =
  lua_coroutine.create, lua_coroutine.resume, lua_coroutine.running, lua_coroutine.status, lua_coroutine.yield
local own = setmetatable({}, { __mode = "k" })  -- coroutine -> "waiting" or true

local function pump(co, ok, ...)
  if ok and ... == sentinel then
    own[co] = "waiting"
    yield(sentinel)
    own[co] = true
    return pump(co, resume(co))
  end
  return ok, ...
end

local function unblocked(...)
  block(-1)
  return ...
end

local function resume_own(co, ...)
  if own[co] ~= true then
    return false, own[co] and "cannot resume a coroutine that waits for the host" or "cannot resume a task"
  end
  if can_yield() then return pump(co, resume(co, ...)) end
  block(1)
  return unblocked(resume(co, ...))
end

local function create_own(fn)
  local co = create(fn)
  own[co] = true
  return co
end

local function expect(what, kind, value)
  if type(value) ~= kind then error(("%s(): expected a %s, got %s"):format(what, kind, type(value)), 3) end
end

local function values_or_raise(ok, ...)
  if ok then return ... end
  error((...), 0)
end

globals.coroutine = {
  create = function(fn)
    expect("coroutine.create", "function", fn)
    return create_own(fn)
  end,
  resume = function(co, ...)
    expect("coroutine.resume", "thread", co)
    return resume_own(co, ...)
  end,
  running = running,
  status = status,
  wrap = function(fn)
    expect("coroutine.wrap", "function", fn)
    local co = create_own(fn)
    return function(...) return values_or_raise(resume_own(co, ...)) end
  end,
  yield = function(...)
    if not own[running()] then error("coroutine.yield(): not inside a coroutine of the script", 2) end
    return yield(...)
  end,
}

---- Loading ----------------------------------------------------------------------------------------------------------
local function refuse_read(_, name) error(("undeclared variable '%s'"):format(tostring(name)), 2) end
local function refuse_write(_, name) error(("assignment to undeclared variable '%s'"):format(tostring(name)), 2) end

local modules = {}

---The chunk of a shipped module, or of one that the program around the Vm has added.
local function find_module(name)
  if raw.module_sources[name] then
    local chunk, message = host.load_text(raw.module_sources[name], "=" .. name)
    return chunk or error(message, 3)
  end
  local path = name:match "^qa%.([%w_.]*[%w_])$"
  if not path then error(("module '%s' not found: require offers \"qa\" and \"qa.FOLDER.NAME\""):format(name), 3) end
  local chunk, err = host.load_chunk(("%s/scripts/qa/%s.lua"):format(raw.fs.share(), (path:gsub("%.", "/"))))
  if chunk then return chunk end
  local former = name ~= "qa.init" and globals.require("qa.init").former_name(name)
  error("module " .. (former or ("'%s': %s"):format(name, err.message)), 3)
end

local function require(name)
  if type(name) ~= "string" then error("require(): expected a string, got " .. type(name), 2) end
  local module = modules[name]
  if module ~= nil then return module end
  local chunk = find_module(name)
  block(1)
  local ok, value = pcall(chunk, name)
  block(-1)
  if not ok then error(value, 0) end
  if value == nil then value = true end
  modules[name] = value
  return value
end
globals.require = require

local function load(chunk, name, _, env)
  if type(chunk) == "function" then
    local parts = {}
    for part in chunk do
      if part == "" then break end
      parts[#parts + 1] = part
    end
    chunk = table.concat(parts)
  end
  if type(chunk) ~= "string" then error("load(): expected a string or a function, got " .. type(chunk), 2) end
  local fn, message = host.load_text(chunk, name == nil and "=(load)" or tostring(name))
  if not fn then return nil, message end
  return env and setfenv(fn, env) or fn
end
globals.load = load
function globals.loadstring(text, name) return load(text, name) end

---A chunk in an environment of its own; a loader may replace its `require`.
local function load_chunk(path)
  local chunk, err = host.load_chunk(path)
  if not chunk then return nil, err end
  return setfenv(chunk, setmetatable({ require = require }, { __index = globals, __newindex = refuse_write }))
end

---- The qa table ---------------------------------------------------------------------------------------------------
-- A C function is over when it yields, so the values and losses of a wait are delivered here, inside the task.
local function waiting(fn)
  return function(...)
    fn(...)
    return take()
  end
end

local function fill(target, direct, waits)
  for name, fn in pairs(direct or {}) do target[name] = fn end
  for name, fn in pairs(waits or {}) do target[name] = waiting(fn) end
  return target
end

local qa = fill({}, raw.qa, raw.qa_waits)
qa.browser = fill({}, nil, raw.browser_module_waits)
qa.image = fill({}, nil, raw.image_module_waits)
qa.tape = fill({}, nil, raw.tape_module_waits)
qa.json, qa.log, qa.fs, qa.run, qa.grid = raw.json, raw.log, raw.fs, raw.run, raw.grid
qa.process = fill(raw.process, nil, raw.process_waits)
qa.json.null = raw.null
qa.internal = fill(raw.internal, nil, raw.internal_waits)
qa.version, qa.args, qa.command = raw.version, raw.args, raw.command
qa.load_chunk = load_chunk
-- What scripts add to it is looked up when it is first used: scripts/qa/init.lua names the modules.
setmetatable(qa, { __index = function(_, name)
  qa[name] = require("qa.init").member(name)
  return rawget(qa, name)
end })

for _, kind in ipairs { "browser", "page", "image", "tape", "task" } do
  local methods = fill({}, raw[kind], raw[kind .. "_waits"])
  raw.metatables[kind].__index = setmetatable(methods, { __index = function(_, name)
    methods[name] = require("qa.init").method(kind, name)
    return rawget(methods, name) or error(("a %s has no method '%s'"):format(kind, tostring(name)), 2)
  end })
end
modules["qa"], modules["qa.internal"] = qa, qa.internal
for _, name in ipairs(raw.native_modules) do modules[name] = fill({}, raw[name .. "()"], raw[name .. "()_waits"]) end
---Whether the program around the Vm offers a module of this name: it comes before files.
function qa.internal.is_embedded(name) return modules[name] ~= nil or raw.module_sources[name] ~= nil end
globals.qa = qa
setmetatable(globals, { __index = refuse_read, __newindex = refuse_write, __metatable = "globals" })

---- The root task --------------------------------------------------------------------------------------------------
---The function of the root task: returns its exit code.
return function(kind, argument)
  return function() return require("qa.init").run(kind, argument) end
end
