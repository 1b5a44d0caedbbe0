--- Ready: has the game finished loading? Seven signals, a set for each game type; ready when enough hold
-- (C-015: 4 of 7 within 60 s) and no loader is in sight. Polls what the host already knows; never touches the game.
local qa = require "qa"
local cell_grid = require "qa.page.cell_grid"
local reader = require "qa.page.reader"
local metadata = require "qa.game.metadata"
local time = require "qa.page.time"

local M = {}

---What page:probe("page_state") tells of each frame.
---@return table[]?, qa.Error?
function M.states(ctx)
  return ctx.page:probe("page_state", { part_names = ctx.lists.part_names }, { timeout_ms = 2500 })
end

---The game's type (C-014): canvas before iframe before dom before unknown. A canvas counts when it is visible; an
---iframe when it holds a canvas or is cross-origin; dom when it offers clicks or names its parts so.
---@param states table[] of M.states
---@param clickable_count integer
---@return "canvas"|"iframe"|"dom"|"unknown"
function M.game_type(states, clickable_count)
  local main = states[1] and states[1].value
  if not main then return "unknown" end
  local function has_canvas(state)
    for _, canvas in ipairs(state.canvases or {}) do
      if canvas.visible and canvas.width >= 40 and canvas.height >= 40 then return true end
    end
    return false
  end
  if has_canvas(main) then return "canvas" end
  for i = 2, #states do
    if has_canvas(states[i].value) and states[i].width > 60 then return "iframe" end
  end
  for _, frame in ipairs(main.iframes or {}) do
    if frame.cross_origin and frame.width > 100 and frame.height > 100 then return "iframe" end
  end
  if (main.named_parts or 0) > 0 or clickable_count > 0 then return "dom" end
  return "unknown"
end

---What a short line of the text says by which it shows a loader. Matched at word borders, so that "download" and
---"reload" do not count (P-12), and not in sentences that merely speak of loading.
---@param text string
---@param phrases string[] Lua patterns on lower-case text
---@return string? said in lower case
function M.loading_phrase(text, phrases)
  for line in text:lower():gmatch("[^\n]+") do
    line = " " .. line:gsub("%s+", " ") .. " "
    for _, phrase in ipairs(#line <= 50 and phrases or {}) do
      local said = line:match("%f[%w](" .. phrase .. ")%f[^%w]")
      if said then return said end
    end
  end
  return nil
end

---One reading of all signals.
---@param ctx table
---@param previous table? the reading before, for what must hold over time
---@return table? reading {type, signals, loader, painted, text, painted_text, clickables, states, window, unchanged}
---@return table? err
function M.read(ctx, previous)
  local page = ctx.page
  local states, window, clickables, all_painted, errs =
    qa.all(function() return M.states(ctx) end, function() return page:watch(ctx.options.ready_watch_ms) end,
    function() return page:clickables{ limit = 60 } or {} end,
    function() return reader.painted(page) end)
  if not states or not window then return nil, errs[states and 2 or 1] end
  local health = page:health()
  local kind = M.game_type(states, #clickables)
  local text, pending, interactive, canvas = {}, 0, true, false
  for _, frame in ipairs(states) do
    local state = frame.value
    text[#text + 1] = state.visible_text or ""
    pending = pending + (state.images_pending or 0)
    if state.ready_state == "loading" then interactive = false end
    for _, c in ipairs(state.canvases or {}) do canvas = canvas or c.visible end
  end
  text = table.concat(text, "\n")
  local painted = not cell_grid.is_flat(window, 3)
  local painted_text = reader.lines(all_painted)
  local loader = M.loading_phrase(text:sub(1, 2000), ctx.lists.loading_words)
  if loader and M.is_hidden(page, loader) then loader = nil end
  loader = loader or M.loading_phrase(painted_text:sub(1, 2000), ctx.lists.loading_words)
  local signals = {
    dom_interactive = interactive,
    network_idle = (health.network_idle_ms or 0) >= ctx.options.network_idle_ms,
    no_loading_text = loader == nil,
    scripts_done = not health.loading and pending == 0,
  }
  if kind == "canvas" or (kind == "iframe" and canvas) then
    signals.canvas_exists = canvas
    signals.canvas_painted = canvas and painted
  else
    signals.content_exists = #clickables > 0 or #text > 0
    signals.content_painted = painted
  end
  local indicator = M.indicators(ctx, text .. "\n" .. painted_text)
  if indicator ~= nil then signals.custom_indicators = indicator end
  return { type = kind, signals = signals, loader = loader, painted = painted, text = text, painted_text = painted_text,
    states = states, clickables = clickables, window = window,
    unchanged = previous ~= nil and previous.text == text and #previous.clickables == #clickables }
end

---What the page says by which it refuses to run for lack of WebGL.
---@param text string
---@return string? said in lower case
function M.refusal(ctx, text)
  text = text:lower():gsub("%s+", " ")
  local function said(patterns)
    for _, pattern in ipairs(patterns) do
      local found = text:match(pattern)
      if found then return found end
    end
  end
  local refused = said(ctx.lists.webgl_refusals)
  local required = not refused and said(ctx.lists.webgl_requirements)
  if not required then return refused end
  local has_webgl = [[(() => {
    const gl = document.createElement('canvas').getContext('webgl');
    const lose = gl && gl.getExtension('WEBGL_lose_context');
    if (lose) lose.loseContext();
    return gl !== null;
  })()]]
  return ctx.page:evaluate(has_webgl, { world = "host", timeout_ms = 3000 }) ~= true and required or nil
end

---Is the loader's text behind the game (a canvas painted over it) or invisible?
---@return boolean
function M.is_hidden(page, phrase)
  local frames = page:probe("locate", { text = phrase }, { timeout_ms = 1500 }) or {}
  local seen = false
  for _, frame in ipairs(frames) do
    local found = frame.value and frame.value[1]
    if found then
      if found.visible and not found.covered then return false end
      seen = true
    end
  end
  return seen
end

---Is none of the metadata's loading indicators in sight (signal 7)? Nil when there are none; those of the network are
---what signal 3 tells.
---@param shown string what the page and its canvases say
---@return boolean?
function M.indicators(ctx, shown)
  local is_clear
  for _, indicator in ipairs(ctx.metadata and ctx.metadata.loadingIndicators or {}) do
    local target = metadata.indicator_target(indicator)
    if target.css or target.text then
      local found = target.css and ctx.page:find(target.css) or nil
      local is_said = target.text ~= nil and shown:lower():find(target.text:lower(), 1, true) ~= nil
      is_clear = is_clear ~= false and not is_said and not (found and found.visible)
    end
  end
  return is_clear
end

---Counts the signals that hold.
function M.count(signals)
  local n = 0
  for _, holds in pairs(signals) do
    if holds then n = n + 1 end
  end
  return n
end

---The type of a page that hung before it was read: its script is ended, so that it answers.
local function type_of_hung(ctx)
  ctx.page:terminate_script()
  local states, clickables = qa.all(function() return M.states(ctx) end,
    function() return ctx.page:clickables{ limit = 60 } or {} end)
  return states and M.game_type(states, #clickables) or "unknown"
end

---The numbers that a page shows: a loader whose number changes goes on, one that only changes its dots may not.
local function numbers_of(reading) return ((reading.text .. "\n" .. reading.painted_text):gsub("%D+", " ")) end

---Waits until the game is ready, stalled at a loader, blank, or out of time. A canvas may show the bar of a loader:
---while files come, it is waited for a while longer.
---@param ctx table
---@param is_decided fun(): any a decisive failure ends the wait
---@param fetch_ms? integer how long files are waited for once enough signals hold; else the option
---@return table result {ok, ms, signals, type, reading, stalled = loader phrase?, blank = boolean}
function M.wait(ctx, is_decided, fetch_ms)
  local started, reading, unchanged_since, ready_since, counted_ms = time.now_ms(), nil, time.now_ms(), nil, nil
  fetch_ms = fetch_ms or ctx.options.fetch_ms
  local result
  repeat
    local latest, err = M.read(ctx, reading)
    local now = time.now_ms()
    if latest then
      if not latest.unchanged then unchanged_since = now end
      if reading and numbers_of(latest) ~= numbers_of(reading) then counted_ms = now end
      reading = latest
      local still_ms = now - unchanged_since
      local enough = M.count(latest.signals) >= ctx.options.ready_signals
      result = { ms = now - started, signals = latest.signals, type = latest.type, reading = latest, ok = false }
      -- A page with nothing to play yet may still be making its canvas.
      local has_game = latest.type ~= "unknown" or still_ms >= ctx.options.unknown_ms
      if enough and has_game and not latest.loader and latest.painted then
        result.ok = true
        -- Its first frames are over: what moves now is the game.
        if ready_since and latest.window.low ~= latest.window.high then ctx.state.moved_untouched = true end
        ready_since = ready_since or now
        local fetches = latest.signals.canvas_exists and not latest.signals.network_idle
        if not fetches or now - ready_since >= fetch_ms then return result end
      else
        ready_since = nil
      end
      local idle = latest.signals.network_idle and latest.signals.scripts_done and still_ms >= ctx.options.stall_ms
      if idle then
        result.stalled = latest.loader
        result.blank = not latest.painted
        if result.stalled or result.blank then return result end
      end
      time.sleep(50)
    elseif err.kind == "page_crashed" or err.kind == "page_closed" then
      return result or { ok = false, ms = now - started, signals = {}, type = "unknown" }
    else
      -- A page that is being reloaded or is busy has no answer yet: look again, without spinning. What it shows
      -- meanwhile is no standstill.
      unchanged_since = now
      time.sleep(100)
    end
    if is_decided() then break end
  until time.now_ms() - started >= ctx.options.ready_ms
  result = result or { ok = false, signals = {}, type = ctx.state.decided == "hang" and type_of_hung(ctx)
    or "unknown" }
  result.ms = time.now_ms() - started
  local counts = counted_ms ~= nil and time.now_ms() - counted_ms < ctx.options.stall_ms
  result.stalled = not counts and reading and reading.loader or nil
  result.blank = reading ~= nil and not reading.painted
  return result
end

return M
