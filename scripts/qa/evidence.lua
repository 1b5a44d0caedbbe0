--- Evidence: did the input change the scene, or would it have changed anyway?
-- A window is what page:watch saw for a while: for each of 64x36 cells the darkest and brightest luma. A cell is
-- *novel* in a window when it leaves the band that the window before it, of equal length and without input, has shown.
-- Control windows and input windows are counted the same way, so a busy background raises both alike: an input counts only
-- when it touches more cells than any control window does among cells that are quiet in all other control windows.
-- Method: "sequential" (control before input, real clock); it shows a response, it does not prove a cause.

local M = {}

M.method = "sequential"

---Cells of `window` that leave the band of `control` by more than `margin` luma steps.
---@param window table result of page:watch
---@param control table result of page:watch, or a band from M.band
---@param margin integer 0..255
---@return integer[] cells 1-based
function M.novel(window, control, margin)
  local cells, byte = {}, string.byte
  if window.low == window.high and control.low == control.high and window.low == control.low then return cells end
  local wl, wh, cl, ch = window.low, window.high, control.low, control.high
  for i = 1, math.min(#wl, #cl) do
    if byte(wh, i) > byte(ch, i) + margin or byte(wl, i) < byte(cl, i) - margin then cells[#cells + 1] = i end
  end
  return cells
end

---The band that covers both windows.
function M.band(a, b)
  if not a then return { low = b.low, high = b.high } end
  local low, high, byte, char = {}, {}, string.byte, string.char
  for i = 1, math.min(#a.low, #b.low) do
    low[i] = char(math.min(byte(a.low, i), byte(b.low, i)))
    high[i] = char(math.max(byte(a.high, i), byte(b.high, i)))
  end
  return { low = table.concat(low), high = table.concat(high) }
end

---A window reduced to its last frame: what stayed, without what only flashed.
function M.end_of(window)
  return { low = window.last, high = window.last }
end

---Share of cells that moved in a window.
function M.moving_share(window)
  local moving = 0
  for i = 1, #window.activity do
    if window.activity:byte(i) > 0 then moving = moving + 1 end
  end
  return #window.activity > 0 and moving / #window.activity or 0
end

---True when the window went on changing: some cell changed in three frames or more.
function M.is_animated(window)
  return window.activity:find("[^%z\1\2]") ~= nil
end

---True when a window shows one flat colour (blank), within `spread` luma steps.
function M.is_flat(window, spread)
  local low, high = 255, 0
  for i = 1, #window.last do
    local v = window.last:byte(i)
    if v < low then low = v end
    if v > high then high = v end
  end
  return high - low <= spread
end

---Boxes of cells as one region in viewport pixels, for reports.
---@return {x: number, y: number, width: number, height: number}?
function M.region(cells, columns, rows, width, height)
  if #cells == 0 then return nil end
  local x1, y1, x2, y2 = columns, rows, 0, 0
  for _, cell in ipairs(cells) do
    local x, y = (cell - 1) % columns, math.floor((cell - 1) / columns)
    x1, x2 = math.min(x1, x), math.max(x2, x)
    y1, y2 = math.min(y1, y), math.max(y2, y)
  end
  local cw, ch = width / columns, height / rows
  return { x = x1 * cw, y = y1 * ch, width = (x2 - x1 + 1) * cw, height = (y2 - y1 + 1) * ch }
end

---Did inputs beat their controls? Each sample is {input = boolean, cells = novel cells, dom = boolean?}. A control sample
---scores the cells that no other control touched; an input sample those that no control touched. `dom` marks a change of the page's
---text or structure, which counts when no control showed one.
---@param samples table[]
---@param rule {min_cells: integer, factor: number, add: integer, repeats: integer, noisy_share: number, cells: integer}
---@return {outcome: "yes"|"no"|"unknown", beats: integer, inputs: integer, threshold: number, noise_share: number, beaten: table[]}
function M.response(samples, rule)
  local touched, controls, inputs, control_dom = {}, 0, 0, 0
  for _, sample in ipairs(samples) do
    if sample.input then
      inputs = inputs + 1
    else
      controls = controls + 1
      if sample.dom then control_dom = control_dom + 1 end
      for _, cell in ipairs(sample.cells) do touched[cell] = (touched[cell] or 0) + 1 end
    end
  end
  local function score(sample, allowed)
    local n = 0
    for _, cell in ipairs(sample.cells) do
      if (touched[cell] or 0) <= allowed then n = n + 1 end
    end
    return n
  end
  local noisiest, noisy_cells = 0, 0
  for _, sample in ipairs(samples) do
    if not sample.input then noisiest = math.max(noisiest, score(sample, 1)) end
  end
  for _ in pairs(touched) do noisy_cells = noisy_cells + 1 end
  local threshold = math.max(rule.min_cells, noisiest * rule.factor + rule.add)
  local beaten, strong = {}, false
  for _, sample in ipairs(samples) do
    if sample.input then
      sample.score = score(sample, 0)
      sample.beats = sample.score > threshold or (sample.dom == true and control_dom == 0)
      if sample.beats then beaten[#beaten + 1] = sample end
      if sample.score > threshold * 5 then strong = true end
    end
  end
  local noise_share = noisy_cells / rule.cells
  local outcome = "no"
  if #beaten >= rule.repeats or (strong and #beaten > 0) then
    outcome = "yes"
  elseif inputs == 0 or controls == 0 or noise_share > rule.noisy_share then
    outcome = "unknown"
  end
  return { outcome = outcome, beats = #beaten, inputs = inputs, threshold = threshold, noise_share = noise_share, beaten = beaten,
    method = M.method }
end

return M
