-- Games on real engines: those that are small enough to be kept built (tests/accept/clock/engines builds all).
local qa = require "qa"
local engine_games = qa.load_chunk("tests/lua/support/engine_games.lua")()
local repeatable = require "qa.world.repeatable"

local FRAMES, START_AT = 180, 60
local KEPT = { "kontra", "littlejs", "wasm4", "program", "jobs" }

local specs = {}
for _, game in ipairs(engine_games.games) do
  local is_kept = false
  for _, name in ipairs(KEPT) do is_kept = is_kept or name == game.name end
  specs[game.name .. " begins, repeats, and shows what its control does"] = is_kept and function(t)
    local server = assert(qa.serve("tests/data/engines"))
    local browser = assert(qa.browser.launch{ clock = "game" })
    local url = server.url .. game.name .. "/index.html"
    local facts = engine_games.play(browser, game, url)
    local start = { key = game.start.key, click = game.start.click, frame = START_AT }
    local options = { url = url, seed = 1, tape = assert(qa.tape.open()) }
    local examined = assert(repeatable.examine(browser, options, FRAMES, { start }))
    browser:close()
    t.truthy(facts.started > 0)
    t.equal(facts.before, 0)
    t.truthy(facts.effect > 0)
    t.equal(examined.first_difference, qa.json.null)
    t.equal(examined.moved, true)
  end or nil
end
return specs
