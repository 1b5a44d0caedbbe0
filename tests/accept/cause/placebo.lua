-- Inputs that no game uses, asked of known games that move by themselves: none of them may have an effect.
-- usage: qa-host tests/accept/cause/placebo.lua GAMES [ONLY]    GAMES: checkouts by id; ONLY=ID,...
local qa = require "qa"
local acceptance = assert(qa.load_chunk("tests/support/acceptance.lua"))()
local effects = require "qa.effect.effect"
local known = assert(qa.load_chunk("tests/support/known_games.lua"))()
local time = require "qa.page.time"
local worlds = require "qa.world.world"

local MOST_GAMES, TRIALS, FRAMES, BETWEEN = 20, 20, 60, 7
local KEYS = { "F7", "F9", "F2", "F4" }

local function moves_by_itself(world)
  local before = assert(world.page:screenshot())
  assert(world:step(FRAMES))
  local after = assert(world.page:screenshot())
  local is_still = assert(before:diff(after)).identical
  before:close()
  after:close()
  return not is_still
end

---@return {trials: integer, effects: string[]}? result nil: it stands still
local function try(browser, game)
  local world = assert(worlds.open(browser, { url = game.url, seed = 1, width = 1280, height = 720 }))
  local result
  time.during(world.page, function()
    local function step(frames) assert(world:step(frames)) end
    step(FRAMES)
    known.start({ world }, game, step)
    if not moves_by_itself(world) then return end
    result = { trials = 0, effects = {} }
    for i = 1, TRIALS do
      local key = KEYS[i % #KEYS + 1]
      local effect, err = effects.of(world, { action = "press", key = key, hold_ms = 50 + 50 * (i % 3) },
        { frames = 20 })
      if not effect then
        result.error = err.message
        return
      end
      result.trials = result.trials + 1
      if effect.changed and not effect.is_native then table.insert(result.effects, key) end
      effects.wait(world, BETWEEN)
    end
  end)
  world:close()
  return result
end

local browser = assert(qa.browser.launch{ clock = "game" })
local games, trials, strange, any_key, unknown = 0, 0, {}, {}, {}
for _, game in ipairs(known.list(qa.args[1], qa.args[2])) do
  if games >= MOST_GAMES then break end
  local ok, result = pcall(try, browser, game)
  if not ok then
    unknown[#unknown + 1] = game.id .. ": " .. tostring(result)
  elseif result then
    games, trials = games + (result.trials > 0 and 1 or 0), trials + result.trials
    if result.error then unknown[#unknown + 1] = game.id .. ": " .. result.error end
    local list = game.start.kind == "any" and any_key or strange
    if #result.effects > 0 then list[#list + 1] = ("%s %d"):format(game.id, #result.effects) end
    qa.log.line(("%-16s %d trials, %d effects"):format(game.id, result.trials, #result.effects))
  end
end
browser:close()
local function joined(list) return #list > 0 and table.concat(list, ", ") or "none" end
acceptance.row("placebo_effects", ("%d games, %d trials, effects: %s; in games that take any key: %s; not asked: %s")
  :format(games, trials, joined(strange), joined(any_key), joined(unknown)),
  ("0 in %d trials of %d games"):format(MOST_GAMES * TRIALS, MOST_GAMES), #strange == 0 and trials > 0)
