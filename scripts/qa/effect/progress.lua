--- Progress: did this input change the scene, or would it have changed anyway?
--
--   windows without input, each compared with all before it -> act -> as long windows again
-- A cell is novel when it leaves everything that was seen before. What a scene does by itself is soon all seen, so the
-- later windows without input say how much novelty there is without one. Where the scene moves by itself, and close to
-- that, a clock or a caret may show what it has not shown yet: cells of this noise mask count only when there are far
-- more of them. The same with the page's text and structure: what changes by itself in some window does not count
-- afterwards. Method "sequential": real clock, control before input; it shows a response, it does not prove a cause.
local qa = require "qa"
local cell_grid = require "qa.page.cell_grid"
local signature = require "qa.page.signature"
local time = require "qa.page.time"

local M = {}

---Every number that decides; a caller's options replace them.
M.defaults = {
  window_ms = 400,   -- length of a window
  controls = 4,      -- windows without input, at least; the last is the control
  most_controls = 8, -- and at most, while something comes to new places by itself
  -- before the first of them, and after the input: a few frames at 60 a second; longer where they take longer
  fresh_ms = 100,
  effects = 2,       -- windows from the input on: a late answer is seen
  margin = 10,       -- steps of luma, blueness or redness by which a cell must leave the band
  min_cells = 4,     -- novel cells that an effect has at least
  factor = 2,        -- and so many times the control's
  add = 4,           -- and so many more
  reach = 3,         -- cells around what moves by itself that belong to the noise mask
  mask_factor = 3,   -- with the mask's cells counted, an effect has so many times the control's
  mask_add = 16,     -- and so many more
  after = false,     -- the input is over before its effect is looked at: what it leaves, not what passes by
  busy_share = 0.85, -- share of cells that move by themselves beyond which nothing can be told
}

---Adds to a noise mask what moved in a window, and what lies within `reach` cells of it.
local function spread(mask, window, reach)
  local columns, rows, byte = window.columns, window.rows, string.byte
  for cell = 1, #window.activity do
    if byte(window.activity, cell) > 0 then
      local column, row = (cell - 1) % columns, math.floor((cell - 1) / columns)
      for y = math.max(0, row - reach), math.min(rows - 1, row + reach) do
        for x = math.max(0, column - reach), math.min(columns - 1, column + reach) do
          mask[y * columns + x + 1] = true
        end
      end
    end
  end
end

local function outside(cells, mask)
  local n = 0
  for _, cell in ipairs(cells) do
    if not mask[cell] then n = n + 1 end
  end
  return n
end

---What a scene does by itself, as far as it was watched; grows with each window. novel, outside: each window's novel
---cells, and those of them outside the mask that the windows before had given. `text` is signature.of after the
---last one; text_moves: it has changed by itself.
---@return table baseline
function M.baseline()
  return { windows = 0, mask = {}, novel = {}, outside = {}, moving = 0, text = nil, text_moves = false }
end

---The most that a window had of these cells, from the `from`th on.
local function most(counts, from, windows)
  local n = 0
  for i = from, windows do n = math.max(n, counts[i] or 0) end
  return n
end

---What moves comes to new places at first: outside the mask, the later half of the windows counts.
local function noise_outside(baseline)
  return most(baseline.outside, math.floor(baseline.windows / 2) + 1, baseline.windows)
end

---Waits for frames that were made since the call: what is still on its way shows the scene as it was.
local function await_fresh(page, o)
  local fresh = page:settle{ quiet_ms = o.fresh_ms, area = 1 }
  if fresh then time.sleep(fresh.frame_delay_ms) end
end

---Watches one more window without input.
---@param page qa.Page
---@param baseline table of M.baseline
---@param opts? table see M.defaults
---@return table? window, qa.Error?
function M.watch(page, baseline, opts)
  local o = setmetatable(opts or {}, { __index = M.defaults })
  baseline.text = baseline.text or signature.of(page)
  local window, err = page:watch(o.window_ms)
  if not window then return nil, err end
  local text = signature.of(page)
  baseline.text_moves = baseline.text_moves or signature.changed(text, baseline.text)
  baseline.text = text or baseline.text
  baseline.windows = baseline.windows + 1
  if baseline.band then
    local novel = cell_grid.novel(window, baseline.band, o.margin)
    baseline.novel[baseline.windows], baseline.outside[baseline.windows] = #novel, outside(novel, baseline.mask)
  end
  spread(baseline.mask, window, o.reach)
  baseline.band, baseline.moving = cell_grid.band(baseline.band, window), cell_grid.moving_share(window)
  return window
end

---@param page qa.Page
---@param act fun(): any the input; its error is returned
---@param opts? table see M.defaults, and baseline: what is known of the scene, and not watched again
---@return {progressed: "yes"|"no"|"unknown", method: string, cells: integer, control_cells: integer, page_changed:
---boolean, regions: qa.Rect[], control: qa.Window, after: qa.Window, text_control: string?, text_after: string?}?,
---qa.Error? control, after: the last window without input, and the last of all; text_control, text_after:
---signature.of at their ends
function M.measure(page, act, opts)
  local o = setmetatable(opts or {}, { __index = M.defaults })
  local known = o.baseline or M.baseline()
  local control, err
  if known.windows == 0 then await_fresh(page, o) end
  repeat
    control, err = M.watch(page, known, o)
    if not control then return nil, err end
    -- What still comes to new places by itself is watched for longer.
  until known.windows >= o.controls and (noise_outside(known) < o.min_cells or known.windows >= o.most_controls)
  local band, mask = known.band, setmetatable({}, { __index = known.mask })
  local acted, act_err, acted_ms
  local effect, is_fresh
  local cells, seen, windows, novel_most, outside_most = {}, {}, 0, 0, 0
  local function do_act()
    acted, act_err = act()
    acted_ms = time.now_ms()
    return true
  end
  if o.after then
    do_act()
    if acted == nil and act_err then return nil, act_err end
  end
  repeat
    if acted_ms and is_fresh == nil then
      is_fresh = false
      qa.spawn(function()
        await_fresh(page, o)
        is_fresh = true
      end)
    end
    -- As the control windows are, each is compared with all before it.
    if effect then
      spread(mask, effect, o.reach)
      band = cell_grid.band(band, effect)
    end
    windows = windows + 1
    effect = qa.all(function() return page:watch(o.window_ms) end, function() return acted_ms or do_act() end)
    if not effect then
      return nil, { kind = "timeout", op = "qa.progress", message = "the scene could not be watched" }
    end
    if acted == nil and act_err then return nil, act_err end
    local novel = cell_grid.novel(effect, band, o.margin)
    novel_most, outside_most = math.max(novel_most, #novel), math.max(outside_most, outside(novel, mask))
    for _, cell in ipairs(novel) do
      if not seen[cell] then cells[#cells + 1] = cell end
      seen[cell] = true
    end
    -- An input that took its time on a busy machine is waited for as long as a quick one, until its effect can be seen.
  until windows >= o.effects and is_fresh and time.now_ms() - acted_ms >= (o.effects - 0.5) * o.window_ms
  local text_after = signature.of(page)
  local page_changed = not known.text_moves and signature.changed(known.text, text_after)
  local progressed = "no"
  if page_changed or outside_most >= math.max(o.min_cells, noise_outside(known) * o.factor + o.add)
    or novel_most >= most(known.novel, 2, known.windows) * o.mask_factor + o.mask_add then
    progressed = "yes"
  elseif known.moving > o.busy_share then
    progressed = "unknown"
  end
  local box = cell_grid.region(cells, effect.columns, effect.rows, o.width or 1280, o.height or 720)
  return { progressed = progressed, method = cell_grid.method, cells = #cells,
    control_cells = known.novel[known.windows] or 0, page_changed = page_changed,
    regions = { box }, control = control, after = effect, text_control = known.text, text_after = text_after }
end

return M
