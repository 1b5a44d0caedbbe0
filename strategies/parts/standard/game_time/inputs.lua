--- Inputs: what a game can be asked with on game time, as moves (qa.input.moves).
local candidates = require "qa.input.candidates"
local scenes = require "qa.page.scene"

local M = {}

---How long a key is held: at first some frames, for games that look once a frame; where that did nothing, longer.
local TAP_MS = 50
M.HOLD_MS = 150
local CLICK_HOLD_MS = 50
---Rounds of places to click that are tried before a game is said not to answer clicks.
local MORE_ROUNDS = 6
---The same for drags over a canvas.
local MOST_ROUNDS = 14
---Drags that are tried then, for few of the ways to move a piece may be allowed.
local MOST_DRAGS = 80
---Stops of a drag, and of a sweep: one takes a frame of the browser, here and in each fork.
local FEW_STEPS, SWEEP_STEPS = 3, 5

---Those of the controls that are keys, or typed.
function M.keys(ctx)
  local list = {}
  for _, control in ipairs(ctx.state.controls) do
    if control.kind == "key" then
      list[#list + 1] = { action = "press", key = control.key, hold_ms = TAP_MS, axis = control.axis }
    elseif control.kind == "text" then
      list[#list + 1] = { action = "type", text = ctx.lists.typed_words[1], key = "Enter" }
    end
  end
  return list
end

---A key that is held: what is tapped may be too short for a game that looks at its keys now and then.
---@param move table
---@return table move the same where it is no key
function M.held(move)
  if move.action ~= "press" or move.hold_ms >= M.HOLD_MS then return move end
  return setmetatable({ hold_ms = M.HOLD_MS }, { __index = move })
end

---Keys that belong together.
local FAMILIES = { { "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown" }, { "KeyA", "KeyD", "KeyW", "KeyS" } }

---Keys of the kind of those that work: where one moves something to the left, another moves it back.
---@param working table[] moves
---@param hold_ms? integer
---@return table[]
function M.families(working, hold_ms)
  local list, works = {}, {}
  for _, move in ipairs(working) do if move.action == "press" then works[move.key] = true end end
  for _, family in ipairs(FAMILIES) do
    local is_one = false
    for _, key in ipairs(family) do is_one = is_one or works[key] end
    for _, key in ipairs(is_one and family or {}) do
      list[#list + 1] = { action = "press", key = key, hold_ms = hold_ms or M.HOLD_MS }
    end
  end
  return list
end

---Keys that move something to one side, and to the other.
local SIDES = { ArrowLeft = "ArrowRight", ArrowRight = "ArrowLeft", KeyA = "KeyD", KeyD = "KeyA" }

---A key of those that work that moves something to one side, where no other moves it back: it soon leaves the view.
---@param working table[] moves
---@return string? key
function M.one_way(working)
  local works = {}
  for _, move in ipairs(working) do if move.action == "press" then works[move.key] = true end end
  for _, move in ipairs(working) do
    local other = move.action == "press" and SIDES[move.key]
    if other and not works[other] then return move.key end
  end
end

---Clicks at many places, one by one: the pointer of the twin goes to each, so that what hovering does is no answer.
---@param list table[] of qa.input.candidates
---@return table[]
function M.single(list)
  local all = {}
  for _, move in ipairs(list) do
    if move.action == "move" then move.steps = SWEEP_STEPS end
    if move.action == "drag" then move.steps = FEW_STEPS end
    if move.action ~= "scatter" then all[#all + 1] = move end
    for _, at in ipairs(move.action == "scatter" and move.points or {}) do
      all[#all + 1] = { action = "click", x = at.x, y = at.y, hold_ms = CLICK_HOLD_MS, on_canvas = true }
    end
  end
  return all
end

---Is the page larger than its view? Then the browser scrolls it with the wheel.
local function scrolls(page)
  return page:evaluate([[(() => {
    const page = document.scrollingElement;
    return Boolean(page) && (page.scrollHeight > page.clientHeight + 1 || page.scrollWidth > page.clientWidth + 1);
  })()]], { read_only = true }) == true
end

---Moves over the controls that the game is known to have; common ones where none is.
---@param round integer the pointer goes to other places in each
---@return table[]
function M.moves(ctx, round)
  local list, is_known, pointers = M.keys(ctx), #ctx.state.controls > 0, {}
  local is_scrolled = scrolls(ctx.page)
  for _, move in ipairs(M.single(candidates.of(ctx, scenes.look(ctx), round))) do
    local is_key = move.action == "press" or move.action == "mash" or move.action == "type"
    local is_for_browser = move.action == "wheel" and is_scrolled
    if not is_for_browser and (not is_key or not is_known) then pointers[#pointers + 1] = move end
  end
  -- Games of the page's own elements are mostly played with the pointer.
  local first, second = list, pointers
  if not ctx.state.board_cells then first, second = pointers, list end
  local all = {}
  for _, part in ipairs{ first, second } do for _, move in ipairs(part) do all[#all + 1] = move end end
  return all
end

---Drags of the pieces of a board, each to where its neighbours are; nothing where there are none.
local function drags(ctx)
  local list, pieces, is_dragged = {}, candidates.pieces(ctx), false
  for _, control in ipairs(ctx.state.controls) do is_dragged = is_dragged or control.kind == "drag" end
  for _, way in ipairs{ { 1, 0 }, { 0, 1 } } do
    for _, piece in ipairs(pieces) do
      if #list < MOST_DRAGS and (piece.draggable or is_dragged) then
        list[#list + 1] = { action = "drag", x = piece.x, y = piece.y, steps = FEW_STEPS,
          to = { x = piece.x + way[1] * piece.width, y = piece.y + way[2] * piece.height } }
      end
    end
  end
  return list
end

---Inputs that few games take: asked when nothing else had an effect.
---@return table[]
function M.unusual(ctx)
  local scene, list = scenes.look(ctx), {}
  local x, y = scene.centre.x, scene.centre.y
  local function add(move) list[#list + 1] = move end
  add{ action = "click", x = x, y = y, hold_ms = 1200 }
  add{ action = "right_click", x = x, y = y, hold_ms = 100 }
  add{ action = "move", x = x - 150, y = y - 80, to = { x = x + 150, y = y + 80 }, over_ms = 300 }
  local board = scene.board or { x = x - 200, y = y - 150, width = 400, height = 300 }
  local third, part = board.width / 3, board.height / 3
  for column = 0.5, 1.5 do
    local from = { x = board.x + third * column, y = board.y + part * 0.5 }
    add{ action = "drag", x = from.x, y = from.y, to = { x = from.x + third, y = from.y } }
    add{ action = "drag", x = from.x, y = from.y + part, to = { x = from.x, y = from.y + 2 * part } }
  end
  for _, key in ipairs(ctx.lists.generic_keys) do add{ action = "press", key = key, hold_ms = M.HOLD_MS } end
  for _, modifier in ipairs{ "ShiftLeft", "ControlLeft", "AltLeft" } do
    add{ action = "press", key = modifier, hold_ms = M.HOLD_MS }
    for _, move in ipairs(M.keys(ctx)) do
      if move.key and move.action == "press" then
        add{ action = "press", key = move.key, modifiers = { modifier }, hold_ms = M.HOLD_MS }
      end
    end
  end
  local of_pieces = drags(ctx)
  for round = 2, #of_pieces > 0 and MORE_ROUNDS or MOST_ROUNDS do
    for _, move in ipairs(M.single(candidates.of(ctx, scene, round))) do
      if move.action == "drag" and #of_pieces == 0 or move.action == "click" and round <= MORE_ROUNDS then add(move) end
    end
  end
  for _, move in ipairs(of_pieces) do add(move) end
  for _, button in ipairs{ "a", "start", "right" } do
    add{ action = "gamepad", buttons = { [button] = 1 }, hold_ms = M.HOLD_MS }
  end
  add{ action = "gamepad", axes = { left_x = 1 }, hold_ms = M.HOLD_MS }
  add{ action = "type", text = "abcdefghijklmnopqrstuvwxyz0123456789" }
  return list
end

return M
