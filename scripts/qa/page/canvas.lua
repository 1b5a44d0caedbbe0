--- The canvas that the game is played on: which one it is, and how it comes back into view.
local M = {}

---The part of a box that lies in the viewport, plain data.
function M.clip(ctx, box)
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
---@param states table[] of M.states
---@return table? canvas, table? scroll of its frame, boolean? is_top
function M.pick(ctx, states)
  local board, scroll, is_top, best, played_at = nil, nil, nil, 0, ctx.state.played_at
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

---What the frames of a page hold, the top one first.
function M.states(page) return page:probe("page_state", {}, { timeout_ms = 2000 }) or {} end

---Is at least half in view of what could be of a canvas?
local function is_in_view(ctx, canvas)
  local part = M.clip(ctx, canvas)
  return part.width * part.height >= 0.5 * math.min(canvas.width, ctx.width) * math.min(canvas.height, ctx.height)
end

---Remembers that the game is on the canvas next to a point of the viewport that was clicked to start it.
function M.play_at(ctx, point)
  local nearest, larger = math.huge, 0
  for _, frame in ipairs(M.states(ctx.page)) do
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
function M.bring_back(ctx, canvas, scroll, is_top)
  if is_in_view(ctx, canvas) then return false end
  if not is_top then return ctx.page:find("canvas") ~= nil end
  local x = canvas.x + scroll.x - math.max(0, (ctx.width - canvas.width) / 2)
  local y = canvas.y + scroll.y - math.max(0, (ctx.height - canvas.height) / 2)
  local scroll_to = "(left, top) => { scrollTo({ left, top, behavior: 'instant' }); return true }"
  return ctx.page:evaluate(scroll_to, { args = { x, y }, world = "host" }) ~= nil
end

---The canvas that the game is played on, with its own size in pixels: {x, y, width, height, pixel_width, pixel_height}.
---@return table?
function M.of_game(ctx) return (M.pick(ctx, M.states(ctx.page))) end

return M
