-- How many dialogs, loads and messages are too many is a question of game time: steps are far faster than real time.
local clock_page = require("qa").load_chunk("tests/lua/support/clock_page.lua")()

local function counts_after(html, frames, open_options)
  local counts
  clock_page.with(html, function(open)
    local page = open(open_options)
    assert(page:step(frames))
    counts = page:health().counts
  end)
  return counts
end

return {
  ["a dialog every second is no storm, and six within a second are one"] = function(t)
    local calm = counts_after("<script>setInterval(() => alert('again'), 1000)</script>", 620)
    t.equal({ calm.dialog, calm.dialog_storm }, { 10 })
    t.equal(counts_after("<script>setInterval(() => alert('again'), 150)</script>", 100).dialog_storm, 1)
  end,
  ["a reload every four seconds is no loop, and one every half second is"] = function(t)
    t.equal(counts_after("<script>setTimeout(() => location.reload(), 4000)</script>", 2400).reload_loop, nil)
    t.equal(counts_after("<script>setTimeout(() => location.reload(), 500)</script>", 300).reload_loop, 1)
  end,
  ["messages of many seconds of the game are no flood"] = function(t)
    clock_page.with("<script>let n = 0; setInterval(() => console.error('message ' + ++n), 20)</script>", function(open)
      local page = open()
      for _ = 1, 40 do assert(page:step(60)) end
      local events = page:events()
      t.equal(events[#events].message, "message 2000")
    end)
  end,
}
