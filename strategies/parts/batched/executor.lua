--- Carries out one batch of a plan (ActionBatchExecutor): no picture in between, to the first error or until the scene
-- is another one, told from pictures (B-X2). What was done before an error stays done, and is told (B-006).
local time = require "qa.page.time"
local actions = require "qa.input.actions"
local cell_grid = require "qa.page.cell_grid"
local failure = require "qa.text.failure"
local groups = require "qa.effect.groups"
local measured_play = require "parts.model_led.measured_play"
local plan_errors = require "parts.batched.plan_errors"
local vision = require "parts.batched.vision"

local M = {}

local editable = { input = true, textarea = true, canvas = true, select = true, iframe = true }

---Only what the vocabulary knows; the rest is the plan's.
local function plain(action)
  local copy = {}
  for key, value in pairs(action) do
    if key ~= "element" and key ~= "leads_on" then copy[key] = value end
  end
  return copy
end

---Typing into what takes no text is the plan's mistake (B-012).
local function fits(ctx, action)
  local at = action.action == "type" and type(action.target) == "table" and action.target.x and action.target
  local row = at and actions.snap(at, ctx.page:clickables{ limit = 80 } or {})
  if not row or editable[row.tag] or row.role == "textbox" then return true end
  return nil, failure.new("type_mismatch", ("%s: a %s takes no text"):format(actions.describe(action), row.tag),
    "batch")
end

---Has an action of this name a place?
local function has_place(name)
  for _, fields in pairs(actions.vocabulary[actions.aliases[name] or name] or {}) do
    for _, field in ipairs(fields) do
      if field == "target" then return true end
    end
  end
  return false
end

---Where an action goes that names its element: by the last analysis, by the page's own text, else by asking once more.
---@return table? action, qa.Error?
function M.resolve(ctx, action)
  local made = plain(action)
  if not action.element or made.target ~= nil or made.key ~= nil or not has_place(made.action) then return made end
  local known = vision.named(ctx.state.batched.analysis, action.element)
  if known then
    made.target = { x = known.point.x, y = known.point.y }
    return made
  end
  local found = ctx.page:find{ text = action.element }
  if found and found.visible then
    made.target = { x = found.x, y = found.y }
    return made
  end
  local look, err = vision.look(ctx, "element_location")
  if not look then return nil, err end
  local location
  location, err = vision.locate(ctx, look, action.element)
  look.image:close()
  if not location then return nil, err end
  made.target = location.point
  return made
end

---Where the page is, apart from its anchor.
local function address(ctx)
  return ctx.page:evaluate("location.href.replace(/#.*/, '')", { world = "host", timeout_ms = 1000 })
end

---A moment of a scene that moves. A renderer that is held up draws what an input did some frames later.
local function glance(ctx)
  ctx.page:probe("frame_tick", { count = 2, limit_ms = 1000 }, { timeout_ms = 2000 })
  return ctx.page:watch(ctx.options.glance_ms)
end

---The scene after an action: once it rests; where it never does, a moment of it.
---@param quiet_ms integer for how long it is unchanged then
local function look(ctx, quiet_ms)
  if not ctx.state.scene_moves then
    local rest = ctx.page:settle{ quiet_ms = quiet_ms, max_ms = ctx.options.settle_ms }
    ctx.state.scene_moves = rest ~= nil and rest.verdict == "animating"
    if rest and not ctx.state.scene_moves then return rest.quiet end
  end
  return glance(ctx)
end

---Tells whether the scene is another one: most of the board is new beyond its own motion, or the address is.
---@param band table? the scene before the first action: a window, or a band
---@return {between: fun(i: integer): string?, after: fun(window: qa.Window?): string?} between actions, and after the
---last; window: where the assessment of them all has waited for it
local function watcher(ctx, batch, last, band)
  local options, url = ctx.options, address(ctx)
  local function change(window)
    local now = address(ctx)
    if url and now and now ~= url then return "navigation" end
    if options.screenshot_policy == "on_navigation" or not (window and band) then return nil end
    local share = #cell_grid.novel(window, band, options.margin) / (ctx.state.board_cells or cell_grid.cells)
    band = cell_grid.band(band, window)
    return share >= options.scene_share and "scene" or nil
  end
  local function between(i)
    if options.screenshot_policy == "per_action" then ctx:shot("action") end
    if i == last then return nil end
    if options.screenshot_policy == "on_navigation" then return change() end
    return change(look(ctx, batch[i].leads_on and 150 or groups.defaults.quiet_ms))
  end
  local function after(window)
    return change(window or band and options.screenshot_policy ~= "on_navigation" and glance(ctx) or nil)
  end
  return { between = between, after = after }
end

---Resolves what can be resolved; the first that cannot be ends the list.
local function resolved(ctx, batch)
  local list = {}
  for i, action in ipairs(batch) do
    local made, err = M.resolve(ctx, action)
    local ok = made
    if made then ok, err = fits(ctx, made) end
    if not ok then return list, err, i end
    list[i] = made
  end
  return list
end

---Does actions; one that timed out is tried again after a pause that grows (B-017).
function M.perform(ctx, list, between)
  local all, from, retries = { outcomes = {}, done = 0 }, 1, 0
  while true do
    local rest = {}
    for i = from, #list do rest[#rest + 1] = list[i] end
    local result = actions.perform_all(ctx, rest, { between = function(i) return between(from + i - 1) end })
    for i = 1, result.done do all.outcomes[from + i - 1] = result.outcomes[i] end
    all.done = all.done + result.done
    all.complete, all.stop, all.broken_by, all.error, all.failed_at = result.complete, result.stop, result.broken_by,
      result.error, nil
    if not result.error then return all end
    from = from + result.failed_at - 1
    if result.error.kind ~= "timeout" or retries >= ctx.options.action_retries then
      all.outcomes[from], all.failed_at = result.outcomes[result.failed_at], from
      return all
    end
    retries = retries + 1
    time.sleep(ctx.options.retry_ms * 2 ^ (retries - 1))
  end
end

local function record(ctx, list, result, progressed)
  local moved = nil
  if progressed ~= "unknown" then moved = progressed == "yes" end
  for i, action in ipairs(list) do
    if result.outcomes[i] then actions.record(ctx, action, result.outcomes[i], moved) end
  end
end

---@param ctx table
---@param batch table[] actions of a plan
---@param is_last? boolean the plan ends with them: the next look follows
---@return table result ExecutionResult {success, done, total, error?, scene_changed?, complete, stop?, progressed}
function M.execute(ctx, batch, is_last)
  local list, missing, missing_at = resolved(ctx, batch)
  local result = { outcomes = {}, done = 0 }
  local progressed, scene_changed = "unknown", nil
  if #list > 0 then
    local watch, assessed
    progressed, assessed = measured_play.measured(ctx, list, function(before)
      watch = watcher(ctx, batch, #list, before)
      result = M.perform(ctx, list, watch.between)
      return result.done > 0
    end, is_last)
    scene_changed = result.broken_by or result.done == #list and watch.after(assessed and assessed.after) or nil
    record(ctx, list, result, progressed)
  end
  local err, at = result.error, result.failed_at
  if missing and not err and not scene_changed and not result.complete and not result.stop then
    result.stop = plan_errors.ending(missing)
    if not result.stop then err, at = missing, missing_at end
  end
  local led = batch[result.done] and batch[result.done].leads_on
  if not err and led and not scene_changed and progressed == "no" then
    err, at = failure.new("navigation_error", "another screen was expected, and the scene did not change", "batch"),
      result.done
  end
  local told = err and plan_errors.of(err, batch[at])
  if told then
    told.done = {}
    for i = 1, result.done do told.done[i] = actions.describe(list[i]) end
  end
  if ctx.options.screenshot_policy == "per_group" then ctx:shot("batch") end
  return { success = told == nil, done = result.done, total = #batch, error = told, scene_changed = scene_changed,
    complete = result.complete, stop = result.stop, progressed = progressed }
end

return M
