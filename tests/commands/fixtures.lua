-- usage: qa-host tests/commands/fixtures.lua [DIR...] [--only NAME,...] [--shard i/n] [--strategy NAME]
--   [--set option=value] [--seed N] [--clock KIND] [--out DIR] [--browser PATH] [--reporter json]
--
-- DIR: examples/games where there is none. --shard i/n: every n-th game from the i-th on.
-- Plays every game below DIR that has an expected.json, and compares status, first issue and type with it.
-- With --reporter json stdout has one JSON line a game, {file, name, ok, message, status, first_kind, expected}, and
-- the table is progress.
local qa = require "qa"
local failure = require "qa.text.failure"
local words = require "qa.run.command_words"

local function expected_of(folder)
  local bytes = qa.fs.read(folder .. "/expected.json")
  if not bytes then return nil end
  local ok, expected = pcall(qa.json.decode, bytes)
  if not ok then error(("%s/expected.json: %s"):format(folder, failure.text(expected)), 0) end
  return expected
end

local function folders_of(path)
  path = path:gsub("(.)/+$", "%1")
  if qa.fs.stat(path .. "/expected.json") then return { path } end
  local names, err = qa.fs.list(path)
  if not names then error(("%s: %s"):format(path, failure.text(err)), 0) end
  local folders = {}
  for _, name in ipairs(names) do
    if name:match("/$") then
      local folder = path .. "/" .. name:gsub("/$", "")
      if qa.fs.stat(folder .. "/expected.json") then folders[#folders + 1] = folder end
    end
  end
  return folders
end

---What differs, as text; nil when the run is as expected.
local function difference(expected, outcome)
  local report, parts = outcome.report, {}
  local function compare(what, got, wanted)
    if wanted ~= nil and got ~= wanted then
      parts[#parts + 1] = ("%s %s, expected %s"):format(what, tostring(got), tostring(wanted))
    end
  end
  compare("status", report.status, expected.status)
  if expected.first_kind and expected.first_kind ~= qa.json.null then
    compare("first issue", report.issues[1] and report.issues[1].kind, expected.first_kind)
  end
  compare("type", report.metadata.gameType, expected.game_type)
  return #parts > 0 and table.concat(parts, "; ") or nil
end

local function run(command)
  local options, paths = words.parse("fixtures", command,
    { "set", "only", "out", "strategy", "seed", "clock", "browser", "shard", "reporter" })
  if #paths == 0 then paths = { "examples/games" } end
  local only
  for name in (options.only or ""):gmatch("[^,]+") do
    only = only or {}
    only[name] = true
  end
  -- --shard i/n: every n-th game from the i-th on, so that several processes share the work.
  local shard, shards = (options.shard or "1/1"):match("^(%d+)/(%d+)$")
  if not shard then error("fixtures: --shard takes i/n, got '" .. options.shard .. "'", 0) end
  local is_json = options.reporter == "json"
  local passed, failed, position = 0, 0, 0
  for _, path in ipairs(paths) do
    for _, folder in ipairs(folders_of(path)) do
      local name = folder:match("([^/]+)$")
      position = position + 1
      if (not only or only[name]) and position % tonumber(shards) == tonumber(shard) % tonumber(shards) then
        local began = qa.now_ms()
        -- A game that shows its fault only in time is played with the default options.
        local set = not expected_of(folder).defaults and options.set or nil
        local ok, outcome = pcall(require("qa.run.loop").run,
          { strategy = options.strategy or "standard", target = folder, set = set,
          out = options.out, seed = options.seed, clock = options.clock, browser = options.browser, quiet = true })
        if not ok and failure.is_loss(outcome) then error(outcome, 0) end
        -- The run has its partial report; the games after it are not begun.
        if ok and outcome.reason == "cancelled" then
          error(failure.new("cancelled", "stopped by a signal", "loop.run"), 0)
        end
        local wrong = ok and difference(expected_of(folder), outcome) or not ok and failure.text(outcome) or nil
        if wrong then failed = failed + 1 else passed = passed + 1 end
        local status = ok and ("%s %d%s"):format(outcome.status, outcome.score,
          outcome.report.issues[1] and " " .. outcome.report.issues[1].kind or "") or "error"
        local message = wrong and wrong .. (ok and "  " .. outcome.path or "")
        local row = ("%-6s %-22s %-32s %5.1f s%s"):format(wrong and "FAILED" or "ok", name, status,
          (qa.now_ms() - began) / 1000, message and "  " .. message or "")
        if is_json then
          qa.log.line(row)
          local issue = ok and outcome.report.issues[1]
          print(qa.json.encode { file = folder, name = name, ok = not wrong, message = message,
            status = ok and outcome.status or "error", first_kind = issue and issue.kind or nil,
            expected = expected_of(folder) })
        else
          print(row)
        end
      end
    end
  end
  if not is_json then print(("%d passed, %d failed"):format(passed, failed)) end
  return { exit_code = (failed > 0 or passed == 0) and 1 or 0 }
end

return words.command(run)(qa.command)
