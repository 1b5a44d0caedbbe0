-- Remembers the best score that this game has shown, from one run of the script to the next, and by any number of them
-- at once:
--   qa-host examples/06_remember.lua [FOLDER]
local qa = require "qa"

local folder = qa.args[1] or "examples/games/clicker"
local store = qa.store.open "best scores"

local browser = assert(qa.browser.launch{})
local page = assert(browser:new_page{ width = 1280, height = 720 })
assert(page:navigate(qa.serve(folder).url))
page:click("#start", { timeout_ms = 2000 })
for _ = 1, math.random(3, 12) do page:click("#coin", {}) end
local score = page:evaluate "window.game ? game.score : 0"
browser:close()

-- The function may be called again when another process was faster: it only computes.
local before = store:get(folder)
local best = assert(store:update(folder, function(known) return math.max(known or 0, score) end))
print(("score %d, best so far %d%s"):format(score, best, before == nil and ", the first that was seen" or ""))
