-- usage: ./dev games LIST DIR [--only ID,...] [--strategy NAME] [--set option=value] [--seed N] [--clock KIND]
--   [--json FILE] [--out DIR]
--
-- Runs a strategy over checked-out games, prints what was found against what the list says, and sums.
-- --json FILE goes into a run directory of its own.
-- LIST is JSON of the shape of tests/data/known_games.json; DIR/<id>/ is a checkout.
local qa = require "qa"
local failure = require "qa.text.failure"
local keys = require "qa.text.key_names"
local words = require "qa.run.command_words"

local M = {}

---Names to compare: key codes, and one of click, move, drag for what a mouse does. Prose about letters gives none.
local function control_name(entry)
  if type(entry) == "table" then
    entry = entry.kind == "key" and entry.key or entry.kind or entry.key or entry.action or ""
  end
  local text = tostring(entry)
  local code = keys.code(text)
  if code:find("^Key%u$") or code:find("^Arrow") or code:find("^Digit%d$") then return code end
  local lower = text:lower()
  if lower:find("drag") then return "drag" end
  if lower:find("move") then return "move" end
  if lower:find("click") or lower:find("mouse") or lower:find("tap") or lower:find("touch") then return "click" end
  if lower:find("letter") or lower == "text" then return nil end
  return code
end

local pointer = { click = true, move = true, drag = true }

---@return integer found, integer wanted, string[] extra keys: not on the list, which names few, and of no proven effect
local function compare_controls(expected, controls)
  local have, wanted, by_name, is_proven = {}, 0, {}, {}
  for _, control in ipairs(controls) do
    local name = control_name(control)
    if name then have[name], is_proven[name] = control.aliases or {}, control.effect ~= nil end
    for _, alias in ipairs(control.aliases or {}) do by_name[control_name(alias) or ""] = true end
  end
  local found, seen, extra = 0, {}, {}
  for _, entry in ipairs(expected) do
    local name = control_name(entry)
    if name and not seen[name] then
      seen[name], wanted = true, wanted + 1
      if have[name] or by_name[name] then found = found + 1 end
    end
  end
  for name, aliases in pairs(have) do
    -- A control that the list knows by another of its keys is not an extra one.
    local known = seen[name] or pointer[name] or is_proven[name]
    for _, alias in ipairs(aliases) do known = known or seen[control_name(alias) or ""] end
    if not known then extra[#extra + 1] = name end
  end
  table.sort(extra)
  return found, wanted, extra
end

---Watches the game's own state through the expressions of the list, where the page answers them.
local function observer(game)
  local seen = { started = nil, progress = {} }
  local function value(ctx, expression)
    if not expression or expression == qa.json.null or not ctx.page then return nil end
    local guarded = ("(() => { try { return %s } catch (e) { return null } })()"):format(expression)
    local ok, result, err = pcall(ctx.page.evaluate, ctx.page, guarded, { timeout_ms = 3000, read_only = true })
    if not ok and failure.is_loss(result) and result.kind ~= "browser_lost" then error(result, 0) end
    if not ok or err or result == qa.json.null then return nil end
    return result
  end
  return seen, function(stage, ctx)
    if stage ~= "prepare" and value(ctx, game.started_js) then seen.started = true end
    local progress = value(ctx, game.progress_js)
    if progress ~= nil then
      seen.first = seen.first or tostring(progress)
      if tostring(progress) ~= seen.first then seen.progressed = true end
    end
  end
end

local function run_game(game, folder, options)
  local root = ("%s/%s%s"):format(folder, game.id, game.subdir and game.subdir ~= "" and "/" .. game.subdir or "")
  -- Served from the checkout's subdir, so that an entry deeper down reaches its neighbours.
  local server, serve_err = qa.serve(root)
  if not server then error(("%s: %s"):format(root, failure.text(serve_err)), 0) end
  local entry = server.url .. (game.entry or "index.html")
  local seen, on = observer(game)
  local began = qa.now_ms()
  local ok, outcome = pcall(require("qa.run.loop").run, {
    strategy = options.strategy or "standard", target = entry, slug = game.id, set = options.set, out = options.out,
    on = on, quiet = true,
    seed = options.seed, clock = options.clock })
  if not ok and failure.is_loss(outcome) then error(outcome, 0) end
  -- The run has its partial report; the games after it are not begun.
  if ok and outcome.reason == "cancelled" then error(failure.new("cancelled", "stopped by a signal", "loop.run"), 0) end
  local row = { id = game.id, seconds = (qa.now_ms() - began) / 1000, auto = game.start and game.start.kind == "auto" }
  if not ok then
    row.status, row.missing, row.type, row.start = "error", failure.text(outcome), "?", "?"
    row.wanted, row.found, row.extra, row.score, row.started = 0, 0, {}, 0, false
    return row
  end
  local report = outcome.report
  row.status, row.score, row.report = report.status, report.playability_score, outcome.path
  row.type = report.metadata.gameType
  row.type_right = row.type == tostring(game.game_type):lower()
  row.start = report.start.found and tostring(report.start.method) or "-"
  row.found, row.wanted, row.extra = compare_controls(game.controls or {}, report.controls)
  row.started, row.started_by = seen.started or false, seen.started and "started_js" or nil
  -- A title screen may move, too: what else tells counts only where the list does not say how to ask the game.
  if type(game.started_js) ~= "string" then
    row.started, row.started_by = seen.progressed or false, seen.progressed and "progress_js" or nil
    for _, check in ipairs(report.checks) do
      if not row.started and check.id == "started" and check.outcome == "pass" then
        row.started, row.started_by = true, "scene"
      end
    end
  end
  local issue = report.issues[1]
  row.missing = report.missing[1] or (row.status ~= "pass" and issue and issue.kind .. ": " .. issue.description) or ""
  row.first_kind = issue and issue.kind
  return row
end

local function print_row(row)
  print(("%-16s %-7s %-5s %-12s %-4s %d/%d +%-2d %-13s %3d %6.1f  %s"):format(row.id, row.type, row.type_right
    and "right" or "WRONG",
    tostring(row.start):sub(1, 12), row.started and "yes" or "no", row.found, row.wanted, #row.extra, row.status,
    row.score,
    row.seconds, tostring(row.missing):sub(1, 100)))
end

local function percent(part, whole) return whole > 0 and math.floor(part * 1000 / whole + 0.5) / 10 or 0 end

local function summary_of(rows)
  local s = { games = #rows, need_start = 0, need_start_started = 0, auto = 0, auto_started = 0, type_right = 0,
    pass = 0, fail = 0,
    inconclusive = 0, error = 0, controls_found = 0, controls_wanted = 0, most_extra = 0 }
  for _, row in ipairs(rows) do
    local group = row.auto and "auto" or "need_start"
    s[group] = s[group] + 1
    if row.started then s[group .. "_started"] = s[group .. "_started"] + 1 end
    if row.type_right then s.type_right = s.type_right + 1 end
    s[row.status] = s[row.status] + 1
    s.controls_found, s.controls_wanted = s.controls_found + row.found, s.controls_wanted + row.wanted
    s.most_extra = math.max(s.most_extra, #row.extra)
  end
  s.recall = percent(s.controls_found, s.controls_wanted)
  return s
end

local function print_summary(s)
  print(("started %d of %d that need it, %d of %d that start by themselves"):format(s.need_start_started, s.need_start,
    s.auto_started, s.auto))
  print(("type right %d of %d (%.1f %%)"):format(s.type_right, s.games, percent(s.type_right, s.games)))
  print(("pass %d (%.1f %%), fail %d, inconclusive %d, error %d"):format(s.pass, percent(s.pass, s.games), s.fail,
    s.inconclusive, s.error))
  print(("controls recall %d of %d (%.1f %%), at most %d extra keys"):format(s.controls_found, s.controls_wanted,
    s.recall, s.most_extra))
end

---Writes the summary into a run directory of its own, which is where a script may write.
local function save(options, summary)
  local dir, err = qa.run.open{ out = options.out, slug = "games" }
  local ok
  if dir then ok, err = qa.run.publish(options.json, qa.json.encode(summary) .. "\n") end
  if not ok then error(("%s: %s"):format(options.json, failure.text(err)), 0) end
  print(("summary %s/%s"):format(dir, options.json))
end

function M.run(command)
  local options, arguments = words.parse("games", command,
    { "only", "set", "json", "out", "strategy", "seed", "clock" })
  local list_path, folder = arguments[1], arguments[2]
  if not list_path or not folder then error("games: name a list and the folder of the checked-out games", 0) end
  local bytes, err = qa.fs.read(list_path)
  if not bytes then error(("%s: %s"):format(list_path, failure.text(err)), 0) end
  local decoded, games = pcall(qa.json.decode, bytes)
  if not decoded then error(("%s: %s"):format(list_path, failure.text(games)), 0) end
  local only
  for id in (options.only or ""):gmatch("[^,]+") do
    only = only or {}
    only[id] = true
  end
  local rows, absent = {}, 0
  for _, auto in ipairs { false, true } do
    print(auto and "-- games that start by themselves" or "-- games that need a start")
    print("id               type    right start        on   ctl  +  verdict       pts     s  missing")
    for _, game in ipairs(games) do
      if (game.start and game.start.kind == "auto") == auto and (not only or only[game.id]) then
        if qa.fs.stat(("%s/%s"):format(folder, game.id)) then
          local row = run_game(game, folder, options)
          rows[#rows + 1] = row
          print_row(row)
        else
          absent = absent + 1
          print(("%-16s not checked out below %s"):format(game.id, folder))
        end
      end
    end
  end
  local s = summary_of(rows)
  print_summary(s)
  if options.json then save(options, { games = qa.json.array(rows), summary = s }) end
  return { exit_code = #rows > 0 and absent == 0 and 0 or 3 }
end

return words.command(M.run)(qa.command)
