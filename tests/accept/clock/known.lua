-- Rows of tests/accept/clock/30_known.sh: each known game in two worlds, with six other pages open, first untouched,
-- then played by its controls; and a key that no game uses. usage: qa-host known.lua GAMES [ONLY]
local qa = require "qa"
local acceptance = assert(qa.load_chunk("tests/support/acceptance.lua"))()
local known = assert(qa.load_chunk("tests/support/known_games.lua"))()
local repeatable = require "qa.world.repeatable"
local worlds = require "qa.world.world"

local OTHER_PAGES, FRAMES, PLAYED, EVERY = 6, 600, 300, 20
local PLACEBO, SHAM = "F7", "F9"


---Pages that draw all the time, in real time.
local function open_others(browser)
  local url = assert(qa.serve("examples/games/brick_wall")).url
  for _ = 1, OTHER_PAGES do assert(assert(browser:new_page{}):navigate(url)) end
end

---Does the picture after the same frames differ where one world got the placebo? The first key after a click shows
---what has the focus, whichever key it is, so both get another one before.
local function placebo_acts(twins)
  for _, world in ipairs(twins) do assert(world:input{ key = SHAM }) end
  local before = twins[1]:frame()
  assert(twins[1]:input{ key = PLACEBO })
  assert(twins[2]:step(twins[1]:frame() - before))
  assert(worlds.step(twins, EVERY))
  local found, picture = worlds.difference(twins[1], twins[2])
  if picture then picture:close() end
  return found ~= nil
end

---@return {difference: table?, frame: integer?, moved: boolean, placebo: boolean?}
local function play(browser, game)
  local twins = {}
  for i = 1, 2 do twins[i] = assert(worlds.open(browser, { url = game.url, seed = 1 })) end
  local function step(frames) assert(worlds.step(twins, frames)) end
  step(60)
  known.start(twins, game, step)
  local before, result = assert(twins[1].page:screenshot()), { moved = false }
  for n = 1, PLAYED / EVERY do
    known.control(twins, game, n)
    step(EVERY)
    local found, picture, err = worlds.difference(twins[1], twins[2])
    assert(picture, err and err.message)
    result.moved = result.moved or not assert(before:diff(picture)).identical
    picture:close()
    if found then
      result.difference, result.frame = found, n * EVERY
      break
    end
  end
  if not result.difference then result.placebo = placebo_acts(twins) end
  for _, world in ipairs(twins) do world:close() end
  return result
end

local function add(list, text) list[#list + 1] = text end
local function joined(list) return #list > 0 and table.concat(list, ", ") or "none" end

local browser = assert(qa.browser.launch{ clock = "game" })
open_others(browser)
local games = known.list(qa.args[1], qa.args[2])
local same, still, other, in_play, not_in_play, acted = 0, {}, {}, 0, {}, {}
for _, game in ipairs(games) do
  local began = qa.now_ms()
  local result, err = repeatable.examine(browser, { url = game.url, seed = 1 }, FRAMES, {})
  if result and result.repeatable then same = same + 1 end
  if result and not result.moved then add(still, game.id) end
  if not result then add(other, game.id .. ": " .. err.message) end
  if result and not result.repeatable then
    add(other, ("%s from frame %d, %d pixels"):format(game.id, result.first_difference.frame,
      result.first_difference.pixels))
  end
  local ok, played = pcall(play, browser, game)
  if not ok then
    add(not_in_play, ("%s: %s"):format(game.id, tostring(played)))
  elseif played.difference then
    add(not_in_play, ("%s after %d frames, %d pixels"):format(game.id, played.frame, played.difference.pixels))
  elseif not played.moved then
    add(not_in_play, game.id .. " stands still")
  else
    in_play = in_play + 1
  end
  if ok and played.placebo then add(acted, game.id .. (game.start.kind == "any" and " (takes any key)" or "")) end
  qa.log.line(("%-16s %s %s %s %d ms"):format(game.id, result and (result.repeatable and "equal" or "DIFFERS") or "-",
    result and result.moved and "moved" or "still",
    ok and (played.difference and "DIFFERS" or played.moved and "plays" or "still") or tostring(played),
    qa.now_ms() - began))
end
browser:close()

local all = #games
acceptance.row("known_repeatable", ("%d of %d; still: %s; not: %s"):format(same, all, joined(still), joined(other)),
  "28 of 30 in 600 frames", same >= 28)
acceptance.row("known_in_play", ("%d of %d; not: %s"):format(in_play, all, joined(not_in_play)),
  "27 of 30 in 300 frames of play, with a picture that changed", in_play >= 27)
local strange = 0
for _, text in ipairs(acted) do if not text:find "any key" then strange = strange + 1 end end
acceptance.row("known_placebo", ("%s changes %d: %s"):format(PLACEBO, #acted, joined(acted)),
  "only where any key is taken", strange == 0)
