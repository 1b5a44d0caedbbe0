-- Asks a game one question by hand: which arrow keys move something? Each key is held and compared with the same
-- time without input, because a game that moves by itself would otherwise seem to answer everything.
-- From the project's folder: qa-host examples/04_press_and_measure.lua

local qa = require "qa"

local browser = assert(qa.browser.launch{})
local page = assert(browser:new_page{ width = 1280, height = 720 })
assert(page:navigate(assert(qa.serve("examples/games/maze_walk")).url))
assert(page:press("Enter"))
assert(page:settle{ quiet_ms = 200, max_ms = 3000 })

---Cells of the 64x36 luma grid that differ between two shots.
local function cells_changed(before, after)
  local a, b, n = before:grid(), after:grid(), 0
  for i = 1, #a do
    if math.abs(a:byte(i) - b:byte(i)) > 6 then n = n + 1 end
  end
  return n
end

local function change_during(act)
  local before = assert(page:screenshot())
  act()
  qa.sleep(150)
  local after = assert(page:screenshot())
  local n = cells_changed(before, after)
  before:close()
  after:close()
  return n
end

local answered = 0
for _, key in ipairs{ "ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp", "KeyQ" } do
  local control = change_during(function() qa.sleep(80) end)
  local input = change_during(function() assert(page:press(key, { hold_ms = 80 })) end)
  if input > control then answered = answered + 1 end
  print(("%-11s %3d cells, %d without input%s"):format(key, input, control, input > control and ": answers" or ""))
end
-- The first two steps of this maze are open in both directions: every arrow key has to answer, and KeyQ may not.
return answered == 4
