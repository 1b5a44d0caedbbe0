--- Steps of the start cascade: what there is to try of each kind, as a list of attempts {method, target, act =
-- fun(page, is_touched), point?, key?, item?, clears?, renews?, is_probe?, is_small?, painted?, cost_usd?}.
local qa = require "qa"
local links = require "qa.page.links"
local reader = require "qa.page.reader"
local words = require "qa.page.words"

local M = {}

---A text in one line, cut where it is longer.
function M.short(text, limit)
  text = (text or ""):gsub("%s+", " "):gsub("^ ", ""):gsub(" $", "")
  return #text > limit and text:sub(1, limit) .. "..." or text
end

---An element, for people.
function M.describe(item)
  local name = item.tag or "text"
  if item.id and item.id ~= "" then name = name .. "#" .. item.id end
  local text = M.short(item.text ~= "" and item.text or item.name, 40)
  return text ~= "" and ("%s %q"):format(name, text) or name
end

---How long a click is held, in ms: long enough for games that ask between two frames whether the button is down.
M.click_hold_ms = 60
local touch_hold_ms = 48

---@param target? string its name; else the point
local function click_attempt(method, target, at)
  return { method = method, target = target or ("%d,%d"):format(at.x, at.y), point = { x = at.x, y = at.y },
    act = function(page, is_touched)
      if is_touched then return page:touch(at, { hold_ms = touch_hold_ms }) end
      return page:mouse_click(at.x, at.y, { hold_ms = M.click_hold_ms })
    end }
end

local function mouse_attempt(method, item)
  local attempt = click_attempt(method, M.describe(item), item)
  attempt.item = item
  return attempt
end

local function key_attempt(method, key, hold_ms)
  return { method = method, target = key, key = key,
    act = function(page) return page:press(key, { hold_ms = hold_ms }) end }
end

---What can be read off the pixels of a scene with a canvas: read when a step asks for it, once.
local function pixels(ctx, scene)
  scene.pixels = scene.pixels or scene.has_canvas and ctx.options.read_pixels and reader.read(ctx.page) or {}
  return scene.pixels
end

---The text on a canvas that an attempt follows.
---@return table? item of reader.painted
local function painted_with(scene, phrase)
  for _, item in ipairs(scene.painted) do
    if item.text:lower():gsub("%s+", " "):find(phrase, 1, true) then return item end
  end
end

---One function a kind of step: (ctx, step, scene) -> attempts. `scene` is {clickables, text}.
M.kinds = {}

function M.kinds.selectors(ctx, step, scene)
  local ranked = {}
  local wanted = table.concat(ctx.lists[step.list], ",")
  local found = ctx.page:probe("locate", { selector = wanted, all = true }, { timeout_ms = 2000 }) or {}
  for _, frame in ipairs(found) do
    for _, item in ipairs(frame.value.matches or frame.value) do
      local text = (item.text or "") .. " " .. (item.name or "")
      local attributes = (item.id or "") .. " " .. (item.class or "") .. " " .. (item.name or "")
      local named = not step.whole_word or words.has_word(attributes, ctx.lists.start_name_words)
        or words.first_match(text, ctx.lists.start_words)
      local small = item.width * item.height < 0.4 * scene.area
      if item.visible and named and small and not words.first_match(text, ctx.lists.not_start_words) then
        local _, whole = words.rank(M.short(item.text ~= "" and item.text or item.name, 60), ctx.lists.start_words)
        ranked[#ranked + 1] = { item = item, order = whole and 0 or 1, area = item.width * item.height, i = #ranked }
      end
    end
  end
  -- A button that says just "Play" comes before the panel around it.
  table.sort(ranked, function(a, b)
    if a.order ~= b.order then return a.order < b.order end
    if step.whole_word and a.area ~= b.area then return a.area < b.area end
    return a.i < b.i
  end)
  local attempts = {}
  for i, entry in ipairs(ranked) do attempts[i] = mouse_attempt(step.id, entry.item) end
  return attempts
end

function M.kinds.words(ctx, step, scene)
  local ranked = {}
  if step.again and not ctx.state.is_restart then return {} end
  for _, item in ipairs(step.pixels and pixels(ctx, scene) or step.painted and scene.painted or scene.clickables) do
    local text = M.short(item.text ~= "" and item.text or item.name, 60):lower()
    local rank, whole = words.rank(text, ctx.lists[step.list])
    local refused = not step.clears and not step.again and words.first_match(text, ctx.lists.not_start_words)
    if rank and (whole or not step.whole_text) and not refused and #text <= 40 then
      ranked[#ranked + 1] = { item = item, order = rank + (whole and 0 or 100) }
    end
  end
  table.sort(ranked, function(a, b) return a.order < b.order end)
  local attempts = {}
  for _, entry in ipairs(ranked) do
    local attempt = mouse_attempt(step.id, entry.item)
    attempt.clears, attempt.painted = step.clears, step.painted and entry.item
    attempts[#attempts + 1] = attempt
  end
  return attempts
end

function M.kinds.instructions(ctx, step, scene)
  local attempts = {}
  local text = step.pixels and reader.lines(pixels(ctx, scene)) or scene.text
  for _, order in ipairs(words.instructions(text, ctx.lists.instruction_patterns, ctx.lists.aside_words)) do
    local attempt
    if order.action ~= "click" then
      attempt = key_attempt(step.id, order.key or "Space", ctx.options.hold_ms)
    else
      local at = ctx.page:find{ text = order.phrase } or step.pixels and reader.find(scene.pixels, order.phrase)
        or scene.centre
      -- "Click here for more games".
      attempt = not links.leads_away(at, ctx.url) and click_attempt(step.id, order.phrase, at)
    end
    if attempt then
      attempt.painted = not step.pixels and painted_with(scene, order.phrase) or nil
      attempts[#attempts + 1] = attempt
    end
  end
  return attempts
end

---What began the last round anew: rounds of a second or two leave no time to look for it again.
function M.kinds.remembered(ctx, step)
  local known = ctx.state.is_restart and ctx.state.restart_by
  if not known then return {} end
  if known.key then return { key_attempt(step.id, known.key, ctx.options.hold_ms) } end
  return { click_attempt(step.id, nil, known) }
end

---Does the game already answer its controls? Then it needs no start.
function M.kinds.already_running(ctx, step)
  local attempts = {}
  for _, control in ipairs(ctx.state.controls or {}) do
    if control.kind == "key" and control.key ~= "Enter" and control.key ~= "Space" and #attempts < 2 then
      local attempt = key_attempt(step.id, control.key, ctx.options.hold_ms)
      attempt.is_probe = true
      attempts[#attempts + 1] = attempt
    end
  end
  return attempts
end

function M.kinds.clickables(ctx, step, scene)
  local attempts = {}
  for _, item in ipairs(scene.clickables) do
    local is_free = not item.disabled and not item.covered and not links.leads_away(item, ctx.url)
      and not words.is_non_game_control(item, ctx.lists)
    if #attempts < step.limit and is_free then attempts[#attempts + 1] = mouse_attempt(step.id, item) end
  end
  return attempts
end

---Fields for text that are still empty beside a start button: a name is written into each. Others may answer then.
function M.kinds.fields(ctx, step, scene)
  local attempts, has_start = {}, false
  for _, item in ipairs(scene.clickables) do
    has_start = has_start or words.rank(M.short(item.text ~= "" and item.text or item.name, 40),
      ctx.lists.start_words) ~= nil
  end
  for _, item in ipairs(has_start and scene.clickables or {}) do
    if item.is_empty then
      local attempt, name = mouse_attempt(step.id, item),
        ctx.lists.player_names[#attempts % #ctx.lists.player_names + 1]
      attempt.clears, attempt.is_small, attempt.renews = step.clears, true, true
      attempt.act = function(page)
        local ok, err = page:mouse_click(item.x, item.y, { hold_ms = M.click_hold_ms })
        if not ok then return nil, err end
        return page:type(name, {})
      end
      attempts[#attempts + 1] = attempt
    end
  end
  return attempts
end

function M.kinds.canvas_centre(_, step, scene)
  return { click_attempt(step.id, nil, scene.centre) }
end

---What a model would try (C-053). The last step, since it costs money; asked once a run.
function M.kinds.model(ctx, step)
  local state, attempts = ctx.state, {}
  if not ctx.options.use_models or state.is_restart or state.asked_for_start or not qa.llm.is_available("vision") then
    return attempts
  end
  state.asked_for_start = true
  local tried = state.started and "all that is free" or "words, keys and the middle of the game"
  -- D-007: what has failed too often here, and why. The reasons may hold words of the page.
  if state.hints then
    tried = ("%s. From earlier runs:\n%s"):format(tried, require("qa.model.page_text").fence(state.hints, "memory"))
  end
  local advice, err = require("qa.page.advice").start(ctx.page, step.prompt, tried)
  if not advice and err.kind == "cassette_miss" then error(err, 0) end
  if not advice then
    qa.log.warn("no advice on how to start: " .. require("qa.text.failure").text(err))
    return attempts
  end
  ctx:event("prompt", advice.identity)
  for i, idea in ipairs(advice.ideas) do
    attempts[i] = idea.key and key_attempt(step.id, idea.key, ctx.options.hold_ms) or click_attempt(step.id, nil, idea)
    attempts[i].cost_usd = i == 1 and advice.usd or 0
  end
  return attempts
end

---Takes the chosen entry of a menu, or chooses one: what comes next is looked at anew.
function M.kinds.menu_keys(ctx, step, scene)
  local attempts = {}
  if not words.first_match(scene.text:gsub("%s+", " "), ctx.lists.menu_words) then return attempts end
  for i, key in ipairs(ctx.lists.menu_keys) do
    attempts[i] = key_attempt(step.id, key, ctx.options.hold_ms)
    -- A choice shows by a frame or a colour; what takes it leads elsewhere.
    attempts[i].clears, attempts[i].is_small = step.clears, key:find("^Arrow") ~= nil
  end
  return attempts
end

function M.kinds.blind_keys(ctx, step)
  local attempts, seen = {}, {}
  local function add(key)
    if not seen[key] then attempts[#attempts + 1] = key_attempt(step.id, key, ctx.options.hold_ms) end
    seen[key] = true
  end
  for _, key in ipairs(ctx.lists.blind_keys) do add(key) end
  for _, control in ipairs(ctx.state.controls or {}) do
    if control.kind == "key" then add(control.key) end
  end
  return attempts
end

return M
