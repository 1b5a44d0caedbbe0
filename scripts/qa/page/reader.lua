--- Reader: what can be read on a page: its own text, what it writes on canvases (page option tap_text), its pixels.
local qa = require "qa"

local M = {}

local UNAVAILABLE = "ocr_unavailable"
local told = false

---The list comes out of the page's own world, so its types are the page's choice.
local function is_text(item)
  if type(item) ~= "table" or type(item.text) ~= "string" then return false end
  for _, name in ipairs{ "x", "y", "width", "height" } do
    if type(item[name]) ~= "number" then return false end
  end
  return true
end

---What the page's scripts have written on visible canvases; x and y are the middle, in page coordinates.
---@param page qa.Page
---@return {text: string, x: number, y: number, width: number, height: number, font: string, age_ms: number}[]
function M.painted(page)
  local list = {}
  for _, frame in ipairs(page:probe("tapped_text", {}, { timeout_ms = 1500 }) or {}) do
    for _, item in ipairs(type(frame.value) == "table" and frame.value or {}) do
      if is_text(item) then list[#list + 1] = item end
    end
  end
  return list
end

---The texts of a list, one a line.
function M.lines(list)
  local lines = {}
  for i, item in ipairs(list) do lines[i] = item.text end
  return table.concat(lines, "\n")
end

---What the page says and what it paints, asked at once.
---@return {written: string, painted: table[]} painted as of M.painted
function M.texts(page)
  local written, painted = qa.all(function() return page:content{ format = "text" } or "" end,
    function() return M.painted(page) end)
  return { written = written, painted = painted }
end

---All that can be read: the visible text of the page, then what is painted.
---@return string
function M.text(page)
  local texts = M.texts(page)
  local painted = M.lines(texts.painted)
  return painted ~= "" and texts.written .. "\n" .. painted or texts.written
end

---Words side by side become one text: as high as each other, on one line, no further apart than a letter is high.
---@param words table[] of image:text, in reading order
---@return table[] lines {text, x, y, width, height, confidence}; x and y are the corner
function M.join_words(words)
  local lines = {}
  for _, word in ipairs(words) do
    local home
    for _, line in ipairs(lines) do
      local overlap = math.min(line.y + line.height, word.y + word.height) - math.max(line.y, word.y)
      local gap = word.x - (line.x + line.width)
      if overlap > 0.5 * math.min(line.height, word.height) and gap >= -2
        and gap < 1.2 * math.max(line.height, word.height) then
        home = line
      end
    end
    if home then
      local bottom = math.max(home.y + home.height, word.y + word.height)
      home.text = home.text .. " " .. word.text
      home.width, home.y = word.x + word.width - home.x, math.min(home.y, word.y)
      home.height, home.confidence = bottom - home.y, math.min(home.confidence, word.confidence)
    else
      lines[#lines + 1] = { text = word.text, x = word.x, y = word.y, width = word.width, height = word.height,
        confidence = word.confidence }
    end
  end
  return lines
end

---How much the page draws each time that it paints (page option count_draws): calls on its 2D canvases and vertices by
---WebGL, in all frames.
---@param page qa.Page
---@return number? drawn as of what was painted since it was last asked, or the last known; nil before anything was
function M.drawn(page)
  local all
  for _, frame in ipairs(page:probe("drawn", {}, { timeout_ms = 1500 }) or {}) do
    local n = frame.value
    if type(n) == "number" and n >= 0 and n < math.huge then all = (all or 0) + n end
  end
  return all
end

---Reads the pixels of the viewport. Without Tesseract it says so once, and reads nothing.
---@param page qa.Page
---@param opts? table of image:text
---@return {text: string, x: number, y: number, width: number, height: number, confidence: number}[] list as M.painted
function M.read(page, opts)
  local frames = page:probe("tapped_text", {}, { timeout_ms = 1500 })
  local image = frames and frames[1] and page:screenshot()
  if not image then return {} end
  local words, err = image:text(opts or {})
  local scale = image:size() / frames[1].width
  image:close()
  if not words then
    if err.kind == UNAVAILABLE and not told then
      told = true
      qa.log.warn("text is not read off pixels: " .. err.message)
    end
    return {}
  end
  local list = M.join_words(words)
  for _, line in ipairs(list) do
    line.x, line.y = (line.x + line.width / 2) / scale, (line.y + line.height / 2) / scale
    line.width, line.height = line.width / scale, line.height / scale
  end
  return list
end

---The text of the list that holds the words, an exact one first; matched as a player reads: without case, runs of
---blanks as one.
---@param list table[] of M.painted or M.read
---@param words string
function M.find(list, words)
  local function plain(text) return (text:lower():gsub("%s+", " "):gsub("^ ", ""):gsub(" $", "")) end
  local wanted, best = plain(words), nil
  for _, item in ipairs(list) do
    local text = plain(item.text)
    if text == wanted then return item end
    if not best and text:find(wanted, 1, true) then best = item end
  end
  return best
end

return M
