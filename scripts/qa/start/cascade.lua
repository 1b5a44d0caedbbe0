--- The start cascade: tries ways to start a game, cheapest first, and believes none of them until the scene has changed
-- beyond what it did without input. The steps and words are lists (strategies/parts/standard/start_lists.lua);
-- scripts/qa/start/attempts.lua tells what each offers.
local qa = require "qa"
local canvases = require "qa.page.canvas"
local cell_grid = require "qa.page.cell_grid"
local controls = require "qa.input.controls"
local effects = require "qa.effect.effect"
local links = require "qa.page.links"
local reader = require "qa.page.reader"
local scenes = require "qa.page.scene"
local signature = require "qa.page.signature"
local start_attempts = require "qa.start.attempts"
local time = require "qa.page.time"

local M = {}

---More windows that a moving scene is watched for before the first attempt to start it.
local BASELINE_WINDOWS = 3
---Cells of 9216 that must change for a start to count, and as a share of the largest canvas, where that is less.
M.START_CELLS, M.START_SHARE = 150, 0.04
---Cells that must change when asking whether the game already answers its controls.
M.PROBE_CELLS = 8
---Cells that must look different for good for a start to count in a moving scene.
local LASTING_CELLS = 60
---Longest wait for a menu to come or go.
local FADE_MS = 2500
---Cells that a start must change, if not the page itself, for dead controls to be blamed on the game.
local CERTAIN_CELLS = 460
---Menus deep that a start may be.
local START_LEVELS = 4

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

---@return string? key what the item is known by as one that was tried; nil when it is of no use, or was tried
local function usable(ctx, item, seen)
  if item.x < 0 or item.y < 0 or item.x >= ctx.width or item.y >= ctx.height then return nil end
  if item.disabled or item.enabled == false or item.covered or links.leads_away(item, ctx.url) then return nil end
  if item.width < 8 or item.height < 8 then return nil end
  local key = ("%s@%d,%d"):format(start_attempts.describe(item), item.x, item.y)
  return not seen[key] and key or nil
end

---Has the text that was followed gone from the canvas, at once or while the scene fades? A blinking one comes back.
local function has_gone(page, item, limit_ms)
  local until_ms, gone_ms = time.now_ms() + limit_ms, nil
  repeat
    local is_there = false
    for _, other in ipairs(reader.painted(page)) do
      is_there = is_there or other.text == item.text and math.abs(other.x - item.x) < item.width
        and math.abs(other.y - item.y) < item.height
    end
    if is_there and gone_ms then return false end
    gone_ms = gone_ms or not is_there and time.now_ms() or nil
    page:watch(150)
  until time.now_ms() > (gone_ms and gone_ms + blink_ms or until_ms)
  return gone_ms ~= nil
end

---The noise band before the first attempt: a scene that moves by itself shows most of what it does within a few
---windows without input.
local function first_band(ctx)
  local state = ctx.state
  local seen = ctx.page:watch(state.window_ms)
  state.band = seen and cell_grid.band(nil, seen)
  if seen and seen.low ~= seen.high then state.moved_untouched = true end
  for _ = 1, BASELINE_WINDOWS do
    if not seen or not cell_grid.is_animated(seen) then break end
    seen = ctx.page:watch(state.window_ms)
    state.band = seen and cell_grid.band(state.band, seen) or state.band
  end
end

---Does the scene differ from what it does by itself?
---@param seen table {control, noise, band, cells, dom} of an attempt's two windows
local function has_changed(ctx, attempt, seen)
  local options, cells, noise = ctx.options, seen.cells, seen.noise
  local enough = math.min(M.START_CELLS, (ctx.state.board_cells or 9216) * M.START_SHARE)
  local limit = math.max((attempt.is_probe or attempt.is_small) and M.PROBE_CELLS or enough, #noise * 2)
  -- A page whose own text or structure changed with the input, and not before, needs only a sign of it in the picture.
  local changed = #cells >= limit or (seen.dom and #cells >= M.PROBE_CELLS)
  -- In a scene that moves by itself a start must last: what leaves its band once comes back. A title that goes lasts.
  if #noise > 0 and not seen.dom and #cells >= LASTING_CELLS then
    -- Twice as long, so that what passes by has passed.
    local later = ctx.page:watch(2 * ctx.state.window_ms)
    local passing = 3 * #cell_grid.lasting(seen.control, ctx.state.band, options.margin) + #noise
    local needed = LASTING_CELLS + passing
    changed = later ~= nil and (changed and #cell_grid.novel(later, seen.band, options.margin) >= limit
      or not attempt.is_probe and #cell_grid.lasting(later, seen.band, options.margin) >= needed)
  end
  if not changed and attempt.painted and #cells >= M.PROBE_CELLS then
    return has_gone(ctx.page, attempt.painted, FADE_MS)
  end
  return changed
end

---Pixels of the view to one of its cells.
local PIXELS_A_CELL = 100

---On game time a twin without the attempt tells what it changed. What the browser shows while a button is held does not
---last.
local function try_in_world(ctx, attempt)
  local point, is_touched = attempt.point, controls.are_touched(ctx.state.controls)
  local effect = effects.of(ctx.world, { action = attempt.method, x = point and point.x, y = point and point.y,
    act = function(page) return attempt.act(page, is_touched) end })
  if not effect then
    ctx.state.unasked = (ctx.state.unasked or 0) + 1
    return { effect = "unknown", cells = 0 }
  end
  local is_so = effect.changed and effect.lasts and not effect.is_native
  return { effect = is_so and "yes" or "no", dom = effect.text ~= nil,
    cells = math.ceil(effect.pixels / PIXELS_A_CELL) }
end

---Tries one attempt: pointer there first, so that hover is part of the control; control window; act; effect window.
---@return table outcome {effect = "yes"|"no"|"unknown", cells, dom}
function M.try(ctx, attempt)
  if ctx.world then return try_in_world(ctx, attempt) end
  local page, state, margin = ctx.page, ctx.state, ctx.options.margin
  if attempt.point then page:move(attempt.point, { steps = 2 }) end
  if not state.band then first_band(ctx) end
  -- As long as the window with the input, which a key is held in.
  local length_ms = state.window_ms + (attempt.key and ctx.options.hold_ms or 0)
  local before_dom = signature.of(page)
  local control = page:watch(length_ms)
  local control_dom = signature.of(page)
  -- The noise band grows with every control and every attempt without effect.
  if control and cell_grid.is_animated(control) then state.was_animated = true end
  if control and control.low ~= control.high then state.moved_untouched = true end
  local noise = control and cell_grid.novel(control, state.band or control, margin) or {}
  local is_touched = controls.are_touched(state.controls)
  local effect = qa.all(function() return page:watch(length_ms) end,
    function() return (attempt.act(page, is_touched)) end)
  local after_dom = signature.of(page)
  if not effect or not control then return { effect = "unknown", cells = 0 } end
  local band = cell_grid.band(state.band, control)
  local cells, dom = cell_grid.novel(effect, band, margin), signature.dom_changed(before_dom, control_dom, after_dom)
  local changed = has_changed(ctx, attempt, { control = control, noise = noise, band = band, cells = cells, dom = dom })
  state.band = not changed and cell_grid.band(band, effect) or nil
  return { effect = changed and "yes" or "no", cells = #cells, dom = dom, window = effect }
end

-- One run of the cascade is a table `pass`: {ctx, is_started, is_decided, deadline, result, seen = keys of what was
-- tried, levels = number of effects, answered? = key of the probe that had an effect, is_over?}. What slides in by
-- itself when a probe seems to be answered is no answer of the game, and offers something new before it.

local function is_ended(pass)
  return time.now_ms() > pass.deadline or pass.is_decided()
end

---Finds where an attempt is made, in view.
---@return string? key what it is known by as tried; nil when it cannot be made, or was made before
---@return boolean scrolls the page has moved for it
local function aim(pass, attempts, attempt)
  local ctx, item = pass.ctx, attempt.item
  if not item then
    local key = attempt.method .. ":" .. attempt.target
    return not pass.seen[key] and key or nil, false
  end
  local scrolls = item.in_viewport == false
  item = into_view(ctx.page, item)
  if scrolls then forget_places(ctx, attempts, attempt) end
  local key = item and usable(ctx, item, pass.seen)
  if key then attempt.point = { x = item.x, y = item.y } end
  return key, scrolls
end

---Makes an attempt, and tells the journal and the recorder of it.
---@return table outcome as of M.try
local function carry_out(ctx, attempt)
  local t0, recorder, recorded = time.now_ms(), ctx.recorder, nil
  -- What starts the game is kept, so that it can be done again; what starts another round is not.
  if recorder and not attempt.is_probe and not ctx.state.play_from and not ctx.state.is_restart then
    recorded = recorder:before(attempt.key and { action = "press", key = attempt.key, hold_ms = ctx.options.hold_ms }
      or { action = "click", target = attempt.point, hold_ms = start_attempts.click_hold_ms }, "start")
  end
  local outcome = M.try(ctx, attempt)
  -- An answer that a busy scene could give by chance must come twice.
  local may_be_chance = ctx.state.was_animated and not ctx.world
  if attempt.is_probe and outcome.effect == "yes" and may_be_chance then outcome = M.try(ctx, attempt) end
  if recorded then
    recorder:after(recorded, outcome.effect == "yes", outcome.effect == "no" and "it had no effect" or nil)
  end
  ctx:event("start_attempt", { method = attempt.method, target = start_attempts.short(attempt.target, 80),
    effect = outcome.effect, cells = outcome.cells, dom = outcome.dom or false, cost_usd = attempt.cost_usd or 0,
    ms = math.floor(time.now_ms() - t0) })
  return outcome
end

---Writes an effect into the result.
---@param key string what the attempt is known by
local function believe(pass, step, attempt, key, outcome)
  local ctx, result = pass.ctx, pass.result
  if pass.answered then
    pass.seen[pass.answered], pass.answered = nil, nil
    result.found, result.auto = false, nil
  end
  if attempt.is_probe then pass.answered = key end
  if attempt.item then canvases.play_at(ctx, attempt.point) end
  if not attempt.clears then
    result.found, result.method, result.target = true, attempt.method, start_attempts.short(attempt.target, 80)
    result.by = attempt.key and { key = attempt.key } or attempt.point
    if attempt.is_probe then result.auto = true end
    result.is_certain = result.is_certain
      or not step.is_guess and (outcome.dom or outcome.cells >= CERTAIN_CELLS)
  end
  if attempt.renews then pass.seen = { [key] = true } end
  pass.levels = pass.levels + 1
end

---Is the pass over with this effect?
local function is_enough(pass, attempt, outcome)
  local is_over
  if attempt.is_probe then
    is_over = not outcome.dom
  else
    is_over = not attempt.clears and pass.is_started(attempt)
  end
  return is_over or pass.levels > START_LEVELS
end

---Tries what a step offers until something has an effect or the pass is over.
---@return boolean has_effect
---@return boolean is_stale the scene may not be what it was
local function try_step(pass, step, attempts)
  local ctx, is_stale = pass.ctx, false
  for _, attempt in ipairs(attempts) do
    pass.is_over = is_ended(pass)
    if pass.is_over then break end
    local key, scrolls = aim(pass, attempts, attempt)
    is_stale = is_stale or scrolls or key ~= nil
    if key then
      pass.seen[key] = true
      local outcome = carry_out(ctx, attempt)
      pass.result.attempts = pass.result.attempts + 1
      if outcome.effect == "yes" then
        believe(pass, step, attempt, key, outcome)
        -- Where an entry is chosen now, the keys that take it are worth another try.
        for _, other in ipairs(attempt.clears and attempts or {}) do
          if other ~= attempt then pass.seen[other.method .. ":" .. other.target] = nil end
        end
        pass.is_over = is_enough(pass, attempt, outcome)
        -- A menu may fade in: what is clicked before it stands still may not be seen to answer.
        if not pass.is_over and not ctx.world then ctx.page:settle{ quiet_ms = 200, max_ms = FADE_MS } end
        return true, true
      end
    end
  end
  return false, is_stale
end

---Runs the cascade until the game has started, the steps are used up, or time is.
---@param ctx table
---@param is_started fun(attempt: table): boolean asked after each attempt with an effect: does the game answer now?
---@param is_decided fun(): any a decisive failure ends the cascade
---@param limit_ms? integer instead of the option start_ms
---@return table result {found = boolean, method, target, by = {key} or {x, y}, attempts = n, auto?, is_certain?: the
---page or much of the scene changed}
function M.run(ctx, is_started, is_decided, limit_ms)
  local pass = { ctx = ctx, is_started = is_started, is_decided = is_decided, seen = {}, levels = 0,
    deadline = time.now_ms() + (limit_ms or ctx.options.start_ms), result = { found = false, attempts = 0 } }
  -- A look holds until something was tried: a busy page takes a frame to give one.
  local index, scene, read_before = 1, nil, nil
  while ctx.lists.start_cascade[index] and not is_ended(pass) do
    local step = ctx.lists.start_cascade[index]
    if pass.answered and step.kind == "already_running" then break end
    if not scene then
      scene = scenes.look(ctx)
      scene.pixels = read_before
    end
    local has_effect, is_stale = try_step(pass, step, start_attempts.kinds[step.kind](ctx, step, scene))
    if pass.is_over then break end
    -- After an effect the page is another one: start over with its own buttons.
    index = has_effect and 1 or index + 1
    -- Reading pixels takes its time: what was read holds until an attempt has an effect.
    read_before = not has_effect and scene.pixels or nil
    if is_stale then scene = nil end
  end
  return pass.result
end

return M
