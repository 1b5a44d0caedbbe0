-- Moves: what is played in one go, as plain data, and how a page is given it.
--   {action = "press", key, hold_ms, count?, modifiers?}      {action = "click"|"right_click", x, y, hold_ms}
--   {action = "move"|"drag", x, y, to, over_ms?, steps?}      {action = "touch", x, y, to?}
--   {action = "hover", x, y}   {action = "wheel", x, y, dy}   {action = "gamepad", buttons?, axes?, hold_ms}
--   {action = "type", text, key?}                             {action = "mash", keys, hold_ms}: all of them in turn
--   {action = "scatter", points, hold_ms}: clicks in turn     {action = "sequence", moves}
--   {action = NAME, x?, y?, act = function(page)}: anything else
local time = require "qa.page.time"

local M = {}

---Stops of a sweep of the pointer and of a drag, at most: one takes two frames, and all of them are to lie in the
---window of the input.
local sweep_steps, drag_steps, frames_a_step = 10, 8, 2
local drag_ms = 150

---How long a finger rests that does not move.
local touch_hold_ms = 48

---@param state {window_ms: integer, fps: number?}
local function steps_of(state, most)
  local frames = state.fps and state.window_ms / 1000 * state.fps or math.huge
  return math.max(2, math.min(most, math.floor(frames / frames_a_step)))
end

---Several inputs in one window, so many times around.
---@return true? ok, qa.Error? err
local function in_turn(list, times, window_ms, act)
  local until_ms = time.now_ms() + window_ms
  for i = 0, times * #list - 1 do
    -- What is done after the window would be taken for motion without input.
    if time.now_ms() >= until_ms then break end
    local ok, err = act(list[i % #list + 1])
    if not ok then return nil, err end
  end
  return true
end

local kinds = {}

function kinds.press(page, move)
  local key = move.key
  if move.modifiers then
    key = { unpack(move.modifiers) }
    key[#key + 1] = move.key
  end
  return page:press(key, { hold_ms = move.hold_ms, count = move.count or 1, gap_ms = 40 })
end

function kinds.mash(page, move, state)
  return in_turn(move.keys, 2, state.window_ms, function(key) return page:press(key, { hold_ms = move.hold_ms }) end)
end

function kinds.scatter(page, move, state)
  return in_turn(move.points, 1, state.window_ms,
    function(at) return page:mouse_click(at.x, at.y, { hold_ms = move.hold_ms }) end)
end

function kinds.touch(page, move)
  return page:touch(move, { path = move.to, hold_ms = not move.to and touch_hold_ms or nil })
end

function kinds.click(page, move) return page:mouse_click(move.x, move.y, { hold_ms = move.hold_ms }) end

function kinds.right_click(page, move)
  return page:mouse_click(move.x, move.y, { hold_ms = move.hold_ms, button = "right" })
end

function kinds.hover(page, move) return page:move(move, {}) end

function kinds.wheel(page, move) return page:wheel(move, { dx = move.dx, dy = move.dy }) end

function kinds.move(page, move, state)
  -- In steps over most of the window: what follows the pointer slowly is given the time to.
  local steps = move.steps or steps_of(state, sweep_steps)
  for k = 1, steps do
    local part = k / steps
    local ok, err = page:move({ x = move.x + (move.to.x - move.x) * part, y = move.y + (move.to.y - move.y) * part },
      {})
    if not ok then return nil, err end
    -- What it ends with may be looked at.
    if k < steps then time.sleep((move.over_ms or 0) / steps, k < steps - 1) end
  end
  return true
end

function kinds.drag(page, move, state)
  return page:mouse_drag(move.x, move.y, move.to.x, move.to.y,
    { steps = move.steps or steps_of(state, drag_steps), duration_ms = drag_ms })
end

kinds["type"] = function(page, move)
  local ok, err = page:type(move.text, {})
  if not ok then return nil, err end
  if not move.key then return true end
  return page:press(move.key, {})
end

function kinds.gamepad(page, move)
  local ok, err = page:gamepad{ buttons = move.buttons, axes = move.axes }
  if not ok then return nil, err end
  time.sleep(move.hold_ms)
  return page:gamepad{}
end

function kinds.sequence(page, move, state)
  for _, part in ipairs(move.moves) do
    local ok, err = M.act(page, part, state)
    if not ok then return nil, err end
  end
  return true
end

---Performs a move.
---@param state {window_ms: integer, fps: number?} how long its effect is watched, and the frames a second
---@return true? ok, qa.Error? err
function M.act(page, move, state)
  if move.act then return move.act(page) end
  local act = kinds[move.action] or error(("moves: unknown action %q"):format(tostring(move.action)), 0)
  return act(page, move, state)
end

---The kind of input that a move is, for the statistics.
function M.group(move)
  return move.action == "press" and (move.axis or move.key) or move.action
end

---What an input strives for, so that the scene may look different after it: a key, or the sides that a sweep of the
---pointer ends at.
---@return {key: string?, across: string?, down: string?}
function M.aims(move)
  if move.action == "press" then return { key = move.key } end
  if move.action ~= "move" or not move.to then return {} end
  return { across = move.to.x < move.x and "left" or "right", down = move.to.y < move.y and "up" or "down" }
end

---Where or what, in a few words.
function M.describe(move)
  if move.action == "press" and move.modifiers then return table.concat(move.modifiers, "+") .. "+" .. move.key end
  if move.action == "press" then return move.key end
  if move.action == "type" then return move.text end
  if move.action == "mash" then return table.concat(move.keys, " ") end
  if move.action == "scatter" then return ("%d places"):format(#move.points) end
  if move.action == "sequence" then return ("%d inputs"):format(#move.moves) end
  if move.action == "gamepad" then return next(move.buttons or {}) or next(move.axes or {}) or "a pad" end
  return ("%d,%d"):format(move.x, move.y)
end

return M
