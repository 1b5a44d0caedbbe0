--- Touch: a finger on the screen, for pages that listen to nothing else.

local qa = require "qa"

local M = {}

---Stops of a finger that is drawn over the screen, and the time between them.
local stops, stop_ms = 6, 16

---Puts a finger down, draws it to another point if there is one, and lifts it (CDP Input.dispatchTouchEvent).
---@param page qa.Page
---@param at qa.Point
---@param to? qa.Point
---@return true? ok, qa.Error? err
function M.press(page, at, to)
  local function send(kind, points)
    return page:cdp("Input.dispatchTouchEvent", { type = kind, touchPoints = points }, { timeout_ms = 2000 })
  end
  local ok, err = send("touchStart", { { x = at.x, y = at.y } })
  for k = 1, to and stops or 0 do
    if not ok then break end
    qa.sleep(stop_ms)
    ok, err = send("touchMove", { { x = at.x + (to.x - at.x) * k / stops, y = at.y + (to.y - at.y) * k / stops } })
  end
  if not to then qa.sleep(3 * stop_ms) end
  -- A finger stays down otherwise.
  local is_up, why = send("touchEnd", qa.json.array{})
  if not ok or not is_up then return nil, err or why end
  return true
end

return M
