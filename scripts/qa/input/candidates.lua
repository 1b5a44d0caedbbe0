--- Candidates: the moves that one round over the controls of a game is played with. Plain data: it survives a hot swap.
local links = require "qa.page.links"
local words = require "qa.page.words"

local M = {}

local function greatest_divisor(a, b)
  while b > 0 do a, b = b, a % b end
  return a
end

---Spots of one size change places, so that a few of them are far apart: in a grid the first row may be the one that
---never answers.
local function spread_equals(spots)
  local from = 1
  while from <= #spots do
    local size, run = spots[from].width * spots[from].height, { spots[from] }
    local function next_of_size()
      local spot = spots[from + #run]
      return spot and math.abs(spot.width * spot.height - size) <= 0.02 * size and spot or nil
    end
    while next_of_size() do run[#run + 1] = next_of_size() end
    -- The golden section of the run, made prime to its length so that each spot has its turn once.
    local stride = math.max(1, math.floor(#run * 0.618 + 0.5))
    while greatest_divisor(stride, #run) > 1 do stride = stride + 1 end
    for k = 0, #run - 1 do spots[from + k] = run[k * stride % #run + 1] end
    from = from + #run
  end
  return spots
end

---What pieces of a board are like: sides in CSS pixels; all together cover at least this share of the view, for what
---covers less is a footer of links.
local piece_limits = { least_count = 4, least_side = 14, most_side = 400, least_squareness = 0.3, least_share = 0.01,
  most_boards = 3, most_pieces = 120 }

---The pieces of a board, as page functions know them, in an order in which the first ones lie far apart.
---@return {x: number, y: number, width: number, height: number, draggable: boolean}[] in CSS pixels of the view; x, y:
---the centre
function M.pieces(ctx)
  local spots = {}
  local frames = ctx.page:probe("pieces", piece_limits, { timeout_ms = 1500 }) or {}
  for _, frame in ipairs(frames) do
    for _, piece in ipairs(frame.value) do
      spots[#spots + 1] = { x = piece.x, y = piece.y, width = piece.width, height = piece.height,
        draggable = piece.draggable, piece = true }
    end
  end
  return spread_equals(spots)
end

---After so many pieces comes one of the page's other controls: a board may be played by a button beside it.
local pieces_a_control = 3

---Pieces, and what can be clicked beside them by turns; what begins the game anew is left alone.
local function with_controls(pieces, spots, lists)
  local others, all = {}, {}
  for _, spot in ipairs(spots) do
    local is_piece = false
    for _, piece in ipairs(pieces) do
      is_piece = is_piece or math.abs(spot.x - piece.x) < piece.width / 2
        and math.abs(spot.y - piece.y) < piece.height / 2
    end
    if not is_piece and not words.first_match(spot.text, lists.restart_words) then others[#others + 1] = spot end
  end
  for i, piece in ipairs(pieces) do
    all[#all + 1] = piece
    if #others > 0 and i % pieces_a_control == 0 then
      all[#all + 1] = others[(i / pieces_a_control - 1) % #others + 1]
    end
  end
  return all
end

local function pointer_spots(ctx, scene)
  local spots = {}
  for _, item in ipairs(scene.clickables) do
    local is_apart = links.leads_away(item, ctx.url) or words.is_non_game_control(item, ctx.lists)
    if item.in_viewport and not item.covered and not item.disabled and not is_apart then
      spots[#spots + 1] = { x = item.x, y = item.y, width = item.width, height = item.height, i = #spots,
        text = item.text ~= "" and item.text or item.name or "" }
    end
  end
  local pieces = M.pieces(ctx)
  if #pieces > 0 then return with_controls(pieces, spots, ctx.lists) end
  -- What a game is played with is mostly larger than the links of its footer.
  table.sort(spots, function(a, b)
    local area_a, area_b = a.width * a.height, b.width * b.height
    if area_a ~= area_b then return area_a > area_b end
    return a.i < b.i
  end)
  return spread_equals(spots)
end

---The board that pointer moves spread over: the largest canvas, or the middle of the page.
local function board(scene)
  local c = scene.board or { x = scene.centre.x - 200, y = scene.centre.y - 150, width = 400, height = 300 }
  return c
end

local function spread(area, i)
  -- A low-discrepancy sequence (golden ratio, Roberts 2018: R2) covers the board evenly for any number of moves.
  local u, v = (0.5 + i * 0.7548776662466927) % 1, (0.5 + i * 0.5698402909980532) % 1
  return { x = area.x + area.width * (0.1 + 0.8 * u), y = area.y + area.height * (0.1 + 0.8 * v) }
end

---A point of the board where no link to another page and no switch for the sound lies above it: a game's board may have
---its site's menu over it.
local function on_board(ctx, scene, area, i)
  local function is_free(point)
    for _, item in ipairs(scene.clickables) do
      local is_there = math.abs(point.x - item.x) <= item.width / 2 and math.abs(point.y - item.y) <= item.height / 2
      if is_there and (links.leads_away(item, ctx.url) or words.is_non_game_control(item, ctx.lists)) then
        return false
      end
    end
    return true
  end
  for k = 0, 19 do
    -- Far beyond the turns of a play, so that no point of it comes twice.
    local point = spread(area, i + 1000 * k)
    if is_free(point) then return point end
  end
  return spread(area, i)
end

---All keys in one window: whatever follows any of them shows, and more of it than by one key alone.
local function mash(controls)
  local keys = {}
  for _, control in ipairs(controls) do
    if control.kind == "key" and #keys < 6 then keys[#keys + 1] = control.key end
  end
  return #keys > 1 and { action = "mash", keys = keys, hold_ms = 35 } or nil
end

---Places of a board that are clicked one after the other in one window: where nothing moves by itself, it shows whether
---any of them answers.
M.scattered = 8

local function scatter(ctx, scene, area, round)
  local points = {}
  for k = 1, M.scattered do points[k] = on_board(ctx, scene, area, 500 + round * M.scattered + k) end
  return { action = "scatter", points = points, hold_ms = 25, on_canvas = true }
end

---Clicks a round gives to a page of elements, so that all that it offers has its turn.
local clicks_a_round = 4

---How far a wheel is turned, in CSS pixels.
local WHEEL = 240

local function in_turn(spots, round)
  local some = {}
  for k = 1, math.min(#spots, clicks_a_round) do
    some[k] = spots[((round - 1) * clicks_a_round + k - 1) % #spots + 1]
  end
  return some
end

---The keys of two opposite ways, where a game declares both.
---@return string[] none, or the two
local function opposites(controls, one_way, other_way)
  local one, other
  for _, control in ipairs(controls) do
    if control.kind == "key" and control.action == one_way then one = control.key end
    if control.kind == "key" and control.action == other_way then other = control.key end
  end
  return one and other and { one, other } or {}
end

---Keys that push the same thing to and fro. Pushed one way only it soon stands at a wall and answers no more.
---@return table<string, string> axis by key; empty unless both ways are there
local function sideways(controls)
  local axes = {}
  for _, key in ipairs(opposites(controls, "left", "right")) do axes[key] = "sideways" end
  return axes
end

---Moves that bring a player to one side, or to the other: where he ends tells more than what moved meanwhile.
---@return table[] none where the game has no two keys of opposite ways
function M.to_and_fro(ctx)
  local axes, moves = sideways(ctx.state.controls), {}
  local keys = opposites(ctx.state.controls, "left", "right")
  if #keys == 0 then keys = opposites(ctx.state.controls, "up", "down") end
  for _, key in ipairs(keys) do
    moves[#moves + 1] = { action = "press", key = key, axis = axes[key], hold_ms = ctx.state.window_ms - 100,
      count = 1 }
  end
  return moves
end

---What one control gives to a round.
local function moves_of(ctx, control, round, place)
  local hold = ctx.state.window_ms - 100
  local point, spot, area, i = place.point, place.spot, place.area, place.i
  if control.kind == "key" then
    -- Held for games that read key states, tapped several times for those that count presses.
    local tapped = round % 2 == 0
    return { { action = "press", key = control.key, axis = place.axis, hold_ms = tapped and 40 or hold,
      count = tapped and 4 or 1 } }
  elseif control.kind == "text" then
    return { { action = "type", text = ctx.lists.typed_words[(round - 1) % #ctx.lists.typed_words + 1],
      key = "Enter" } }
  elseif control.kind == "click" then
    local moves = {}
    for k, at in ipairs(place.more) do moves[k] = { action = "click", x = at.x, y = at.y, hold_ms = 50 } end
    if #moves == 0 or place.on_canvas then
      moves[#moves + 1] = { action = "click", x = point.x, y = point.y, hold_ms = 50, on_canvas = place.on_canvas }
    end
    if place.has_canvas and (round == 1 or not place.scattered) then
      moves[#moves + 1] = { action = "click", x = place.centre.x, y = place.centre.y, hold_ms = hold, on_canvas = true }
    end
    moves[#moves + 1] = place.scattered or nil
    if spot and spot.draggable then
      moves[#moves + 1] = { action = "drag", x = spot.x, y = spot.y, to = { x = spot.x + spot.width, y = spot.y } }
    end
    return moves
  elseif control.kind == "wheel" then
    return { { action = "wheel", x = point.x, y = point.y, dy = round % 2 == 0 and -WHEEL or WHEEL,
      on_canvas = place.on_canvas } }
  elseif control.kind == "touch" then
    local to = round % 2 == 0 and { x = point.x + (i % 4 < 2 and 120 or -120), y = point.y } or nil
    return { { action = "touch", x = point.x, y = point.y, to = to, on_canvas = place.on_canvas } }
  elseif control.kind == "move" then
    -- A sweep over the board to and fro, so that whatever follows the pointer is seen to.
    local right, down = i % 2 == 0, i % 4 < 2
    local x1, x2 = area.x + area.width * 0.1, area.x + area.width * 0.9
    local y1, y2 = area.y + area.height * 0.1, area.y + area.height * 0.9
    local from, to = { x = right and x1 or x2, y = down and y1 or y2 },
      { x = right and x2 or x1, y = down and y2 or y1 }
    local over_ms = ctx.state.window_ms * 0.6
    local moves = { { action = "move", x = from.x, y = from.y, to = to, over_ms = over_ms,
      on_canvas = place.has_canvas },
      { action = "move", x = to.x, y = to.y, to = from, over_ms = over_ms, on_canvas = place.has_canvas } }
    if place.has_canvas then
      moves[3] = { action = "drag", x = point.x, y = point.y,
        to = { x = point.x + 80 * (right and -1 or 1), y = point.y }, on_canvas = place.on_canvas }
    end
    return moves
  end
  local w, h = point.width or 80, point.height or 80
  local to = round % 2 == 0 and { x = point.x + w, y = point.y } or { x = point.x, y = point.y + h }
  return { { action = "drag", x = point.x, y = point.y, to = to, on_canvas = place.on_canvas } }
end

---C-019: what is tried when nothing is known.
local function generic_moves(ctx, scene)
  local moves = {}
  for _, key in ipairs(ctx.lists.generic_keys) do moves[#moves + 1] = { action = "press", key = key, hold_ms = 150 } end
  local spot = pointer_spots(ctx, scene)[1]
  local at = spot or scene.centre
  moves[#moves + 1] = { action = "click", x = at.x, y = at.y, hold_ms = 50, on_canvas = not spot and scene.has_canvas }
  return moves
end

---The first of each list, then the second of each, and so on: what comes late in a round may not come at all.
local function by_turns(lists)
  local all, longest = {}, 0
  for _, list in ipairs(lists) do longest = math.max(longest, #list) end
  for i = 1, longest do
    for _, list in ipairs(lists) do all[#all + 1] = list[i] end
  end
  return all
end

---Moves for one round over all controls, plain data. Games of the page's own elements get their pointer moves first.
---@param ctx table
---@param scene table qa.page.scene.look
---@param round integer
---@return table[]
function M.of(ctx, scene, round)
  local keys, by_pointer, count, spots, area, axes = {}, {}, 0, nil, board(scene), sideways(ctx.state.controls)
  keys[1] = mash(ctx.state.controls)
  for _, control in ipairs(ctx.state.controls) do
    local is_key = control.kind == "key"
    local place = { area = area, has_canvas = scene.has_canvas, centre = scene.centre, i = round * 3 + #keys + count,
      axis = axes[control.key] }
    if not is_key and control.kind ~= "text" then
      spots = spots or pointer_spots(ctx, scene)
      place.spot = #spots > 0 and spots[(place.i * 7 + round) % #spots + 1] or nil
      -- What lies above a canvas that cannot be clicked may be the game, or its menu.
      place.more = scene.has_canvas and not scene.is_covered and {} or in_turn(spots, round)
      place.on_canvas = scene.has_canvas and not (place.spot and place.spot.piece)
        and (round % 3 ~= 0 or not place.spot)
      place.point = not place.on_canvas and place.spot or on_board(ctx, scene, area, place.i)
      place.scattered = scene.has_canvas and not scene.is_covered and not ctx.state.was_animated
        and scatter(ctx, scene, area, round)
    end
    local own = moves_of(ctx, control, round, place)
    if is_key then
      keys[#keys + 1] = own[1]
    else
      by_pointer[#by_pointer + 1], count = own, count + #own
    end
  end
  local pointers = by_turns(by_pointer)
  if #keys + #pointers == 0 then return generic_moves(ctx, scene) end
  local first, second = keys, pointers
  if not scene.has_canvas then first, second = pointers, keys end
  -- Two of what the game is likelier to be played with for one of the other.
  local moves = {}
  for i = 1, math.max(math.ceil(#first / 2), #second) do
    moves[#moves + 1] = first[2 * i - 1]
    moves[#moves + 1] = first[2 * i]
    moves[#moves + 1] = second[i]
  end
  return moves
end

return M
