--- The end of a play on game time: does the game move by itself, and how does it do in real time?
local decisive = require "parts.standard.decisive"
local moves = require "qa.input.moves"
local qa = require "qa"

local M = {}

---Frames that the game is watched for, without input.
local WATCHED_FRAMES, FRAMES_A_SECOND = 90, 60
---How long the page runs in real time.
local THAWED_MS, FRAME_RATE_MS = 2000, 500

---Do two pictures of the world differ, so many frames apart?
---@return boolean? moves nil: it cannot be stepped or pictured
function M.moves(ctx, frames)
  local before = ctx.page:screenshot()
  if not before then return nil end
  local stepped = ctx.world:step(frames or WATCHED_FRAMES)
  local after = stepped and ctx.page:screenshot()
  local found = after and before:diff(after)
  before:close()
  if after then after:close() end
  if not found then return nil end
  return not found.identical
end

---So few frames drawn a second are worth a closer look; how long an input is held then, and how often it is given.
local FEW_DRAWN, BRIEF_MS, BRIEF_TIMES = 10, 50, 2
local DRAWN = "__qa_clock.clock.drawing?.drawn ?? 0"
local DRAWN_MS = 2000

---Frames so far in which the game has drawn on its canvases.
local function drawn(page)
  local count = page:evaluate(DRAWN, { read_only = true, timeout_ms = DRAWN_MS })
  return type(count) == "number" and count or 0
end

---Does it draw as soon as it gets this input, each time?
local function draws_at_once(ctx, move)
  local brief = setmetatable({ hold_ms = BRIEF_MS }, { __index = move })
  for _ = 1, BRIEF_TIMES do
    local before = drawn(ctx.page)
    if not moves.act(ctx.page, brief, { window_ms = BRIEF_MS }) or drawn(ctx.page) == before then return false end
  end
  return true
end

---Is it moving still, and how often does it draw on its canvases then?
---@param move? table an input that it answers
---@return boolean? moves, number? rate frames a second, of game time, in which it draws; nil where it has no canvas, or
---draws at an input, too
function M.watch(ctx, move)
  local before, is_moving = drawn(ctx.page), M.moves(ctx)
  local rate = (drawn(ctx.page) - before) * FRAMES_A_SECOND / WATCHED_FRAMES
  if not is_moving or rate == 0 or rate > FEW_DRAWN or move and draws_at_once(ctx, move) then return is_moving end
  return is_moving, rate
end

---Real time: what throws, hangs or leaves here, and how many frames a second there are.
function M.thaw(ctx)
  local state = ctx.state
  ctx.world:let_go()
  local events, from = ctx.page:events(0), 0
  for _, event in ipairs(events) do from = math.max(from, event.seq) end
  local ok = ctx.page:thaw()
  if not ok then return end
  local began = qa.now_ms()
  state.fps = ctx.page:frame_rate(FRAME_RATE_MS)
  while qa.now_ms() - began < THAWED_MS and not decisive.by(ctx) do qa.sleep(50) end
  local exceptions = 0
  for _, event in ipairs(ctx.page:events(from)) do
    if event.kind == "exception" then exceptions = exceptions + 1 end
  end
  ctx:event("thawed", { ms = math.floor(qa.now_ms() - began), fps = state.fps, exceptions = exceptions })
end

return M
