-- The map of the Lua modules: which folder ("room") requires which. Every arrow points down, and no module requires
-- itself by way of others.
-- usage: qa-host tests/lint/module_map.lua            prints the map as Markdown, for docs/architecture.md
--        qa-host tests/lint/module_map.lua findings   prints what breaks the order, one a line
local qa = require "qa"

-- From the bottom to the top: a room requires itself and rooms above its line here.
local rooms = {
  { "text", "plain values and text: failures, key names, spelling, UTF-8, differences of lines" },
  { "model", "model calls: endpoints, prompts, conversations, tools, schemas, prices" },
  { "game", "what is known of a game before it is opened: target, metadata, version" },
  { "page", "what a page shows: elements, words, pictures, readiness" },
  { "input", "what can be done to a page: actions, keys, pointer, touch" },
  { "world", "pages on game time: twins, and whether a game repeats" },
  { "effect", "what an input did: measured play, trials, statistics" },
  { "start", "how a game is started" },
  { "memory", "what runs teach about a game, and how it is used again" },
  { "run", "one run: strategy, options, context, loop, report" },
  { "project", "plans of tasks that are complete when their tests pass" },
  { "init", "what the `qa` table offers beside the primitives" },
  { "commands", "`qa-host NAME`, one file each" },
  { "strategies", "policy, which testers edit: lists, words, weights, the judge's rule" },
}

local rank = {}
for i, room in ipairs(rooms) do rank[room[1]] = i end

---Lua files below a folder, sorted.
local function files_below(folder, files)
  for _, name in ipairs(qa.fs.list(folder) or {}) do
    local path = folder .. "/" .. name:gsub("/$", "")
    if name:find "/$" then files_below(path, files) elseif name:find "%.lua$" then files[#files + 1] = path end
  end
  return files
end

---@return table<string, {path: string, room: string, requires: string[]}> modules by the name that others require
local function read_modules()
  local modules = {}
  local function add(path, name, room) modules[name] = { path = path, room = room, requires = {} } end
  for _, path in ipairs(files_below("scripts/qa", {})) do
    local inner = path:match "^scripts/qa/(.*)%.lua$"
    add(path, "qa." .. inner:gsub("/", "."), inner:match "^([^/]+)/" or inner)
  end
  for _, path in ipairs(files_below("scripts/commands", {})) do add(path, path, "commands") end
  for _, path in ipairs(files_below("strategies", {})) do
    add(path, path:match "^strategies/(.*)%.lua$":gsub("/", "."), "strategies")
  end
  return modules
end

---Fills in what each module requires: the names that it quotes, required at once or later.
local function read_requires(modules, findings)
  for name, module in pairs(modules) do
    local seen = {}
    for line in assert(qa.fs.read(module.path)):gmatch "[^\n]+" do
      line = line:gsub("^%s*%-%-.*$", ""):gsub("%s%-%-%s.*$", "")
      for start, quoted in line:gmatch "()[\"']([%a_][%w_]*%.[%w_.]+)[\"']" do
        local is_required = line:sub(1, start - 1):find "require%s*%(?%s*$"
        if modules[quoted] and (is_required or quoted:find "^qa%.") and not seen[quoted] then
          seen[quoted], module.requires[#module.requires + 1] = true, quoted
        elseif is_required and not modules[quoted] and quoted ~= "qa.internal" then
          findings[#findings + 1] = ("%s requires %s, which is not there"):format(module.path, quoted)
        end
      end
    end
    table.sort(module.requires)
    if not rank[module.room] then
      findings[#findings + 1] = ("%s: tests/lint/module_map.lua has no room '%s'"):format(module.path, module.room)
    end
    modules[name] = module
  end
end

local function sorted_names(modules)
  local names = {}
  for name in pairs(modules) do names[#names + 1] = name end
  table.sort(names)
  return names
end

local function find_cycles(modules, findings)
  local state, path = {}, {}
  local function visit(name)
    state[name], path[#path + 1] = "open", name
    for _, required in ipairs(modules[name].requires) do
      if state[required] == "open" then
        local first = #path
        while path[first] ~= required do first = first - 1 end
        findings[#findings + 1] = "cycle: " .. table.concat(path, " -> ", first) .. " -> " .. required
      elseif not state[required] then
        visit(required)
      end
    end
    state[name], path[#path] = "done", nil
  end
  for _, name in ipairs(sorted_names(modules)) do
    if not state[name] then visit(name) end
  end
end

---@return table<string, table<string, boolean>> arrows rooms that each room requires
local function arrows_of(modules, findings)
  local arrows = {}
  for _, name in ipairs(sorted_names(modules)) do
    local module = modules[name]
    arrows[module.room] = arrows[module.room] or {}
    for _, required in ipairs(module.requires) do
      local room = modules[required].room
      if room ~= module.room then arrows[module.room][room] = true end
      if (rank[room] or 0) > (rank[module.room] or 0) then
        findings[#findings + 1] = ("arrow upwards, from %s to %s: %s requires %s"):format(module.room, room,
          module.path, required)
      end
    end
  end
  return arrows
end

local function print_map(arrows)
  print "| room | what it holds | requires |"
  print "|---|---|---|"
  for i = #rooms, 1, -1 do
    local name, purpose = rooms[i][1], rooms[i][2]
    if arrows[name] then
      local below = {}
      for j = #rooms, 1, -1 do
        if arrows[name][rooms[j][1]] then below[#below + 1] = rooms[j][1] end
      end
      print(("| **%s** | %s | %s |"):format(name, purpose, #below > 0 and table.concat(below, ", ") or "-"))
    end
  end
end

local findings = {}
local modules = read_modules()
read_requires(modules, findings)
find_cycles(modules, findings)
local arrows = arrows_of(modules, findings)
if qa.args[1] ~= "findings" then
  print_map(arrows)
  return true
end
table.sort(findings)
for _, finding in ipairs(findings) do print(finding) end
return #findings == 0
