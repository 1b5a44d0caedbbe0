--- Groups: several actions that pursue one idea, assessed together: the scene before the first against the scene after
-- the last, from pictures (A-008, A-017). A scene at rest is compared with itself in some hundred milliseconds; one
-- that moves by itself is watched for as long as it takes to know its motion (qa.progress). What a scene at rest does
-- now and then (a clock, a caret) is asked for before a small change is believed; a scene that is watched while a model
-- thinks answers that for nothing.
local qa = require "qa"
local browser_looks = require "qa.page.browser_looks"
local cell_grid = require "qa.page.cell_grid"
local progress = require "qa.effect.progress"
local signature = require "qa.page.signature"
local time = require "qa.page.time"

local M = {}

---Every number that decides; a caller's options replace them.
M.defaults = {
  glance_ms = 120,    -- length of a look at a scene that may move
  rested_ms = 5,      -- length of a look at one that is known not to
  quiet_ms = 45,      -- the scene has come to rest after an action when unchanged for so long: three frames
  press_ms = 50,      -- what an action takes
  flash_ms = 110,     -- what has gone so long after the last action began only flashed
  fresh_ms = 60,      -- how old a look at a scene at rest may be
  hover_quiet_ms = 90,-- what begins when the pointer comes has begun after so long
  hover_ms = 600,     -- longest wait for its end
  settle_ms = 1500,   -- longest wait for the scene to rest
  margin = 10,        -- steps of luma, blueness or redness by which a cell must differ
  min_cells = 4,      -- cells of 9216 that must differ
  sure_cells = 400,   -- so many are no clock
  known_ms = 1000,    -- a scene that was watched for so long without input is known
  -- how long a small change is checked otherwise; of actions that take longer a change is no evidence
  watch_ms = 1100,
  -- how late an answer may be, after the last action began, where frames come as fast as on an idle machine:
  late_ms = 150,
  delay_ms = 25,      -- so long a frame is on its way then at most
  short_ms = 100,     -- actions of a moving scene that take longer are no evidence
  most_windows = 12,  -- windows after which a moving scene is known well enough
  window_ms = 400,    -- length of the windows in which a scene that moves by itself is compared with itself
}

---What is known of how the scene moves without input: a baseline of qa.progress, and for how long it was watched. Lost
---when the scene progresses.
local function learn(ctx, window_ms)
  local known = ctx.motion or progress.baseline()
  local window, err = progress.watch(ctx.page, known, { window_ms = window_ms })
  if not window then return nil, err end
  known.ms = (known.ms or 0) + window_ms
  ctx.motion = known
  return window
end

---Watches the scene for one window without input, as while a model thinks: the next assessment knows its motion then.
---@param ctx table ctx.motion is what is known
---@param window_ms? integer
---@return boolean more there is more to be learnt
function M.watch(ctx, window_ms)
  return learn(ctx, window_ms or M.defaults.window_ms) ~= nil and ctx.motion.windows < M.defaults.most_windows
end

---Watches for so long, in parts: the text is read between them.
---@return boolean? goes_on something moves in every part, as no clock or caret does, qa.Error?
local function learn_for(ctx, ms)
  local goes_on = true
  for _ = 1, 4 do
    local window, err = learn(ctx, math.ceil(ms / 4))
    if not window then return nil, err end
    goes_on = goes_on and window.low ~= window.high
  end
  return goes_on
end

local function outside(cells, mask)
  local kept = {}
  for _, cell in ipairs(cells) do
    if not mask[cell] then kept[#kept + 1] = cell end
  end
  return kept
end

---Would one more window of this length make the scene known? Then it is worth seeing to its end.
---@param ctx table
---@param window_ms integer
---@return boolean
function M.is_nearly_known(ctx, window_ms)
  local ms = ctx.motion and ctx.motion.ms or 0
  return ms < M.defaults.known_ms and ms + window_ms >= M.defaults.known_ms
end

local function is_known(known, o) return known ~= nil and (known.ms or 0) >= o.known_ms end

---Does what was watched describe the scene of this window?
local function describes(known, window, text, o)
  if not is_known(known, o) or not known.text_moves and known.text ~= text then return false end
  return #outside(cell_grid.novel(window, known.band, o.margin), known.mask) < o.min_cells
end

---The scene once it has come to rest after the input, or a look at one that does not.
---@param began_ms number when the last action began
---@return qa.Window? window, boolean|qa.Error rests, qa.Image? picture of the rest
local function settled(page, before, began_ms, o)
  local quiet_ms, has_settled = o.quiet_ms, false
  for _ = 1, 4 do
    local asked_ms = time.now_ms()
    local flashed_ms = math.max(0, math.ceil(began_ms + o.flash_ms - asked_ms))
    local rest = page:settle{ quiet_ms = quiet_ms, min_ms = flashed_ms, max_ms = o.settle_ms, picture = o.picture }
    has_settled = rest ~= nil and rest.verdict == "settled"
    if not has_settled then break end
    local is_other = #cell_grid.novel(rest.quiet, before, o.margin) >= o.min_cells
    -- What looks as before, though it changed for longer than a flash does, may just be passing where it began.
    local is_back = not is_other and rest.last_change_ms > 0 and asked_ms + rest.last_change_ms > began_ms + o.flash_ms
    local due_ms = is_other and o.flash_ms or o.late_ms * math.max(1, rest.frame_delay_ms / o.delay_ms)
    local left = began_ms + due_ms - time.now_ms()
    if left < 1 and not is_back and rest.quiet.low == rest.quiet.high then return rest.quiet, true, rest.picture end
    quiet_ms = math.max(is_back and o.glance_ms or o.quiet_ms, math.floor(left))
  end
  local seen, err = page:watch(o.glance_ms)
  return seen, err or has_settled and seen.low == seen.high
end

---What a short input did in a scene that moves by itself, and what the scene did without one just before: windows as
---long, as far apart.
---@param act fun() it takes late_ms, or longer than short_ms
---@return table? result of progress.measure with `burst`, qa.Error?
local function measured_in_motion(ctx, act, o)
  local page, known = ctx.page, ctx.motion or progress.baseline()
  local opts = { after = true, effects = 1, window_ms = o.window_ms, width = ctx.width, height = ctx.height,
    margin = o.margin, baseline = known }
  if o.believed then return progress.measure(page, act, opts) end
  local window, result, err
  repeat
    window, err = progress.watch(page, known, opts)
    if not window then return nil, err end
  until known.windows >= progress.defaults.controls - 1
  local text = known.text
  opts.most_controls = known.windows + 1
  time.sleep(o.late_ms)
  result, err = progress.measure(page, act, opts)
  if not result then return nil, err end
  result.trial = { restless = cell_grid.restless(window, result.control, o.margin),
    control = cell_grid.novel(result.control, window, o.margin),
    input = cell_grid.novel(result.after, result.control, o.margin),
    control_dom = signature.changed(text, result.text_control),
    input_dom = signature.changed(result.text_control, result.text_after), still = false, animated = true }
  return result
end

---A scene that moves by itself: one window with the effect against as long ones without, for each may show some motion
---for the first time.
local function assess_moving(ctx, before, act, o, looks)
  local took = 0
  local result, err = measured_in_motion(ctx, function()
    local began = time.now_ms()
    act(before)
    took = time.now_ms() - began
    -- A short input and what follows it take as long as the pause before the control.
    time.sleep(took > o.short_ms and o.late_ms or o.late_ms - took)
    return true
  end, o)
  if not result or result.progressed == "yes" then ctx.motion = nil end
  if not result then return nil, err end
  result.still, result.rests = false, false
  -- The longer the actions took, the more went on by itself meanwhile.
  if took > o.short_ms then result.trial = nil end
  if result.trial then
    result.trial.moved = result.progressed == "yes"
    if looks.focused then result.trial.input = cell_grid.outside(result.trial.input, looks.focused, ctx) end
  end
  return result
end

local function same_place(a, b) return a ~= nil and b ~= nil and a.x == b.x and a.y == b.y end

---The scene before the actions: as the last assessment has just left it at rest, else by a look. The pointer goes first
---where they will leave it, so that what only hovering changes is there before; on a canvas that is what its game
---draws, on a control what its page or the browser does.
---@return qa.Window? window, string|qa.Error|nil text its signature, where that is known too
local function glance(ctx, o, looks)
  local seen, known, hovers, was_on = ctx.at_rest, ctx.motion, false, ctx.hovered
  ctx.hovered = looks.pressed
  if o.pointer then
    local coming, is_control = qa.spawn(function() return ctx.page:move(o.pointer) end), looks.pressed ~= nil
    if is_control then
      hovers = looks.hover or browser_looks.listens_to_hovering(ctx.page)
    else
      hovers = not ctx.is_over_canvas
    end
    -- Where hovering changes nothing, nobody waits for the pointer: the next input queues up behind it.
    if hovers or not is_control then coming:join() end
    ctx.is_over_canvas = not is_control
  end
  if hovers then
    local moves = is_known(known, o) and next(known.mask) ~= nil
    local function settle() return ctx.page:settle{ quiet_ms = o.hover_quiet_ms, max_ms = o.hover_ms } end
    local rest = not moves and settle()
    -- A look that is known, of a control that the pointer has just come to, may begin late on a busy machine.
    if rest and rest.last_change_ms == 0 and looks.hover and not same_place(was_on, looks.pressed) then
      rest = settle()
    end
    if rest and rest.verdict == "settled" and rest.quiet.low == rest.quiet.high then return rest.quiet end
  elseif seen and time.now_ms() - seen.t_ms <= o.fresh_ms then
    return seen.window, seen.text
  end
  local is_still = is_known(known, o) and next(known.mask) == nil
  local window, text, errs = qa.all(function() return ctx.page:watch(is_still and o.rested_ms or o.glance_ms) end,
    function() return signature.of(ctx.page) end)
  if not window then return nil, errs[1] end
  return window, text
end

---Runs act and says whether the scene progressed. All actions of a group are run (A-017), errors or not.
---@param ctx table page, state, width, height; ctx.motion is what is known of the scene
---@param act fun(before: qa.Window): any
---@param opts? table see M.defaults; pointer: where act leaves it, a point; believed: a small change is believed
---without asking whether it happens by itself, and is no evidence then; picture: M.picture is to give one
---@return table? result {progressed: "yes"|"no"|"unknown", method, cells, control_cells, page_changed, regions, still,
---rests, after, trial?}; still: it rested before, rests: afterwards; after: the scene then, a window; trial: for the
---statistics of qa.effect.response
---@return qa.Error? err
function M.assess(ctx, act, opts)
  local page, o = ctx.page, setmetatable(opts or {}, { __index = M.defaults })
  local looks = browser_looks.native_looks(page, o.pointer)
  local before, text_before = glance(ctx, o, looks)
  if not before then return nil, text_before end
  if before.low ~= before.high and cell_grid.moving_share(before) * cell_grid.cells >= o.min_cells then
    return assess_moving(ctx, before, act, o, looks)
  end
  text_before = text_before or signature.of(page)
  local known = describes(ctx.motion, before, text_before, o) and ctx.motion or nil
  local began_ms = time.now_ms()
  act(before)
  local ended_ms = time.now_ms()
  local after, rests, picture = settled(page, before, math.max(began_ms, ended_ms - o.press_ms), o)
  if not after then return nil, rests end
  local seen_ms = time.now_ms()
  local text_after = signature.of(page)
  -- Of a scene at rest its last frame counts; one that was set in motion may just look as before.
  local cells, control, is_asked = cell_grid.novel(rests and cell_grid.end_of(after) or after, before, o.margin), {},
    true
  -- Another frame around what has the focus is the browser's.
  if looks.focused then cells = cell_grid.outside(cells, looks.focused, ctx) end
  local text_changed = signature.changed(text_before, text_after)
  if known then
    cells, text_changed = outside(cells, known.mask), text_changed and not known.text_moves
  else
    ctx.motion = nil
    is_asked = not o.believed or #cells >= o.sure_cells
    if is_asked and #cells < o.sure_cells and (#cells >= o.min_cells or text_changed) then
      -- Does this happen by itself? What moves now, without input, is not counted, unless it was set in motion: a clock
      -- or a caret only ticks.
      local goes_on, err = learn_for(ctx, o.watch_ms)
      if goes_on == nil then return nil, err end
      if not goes_on then cells = outside(cells, ctx.motion.mask) end
      text_changed = text_changed and not ctx.motion.text_moves and ctx.motion.text == text_after
      for cell in pairs(ctx.motion.mask) do control[#control + 1] = cell end
    end
  end
  -- What nobody can see is no progress: pages rewrite their own attributes.
  text_changed = text_changed and #cells > 0
  if #cells < o.min_cells and not text_changed then cells = {} end
  local is_progress = #cells > 0 or text_changed
  if is_progress and known then ctx.motion = nil end
  ctx.at_rest = rests and { window = after, text = text_after, t_ms = seen_ms, picture = picture } or nil
  local trial = { control = control, input = cells, control_dom = false, input_dom = text_changed,
    still = not is_progress and #control == 0, animated = false, moved = is_progress }
  -- What took longer than the scene was seen without input may have waited for what comes by itself.
  local is_covered = ended_ms - began_ms <= math.max(o.watch_ms, known and known.ms or 0)
  return { progressed = is_progress and "yes" or "no", method = cell_grid.method, cells = #cells,
    control_cells = #control, page_changed = text_changed,
    regions = { cell_grid.region(cells, after.columns, after.rows, ctx.width, ctx.height) }, still = true,
    rests = rests, after = cell_grid.end_of(after),
    trial = (is_asked and is_covered or not is_progress) and trial or nil }
end

---The picture of the scene at rest that the last assessment took, where that was just now; the caller closes it.
---@return qa.Image?
function M.picture(ctx)
  local seen = ctx.at_rest
  local picture = seen and seen.picture
  if not picture then return nil end
  seen.picture = nil
  if time.now_ms() - seen.t_ms <= M.defaults.fresh_ms then return picture end
  picture:close()
end

return M
