-- The order of a frame: pages that chance writes log what an interpreter of docs/clock.md says that they log.
local qa = require "qa"
local programs = assert(qa.load_chunk("tests/lua/support/clock_programs.lua"))()

return {
  ["ten pages run as the order of a frame says"] = function(t)
    local lines = 0
    programs.play(1, 10, 20, function(seed, count, difference)
      lines = lines + count
      t.equal(difference, nil, "program " .. seed)
    end)
    t.truthy(lines > 1000)
  end,
}
