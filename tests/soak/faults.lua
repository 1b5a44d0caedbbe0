-- The parts of tests/soak/faults that know games and verdicts.
-- usage: qa-host tests/soak/faults.lua games DIR      id, folder and entry of each game, a line each, with tabs between
--        qa-host tests/soak/faults.lua faults         the faults, a line each
--        qa-host --out RUNS tests/soak/faults.lua judge FAULT ID URL
--          judges one game, and prints: fault, id, hard or soft, status, right or WRONG, seconds, kinds of issues
--        qa-host tests/soak/faults.lua sum FILE       what the lines of a file come to; fails where a bound is missed
local qa = require "qa"

---Games of tests/data/known_games.json whose last script is a file of their own, and which draw on a canvas or not.
local GAMES = { "g2048", "hextris", "asteroids", "jg-tetris", "spaceinvaders", "pacman-canvas", "blockrain",
  "ce-flappy2", "kub-tetris", "coq-racecar" }
---Faults that a game cannot have: it draws on no canvas, asks for no frames, loads no picture, or plays as well without
---its last script, which only shows links to share it.
local WITHOUT = { last_script_throws = "hextris", last_script_404 = "hextris",
  draws_nothing = "g2048 kub-tetris", two_frames = "g2048 kub-tetris spaceinvaders",
  pictures_404 = "g2048 asteroids kub-tetris hextris coq-racecar" }

---Faults that must fail, and the kinds of the first issue that are right then.
local HARD = {
  { "last_script_throws", "exception load_failed load_timeout start_not_found unresponsive blank_screen frozen" },
  { "input_throws", "exception start_not_found unresponsive" },
  { "input_dead", "start_not_found unresponsive" },
  { "input_dies", "unresponsive soft_lock" },
  { "loader", "load_timeout" },
  { "time_dies", "frozen soft_lock unresponsive" },
  { "draws_nothing", "blank_screen" },
  { "last_script_404", "request_failed load_failed" },
  { "alerts", "dialog_storm" },
  { "script_loop", "hang" },
  { "memory", "crash hang" },
  { "about_blank", "redirect blank_screen" },
  { "other_site", "redirect" },
  { "reloads", "reload_loop" },
}
---Faults that a game lives with, and the kinds by which they are reported.
local SOFT = {
  { "exception_once", "exception" }, { "never_answers", "request_failed load_timeout" },
  { "pictures_404", "request_failed" }, { "console_flood", "console_error" }, { "popup", "popup redirect" },
  { "two_frames", "low_frame_rate" },
}
local LEAST_RIGHT, MOST_MEDIAN_S = 95, 10

local function kinds_of(fault)
  for name, list in pairs{ hard = HARD, soft = SOFT } do
    for _, row in ipairs(list) do if row[1] == fault then return row[2], name end end
  end
  error("no such fault: " .. fault, 0)
end

local function has(words, word) return (" " .. words .. " "):find(" " .. word .. " ", 1, true) ~= nil end

local commands = {}

function commands.games(folder)
  for _, game in ipairs(assert(qa.json.decode(assert(qa.fs.read("tests/data/known_games.json"))))) do
    local root = ("%s/%s%s"):format(folder, game.id, game.subdir ~= "" and "/" .. game.subdir or "")
    if has(table.concat(GAMES, " "), game.id) and qa.fs.stat(root .. "/" .. game.entry) then
      print(("%s\t%s\t%s"):format(game.id, root, game.entry))
    end
  end
end

function commands.faults()
  for _, list in ipairs{ HARD, SOFT } do for _, row in ipairs(list) do print(row[1]) end end
end

function commands.judge(fault, id, url)
  local right, severity = kinds_of(fault)
  if has(WITHOUT[fault] or "", id) then return end
  local began = qa.now_ms()
  local ok, outcome = pcall(require("qa.run.loop").run, { strategy = "standard", target = url,
    slug = id .. "-" .. fault, quiet = true })
  local seconds, kinds = (qa.now_ms() - began) / 1000, {}
  if not ok then outcome = { status = "error", report = { issues = {} }, path = tostring(outcome) } end
  for _, issue in ipairs(outcome.report.issues) do kinds[#kinds + 1] = issue.kind end
  local is_right = false
  if severity == "hard" then
    is_right = outcome.status == "fail" and kinds[1] ~= nil and has(right, kinds[1])
  else
    for _, kind in ipairs(kinds) do is_right = is_right or has(right, kind) end
  end
  print(("%s\t%s\t%s\t%s\t%s\t%.1f\t%s\t%s"):format(fault, id, severity, outcome.status,
    is_right and "right" or "WRONG", seconds, table.concat(kinds, " "), outcome.path))
end

function commands.sum(path)
  local count, right, passed, seconds, bad = { hard = 0, soft = 0 }, { hard = 0, soft = 0 }, 0, {}, 0
  for line in assert(qa.fs.read(path)):gmatch("[^\n]+") do
    local severity, status, verdict, took = line:match("^%S+\t%S+\t(%S+)\t(%S+)\t(%S+)\t(%S+)")
    count[severity] = count[severity] + 1
    right[severity] = right[severity] + (verdict == "right" and 1 or 0)
    passed = passed + (severity == "hard" and status == "pass" and 1 or 0)
    seconds[#seconds + 1] = tonumber(took)
  end
  table.sort(seconds)
  local function row(name, value, goal, is_met)
    print(("%s: %s (%s) %s"):format(name, value, goal, is_met and "ok" or "short"))
    bad = bad + (is_met and 0 or 1)
  end
  for _, severity in ipairs{ "hard", "soft" } do
    local share = count[severity] > 0 and 100 * right[severity] / count[severity] or 0
    row(severity, ("%d of %d right, %.1f %%"):format(right[severity], count[severity], share),
      ("at least %d %%"):format(LEAST_RIGHT), share >= LEAST_RIGHT)
  end
  row("hard_passed", tostring(passed), "0", passed == 0)
  local median = seconds[math.ceil(#seconds / 2)] or 0
  row("median", ("%.1f s"):format(median), ("at most %d s"):format(MOST_MEDIAN_S), median <= MOST_MEDIAN_S)
  if bad > 0 then error(("%d bounds are missed"):format(bad), 0) end
end

local command = commands[qa.args[1] or ""] or error("usage: faults.lua games|faults|judge|sum ...", 0)
command(unpack(qa.args, 2))
