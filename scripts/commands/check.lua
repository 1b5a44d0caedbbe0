-- usage: qa-host check FILE [--reporter json]
--
-- Loads a strategy, a metadata file or a script, and says what is wrong with it; exit 0 or 3. Nothing is started.
-- With --reporter json, of a strategy: {name, chain, clock, options: [{name, default, doc}]}.
local qa = require "qa"
local failure = require "qa.text.failure"
local strategies = require "qa.run.strategy_file"
local words = require "qa.run.command_words"

local function check_metadata(path)
  local metadata = require("qa.game.metadata").load(path)
  local controls = require("qa.game.metadata").controls(metadata)
  return ("metadata, keys: %s"):format(#controls.keys > 0 and table.concat(controls.keys, " ") or "none")
end

---What a strategy is, as one line of JSON.
local function print_strategy(name)
  local strategy = strategies.load(name)
  local options = {}
  for option, declared in pairs(strategy.options) do
    options[#options + 1] = { name = option, default = declared.default, doc = declared.doc }
  end
  table.sort(options, function(a, b) return a.name < b.name end)
  print(qa.json.encode{ name = strategy.name, chain = qa.json.array(strategy.chain), clock = strategy.clock,
    options = qa.json.array(options) })
end

local function check_strategy(name)
  local strategy = strategies.load(name)
  local chain = {}
  for _, parent in ipairs(strategy.chain) do chain[#chain + 1] = parent end
  return ("strategy %s, %d files"):format(table.concat(chain, " < "), #strategy.files)
end

---A .lua file is a strategy when its chunk returns one. A script may do anything at its top, so it is only run when
---a line of its text begins with the return of a table; else its syntax is checked.
local function check_lua(path)
  local source = assert(qa.fs.read(path))
  local chunk, err = qa.load_chunk(path)
  if not chunk then error(type(err) == "table" and err.message or err, 0) end
  local text = "\n" .. source
  if not text:find("\nreturn%s*{") and not text:find("\nreturn%s+[%w_]+%s*$") then return "script" end
  if source:find("%f[%w_]inputSchema%s*=") then return check_metadata(path) end
  return check_strategy(path)
end

return function(command)
  local options, files = words.parse("check", command, { "reporter" })
  local path = files[1]
  if not path then
    qa.log.error("qa-host check: give a strategy, a metadata file or a script")
    return { exit_code = 3 }
  end
  local check = path:match("%.json$") and check_metadata or (path:match("%.lua$") and qa.fs.stat(path)) and check_lua
    or check_strategy
  local is_json = options.reporter == "json"
  local ok, text = pcall(is_json and print_strategy or check, path)
  if not ok then
    if failure.is_loss(text) then error(text, 0) end
    qa.log.error(failure.text(text))
    return { exit_code = 3 }
  end
  if not is_json then print(("%s: ok (%s)"):format(path, text)) end
  return { exit_code = 0 }
end
