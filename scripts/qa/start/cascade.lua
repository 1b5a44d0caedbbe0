--- The start cascade: tries ways to start a game, cheapest first, and believes none of them until the scene has changed
-- beyond what it did without input. The steps and words are lists (strategies/parts/standard/start_lists.lua);
-- scripts/qa/start/attempts.lua tells what each offers.
local qa = require "qa"
local canvases = require "qa.page.canvas"
local cell_grid = require "qa.page.cell_grid"
local controls = require "qa.input.controls"
local links = require "qa.page.links"
local reader = require "qa.page.reader"
local scenes = require "qa.page.scene"
local signature = require "qa.page.signature"
local start_attempts = require "qa.start.attempts"

local M = {}

-- Longest pause of a text that blinks.
local blink_ms = 1200

---Brings an item into view; its centre then is where it can be clicked.
local function into_view(page, item)
  if item.in_viewport ~= false then return item end
  local text = item.text ~= "" and item.text or item.name
  local selector = item.id and item.id ~= "" and ("[id=%q]"):format(item.id) or text and text ~= "" and { text = text }
  local found = selector and page:find(selector)
  if not found then return nil end
  item.x, item.y, item.in_viewport, item.covered = found.x, found.y, true, found.covered
  return item
end

---After a scroll nothing is where it was: the other items of a step are looked for again, and so is how the scene looks
---without input.
local function forget_places(ctx, attempts, attempt)
  ctx.state.band = nil
  for _, other in ipairs(attempts) do
    if other ~= attempt and other.item and other.item.in_viewport ~= nil then other.item.in_viewport = false end
  end
end

local function usable(ctx, item, seen)
  if item.x < 0 or item.y < 0 or item.x >= ctx.width or item.y >= ctx.height then return false end
  if item.disabled or item.enabled == false or item.covered or links.leads_away(item, ctx.url) then return false end
  if item.width < 8 or item.height < 8 then return false end
  local key = ("%s@%d,%d"):format(start_attempts.describe(item), item.x, item.y)
  return not seen[key], key
end

---Has the text that was followed gone from the canvas, at once or while the scene fades? A blinking one comes back.
local function has_gone(page, item, limit_ms)
  local until_ms, gone_ms = qa.now_ms() + limit_ms, nil
  repeat
    local is_there = false
    for _, other in ipairs(reader.painted(page)) do
      is_there = is_there or other.text == item.text and math.abs(other.x - item.x) < item.width
        and math.abs(other.y - item.y) < item.height
    end
    if is_there and gone_ms then return false end
    gone_ms = gone_ms or not is_there and qa.now_ms() or nil
    page:watch(150)
  until qa.now_ms() > (gone_ms and gone_ms + blink_ms or until_ms)
  return gone_ms ~= nil
end

---Tries one attempt: pointer there first, so that hover is part of the control; control window; act; effect window.
---@return table outcome {effect = "yes"|"no"|"unknown", cells, dom}
function M.try(ctx, attempt)
  local page, window_ms = ctx.page, ctx.state.window_ms
  if attempt.point then page:move(attempt.point, { steps = 2 }) end
  -- The first time there is no band yet: one more window without input makes it.
  if not ctx.state.band then
    local seen = page:watch(window_ms)
    ctx.state.band = seen and cell_grid.band(nil, seen)
    if seen and seen.low ~= seen.high then ctx.state.moved_untouched = true end
    -- A scene that moves by itself shows most of what it does within a few windows.
    for _ = 1, ctx.options.baseline_windows do
      if not seen or not cell_grid.is_animated(seen) then break end
      seen = page:watch(window_ms)
      ctx.state.band = seen and cell_grid.band(ctx.state.band, seen) or ctx.state.band
    end
  end
  -- As long as the window with the input, which a key is held in.
  local length_ms = window_ms + (attempt.key and ctx.options.hold_ms or 0)
  local before_dom = signature.of(page)
  local control = page:watch(length_ms)
  local control_dom = signature.of(page)
  -- The noise band grows with every control and every attempt without effect.
  if control and cell_grid.is_animated(control) then ctx.state.was_animated = true end
  if control and control.low ~= control.high then ctx.state.moved_untouched = true end
  local noise = control and cell_grid.novel(control, ctx.state.band or control, ctx.options.margin) or {}
  local acted
  local is_touched = controls.are_touched(ctx.state.controls)
  local effect = qa.all(function() return page:watch(length_ms) end,
    function() acted = attempt.act(page, is_touched) return acted end)
  local after_dom = signature.of(page)
  if not effect or not control then return { effect = "unknown", cells = 0 } end
  local band = cell_grid.band(ctx.state.band, control)
  local cells = cell_grid.novel(effect, band, ctx.options.margin)
  local dom = signature.dom_changed(before_dom, control_dom, after_dom)
  local enough = math.min(ctx.options.start_cells, (ctx.state.board_cells or 9216) * ctx.options.start_share)
  local limit = math.max((attempt.is_probe or attempt.is_small) and ctx.options.probe_cells or enough, #noise * 2)
  -- A page whose own text or structure changed with the input, and not before, needs only a sign of it in the picture.
  local changed = #cells >= limit or (dom and #cells >= ctx.options.probe_cells)
  -- In a scene that moves by itself a start must last: what leaves its band once comes back. A title that goes lasts.
  if #noise > 0 and not dom and #cells >= ctx.options.lasting_cells then
    -- Twice as long, so that what passes by has passed.
    local later = page:watch(2 * window_ms)
    local passing = 3 * #cell_grid.lasting(control, ctx.state.band, ctx.options.margin) + #noise
    changed = later ~= nil and (changed and #cell_grid.novel(later, band, ctx.options.margin) >= limit
      or not attempt.is_probe and #cell_grid.lasting(later, band,
        ctx.options.margin) >= ctx.options.lasting_cells + passing)
  end
  if not changed and attempt.painted and #cells >= ctx.options.probe_cells then
    changed = has_gone(page, attempt.painted, ctx.options.fade_ms)
  end
  if changed then
    ctx.state.band = nil
  else
    ctx.state.band = cell_grid.band(band, effect)
  end
  return { effect = changed and "yes" or "no", cells = #cells, dom = dom, window = effect }
end

---Runs the cascade until the game has started, the steps are used up, or time is.
---@param ctx table
---@param is_started fun(attempt: table): boolean asked after each attempt with an effect: does the game answer now?
---@param is_decided fun(): any a decisive failure ends the cascade
---@param limit_ms? integer instead of the option start_ms
---@return table result {found = boolean, method, target, by = {key} or {x, y}, attempts = n, auto?, is_certain?: the
---page or much of the scene changed}
function M.run(ctx, is_started, is_decided, limit_ms)
  local deadline = qa.now_ms() + (limit_ms or ctx.options.start_ms)
  local seen, levels, count, result = {}, 0, 0, { found = false, method = nil, attempts = 0 }
  -- A look holds until something was tried: a busy page takes a frame to give one.
  local index, scene, read_before = 1, nil, nil
  -- The probe that had an effect: what slides in by itself at that moment is no answer of the game, and offers
  -- something new before it.
  local answered = nil
  while ctx.lists.start_cascade[index] do
    if qa.now_ms() > deadline or is_decided() then return result end
    local step = ctx.lists.start_cascade[index]
    if answered and step.kind == "already_running" then return result end
    local again, is_stale = false, false
    if not scene then
      scene = scenes.look(ctx)
      scene.pixels = read_before
    end
    local attempts = start_attempts.kinds[step.kind](ctx, step, scene)
    for _, attempt in ipairs(attempts) do
      if qa.now_ms() > deadline or is_decided() then return result end
      local item = attempt.item
      local scrolls = item ~= nil and item.in_viewport == false
      is_stale = is_stale or scrolls
      if item then item = into_view(ctx.page, item) end
      if scrolls then forget_places(ctx, attempts, attempt) end
      local ok, key = true, attempt.method .. ":" .. attempt.target
      if attempt.item then
        if item then ok, key = usable(ctx, item, seen) else ok = false end
        if ok then attempt.point = { x = item.x, y = item.y } end
      elseif seen[key] then
        ok = false
      end
      if ok then
        seen[key], is_stale = true, true
        local t0 = qa.now_ms()
        -- What starts the game is kept, so that it can be done again; what starts another round is not.
        local record = ctx.recorder and not attempt.is_probe and not ctx.state.play_from and not ctx.state.is_restart
        local recorded = record
          and ctx.recorder:before(attempt.key and { action = "press", key = attempt.key, hold_ms = ctx.options.hold_ms }
          or { action = "click", target = attempt.point, hold_ms = start_attempts.click_hold_ms }, "start")
        local outcome = M.try(ctx, attempt)
        -- An answer that a busy scene could give by chance must come twice.
        if attempt.is_probe and outcome.effect == "yes" and ctx.state.was_animated then
          outcome = M.try(ctx, attempt)
        end
        if recorded then
          ctx.recorder:after(recorded, outcome.effect == "yes", outcome.effect == "no" and "it had no effect" or nil)
        end
        count = count + 1
        result.attempts = count
        ctx:event("start_attempt", { method = attempt.method, target = start_attempts.short(attempt.target, 80),
          effect = outcome.effect, cells = outcome.cells, dom = outcome.dom or false, cost_usd = attempt.cost_usd or 0,
          ms = math.floor(qa.now_ms() - t0) })
        if outcome.effect == "yes" then
          if answered then
            seen[answered], answered = nil, nil
            result.found, result.auto = false, nil
          end
          if attempt.is_probe then answered = key end
          if attempt.item then canvases.play_at(ctx, attempt.point) end
          if not attempt.clears then
            result.found, result.method, result.target = true, attempt.method, start_attempts.short(attempt.target, 80)
            result.by = attempt.key and { key = attempt.key } or attempt.point
            if attempt.is_probe then result.auto = true end
            result.is_certain = result.is_certain
              or not step.is_guess and (outcome.dom or outcome.cells >= ctx.options.certain_cells)
          end
          if attempt.renews then seen = { [key] = true } end
          levels = levels + 1
          -- Where an entry is chosen now, the keys that take it are worth another try.
          for _, other in ipairs(attempt.clears and attempts or {}) do
            if other ~= attempt then seen[other.method .. ":" .. other.target] = nil end
          end
          local is_over
          if attempt.is_probe then
            is_over = not outcome.dom
          else
            is_over = not attempt.clears and is_started(attempt)
          end
          if is_over or levels > ctx.options.start_levels then return result end
          again = true
          -- A menu may fade in: what is clicked before it stands still may not be seen to answer.
          ctx.page:settle{ quiet_ms = 200, max_ms = ctx.options.fade_ms }
          break
        end
      end
    end
    -- After an effect the page is another one: start over with its own buttons.
    index = again and 1 or index + 1
    -- Reading pixels takes its time: what was read holds until an attempt has an effect.
    read_before = not again and scene.pixels or nil
    if is_stale then scene = nil end
  end
  return result
end

return M
