--- The scene: what a page offers now, and where the game in it is.

local qa = require "qa"
local reader = require "qa.page.reader"
local cell_grid = require "qa.page.cell_grid"

local M = {}

---The part of a box that lies in the viewport, plain data.
local function clip(ctx, box)
  if not box then return nil end
  local x, y = math.max(0, box.x), math.max(0, box.y)
  return { x = x, y = y, width = math.max(1, math.min(ctx.width, box.x + box.width) - x),
    height = math.max(1, math.min(ctx.height, box.y + box.height) - y) }
end

---From a point to a box; 0 inside.
local function distance(box, point)
  local dx = math.max(box.x - point.x, 0, point.x - box.x - box.width)
  local dy = math.max(box.y - point.y, 0, point.y - box.y - box.height)
  return math.sqrt(dx * dx + dy * dy)
end

---A point of the viewport as one of the document, which scrolling does not change.
local function in_document(scroll, point) return { x = point.x + scroll.x, y = point.y + scroll.y } end

---The canvas that the game is played on: the one next to which its start was clicked, else the largest.
---@return table? canvas, table? scroll of its frame, boolean? is_top
local function board_of(states, played_at)
  local board, scroll, is_top, best = nil, nil, nil, 0
  for i, frame in ipairs(states) do
    for _, canvas in ipairs(frame.value.canvases or {}) do
      local area = canvas.visible and canvas.width * canvas.height or 0
      local at = in_document(frame.value.scroll, canvas)
      local is_played = played_at and distance({ x = at.x, y = at.y, width = canvas.width, height = canvas.height },
        played_at) == 0
      if area > 0 and is_played then area = area + 1e9 end
      if area > best then board, scroll, is_top, best = canvas, frame.value.scroll, i == 1, area end
    end
  end
  return board, scroll, is_top
end

local function states_of(page) return page:probe("page_state", {}, { timeout_ms = 2000 }) or {} end

---Is at least half in view of what could be of a canvas?
local function is_in_view(ctx, canvas)
  local part = clip(ctx, canvas)
  return part.width * part.height >= 0.5 * math.min(canvas.width, ctx.width) * math.min(canvas.height, ctx.height)
end

---Remembers that the game is on the canvas next to a point of the viewport that was clicked to start it.
function M.play_at(ctx, point)
  local nearest, larger = math.huge, 0
  for _, frame in ipairs(states_of(ctx.page)) do
    for _, canvas in ipairs(frame.value.canvases or {}) do
      local away, area = distance(canvas, point), canvas.width * canvas.height
      if canvas.visible and is_in_view(ctx, canvas) and (away < nearest or away == nearest and area > larger) then
        nearest, larger = away, area
        ctx.state.played_at = in_document(frame.value.scroll,
          { x = canvas.x + canvas.width / 2, y = canvas.y + canvas.height / 2 })
      end
    end
  end
end

---Brings a canvas of which less is in view than could be, for the page was scrolled away from the game, back into it.
---@return boolean scrolled
local function bring_back(ctx, canvas, scroll, is_top)
  if is_in_view(ctx, canvas) then return false end
  if not is_top then return ctx.page:find("canvas") ~= nil end
  local x = canvas.x + scroll.x - math.max(0, (ctx.width - canvas.width) / 2)
  local y = canvas.y + scroll.y - math.max(0, (ctx.height - canvas.height) / 2)
  local scroll_to = "(left, top) => { scrollTo({ left, top, behavior: 'instant' }); return true }"
  return ctx.page:evaluate(scroll_to, { args = { x, y }, world = "host" }) ~= nil
end

---The canvas that the game is played on, with its own size in pixels: {x, y, width, height, pixel_width, pixel_height}.
---@return table?
function M.canvas(ctx)
  local canvas = board_of(states_of(ctx.page), ctx.state.played_at)
  return canvas
end

local presses = { click = true, mousedown = true, pointerdown = true, mouseup = true, pointerup = true,
  touchstart = true, dblclick = true }

---Elements that listen for presses without any sign of it for the eye, as page:clickables tells others. Those that fill
---the page are its ground.
---@return table[]
local function listening(ctx)
  local items, seen, pressable = {}, {}, {}
  for _, listener in ipairs(ctx.page:listeners() or {}) do
    if presses[listener.type] and listener.node and not seen[listener.node] and #pressable < 40 then
      seen[listener.node] = true
      pressable[#pressable + 1] = listener
    end
  end
  local far = {}
  for _, frame in ipairs(#pressable > 0 and ctx.page:frames() or {}) do far[frame.id] = frame.out_of_process end
  for _, listener in ipairs(pressable) do
    -- A frame of another process counts its places from its own corner.
    local box = not far[listener.frame] and
      ctx.page:cdp("DOM.getBoxModel", { backendNodeId = listener.node }, { frame = listener.frame, timeout_ms = 500 })
    -- Four corners, from the left upper one on.
    local corners = box and box.model.border or { 0, 0, 0, 0, 0, 0 }
    local width, height = corners[5] - corners[1], corners[6] - corners[2]
    local x, y = corners[1] + width / 2, corners[2] + height / 2
    local is_piece = width >= 4 and height >= 4 and width * height < 0.6 * ctx.width * ctx.height
    if is_piece and x >= 0 and y >= 0 and x < ctx.width and y < ctx.height then
      items[#items + 1] = { x = x, y = y, width = width, height = height, left = corners[1], top = corners[2],
        tag = listener.target,
        text = "", name = "", id = "", class = "", role = "", in_viewport = true, covered = false, disabled = false }
    end
  end
  return items
end

local function site_of(url) return url:match("^https?://[^/?#]+") end

---Does this link lead to a page of the same site?
---@param item table of page:clickables
---@param url string of the page
---@return boolean
function M.is_of_site(item, url) return site_of(item.link or "") ~= nil and site_of(item.link) == site_of(url) end

---Is this a link to another page? That is part neither of starting a game nor of playing it.
---@param item table of page:clickables
---@param url string of the page
---@return boolean
function M.leads_away(item, url)
  -- What lies in a link to another site, as a picture does.
  if site_of(item.link or "") and not M.is_of_site(item, url) then return true end
  local href = item.href
  if item.tag ~= "a" or type(href) ~= "string" or href == "" or href:match("^#") or href:match("^javascript:") then
    return false
  end
  return href:gsub("#.*$", "") ~= url:gsub("#.*$", "")
end

---The state of its frames, what can be clicked, and what can be read: asked all at once, for a page may answer only
---between two frames.
local function read(page)
  return qa.all(function() return states_of(page) end, function() return page:clickables{ limit = 120 } or {} end,
    function() return reader.texts(page) end)
end

---What the page offers now. A game that was scrolled out of view comes back first.
---@param ctx table
---@return {scrolled: boolean, clickables: table[], painted: table[], text: string, centre: qa.Point, area: number,
---board: table?, has_canvas: boolean, is_covered: boolean} scene is_covered: nothing of the canvas can be clicked, for
---it is the backdrop of a page or lies under one
function M.look(ctx)
  local states, clickables, texts = read(ctx.page)
  local board, scroll, is_top = board_of(states, ctx.state.played_at)
  local scrolled = board ~= nil and bring_back(ctx, board, scroll, is_top)
  if scrolled then
    states, clickables, texts = read(ctx.page)
    board = board_of(states, ctx.state.played_at)
  end
  if #clickables == 0 and not board then clickables = listening(ctx) end
  local part = clip(ctx, board)
  local centre = { x = ctx.width / 2, y = ctx.height / 2 }
  if part then
    centre = { x = part.x + part.width / 2, y = part.y + part.height / 2 }
  elseif states[2] and states[2].width * states[2].height > 0.1 * ctx.width * ctx.height then
    centre = { x = states[2].x + states[2].width / 2, y = states[2].y + states[2].height / 2 }
  end
  ctx.state.board_cells = part and part.width * part.height / (ctx.width * ctx.height) * cell_grid.cells or nil
  return { scrolled = scrolled, clickables = clickables, painted = texts.painted, text = texts.written .. "\n"
    .. reader.lines(texts.painted), centre = centre,
    area = ctx.width * ctx.height, board = part, has_canvas = board ~= nil,
    is_covered = board ~= nil and board.covered == true }
end

---Text and structure of all frames as one string; nil when the page does not answer.
---@return string?
function M.signature(page)
  local frames = page:probe("dom_signature", {}, { timeout_ms = 1500 })
  if not frames then return nil end
  local parts = {}
  for i, frame in ipairs(frames) do parts[i] = tostring(frame.value.hash) end
  return table.concat(parts, "/")
end

---What the browser may draw otherwise at an input, whatever the page does: the control that a click at this point
---presses (none of a canvas), and the one that has the keyboard's focus.
---@param point? qa.Point
---@return {pressed: qa.Rect?, is_field: boolean?, focused: qa.Rect?, hover: boolean?} looks is_field: what is pressed
---is a field that the browser fills or marks by itself; hover: a style sheet, or the browser, has a look for what is
---under the pointer
function M.native_looks(page, point)
  local looks = {}
  for _, frame in ipairs(page:probe("native_looks", { x = point and point.x, y = point and point.y },
    { timeout_ms = 1500 }) or {}) do
    for _, name in ipairs{ "pressed", "focused" } do
      looks[name] = type(frame.value[name]) == "table" and frame.value[name] or looks[name]
    end
    looks.hover, looks.is_field = looks.hover or frame.value.hover == true, looks.is_field
      or frame.value.is_field == true
  end
  return looks
end

local hovering = { mouseover = true, mouseenter = true, mousemove = true, mouseout = true, mouseleave = true,
  pointerover = true, pointerenter = true,
  pointermove = true, pointerout = true, pointerleave = true }

---So many does the host list at most.
local most_listeners = 200

---Does a script of the page listen to a pointer that only moves? Also true where that is not known.
---@return boolean
function M.listens_to_hovering(page)
  local listeners = page:listeners()
  if not listeners then return true end
  for _, listener in ipairs(listeners) do
    if hovering[listener.type] then return true end
  end
  return #listeners >= most_listeners
end

---Do two signatures differ, as far as both are known?
---@return boolean
function M.changed(before, after) return before ~= nil and after ~= nil and before ~= after end

---Did the second step change the page, and the first not?
---@return boolean
function M.dom_changed(before, control, after)
  return before ~= nil and before == control and M.changed(control, after)
end

return M
