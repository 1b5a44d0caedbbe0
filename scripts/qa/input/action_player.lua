--- Does actions (qa.input.actions) with the page's own primitives: where they go, how often, what came of them.
local canvases = require "qa.page.canvas"
local checker = require "qa.input.action_check"
local failure = require "qa.text.failure"
local spelling = require "qa.text.spelling"
local targets = require "qa.game.target"
local utf8 = require "qa.text.utf8"
local time = require "qa.page.time"

local M = {}

-- of a press or click without hold_ms: two frames, for games that ask between frames what is down
M.hold_ms = 34
M.gap_ms = 40           -- between the presses or clicks of one action
M.default_wait_ms = 1000

---The bounds of a run's page. The canvas is looked for only where the action speaks of it.
---@return {width: number, height: number, canvas?: table, caps?: table}
function M.bounds(ctx, action)
  local bounds = { width = ctx.width, height = ctx.height }
  for _, field in ipairs{ "target", "to" } do
    local point = type(action) == "table" and action[field]
    if type(point) == "table" and point.unit == "canvas" then bounds.canvas = bounds.canvas or canvases.of_game(ctx) end
  end
  return bounds
end

local controls = { button = true, a = true, select = true, option = true, label = true, summary = true, input = true }
local roles = { button = true, link = true, menuitem = true, tab = true, checkbox = true, radio = true, option = true,
  switch = true }

---A model's point is meant for the control that it hits: the smallest one. Boards, canvases and sliders are played at
---the point itself.
---@param point qa.Point
---@param rows table[] of page:clickables()
---@return table? row
function M.snap(point, rows)
  local best
  for _, row in ipairs(rows) do
    local hit = math.abs(point.x - row.x) <= row.width / 2 and math.abs(point.y - row.y) <= row.height / 2
    local area = row.width * row.height
    local most = (controls[row.tag] and row.type ~= "range" or roles[row.role]) and 90000
      or row.tag ~= "canvas" and row.type ~= "range" and 10000 or 0
    if hit and area < most and not row.covered and not row.disabled
      and (not best or area < best.width * best.height) then
      best = row
    end
  end
  return best
end

local function name_of(row)
  local text = utf8.printable(row.name ~= "" and row.name or row.text or ""):gsub("%s+", " ")
  local id = row.id and row.id ~= "" and "#" .. utf8.printable(row.id) or ""
  return utf8.shorten(("%s%s %s"):format(row.tag or "element", id, text):gsub("%s+$", ""), 60)
end

---Is this a link to another site? A run that leaves for one is over.
local function leaves_site(ctx, row)
  local own, href = targets.origin_of(ctx.url or ""), row.tag == "a" and row.href
  if not own or not href then return false end
  local origin = targets.origin_of((href:gsub("^%s+", ""):gsub("^//", own:match "^%a+:" .. "//")))
  return origin ~= nil and origin ~= own and not ctx.options.off_origin
end

---Where an action goes: a point of the view.
local function place(ctx, target, outcome, opts, snaps)
  if type(target) ~= "table" or target.x == nil then
    local found, err = ctx.page:wait_for(target, { timeout_ms = opts.timeout_ms or 1000, force = true })
    if not found then return nil, err end
    outcome.at = { x = found.x, y = found.y }
  else
    local row = snaps and opts.snap ~= false and M.snap(target, opts.rows or ctx.page:clickables{ limit = 80 } or {})
    if row and leaves_site(ctx, row) then
      return nil, failure.new("navigation_denied",
        ("%s: leads to another site, which the run does not leave for"):format(name_of(row)), "qa.actions")
    end
    outcome.at = row and { x = row.x, y = row.y } or { x = target.x, y = target.y }
    outcome.snapped_to = row and name_of(row) or nil
  end
  return outcome.at
end

local function times(n, fn)
  for i = 1, n do
    if i > 1 then time.sleep(M.gap_ms) end
    local ok, err = fn()
    if not ok then return nil, err end
  end
  return true
end

local doers = {}

function doers.press(ctx, action)
  return ctx.page:press(action.key, { hold_ms = action.hold_ms or M.hold_ms, count = action["repeat"] or 1,
    gap_ms = M.gap_ms })
end

function doers.click(ctx, action, outcome, opts)
  local at, err = place(ctx, action.target, outcome, opts, true)
  if not at then return nil, err end
  return times(action["repeat"] or 1,
    function() return ctx.page:mouse_click(at.x, at.y, { hold_ms = action.hold_ms or M.hold_ms }) end)
end

function doers.double_click(ctx, action, outcome, opts)
  local at, err = place(ctx, action.target, outcome, opts, true)
  if not at then return nil, err end
  return ctx.page:mouse_click(at.x, at.y, { count = 2 })
end

function doers.hold(ctx, action, ...) return doers[action.key and "press" or "click"](ctx, action, ...) end
doers.burst = doers.hold

function doers.drag(ctx, action, outcome, opts)
  local from, err = place(ctx, action.target, outcome, opts)
  if not from then return nil, err end
  local ending = {}
  local to
  to, err = place(ctx, action.to, ending, opts)
  if not to then return nil, err end
  return ctx.page:mouse_drag(from.x, from.y, to.x, to.y, { hold_ms = action.hold_ms, steps = 8 })
end

function doers.type(ctx, action, outcome, opts)
  if action.target then
    local ok, err = doers.click(ctx, { target = action.target }, outcome, opts)
    if not ok then return nil, err end
  end
  return ctx.page:type(action.text, {})
end

function doers.scroll(ctx, action, outcome, opts)
  local at, err = place(ctx, action.target or { x = ctx.width / 2, y = ctx.height / 2 }, outcome, opts)
  if not at then return nil, err end
  return ctx.page:wheel(at, { dx = action.dx or 0, dy = action.dy or 0 })
end

function doers.move(ctx, action, outcome, opts)
  local at, err = place(ctx, action.target, outcome, opts)
  if not at then return nil, err end
  return ctx.page:move(at, { steps = 4 })
end

function doers.wait(ctx, action)
  ctx:wait(action.wait_ms or M.default_wait_ms)
  return true
end

---The limit that leaves no room for one more action (A-X4, A-X7): the run's, or of a part of it, ctx.state.cap =
---{actions?, duration_ms?}.
---@return "max_actions"|"max_duration"|nil
function M.limit(ctx)
  for _, limits in ipairs{ ctx.limits or {}, ctx.state.cap } do
    if limits.actions and (ctx.state.actions or 0) >= limits.actions then return "max_actions" end
    if limits.duration_ms and ctx:elapsed_ms() >= limits.duration_ms then return "max_duration" end
  end
end

---Does one action. What goes wrong is in the outcome; losses are raised.
---@param ctx table
---@param action table
---@param opts? {snap?: boolean, rows?: table[], timeout_ms?: integer, caps?: table} rows: page:clickables() by default
---@return {success: boolean, error?: qa.Error, ms: number, at?: qa.Point, snapped_to?: string, complete?: boolean,
---stop?: string}
function M.perform(ctx, action, opts)
  opts = spelling.check_options("qa.actions.perform", opts,
    { snap = "boolean", rows = "table", timeout_ms = "number", caps = "table" })
  local stop = M.limit(ctx)
  if stop then return { success = false, stop = stop, ms = 0 } end
  local bounds, began = M.bounds(ctx, action), time.now_ms()
  bounds.caps = opts.caps
  local checked, err = checker.check(action, bounds)
  if checked and checked.action == "complete" then return { success = true, complete = true, ms = 0 } end
  ctx.state.actions = (ctx.state.actions or 0) + 1
  local outcome, ok = {}, nil
  local step = checked and ctx.recorder and ctx.recorder:before(checked)
  if checked then ok, err = doers[checked.action](ctx, checked, outcome, opts) end
  if step then ctx.recorder:after(step, ok ~= nil and ok ~= false, err and err.message) end
  outcome.success, outcome.ms = ok ~= nil and ok ~= false, time.now_ms() - began
  if not outcome.success then outcome.error = err end
  return outcome
end

---Does a list, to the first error, the end of the run, or `complete`. What was done stays done and is told.
---@param ctx table
---@param list table[]
---@param opts? table as perform, and {go_on?: boolean, between?: fun(i: integer, action: table, outcome: table): any}
---go_on: past errors; between is called after each action; what it gives ends the list and is `broken_by`
---@return {outcomes: table[], done: integer, success: boolean, error?: qa.Error, failed_at?: integer, stop?: string,
---complete: boolean, broken_by: any}
function M.perform_all(ctx, list, opts)
  local rest = {}
  for key, value in pairs(opts or {}) do rest[key] = value end
  local go_on, between = rest.go_on, rest.between
  rest.go_on, rest.between = nil, nil
  local result = { outcomes = {}, done = 0, success = true, complete = false }
  for i, action in ipairs(list) do
    local outcome = M.perform(ctx, action, rest)
    if outcome.complete then
      result.complete = true
      break
    end
    if outcome.stop then
      result.stop, result.success = outcome.stop, false
      break
    end
    result.outcomes[i] = outcome
    if outcome.success then
      result.done = result.done + 1
    else
      result.success = false
      result.error, result.failed_at = result.error or outcome.error, result.failed_at or i
      if not go_on then break end
    end
    result.broken_by = between and between(i, action, outcome) or nil
    if result.broken_by then break end
  end
  return result
end

return M
