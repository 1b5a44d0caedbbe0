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

---From now on the page leaves out no drawing, where the game is one whose frames build on others.
---@param game {draws_all?: boolean}
---@param page qa.Page
function M.draw_all(game, page)
  if game.draws_all then
    page:evaluate("__qa_clock.clock.draw_all()", { read_only = true, timeout_ms = LOAD_MS })
  end
end

---Opens a page and loads the game. It waits for what the game waits for, but not for what does not come.
---@param game {browser: qa.Browser, options: qa.WorldOptions, tape: qa.Tape, first?: qa.Page, draws_all?: boolean}
---@param is_twin? boolean
---@return qa.Page? page, qa.Error? err, table? loaded what page:navigate gave
function M.page(game, is_twin)
  local options = game.options
  local fields = {}
  for name, value in pairs(options.page or {}) do fields[name] = value end
  fields.clock, fields.tape, fields.twin = "game", game.tape, is_twin or nil
  for _, name in ipairs{ "seed", "width", "height", "frame_ms" } do
    if options[name] ~= nil then fields[name] = options[name] end
  end
  local is_endless = waits_in_vain(game)
  if is_endless then fields.patience_ms = SHORT_PATIENCE_MS end
  local page, err = game.browser:new_page(fields)
  if not page then return nil, err end
  local loaded, why = page:navigate(options.url, { wait = "dom" })
  if loaded then
    local until_ms = qa.now_ms() + (is_endless and 0 or LOAD_MS)
    while page:health().loading and qa.now_ms() < until_ms do qa.sleep(LOAD_POLL_MS) end
    M.draw_all(game, page)
    return page, nil, loaded
  end
  page:close()
  return nil, why
end

return M
