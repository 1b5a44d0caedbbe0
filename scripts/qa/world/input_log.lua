-- What was done to a page on game time, done again to another one at the same frames: forks, and replays of runs.
local failure = require "qa.text.failure"

local M = {}

local REPLAY_MS = 2000  -- How long a page may take to note that nobody looks.

---@class qa.LoggedInput
---@field frame integer where the page stood
---@field op string "page:press"
---@field args any[] as they were given
---@field failed? boolean

---@param page qa.Page
---@param frame integer
---@param draw? "last"|"all"
---@return true?, qa.Error?
local function step_to(page, frame, draw)
  local at = page:input_log().frame
  if at > frame then
    return nil, failure.new("trace_mismatch", ("the page stands at frame %d, not at %d: its inputs took longer")
      :format(at, frame), "world:fork")
  end
  if at == frame then return true end
  local stepped, err = page:step(frame - at, { draw = draw })
  return stepped and true, err
end
M.step_to = step_to

---Does one thing again. What failed then may fail now.
---@param page qa.Page
---@param entry qa.LoggedInput
---@param draw? "last"|"all"
---@return true?, qa.Error?
function M.again(page, entry, draw)
  local ok, err = step_to(page, entry.frame, draw)
  if not ok then return nil, err end
  local name = entry.op:match "^page:(.+)$"
  ok, err = page[name](page, unpack(entry.args))
  if not ok and err and not entry.failed then return nil, err end
  return true
end

---Nobody looks at the frames of what is done again, so they need not be drawn.
local function set_replaying(page, is_on)
  page:evaluate(("__qa_clock.clock.replay(%s)"):format(is_on), { read_only = true, timeout_ms = REPLAY_MS })
end

---All that was done, and then on to the frame where the other page stands.
---@param page qa.Page one that nothing was done to
---@param log {frame?: integer, entries: qa.LoggedInput[]} of page:input_log(); no frame: no further than the last input
---@param draw? "last"|"all" which frames of each step are drawn; nil: only what the replay ends with
---@return true?, qa.Error?
function M.play(page, log, draw)
  local is_blind = not draw and #log.entries > 1
  local last_frame = log.frame or #log.entries > 0 and log.entries[#log.entries].frame
  if is_blind then set_replaying(page, true) end
  for i, entry in ipairs(log.entries) do
    -- What it ends with is looked at: the frame of what comes last, and of all that was done there.
    if is_blind and (i == #log.entries or entry.frame >= last_frame) then
      set_replaying(page, false)
      is_blind = false
    end
    local ok, err = M.again(page, entry, draw)
    if not ok then return nil, err end
  end
  if not log.frame then return true end
  return step_to(page, log.frame, draw)
end

return M
