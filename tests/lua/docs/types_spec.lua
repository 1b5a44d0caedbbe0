-- scripts/types/*.lua describe what is registered, all of it and nothing else. Modules are compared with the live
-- tables; the methods of handles, which cannot be listed, with the registration tables of bindings/. Run it from the
-- project's folder.
local qa = require "qa"

---A PNG of one black pixel.
local pixel =
  "\137\080\078\071\013\010\026\010\000\000\000\013\073\072\068\082\000\000\000\001\000\000\000\001\008\000\000\000\000"
  .. "\058\126\155\085\000\000\000\010\073\068\065\084\120\156\099\096\000\000\000\002\000\001\072\175\164\113\000\000"
  .. "\000\000\073\069\078\068\174\066\096\130"

local function read(path) return assert(qa.fs.read(path)) end
local types = ""
for _, topic in ipairs{ "qa", "browser", "strategy", "image", "llm", "memory", "internal", "grid", "tape", "effect" } do
  types = types .. read("scripts/types/" .. topic .. ".lua")
end

local function add(set, name)
  if set[name] then error("described twice: " .. name, 0) end
  set[name] = true
end

---Functions of a module or methods of a handle, and fields of its class, that the types describe: {name = true}.
local function described(prefix, separator, class)
  local names = {}
  for name in types:gmatch("\nfunction " .. prefix:gsub("%.", "%%.") .. separator .. "([%w_]+)%(") do
    add(names, name)
  end
  local fields = class and types:match("\n%-%-%-@class " .. class:gsub("%.", "%%.") .. "%f[^%w_.][^\n]*\n(.-)\n%l")
    or ""
  for name in fields:gmatch "%-%-%-@field ([%w_]+)" do add(names, name) end
  return names
end

local function keys(map)
  local names = {}
  for name in pairs(map) do names[name] = true end
  return names
end

---Both directions in one sentence: what lacks a description, and what is described but not there.
local function same(t, what, there, told)
  local differences = {}
  for name in pairs(there) do
    if not told[name] then differences[#differences + 1] = what .. name .. " is not described" end
  end
  for name in pairs(told) do
    if not there[name] then differences[#differences + 1] = what .. name .. " is described but not there" end
  end
  table.sort(differences)
  t.equal(#differences, 0, table.concat(differences, "; "))
  t.truthy(next(there), what .. ": nothing was found")
end

local sources, bodies = {}, {}
for _, file in ipairs(assert(qa.fs.list "bindings")) do
  if file:match "^bind_.*%.cpp$" then sources[#sources + 1] = read("bindings/" .. file) end
end
local source = table.concat(sources, "\n")
for name, body in source:gmatch "\nint ([%w_]+)%(Call& call%) (%b{})" do bodies[name] = body end

---Methods that bindings/ registers for a kind of handle, by name, with the C++ function; nil for those made in Lua.
local function registered(kind)
  local methods = {}
  for entry in source:gmatch(("bound<(%s_[%%w_]+)>"):format(kind)) do
    local method = entry:sub(#kind + 2)
    if source:find(('{"%s", bound<%s>}'):format(method, entry), 1, true) then methods[method] = entry end
  end
  return methods
end

-- page:find and the like are Lua over primitives.
local page_actions = require "qa.page.methods"

---Adds the keys of an option table to names, those of tables inside it left out; of a class also those of its fields
---and of what it extends.
local function add_options(names, text)
  for table in text:gmatch "%b{}" do
    for name in table:sub(2, -2):gsub("%b{}", ""):gmatch "([%w_]+)%??:" do add(names, name) end
  end
  for class in text:gsub("%b{}", ""):gmatch "qa%.[%w_]+" do
    local extended, fields = types:match("\n%-%-%-@class " .. class:gsub("%.", "%%.") .. ":([^\n]*)\n(.*)")
    add_options(names, assert(extended, class .. " is not described"))
    for line in fields:gmatch "[^\n]*" do
      local name = line:match "^%-%-%-@field ([%w_]+)"
      if name then add(names, name) elseif line ~= "" then break end
    end
  end
end

---The opts annotation that stands above a function of the types.
local function options_of(signature)
  local at = assert(types:find("\nfunction " .. signature .. "(", 1, true), signature)
  local annotation
  -- The comment block ends at the function: walk its lines from below.
  local block = {}
  for line in types:sub(1, at):gmatch "([^\n]*)\n" do block[#block + 1] = line end
  for i = #block, 1, -1 do
    if not block[i]:find "^%-%-%-" then break end
    annotation = annotation or block[i]:match "^%-%-%-@param opts%?? (%b{})"
      or block[i]:match "^%-%-%-@param opts%?? (qa%.[%w_]+)"
  end
  local names = {}
  if annotation then add_options(names, annotation) end
  return names
end

local function quoted(text)
  local names = {}
  for name in text:gmatch '"([%w_]+)"' do names[name] = true end
  return names
end

return {
  ["every function and module of qa is described, and nothing else"] = function(t)
    local told = described("qa", "%.", "qa")
    -- Read from disk when they are first used.
    t.truthy(qa.llm and qa.budget and qa.schema and qa.store and qa.progress and qa.inherit and qa.effect)
    same(t, "qa.", keys(qa), told)
  end,

  ["every function of every module is described, and nothing else"] = function(t)
    for _, module in ipairs { "browser", "image", "tape", "json", "log", "fs", "run", "process", "internal" } do
      same(t, "qa." .. module .. ".", keys(qa[module]), described("qa." .. module, "%.", "qa." .. module))
    end
    local budget = keys(qa.budget)
    budget.run = nil  -- a field
    same(t, "qa.budget.", budget, described("budget", "%."))
    same(t, "qa.effect.", keys(qa.effect), described("qa.effect", "%.", "qa.effect"))
    local methods = keys(getmetatable(require("qa.run.context").new{}).__index)
    methods.__index = nil
    same(t, "ctx:", methods, described("Context", ":"))
  end,

  ["every method of a handle is described, and nothing else"] = function(t)
    for kind, class in pairs { browser = "Browser", image = "Image", page = "Page", tape = "Tape", task = "Task" } do
      local methods = keys(registered(kind))
      if kind == "browser" then methods.launch, methods.connect = nil, nil end  -- of qa.browser
      if kind == "image" then methods.load, methods.decode, methods.sheet = nil, nil, nil end  -- of qa.image
      if kind == "tape" then methods.open = nil end  -- of qa.tape
      if kind == "page" then
        for name in pairs(page_actions) do methods[name] = true end
      end
      same(t, kind .. ":", methods, described(class, ":"))
    end
  end,

  ["every described method of a task and an image is really there"] = function(t)
    local task = qa.spawn(function() return 1 end)
    local image = assert(qa.image.decode(pixel))
    for name in pairs(described("Task", ":")) do t.equal(type(task[name]), "function", name) end
    for name in pairs(described("Image", ":")) do t.equal(type(image[name]), "function", name) end
    t.raises(function() return image.no_such_method end, "image has no method")
    task:join()
    image:close()
  end,

  ["the options of every primitive are described, and nothing else"] = function(t)
    local compared = 0
    for kind, class in pairs { browser = "Browser", image = "Image", page = "Page", tape = "Tape" } do
      for method, name in pairs(registered(kind)) do
        local helper = bodies[name]:match "([%w_]+_options)%(call, %d%)"
        local body = helper and source:match("\n[%w_]+ " .. helper .. "%(Call& call, int index%) (%b{})")
          or bodies[name]
        local taken = body:match "OptionTable %w+%(call, %w+, (%b{})%)"
        local is_of_module = method == "launch" or method == "sheet" or method == "open"
        if taken then
          compared = compared + 1
          same(t, name .. " option ", quoted(taken),
            options_of(is_of_module and ("qa.%s.%s"):format(kind, method) or class .. ":" .. method))
        end
      end
    end
    t.truthy(compared >= 15, "options were compared for " .. compared .. " primitives only")
  end,

  ["the options of the page's Lua methods are described, and nothing else"] = function(t)
    local compared = 0
    local text = read "scripts/qa/page/methods.lua"
    for name, literal in text:gmatch 'check_options%("page:([%w_]+)", opts,%s*(%b{})%)' do
      local taken = {}
      for key in literal:gmatch "([%w_]+) = " do taken[key] = true end
      same(t, "page:" .. name .. " option ", taken, options_of("Page:" .. name))
      compared = compared + 1
    end
    local click = {}
    for key in text:match "click_options = (%b{})":gmatch "([%w_]+) = " do click[key] = true end
    same(t, "page:click option ", click, options_of "Page:click")
    t.truthy(compared >= 5, "options were compared for " .. compared .. " methods only")
  end,
}
