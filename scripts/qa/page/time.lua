-- The time that a strategy plays in: that of its page where it is on game time, else real time. What waits for a game,
-- or measures how long it took, asks here; limits of the run are real time.
local qa = require "qa"

local M = {}

local followed       ---@type qa.Page?
local begun_ms = 0   -- Real time when it was followed.
local apart_ms = 0   -- Waits while the page could not be stepped.

---From now on time is that of this page; real time for nil, and for a page in real time.
---@param page? qa.Page
function M.follow(page)
  followed = page and page:game_time_ms() and page or nil
  begun_ms, apart_ms = qa.now_ms(), 0
end

---Another page has taken the place of the one that was followed, and stands where it stood.
---@param page qa.Page
function M.move(page) followed = page end

---Time is that of another page while fn runs.
---@param page qa.Page
---@param fn fun(): ...
function M.during(page, fn)
  local before = { followed, begun_ms, apart_ms }
  M.follow(page)
  local results = { pcall(fn) }
  followed, begun_ms, apart_ms = before[1], before[2], before[3]
  if not results[1] then error(results[2], 0) end
  return unpack(results, 2)
end

local function game_ms()
  if not followed then return nil end
  if followed:is_closed() then M.follow(nil) end
  return followed and followed:game_time_ms()
end

---Milliseconds since some moment.
---@return number
function M.now_ms()
  local ms = game_ms()
  return ms and begun_ms + apart_ms + ms or qa.now_ms()
end

---Lets time pass.
---@param ms number
---@param is_unseen? boolean nobody looks before more time has passed: on game time the last frame need not be drawn
function M.sleep(ms, is_unseen)
  if not game_ms() then return qa.sleep(ms) end
  if ms < 1 then return end
  local health = followed:health()
  local draw = is_unseen and "none" or "last"
  local stepped = not (health.hung or health.crashed) and followed:run_for(ms, { draw = draw })
  if stepped then return end
  -- A page that crashed or hangs: whoever waits for it must come to an end.
  qa.sleep(math.min(ms, 50))
  apart_ms = apart_ms + ms
end

return M
