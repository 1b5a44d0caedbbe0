-- usage: qa-host memory show [GAME]
--        qa-host memory export GAME
--        qa-host memory import FILE --game GAME
--        qa-host memory forget GAME [--goal GOAL]
--
-- What runs have taught about games (docs/memory.md). export and import speak the agent_memory.json of the seeds:
-- qa-host memory export clicker > agent_memory.json
local qa = require "qa"
local failure = require "qa.text.failure"
local memory = require "qa.memory.memory"
local utf8 = require "qa.text.utf8"
local words = require "qa.run.command_words"

local function safe(text, limit) return utf8.shorten(utf8.printable(tostring(text)):gsub("%s+", " "), limit or 60) end

---Games with a record, in order.
local function games()
  local names, seen = {}, {}
  for key in memory.store():each() do
    local game = key:match "^([^/]+)/"
    if game and not seen[game] then
      seen[game] = true
      names[#names + 1] = game
    end
  end
  return names
end

local function actions_of(pattern)
  local parts = {}
  for i, step in ipairs(pattern.actions or {}) do
    if i > 6 then
      parts[i] = ("... %d more"):format(#pattern.actions - 6)
      break
    end
    parts[i] = require("qa.input.actions").describe(step.action)
  end
  return #parts > 0 and table.concat(parts, ", ") or "nothing to do"
end

local function show_scene(record)
  print(("  scene %s, goal %q"):format(safe(record.scene), safe(record.goal)))
  for _, pattern in ipairs(record.patterns or {}) do
    print(("    worked %g times%s: %s  (%s, build %s)"):format(pattern.count, pattern.stale
      and (", then failed %g"):format(pattern.stale) or "",
      actions_of(pattern), safe(pattern.timestamp or "-"), safe(pattern.build or "-")))
  end
  for _, failed in ipairs(record.failures or {}) do
    print(("    failed %.3g times: %s: %s"):format(failed.count, safe(failed.bucket), safe(failed.reason, 120)))
  end
end

local function show_choice(record)
  local names = {}
  for name in pairs(record.arms or {}) do names[#names + 1] = name end
  table.sort(names)
  for i, name in ipairs(names) do
    local arm = record.arms[name]
    names[i] = ("%s %.1f:%.1f"):format(safe(name), arm.wins, arm.losses)
  end
  print(("  choice %s: %s"):format(safe(record.question), table.concat(names, ", ")))
end

local function show(game)
  print(game)
  for key, record in memory.store():each{ prefix = game .. "/" } do
    local kind = key:sub(#game + 2):match "^%w+"
    if kind == "scene" then show_scene(record) elseif kind == "choice" then show_choice(record) end
    if kind == "rewards" then
      local parts = {}
      for name, value in pairs(record) do parts[#parts + 1] = ("%s %+.3f"):format(safe(name), value) end
      table.sort(parts)
      print("  rewards: " .. table.concat(parts, ", "))
    end
  end
end

local commands = {}

function commands.show(arguments)
  local list = arguments[1] and { arguments[1] } or games()
  for _, game in ipairs(list) do show(game) end
  if #list == 0 then print("nothing is remembered") end
end

function commands.export(arguments)
  if not arguments[1] then error(words.misuse, 0) end
  print(qa.json.encode(require("qa.memory.file").export(arguments[1])))
end

function commands.import(arguments, options)
  local path, game = arguments[1], options.game
  if not path or not game then error(words.misuse, 0) end
  local text, err = qa.fs.read(path)
  if not text then error(failure.text(err), 0) end
  local parsed, file = pcall(qa.json.decode, text)
  if not parsed then error(("%s: %s"):format(path, failure.text(file)), 0) end
  local policy = require("qa.run.strategy_file").load("standard").lists.memory_policy
  local ok, counts = pcall(require("qa.memory.file").import, file, require("qa.game.target").slug(game), policy)
  if not ok then error(type(counts) == "table" and counts or ("%s: %s"):format(path, failure.text(counts)), 0) end
  print(("%d contexts, %d patterns that worked, %d that failed"):format(counts.contexts, counts.patterns,
    counts.failures))
  if #counts.foreign > 0 then
    for i, name in ipairs(counts.foreign) do counts.foreign[i] = safe(name, 30) end
    qa.log.warn("kept, but of no use for a replay: " .. table.concat(counts.foreign, ", "))
  end
end

function commands.forget(arguments, options)
  local game = arguments[1]
  if not game then error(words.misuse, 0) end
  local store, keys = memory.store(), {}
  for key, record in store:each{ prefix = game .. "/" } do
    if not options.goal or record.goal == options.goal then keys[#keys + 1] = key end
  end
  for _, key in ipairs(keys) do
    local gone, err = store:delete(key)
    if gone == nil then error(err, 0) end
  end
  print(("%d records of %s forgotten"):format(#keys, safe(game)))
end

---A store that cannot be used is an error of the environment, 4; what is wrong with the words is 3.
local store_errors = { store_error = true, store_locked = true }

local function run(command)
  local options, arguments = words.parse("memory", command, { "game", "goal" })
  local name = table.remove(arguments, 1)
  local act = name and commands[name]
  if not act then error(words.misuse, 0) end
  local ok, err = pcall(act, arguments, options)
  if ok then return { exit_code = 0 } end
  if type(err) ~= "table" or not store_errors[err.kind] then error(err, 0) end
  qa.log.error(failure.text(err))
  return { exit_code = 4 }
end

return words.command(run)
