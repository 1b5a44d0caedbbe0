-- A page as text for a model, small and fenced: what can be clicked, HTML without what nobody reads. Called by prompts
-- with the rows of page:clickables() and the text of page:content(). Pure. Everything here was written by the page: it
-- is data to a model, never an instruction, and fence() keeps it apart.
local qa = require "qa"
local point_space = require "qa.model.point_space"
local spelling = require "qa.text.spelling"
local utf8 = require "qa.text.utf8"

local M = {}

local function set(words)
  local members = {}
  for word in words:gmatch "%S+" do members[word] = true end
  return members
end

---An upper estimate of the tokens of a text. Counted with o200k: 3.1 to 3.5 bytes for markup, 2.2 for lines of numbers.
---@param text string
---@param bytes_per_token? number 3
---@return integer
function M.tokens(text, bytes_per_token) return math.ceil(#text / (bytes_per_token or 3)) end

---- What can be clicked -----------------------------------------------------------------------------------------------

local clickables_options = { max_tokens = "number", bytes_per_token = "number", max_text = "number", space = "table" }

local function one_line(text, bytes)
  local line = utf8.printable(tostring(text or "")):gsub("%s+", " "):gsub('"', "'")
  return utf8.shorten(line, bytes)
end

---What keeps a row from being clicked now, as a word; "" for nothing.
local function hindrance(row)
  return row.disabled and " disabled" or not row.in_viewport and " outside" or row.covered and " covered" or ""
end

local function place(row, space)
  local x, y, width, height = row.x, row.y, row.width, row.height
  if space then
    local a, b = point_space.to_model(space, row)
    if not a then return nil end
    local limit_x, limit_y = point_space.limits(space)
    width = width * space.scale.x / space.width * limit_x
    height = height * space.scale.y / space.height * limit_y
    if space.order == "yx" then return ("%d,%d %.0fx%.0f"):format(a, b, height, width) end
    x, y = a, b
  end
  return ("%.0f,%.0f %.0fx%.0f"):format(x, y, width, height)
end

local function line_of(id, row, opts, space)
  local where = place(row, space)
  if not where then return nil end
  local label = one_line(row.name ~= "" and row.name or row.text, opts.max_text or 40)
  label = label ~= "" and ('"%s"'):format(label) or (row.id or "") ~= "" and "#" .. one_line(row.id, 40):gsub(" ", "")
    or '""'
  return ("%d %s %s %s%s"):format(id, one_line(row.tag, 20), label, where, hindrance(row))
end

---What is listed first: what can be used and says so in a word, then icons, then the rest.
local function rank(row)
  if hindrance(row) ~= "" then return 3 end
  return utf8.length(row.name ~= "" and row.name or row.text or "") > 1 and 1 or 2
end

---One line a control, `id tag "text" x,y wxh`: the centre, then the size, in CSS pixels or in the space of the model.
---id is the place in rows, so that an answer leads back. Usable ones come first; what finds no room is counted.
---@param rows table[] of page:clickables()
---@param opts? {max_tokens?: integer, bytes_per_token?: number, max_text?: integer, space?: qa.Space}
---@return string text
---@return {shown: integer[], left_out: integer, tokens: integer}
function M.clickables(rows, opts)
  opts = spelling.check_options("qa.page_text.clickables", opts, clickables_options)
  local space = opts.space and point_space.new(opts.space)
  local each = opts.bytes_per_token or 2
  local room = (opts.max_tokens or 150) * each - 12  -- what "+12345 more" takes
  local lines, shown, bytes = {}, {}, 0
  for now = 1, 3 do
    for id, row in ipairs(rows) do
      local line = rank(row) == now and line_of(id, row, opts, space)
      if line and bytes + #line + 1 <= room then
        lines[#lines + 1], shown[#shown + 1] = line, id
        bytes = bytes + #line + 1
      end
    end
  end
  local left_out = #rows - #shown
  if left_out > 0 then lines[#lines + 1] = ("+%d more"):format(left_out) end
  local text = table.concat(lines, "\n")
  return text, { shown = shown, left_out = left_out, tokens = M.tokens(text, each) }
end

---The boxes to be drawn on a picture of the page, labelled as the list numbers them: what can be clicked now. The
---canvas and what is as large as a screen are left out: a number says nothing about a place on them.
---@param rows table[] of page:clickables()
---@param area? number CSS pixels of the view; what has a quarter of them gets no mark
---@return {x: number, y: number, width: number, height: number, label: integer}[] corners and sizes in CSS pixels
function M.marks(rows, area)
  local marks = {}
  for id, row in ipairs(rows) do
    local is_large = row.tag == "canvas" or row.width * row.height >= (area or 1280 * 720) / 4
    if hindrance(row) == "" and not is_large then
      marks[#marks + 1] = { x = row.x - row.width / 2, y = row.y - row.height / 2, width = row.width,
        height = row.height, label = id }
    end
  end
  return marks
end

---- HTML --------------------------------------------------------------------------------------------------------------

local dropped = set "script style svg noscript template iframe object embed audio video math"
local raw_text = set "script style noscript iframe"  -- no markup inside
local void = set "area base br col embed hr img input link meta param source track wbr"
local silent = set "base link meta param source track wbr"
local noise = set "style srcset sizes integrity nonce crossorigin referrerpolicy loading decoding xmlns"
local marker = "<!-- cut: %d of %d bytes read -->"
local marker_room, max_pieces = 48, 50000

---The attributes of a tag whose name ended before `at`: text to keep, and the byte after the tag's ">".
local function attributes(html, at, opts)
  local kept = {}
  while true do
    local name, after = html:match("^[%s/]+([^%s\"'<>/=]+)()", at)
    if not name then break end
    local value, next_at = html:match('^%s*=%s*"([^"]*)"()', after)
    if not value then value, next_at = html:match("^%s*=%s*'([^']*)'()", after) end
    if not value then value, next_at = html:match("^%s*=%s*([^%s\"'>]+)()", after) end
    at = next_at or after
    name = name:lower()
    if not name:find "^on" and not noise[name] then
      if value and value:find "^%s*%a*:" then value = value:gsub("^%s*([dDbBjJ][%a]+:).*", "%1…") end
      local shown = one_line(value, opts.max_attribute or 80):gsub("<", "&lt;")
      kept[#kept + 1] = shown == "" and " " .. name or (' %s="%s"'):format(name, shown)
    end
  end
  local close = html:find(">", at, true)
  return table.concat(kept), close and close + 1 or #html + 1
end

---The byte after an element whose start tag ended before `at`.
local function after_element(html, name, at)
  local depth = 1
  while depth > 0 do
    local first, last = html:find("</" .. name, at, true)
    local inner = not raw_text[name] and html:find("<" .. name, at, true)
    if not first then return #html + 1 end
    if inner and inner < first then
      depth, at = depth + 1, inner + #name + 1
    else
      depth, at = depth - 1, (html:find(">", last, true) or #html) + 1
    end
  end
  return at
end

---Adds a piece if it, the end tags of what is open and the marker fit.
local function put(w, piece, opens)
  local owed = opens and #opens + 3 or 0
  if w.bytes + #piece + w.owed + owed + marker_room > w.limit then return false end
  w.parts[#w.parts + 1] = piece
  w.bytes, w.owed = w.bytes + #piece, w.owed + owed
  if opens then w.open[#w.open + 1] = opens end
  return true
end

local function end_one(w)
  local name = table.remove(w.open)
  w.owed = w.owed - (#name + 3)
  w.parts[#w.parts + 1] = "</" .. name .. ">"
  w.bytes = w.bytes + #name + 3
end

local function end_element(w, name)
  for depth = #w.open, 1, -1 do
    if w.open[depth] == name then
      while #w.open >= depth do end_one(w) end
      return
    end
  end
end

---Reads the tag at `at`; returns the byte after it, or nil when there is no room for it.
local function tag(w, html, at, opts)
  if html:find("^<!%-%-", at) then return (select(2, html:find("-->", at + 4, true)) or #html) + 1 end
  local slash, name, after = html:match("^<(/?)(%a[%w:_-]*)()", at)
  if not name then
    if html:find("^<[!?]", at) then return (html:find(">", at, true) or #html) + 1 end
    return put(w, "&lt;") and at + 1 or nil
  end
  name = name:lower()
  local kept, next_at = attributes(html, after, opts)
  if slash == "/" then
    end_element(w, name)
  elseif dropped[name] then
    return void[name] and next_at or after_element(html, name, next_at)
  elseif not silent[name] then
    if not put(w, "<" .. name .. kept .. ">", not void[name] and name or nil) then return nil end
  end
  return next_at
end

local function text_piece(w, text, opts)
  text = text:gsub("%s+", " ")
  return text == "" or text == " " or put(w, utf8.shorten(text, opts.max_text or 400))
end

---HTML without scripts, styles, drawings, comments, handlers and data in attributes, white space collapsed. What is
---over max_tokens (3000) is cut off between two elements or texts, with a marker, and what is open is ended.
---@param html string
---@param opts? {max_tokens?: integer, bytes_per_token?: number, max_text?: integer, max_attribute?: integer}
---@return string text
---@return {is_cut: boolean, tokens: integer}
function M.html(html, opts)
  opts = spelling.check_options("qa.page_text.html", opts, { max_tokens = "number", bytes_per_token = "number",
    max_text = "number", max_attribute = "number" })
  local each = opts.bytes_per_token or 3
  local w = { parts = {}, bytes = 0, open = {}, owed = 0, limit = (opts.max_tokens or 3000) * each }
  local at, pieces, is_cut = 1, 0, false
  while at <= #html and not is_cut do
    local stop = html:find("<", at, true) or #html + 1
    pieces = pieces + 1
    if pieces > max_pieces or (stop > at and not text_piece(w, html:sub(at, stop - 1), opts)) then
      is_cut = true
    else
      at = stop
      local next_at = at > #html and at or tag(w, html, at, opts)
      is_cut, at = not next_at, next_at or at
    end
  end
  if is_cut then w.parts[#w.parts + 1] = marker:format(at - 1, #html) end
  while #w.open > 0 do end_one(w) end
  local text = table.concat(w.parts)
  return text, { is_cut = is_cut, tokens = M.tokens(text, each) }
end

---- The fence ---------------------------------------------------------------------------------------------------------

---Text of the page between two lines that it cannot contain: their mark is a hash of it, so the same text gives the
---same bytes. Characters that nobody sees are taken out first.
---@param text string
---@param label string what it is: "page", "clickables"
---@return string fenced
---@return string mark
function M.fence(text, label)
  text = utf8.printable(text)
  local salt = 0
  local function new_mark() return qa.fs.sha256(("%d %s\n"):format(salt, label) .. text):sub(1, 16) end
  local mark = new_mark()
  while text:find(mark, 1, true) do
    salt = salt + 1
    mark = new_mark()
  end
  return ("<<<%s %s\n%s\n%s %s>>>"):format(label, mark, text, label, mark), mark
end

return M
