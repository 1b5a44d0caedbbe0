--- Play: plays one move (qa.input.candidates) in one of two windows, so that each trial says whether the scene
-- answered.
local qa = require "qa"
local browser_looks = require "qa.page.browser_looks"
local cell_grid = require "qa.page.cell_grid"
local moves = require "qa.input.moves"
local reader = require "qa.page.reader"
local signature = require "qa.page.signature"
local time = require "qa.page.time"

local M = {}

---Least time between two windows of a trial.
M.gap_ms = 60

---Watches the scene; one that moves in two halves, so that what rests in each of them is known too.
---@return qa.Window? window with halves, the two of a moving scene
local function watch(ctx, ms)
  if not ctx.state.was_animated then return ctx.page:watch(ms) end
  local first, err = ctx.page:watch(math.floor(ms / 2))
  if not first then return nil, err end
  local second, why = ctx.page:watch(math.ceil(ms / 2))
  if not second then return nil, why end
  local window = cell_grid.joined(first, second)
  window.halves = { first, second }
  return window
end

local function wait_until(ms)
  local left_ms = ms - time.now_ms()
  if left_ms > 0 then time.sleep(left_ms) end
end

---What tells two moments apart but for the picture: the page's text and structure, and how much the game draws.
---@return string? signature, number? drawn
local function state_of(page)
  return qa.all(function() return signature.of(page) end, function() return reader.drawn(page) end)
end

---How much more is drawn after than before, or less: powers of e. Nil where either is not known.
local function drawn_change(before, after)
  if not before or not after then return nil end
  local more = after - before
  return (more < 0 and -1 or 1) * math.log(1 + math.abs(more))
end

---Takes out of a trial what the browser shows by itself, which is no answer of the game: the frame around what has the
---focus, a control that looks pressed while it is held. `native` notes that there was some: a page may yet answer in a
---way that looks the same.
---@param looks table of browser_looks.native_looks
local function without_native(ctx, trial, looks, window, control)
  local cells, lasting = #trial.input, {}
  -- From both windows: else what moves there by itself would be missing in one.
  for _, box in ipairs{ looks.focused or false, looks.pressed or false } do
    if box then trial.control = cell_grid.outside(trial.control, box, ctx) end
  end
  if looks.focused then trial.input = cell_grid.outside(trial.input, looks.focused, ctx) end
  if looks.pressed then
    -- A field keeps what the browser writes or marks in it.
    for _, cell in ipairs(looks.is_field and {}
      or cell_grid.novel(cell_grid.end_of(window), control, ctx.options.margin)) do
      lasting[cell] = true
    end
    trial.input = cell_grid.outside(trial.input, looks.pressed, ctx, lasting)
  end
  trial.native = #trial.input < cells
  return trial
end

---A window, and what was seen before it: {before, window, dom, dom_after, drawn?, lasting?}.
---@param ctx table
---@param before? table the window before it, where it was watched already
---@param act? fun(before: table) the input
---@return table? half, qa.Error?
local function watch_half(ctx, before, act)
  local page, ms, margin = ctx.page, ctx.state.window_ms, ctx.options.margin
  local err
  if not before then before, err = watch(ctx, ms) end
  if not before then return nil, err end
  -- The page is read between any two windows: as much time lies before one with input as before one without.
  local ended_ms = time.now_ms()
  local dom, drawn = state_of(page)
  wait_until(ended_ms + M.gap_ms)
  local after, dom_after, drawn_after
  local window = qa.all(function()
    local seen, why = watch(ctx, ms)
    if not seen then return nil, why end
    -- At once, also where the input goes on: the longer, the more changes by itself.
    after, dom_after, drawn_after = qa.all(function() return before.halves and page:watch(math.ceil(ms / 2)) end,
      function() return signature.of(page) end, function() return reader.drawn(page) end)
    return seen
  end, function()
    if act then act(before) end
    return true
  end)
  if not window then return nil, { kind = "timeout", op = "qa.play", message = "the scene could not be watched" } end
  return { before = before, window = window, dom = dom, dom_after = dom_after,
    drawn = drawn_change(drawn, drawn_after),
    lasting = after and before.halves and cell_grid.lasting(after, before.halves[1], margin) or nil }
end

---Waits until a scene that can be still is still: what the last input set off is no motion without input.
---@return table? before the window then, qa.Error?
local function calm(ctx)
  local before, err = watch(ctx, ctx.state.window_ms)
  if not before then return nil, err end
  local until_ms = time.now_ms() + ctx.options.calm_ms
  while ctx.state.seen_still and before.low ~= before.high and time.now_ms() < until_ms do
    before, err = watch(ctx, ctx.state.window_ms)
    if not before then return nil, err end
  end
  ctx.state.seen_still = ctx.state.seen_still or before.low == before.high
  return before
end

---One trial: pointer in place, then a window with the input and one without. Where the scene moves by itself, each has
---a window of its own before it, and chance decides which comes first; where it rests, the control is first.
---@param ctx table
---@param move table
---@param act? fun(band: table): any, any? what is done instead of the move, which then only says what kind of input it
---is; band: how the scene looked without input, see cell_grid.band
---@return table? trial {group, spot?, restless, control, input, control_dom, input_dom, control_lasting?, lasting?,
---control_drawn?, drawn?, still, animated, native?, is_ordered, err?}, see response.of; is_ordered: the control was
---first, and not by chance
function M.trial(ctx, move, act)
  local page, margin = ctx.page, ctx.options.margin
  -- Hovering first makes the hover part of the control.
  if move.x then page:move({ x = move.x, y = move.y }, { steps = 2 }) end
  local looks = browser_looks.native_looks(page, move.action == "click" and move or nil)
  -- A random pause keeps trials from falling into step with an animation's period.
  if ctx.state.was_animated then time.sleep(math.random(0, ctx.options.jitter_ms)) end
  local before, err = calm(ctx)
  if not before then return nil, err end
  local act_err
  local function input(seen)
    local acted
    if act then
      acted, act_err = act(cell_grid.band(before, seen))
    else
      acted, act_err = moves.act(page, move, ctx.state)
    end
    return acted
  end
  local moves_by_itself = before.halves ~= nil
  local is_first = moves_by_itself and not act and math.random(2) == 1
  local first, second
  first, err = watch_half(ctx, before, is_first and input or nil)
  if not first then return nil, act_err or err end
  second, err = watch_half(ctx, not moves_by_itself and first.window or nil, not is_first and input or nil)
  if not second then return nil, act_err or err end
  local with, without = is_first and first or second, is_first and second or first
  local window, control = with.window, without.window
  local spot = move.action == "click" and
    { column = math.floor(move.x * window.columns / ctx.width), row = math.floor(move.y * window.rows / ctx.height) }
      or nil
  local control_dom = signature.changed(without.dom, without.dom_after)
  return without_native(ctx, {
    aims = moves.aims(move),
    group = moves.group(move), by_key = move.action == "press" or move.action == "mash", spot = spot,
    restless = cell_grid.restless(without.before, control, margin),
    control = cell_grid.novel(control, without.before, margin), control_dom = control_dom,
    input = cell_grid.novel(window, with.before, margin),
    input_dom = signature.changed(with.dom, with.dom_after), is_ordered = not moves_by_itself or act ~= nil,
    control_lasting = without.lasting, lasting = with.lasting, control_drawn = without.drawn, drawn = with.drawn,
    still = control.low == control.high and window.low == window.high and before.low == before.high,
    animated = cell_grid.is_animated(control) or cell_grid.is_animated(before), err = act_err,
  }, looks, window, with.before)
end

return M
