--- Anchor: what a target was, beside where it was, so that it can be found again when it has moved: its id and text in
-- the document, its text on a canvas, its picture. Plain data, kept in the memory.
local qa = require "qa"
local reader = require "qa.page.reader"
local internal = require "qa.internal"
local player = require "qa.input.action_player"

local M = {}

---Sizes of the picture around a point that is no element's: the first with something to see in it is taken.
M.sizes = { { 96, 64 }, { 192, 128 }, { 320, 214 } }
M.most_width, M.most_height, M.frame = 320, 214, 6
M.least_contrast = 12  -- luma steps between the darkest and the brightest of 16 x 12 cells
M.least_score = 0.9

local function plain(text) return (tostring(text or ""):gsub("%s+", " "):gsub("^ ", ""):gsub(" $", "")) end

local function has_contrast(image)
  local grid = image:grid(16, 12)
  local low, high = 255, 0
  for i = 1, grid and #grid or 0 do
    local v = grid:byte(i)
    if v < low then low = v end
    if v > high then high = v end
  end
  return high - low >= M.least_contrast
end

local function clipped(shot, x, y, width, height)
  local w, h = shot:size()
  local left, top = math.max(0, math.floor(x - width / 2)), math.max(0, math.floor(y - height / 2))
  local right, bottom = math.min(w, math.ceil(x + width / 2)), math.min(h, math.ceil(y + height / 2))
  if right - left < 8 or bottom - top < 8 then return nil end
  local image = shot:crop(left, top, right - left, bottom - top)
  return image, x - left, y - top
end

---The bytes of a picture. Pictures leave the host as files only: this one goes into the run directory.
local function bytes_of(image, dir, name)
  if not dir then return nil end
  local path = ("targets/%s.png"):format(name)
  if not image:save(path) then return nil end
  return qa.fs.read(dir .. "/" .. path)
end

---@param shot qa.Image of the viewport, one pixel a CSS pixel
---@param point qa.Point
---@param row? table of page:clickables() that is the target
local function picture_of(shot, point, row, dir, name)
  local sizes = M.sizes
  if row then
    sizes = { { math.min(M.most_width, row.width + 2 * M.frame), math.min(M.most_height, row.height + 2 * M.frame) } }
  end
  for _, size in ipairs(sizes) do
    local image, dx, dy = clipped(shot, point.x, point.y, size[1], size[2])
    if image then
      local bytes = has_contrast(image) and bytes_of(image, dir, name)
      image:close()
      if bytes then return { png = internal.base64(bytes), dx = dx, dy = dy } end
    end
  end
end

---What is at a point now.
---@param page qa.Page
---@param shot qa.Image
---@param point qa.Point
---@param dir? string run directory
---@param name string of the picture's file
---@return {x: number, y: number, id?: string, text?: string, tag?: string, painted?: string, picture?: table}
function M.of(page, shot, point, dir, name)
  local anchor = { x = point.x, y = point.y }
  local row = player.snap(point, page:clickables{ limit = 120 } or {})
  if row then
    anchor.tag = row.tag
    anchor.id = row.id and row.id ~= "" and row.id or nil
    local text = plain(row.text ~= "" and row.text or row.name):sub(1, 80)
    anchor.text = text ~= "" and text or nil
    -- Where in the element it was clicked.
    anchor.dx, anchor.dy = point.x - row.x, point.y - row.y
  else
    for _, item in ipairs(reader.painted(page)) do
      local hit = math.abs(point.x - item.x) <= item.width / 2 + M.frame
        and math.abs(point.y - item.y) <= item.height / 2 + M.frame
      if hit and plain(item.text) ~= "" then
        anchor.painted, anchor.dx, anchor.dy = plain(item.text):sub(1, 80), point.x - item.x, point.y - item.y
      end
    end
  end
  anchor.picture = picture_of(shot, point, row, dir, name)
  return anchor
end

---Could the target be told from what is around it?
function M.is_strong(anchor)
  return anchor ~= nil and (anchor.id or anchor.text or anchor.painted or anchor.picture) ~= nil
end

local function away(a, b) return math.sqrt((a.x - b.x) ^ 2 + (a.y - b.y) ^ 2) end

local function nearest(list, anchor, is_it)
  local best
  for _, item in ipairs(list) do
    if is_it(item) and (not best or away(item, anchor) < away(best, anchor)) then best = item end
  end
  return best
end

local function in_element(anchor, item)
  local dx = math.max(-item.width / 2 + 1, math.min(item.width / 2 - 1, anchor.dx or 0))
  local dy = math.max(-item.height / 2 + 1, math.min(item.height / 2 - 1, anchor.dy or 0))
  return { x = item.x + dx, y = item.y + dy }
end

local function by_dom(page, anchor)
  if not anchor.id and not anchor.text then return nil end
  local rows = page:clickables{ limit = 200 } or {}
  local function usable(row)
    return not row.disabled and row.width >= 4 and row.height >= 4 and row.tag == anchor.tag
  end
  local found, how = nil, "id"
  if anchor.id then found = nearest(rows, anchor, function(row) return usable(row) and row.id == anchor.id end) end
  if not found and anchor.text then
    how = "text"
    found = nearest(rows, anchor,
      function(row) return usable(row) and plain(row.text ~= "" and row.text or row.name):sub(1, 80) == anchor.text end)
  end
  if not found then return nil end
  if found.in_viewport == false then
    local shown = page:find(found.id and found.id ~= "" and ("[id=%q]"):format(found.id) or { text = anchor.text })
    if not shown then return nil end
    found = { x = shown.x, y = shown.y, width = found.width, height = found.height, covered = shown.covered }
  end
  if found.covered then return nil, ("%s is there, but something covers it"):format(anchor.text or anchor.id) end
  return in_element(anchor, found), how
end

local function by_painted(page, anchor)
  if not anchor.painted then return nil end
  local found = nearest(reader.painted(page), anchor,
    function(item) return plain(item.text):sub(1, 80) == anchor.painted end)
  return found and { x = found.x + (anchor.dx or 0), y = found.y + (anchor.dy or 0) }, "painted text"
end

local function by_picture(shot, anchor, score)
  local bytes = anchor.picture and internal.from_base64(anchor.picture.png)
  local template = bytes and qa.image.decode(bytes)
  if not template then return nil end
  local list = shot:find(template, { threshold = score or M.least_score, all = true }) or {}
  template:close()
  local best
  for _, match in ipairs(list) do
    local at = { x = match.x + anchor.picture.dx, y = match.y + anchor.picture.dy, score = match.score }
    if not best or away(at, anchor) < away(best, anchor) then best = at end
  end
  return best, "picture"
end

---Where the target is now: told by the document, by painted text, by its picture, in this order.
---@param page qa.Page
---@param shot qa.Image
---@param anchor table
---@param score? number least score of a picture
---@return qa.Point? point, string how_or_why "id", "text", "painted text", "picture"; else why not
function M.find(page, shot, anchor, score)
  local point, how = by_dom(page, anchor)
  if point then return point, how end
  local why = how
  point, how = by_painted(page, anchor)
  if point then return point, how end
  point, how = by_picture(shot, anchor, score)
  if point and not why then return point, how end
  return nil, why or ("%s is not on the page any more"):format(M.describe(anchor))
end

---@return string
function M.describe(anchor)
  local utf8 = require "qa.text.utf8"
  local text = anchor.text or anchor.painted
  if text then return ("%s %q"):format(anchor.tag or "text", utf8.shorten(utf8.printable(text), 60)) end
  return ("%s at %.0f,%.0f"):format(anchor.id and "#" .. utf8.shorten(utf8.printable(anchor.id), 40) or anchor.tag
    or "what was", anchor.x, anchor.y)
end

return M
