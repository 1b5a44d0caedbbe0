-- Row of tests/accept/clock/30_known.sh: the same comparison on the real clock, untouched: do two pages of one game
-- show the same, while it moves? usage: qa-host real_clock.lua GAMES [ONLY]
local qa = require "qa"
local acceptance = assert(qa.load_chunk("tests/support/acceptance.lua"))()
local known = assert(qa.load_chunk("tests/support/known_games.lua"))()

-- As on game time: ten looks, a second apart, and one that differs is enough.
local LOOKS, APART_MS = 10, 1000

---@return boolean moves, boolean differs
local function compare(one, other)
  local last, moves = nil, false
  for _ = 1, LOOKS do
    qa.sleep(APART_MS)
    local mine, theirs = qa.all(function() return (one:screenshot()) end, function() return (other:screenshot()) end)
    if not (mine and theirs) then break end
    moves = moves or last ~= nil and not assert(last:diff(mine)).identical
    if not assert(mine:diff(theirs)).identical then return true, true end
    last = mine
  end
  return moves, false
end

local browser = assert(qa.browser.launch{})
local animated, differ, same = 0, 0, {}
for _, game in ipairs(known.list(qa.args[1], qa.args[2])) do
  local one, other = assert(browser:new_page{}), assert(browser:new_page{})
  if one:navigate(game.url) and other:navigate(game.url) then
    local moves, differs = compare(one, other)
    animated, differ = animated + (moves and 1 or 0), differ + (differs and 1 or 0)
    if moves and not differs then same[#same + 1] = game.id end
  end
  one:close()
  other:close()
end
browser:close()
acceptance.row("known_real_clock", ("%d of %d that move differ; same: %s"):format(differ, animated,
  #same > 0 and table.concat(same, ", ") or "none"), "those that move differ", animated > 0 and #same == 0)
