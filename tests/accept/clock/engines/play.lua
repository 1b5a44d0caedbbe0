-- Plays a built game on its engine. usage: qa-host play.lua SUPPORT FOLDER [NAME]; SUPPORT: tests/lua/support
-- Prints the input that starts it, how long it loads in ms, and how many pixels the start changed, how many differed
-- between two worlds before the control, and after it; without NAME the names of all games.
local qa = require "qa"
local engine_games = qa.load_chunk(qa.args[1] .. "/engine_games.lua")()

for _, game in ipairs(engine_games.games) do
  if not qa.args[3] then print(game.name) end
  if game.name == qa.args[3] then
    local server = assert(qa.serve(qa.args[2]))
    local browser = assert(qa.browser.launch{ clock = "game" })
    local facts = engine_games.play(browser, game, server.url .. game.name .. "/index.html")
    browser:close()
    local click = game.start.click
    local input = game.start.key or "click:" .. (type(click) == "table" and click.x .. "," .. click.y or click)
    print(input, math.ceil(facts.load_ms), facts.started, facts.before, facts.effect)
  end
end
