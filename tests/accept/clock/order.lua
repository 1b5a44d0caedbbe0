-- Row of tests/accept/clock/20_order.sh: order and times that 200 pages log.
local qa = require "qa"
local acceptance = assert(qa.load_chunk("tests/support/acceptance.lua"))()
local programs = assert(qa.load_chunk("tests/lua/support/clock_programs.lua"))()

local PAGES, FRAMES = 200, 20

local lines, equal, first = 0, 0, nil
programs.play(1, PAGES, FRAMES, function(seed, count, difference)
  lines = lines + count
  if difference then first = first or ("; program %d, %s"):format(seed, difference) else equal = equal + 1 end
end)
acceptance.row("order_of_frames", ("%d of %d pages, %d lines%s"):format(equal, PAGES, lines, first or ""),
  "order and times as the reference has them", equal == PAGES)
