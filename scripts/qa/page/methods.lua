-- Page methods that are sequences of primitives: waiting for a target to be
-- actionable, then one input. The prelude forwards page:click(...) and the rest here.
local qa = require "qa"
local reader = require "qa.page.reader"
local failure = require "qa.text.failure"
local spelling = require "qa.text.spelling"
local time = require "qa.page.time"

local M = {}

local DEFAULT_TIMEOUT_MS = 2000
local DEFAULT_POLL_MS = 50

---The arguments of the in-page function for a target; a point needs none.
local function query_of(op, target)
  if type(target) == "string" then
    if target == "" then error(op .. ": the selector is empty", 3) end
    return { selector = target }
  end
  if type(target) ~= "table" then
    error(("%s: expected a CSS selector, a point {x, y} or {text = ...}, got %s"):format(op, type(target)), 3)
  end
  if type(target.selector) == "string" then return { selector = target.selector } end
  if type(target.text) == "string" and target.x == nil then return { text = target.text } end
  if type(target.x) == "number" and type(target.y) == "number" then return nil end
  error(("%s: a target table has x and y, or text%s"):format(op,
    target.image and " (images are not looked for in this version)" or ""), 3)
end

local function words_of(target)
  if type(target) == "string" then return target end
  return target.text and ('"%s"'):format(target.text) or target.selector or ("%g,%g"):format(target.x, target.y)
end

---Up to five names of what can be clicked, for the message of a miss.
local function nearest_names(page, target)
  local names, seen = {}, {}
  for _, element in ipairs(M.clickables(page, { limit = 40 }) or {}) do
    local name = element.id ~= "" and element.id and "#" .. element.id or element.text or element.name
    if name and name ~= "" and not seen[name] and #names < 12 then
      seen[name] = true
      names[#names + 1] = name:sub(1, 40)
    end
  end
  local near = spelling.nearest(words_of(target):gsub('"', ""), names)
  if near then return { near } end
  return { unpack(names, 1, 5) }
end

---Best match of all frames: visible ones first, then exact ones, then the order of frames.
local function locate(page, op, query)
  query.scroll = true
  local frames, err = page:probe("locate", query)
  if not frames then return nil, err end
  local best, best_rank
  for _, frame in ipairs(frames) do
    local value = frame.value
    if type(value) == "table" then
      if value.error then
        return nil, failure.new("js_error", ("invalid selector %s: %s"):format(query.selector, value.error), op)
      end
      for _, match in ipairs(value) do
        local rank = (match.visible and 2 or 0) + (match.exact and 1 or 0)
        if not best or rank > best_rank then
          best, best_rank = match, rank
          best.frame = frame.frame
        end
      end
    end
  end
  return best
end

---What is written on a canvas has no element of its own: it can be clicked where it stands.
local function on_canvas(item)
  return { x = item.x, y = item.y, width = item.width, height = item.height, text = item.text, visible = true,
    enabled = true, covered = false, in_viewport = true }
end

---Searches the document, then what is painted, then, when `pixels`, the picture itself.
local function find(page, op, target, pixels)
  local query = query_of(op, target)
  if not query then
    return { x = target.x, y = target.y, width = 0, height = 0, visible = true, enabled = true, covered = false,
      in_viewport = true }
  end
  local found, err = locate(page, op, query)
  -- Scrolling moved the frame's own box as well, so its offset is read again.
  if found and found.scrolled then found, err = locate(page, op, query) end
  if found or err then return found, err end
  local painted = query.text
    and (reader.find(reader.painted(page), query.text) or pixels and reader.find(reader.read(page), query.text))
  if painted then return on_canvas(painted) end
  return nil, failure.new("element_not_found", ("nothing matches %s"):format(words_of(target)), op)
end

---@return table?, qa.Error?
function M.find(page, target)
  local found, err = find(page, "page:find", target, true)
  if not found and err.kind == "element_not_found" then err.detail = { there = nearest_names(page, target) } end
  return found, err
end

---Why a located element cannot be used yet; nil when it can.
local function obstacle(found, opts)
  if not found.visible then return "it is not visible" end
  if not found.enabled then return "it is disabled" end
  if not found.in_viewport then return "it is outside the viewport" end
  if opts.force then return nil end
  if found.covered then return "something covers it" end
end

local function same_place(a, b)
  return a ~= nil and math.abs(a.x - b.x) < 1 and math.abs(a.y - b.y) < 1 and a.width == b.width
    and a.height == b.height
end

---Polls until the target can be used. Errors of the page end the wait at once.
local function wait_actionable(page, op, target, opts)
  local deadline = time.now_ms() + (opts.timeout_ms or DEFAULT_TIMEOUT_MS)
  local reason, previous
  while true do
    -- Pixels are read once, at the end of the wait.
    local found, err = find(page, op, target, time.now_ms() >= deadline)
    if found then
      reason = obstacle(found, opts)
      if not reason and opts.stable and not same_place(previous, found) then reason = "it moves" end
      if not reason then return found end
      previous = found
    elseif err.kind ~= "element_not_found" then
      return nil, err
    end
    if time.now_ms() >= deadline then
      if not found then
        local there = nearest_names(page, target)
        local message = ("nothing matches %s"):format(words_of(target))
        if #there > 0 then message = message .. "; there is " .. table.concat(there, ", ") end
        return nil, failure.new("element_not_found", message, op, { there = there })
      end
      return nil, failure.new("element_not_found", ("%s is there, but %s"):format(words_of(target), reason), op,
        { reason = reason, found = found })
    end
    time.sleep(opts.poll_ms or DEFAULT_POLL_MS)
  end
end

local click_options = { timeout_ms = "number", poll_ms = "number", button = "string", count = "number",
  hold_ms = "number", modifiers = "table", force = "boolean", stable = "boolean" }

---@return table? found
---@return qa.Error?
function M.click(page, target, opts)
  opts = spelling.check_options("page:click", opts, click_options)
  query_of("page:click", target)
  local found, err = wait_actionable(page, "page:click", target, opts)
  if not found then return nil, err end
  local ok
  ok, err = page:mouse_click(found.x, found.y,
    { button = opts.button, count = opts.count, hold_ms = opts.hold_ms, modifiers = opts.modifiers })
  if not ok then return nil, err end
  return found
end

---@return any found
---@return qa.Error?
function M.wait_for(page, target, opts)
  opts = spelling.check_options("page:wait_for", opts,
    { timeout_ms = "number", poll_ms = "number", force = "boolean", stable = "boolean" })
  if type(target) == "table" and type(target.js) == "string" then
    local deadline = time.now_ms() + (opts.timeout_ms or DEFAULT_TIMEOUT_MS)
    local value, err
    repeat
      value, err = page:evaluate(target.js)
      if err and err.kind ~= "js_error" then return nil, err end
      if value and value ~= qa.json.null then return value end
      time.sleep(opts.poll_ms or DEFAULT_POLL_MS)
    until time.now_ms() >= deadline
    return nil, err or failure.new("timeout", ("%s did not become true"):format(target.js), "page:wait_for")
  end
  query_of("page:wait_for", target)
  local waiting = { timeout_ms = opts.timeout_ms, poll_ms = opts.poll_ms, stable = opts.stable,
    force = opts.force ~= false }
  return wait_actionable(page, "page:wait_for", target, waiting)
end

---@return true?, qa.Error?
function M.drag(page, from, to, opts)
  opts = spelling.check_options("page:drag", opts,
    { steps = "number", hold_ms = "number", duration_ms = "number", timeout_ms = "number" })
  query_of("page:drag", from)
  query_of("page:drag", to)
  local waiting = { timeout_ms = opts.timeout_ms, force = true }
  local first, err = wait_actionable(page, "page:drag", from, waiting)
  if not first then return nil, err end
  local last
  last, err = wait_actionable(page, "page:drag", to, waiting)
  if not last then return nil, err end
  -- Looking for the second end may have scrolled the first away.
  first, err = find(page, "page:drag", from)
  if not first then return nil, err end
  return page:mouse_drag(first.x, first.y, last.x, last.y,
    { steps = opts.steps, hold_ms = opts.hold_ms, duration_ms = opts.duration_ms })
end

---@return qa.Image?, qa.Error?
function M.screenshot(page, opts)
  opts = spelling.check_options("page:screenshot", opts, { clip = "table", element = "any", format = "string",
    quality = "number", scale = "number", timeout_ms = "number" })
  local capture = { clip = opts.clip, format = opts.format, quality = opts.quality, scale = opts.scale,
    timeout_ms = opts.timeout_ms }
  if opts.element ~= nil then
    if opts.clip then error("page:screenshot: give clip or element, not both", 2) end
    query_of("page:screenshot", opts.element)
    local found, err = wait_actionable(page, "page:screenshot", opts.element, { force = true })
    if not found then return nil, err end
    capture.clip = { x = found.x - found.width / 2, y = found.y - found.height / 2, width = found.width,
      height = found.height }
  end
  return page:capture(capture)
end

---@return string?, qa.Error?
function M.content(page, opts)
  opts = spelling.check_options("page:content", opts, { format = "string" })
  local format = opts.format or "html"
  if format ~= "html" and format ~= "text" then
    error("page:content: format is 'html' or 'text', got '" .. format .. "'", 2)
  end
  local frames, err = page:probe("content", { format = format })
  if not frames then return nil, err end
  local parts = {}
  for _, frame in ipairs(frames) do
    if type(frame.value) == "string" and frame.value ~= "" then parts[#parts + 1] = frame.value end
  end
  return table.concat(parts, "\n")
end

---@return table[]?, qa.Error?
function M.clickables(page, opts)
  opts = spelling.check_options("page:clickables", opts, { limit = "number" })
  local limit = opts.limit or 200
  local frames, err = page:probe("clickables", { limit = limit })
  if not frames then return nil, err end
  local list = {}
  for _, frame in ipairs(frames) do
    for _, element in ipairs(type(frame.value) == "table" and frame.value or {}) do
      if #list >= limit then break end
      element.frame = frame.frame
      list[#list + 1] = element
    end
  end
  return list
end

local verbs = { click = "click", tap = "click", press = "press", hit = "press", push = "click", choose = "click",
  select = "click" }
local nouns = { button = true, ["the"] = true, on = true, a = true, link = true, icon = true, key = true }

---Does what a short sentence says: "click the start button", "press start", "press space". Looked for in the document,
---in painted text, in pixels, and last by a model, where one is configured (C-052).
---@param page qa.Page
---@param phrase string
---@param opts? {use_models?: boolean}
---@return true?, qa.Error?
function M.act(page, phrase, opts)
  local wanted, verb = {}, nil
  for word in phrase:lower():gmatch("[%w%-']+") do
    if not verb and verbs[word] then verb = verbs[word] elseif not nouns[word] then wanted[#wanted + 1] = word end
  end
  if #wanted == 0 then error(("page_actions.act: %q names nothing to act on"):format(phrase), 2) end
  local key = verb == "press" and #wanted == 1 and require("qa.page.words").key_of(wanted[1])
  if key then return page:press(key, {}) end
  -- "begin game" as a whole, then its first word.
  for _, text in ipairs{ table.concat(wanted, " "), wanted[1] } do
    local found = page:find{ text = text }
    if found then return page:click({ x = found.x, y = found.y }, {}) end
  end
  local item = reader.find(reader.read(page), table.concat(wanted, " "))
  if item then return page:click({ x = item.x, y = item.y }, {}) end
  if (opts or {}).use_models ~= false and qa.llm.is_available("vision") then
    local point, err = require("qa.page.advice").point(page, phrase)
    if not point then return nil, err end
    return page:click(point, {})
  end
  return nil, failure.new("element_not_found",
    ("nothing for %q in the document, in painted text or in the picture"):format(phrase), "page_actions.act")
end

return M
