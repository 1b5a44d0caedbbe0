-- Loads a game into a page on game time. No time of the game has passed then.
local qa = require "qa"

local M = {}

---Once all that can be waited for is there, a page's load event comes within so much real time, or never.
local LOAD_MS, LOAD_POLL_MS = 2000, 5
---Of pages of a game that waits for what does not come: what does come is on the tape.
local SHORT_PATIENCE_MS = 1000

---Does the game wait for something that does not come?
local function waits_in_vain(game)
  local page = game.first
  if not page or page:is_closed() then return false end
  for _, part in ipairs(page:clock_coverage() or {}) do
    if part.reason:find("time did not wait for it", 1, true) then return true end
  end
  return false
end

---Opens a page and loads the game. It waits for what the game waits for, but not for what does not come.
---@param game {browser: qa.Browser, options: qa.WorldOptions, tape: qa.Tape, first?: qa.Page}
---@param is_twin? boolean
---@return qa.Page? page, qa.Error? err, table? loaded what page:navigate gave
function M.page(game, is_twin)
  local options = game.options
  local fields = { clock = "game", seed = options.seed, width = options.width, height = options.height,
    frame_ms = options.frame_ms, tape = game.tape, twin = is_twin or nil }
  for name, value in pairs(options.page or {}) do fields[name] = value end
  local is_endless = waits_in_vain(game)
  if is_endless then fields.patience_ms = SHORT_PATIENCE_MS end
  local page, err = game.browser:new_page(fields)
  if not page then return nil, err end
  local loaded, why = page:navigate(options.url, { wait = "dom" })
  if loaded then
    local until_ms = qa.now_ms() + (is_endless and 0 or LOAD_MS)
    while page:health().loading and qa.now_ms() < until_ms do qa.sleep(LOAD_POLL_MS) end
    return page, nil, loaded
  end
  page:close()
  return nil, why
end

return M
