--- The vision side of the batched strategy: the page as a picture, what a model sees on it, and where one thing is.
-- Analyses are kept by the hash of the screen, so that a known screen is not paid for again (B-G1, B-017).
local qa = require "qa"
local failure = require "qa.text.failure"
local groups = require "qa.effect.groups"
local measured_play = require "parts.model_led.measured_play"
local metrics = require "qa.run.metrics"
local models = require "parts.batched.schemas"
local page_text = require "qa.model.page_text"
local point_space = require "qa.model.point_space"
local question = require "parts.model_led.question"
local scenes = require "qa.page.scene"
local utf8 = require "qa.text.utf8"

local M = {}

---The page now: a picture, its hash, and what the page itself offers.
---@return {image: qa.Image, scale: qa.Point, key: string, rows: table[], url: string}? look, qa.Error? image: in the
---size in which it is sent
function M.look(ctx, stage)
  local scene, url, image, err
  local function read()
    image, err = groups.picture(ctx), nil
    scene, url = qa.all(function() return scenes.look(ctx) end,
      function() return ctx.page:evaluate("location.href", { world = "host", timeout_ms = 2000 }) end)
    if image and scene.scrolled then
      image:close()
      image = nil
    end
    if not image then image, err = ctx.page:screenshot() end
  end
  -- The scene is read while it is seen to rest: where it rested all the time, it still is as it was read.
  local has_moved = qa.all(function() return measured_play.rest(ctx) end, read)
  if has_moved then
    if image then image:close() end
    read()
  end
  image, err = question.picture(ctx, stage, image, err)
  if not image then return nil, err end
  local key, picture, space
  qa.all(function() key = image:hash() end,
    function() picture, space = question.fit(ctx, image, { role = "vision" }) end)
  if not picture then return nil, space end
  return { image = picture, scale = space and space.scale, key = key, rows = scene.clickables,
    url = type(url) == "string" and url or ctx.url }
end

---Bits in which two hashes differ.
function M.distance(a, b)
  local n = 0
  for i = 1, math.max(#a, #b) do
    local x, y = tonumber(a:sub(i, i), 16) or 0, tonumber(b:sub(i, i), 16) or 15
    for bit = 0, 3 do
      local p = 2 ^ bit
      if math.floor(x / p) % 2 ~= math.floor(y / p) % 2 then n = n + 1 end
    end
  end
  return n
end

---The analysis of a screen that looks the same.
---@return table? analysis
function M.known(ctx, key)
  local best, least
  for _, entry in ipairs(ctx.state.analyses or {}) do
    local distance = M.distance(entry.key, key)
    if distance <= ctx.options.cache_bits and (not least or distance < least) then
      best, least = entry.analysis, distance
    end
  end
  return best
end

local function remember(ctx, key, analysis)
  local kept = { { key = key, analysis = analysis } }
  for _, entry in ipairs(ctx.state.analyses or {}) do
    if entry.key ~= key and #kept < ctx.options.cache_size then kept[#kept + 1] = entry end
  end
  ctx.state.analyses = kept
end

local function request_of(ctx, look, name, schema)
  return { role = "vision", purpose = name, name = name, images = { look.image }, scale = look.scale,
    max_side = ctx.options.look_side, schema = schema,
    max_output = ctx.options.answer_tokens, temperature = ctx.options.temperature }
end

---What the page offers, fenced, in the coordinates of whoever is asked.
---@param request table
function M.offered(look, request)
  local text = page_text.clickables(look.rows, { space = qa.llm.space(request), max_tokens = 300 })
  return text ~= "" and page_text.fence(text, "page") or "(nothing)"
end

---What a model sees on the screen (PageAnalysis).
---@param fresh? boolean ask although the screen is known
---@return table? analysis, qa.Error?
function M.analyse(ctx, look, fresh)
  local known = not fresh and M.known(ctx, look.key)
  if known then
    metrics.add(ctx, "analyses_reused")
    return known
  end
  local request = request_of(ctx, look, "page_analysis", models.page_analysis)
  request.prompt = ctx:prompt("batched_vision", { goal = ctx.options.goal, clickables = M.offered(look, request) })
  local value, answer = question.answered(ctx, "vision", qa.llm.object, request)
  if not value then return nil, answer end
  remember(ctx, look.key, value)
  return value
end

---Where a thing is that somebody names (ElementLocation), or what is there instead (ElementLocationFailure).
---@return {element: string, point: qa.Point, confidence: number}? location
---@return qa.Error? err detail {element, reason, alternatives}
function M.locate(ctx, look, element, asked)
  local request = request_of(ctx, look, "element_location", models.element_answer)
  request.prompt = ctx:prompt("batched_locate",
    { element = utf8.printable(element), question = utf8.printable(asked or "Where is it?"),
    clickables = M.offered(look, request) })
  local value, answer = question.answered(ctx, "vision", qa.llm.object, request)
  if not value then return nil, answer end
  local location, missing = models.location(element, value)
  if location then return location end
  return nil, failure.new("element_not_found",
    ("the model sees no %q: %s"):format(utf8.shorten(utf8.printable(element), 80),
    utf8.shorten(utf8.printable(missing.reason), 200)), "page_vision.locate", missing)
end

local function plain(text) return (text:lower():gsub("[%s%p]+", " "):gsub("^ ", ""):gsub(" $", "")) end

---The element of an analysis that a name means: its whole label, else the surest that contains it.
---@return table? element
function M.named(analysis, name)
  local wanted, best = plain(name), nil
  for _, element in ipairs(analysis and analysis.elements or {}) do
    local label = plain(element.label)
    if label == wanted then return element end
    if wanted ~= "" and not best and (label:find(wanted, 1, true) or label ~= "" and wanted:find(label, 1, true)) then
      best = element
    end
  end
  return best
end

---An analysis as lines for a prompt, fenced: its words were read off the page.
---@param request table whose coordinates are wanted
function M.lines(analysis, request)
  if not analysis then return "(this screen is being looked at now)" end
  local space, lines = qa.llm.space(request), {}
  lines[1] = ("screen: %s; %s"):format(analysis.screen, utf8.printable(analysis.summary):gsub("%s+", " "))
  for _, element in ipairs(analysis.elements) do
    local a, b = element.point.x, element.point.y
    if space then a, b = point_space.to_model(space, element.point) end
    if a then
      lines[#lines + 1] = ("%s %q at %.0f,%.0f%s"):format(element.kind,
        utf8.shorten(utf8.printable(element.label):gsub("%s+", " "), 80), a, b,
        element.is_interactive and "" or ", does nothing")
    end
  end
  return page_text.fence(table.concat(lines, "\n"), "page")
end

return M
