--- Progress: did this input change the scene, or would it have changed anyway?
--
--   windows without input, each compared with all before it -> act -> as long windows again
--
-- A cell is novel when it leaves everything that was seen before. What a scene does by itself is soon all seen, so the last window without
-- input says how much novelty there is without one. Method "sequential": real clock, control before input; it shows a response, it does not
-- prove a cause.
local qa = require "qa"
local evidence = require "qa.evidence"

local M = {}

---Every number that decides; a caller's options replace them.
M.defaults = {
  window_ms = 400,   -- length of a window
  controls = 4,      -- windows without input; the last is the control
  effects = 2,       -- windows from the input on: a late answer is seen
  margin = 10,       -- luma steps by which a cell must leave the band
  min_cells = 4,     -- novel cells that an effect has at least
  factor = 2,        -- and so many times the control's
  add = 4,           -- and so many more
  busy_share = 0.85, -- share of cells that move by themselves beyond which nothing can be told
}

local function signature(page)
  local frames = page:probe("dom_signature", {}, { timeout_ms = 1500 })
  local parts = {}
  for i, frame in ipairs(frames or {}) do parts[i] = tostring(frame.value.hash) end
  return frames and table.concat(parts, "/") or nil
end

---@param page qa.Page
---@param act fun(): any the input; its error is returned
---@param opts? table see M.defaults
---@return {progressed: "yes"|"no"|"unknown", method: string, cells: integer, control_cells: integer, page_changed: boolean, regions: qa.Rect[]}?, qa.Error?
function M.measure(page, act, opts)
  local o = setmetatable(opts or {}, { __index = M.defaults })
  local band, noise, moving = nil, {}, 0
  local text_before
  for i = 1, o.controls do
    if i == o.controls then text_before = signature(page) end
    local window, err = page:watch(o.window_ms)
    if not window then return nil, err end
    noise = band and evidence.novel(window, band, o.margin) or {}
    band, moving = evidence.band(band, window), evidence.moving_share(window)
  end
  local text_control = signature(page)
  local acted, act_err
  local effect, cells, seen = nil, {}, {}
  for i = 1, o.effects do
    effect = qa.all(function() return page:watch(o.window_ms) end, function()
      if i == 1 then acted, act_err = act() end
      return true
    end)
    if not effect then return nil, { kind = "timeout", op = "qa.progress", message = "the scene could not be watched" } end
    if acted == nil and act_err then return nil, act_err end
    for _, cell in ipairs(evidence.novel(effect, band, o.margin)) do
      if not seen[cell] then cells[#cells + 1] = cell end
      seen[cell] = true
    end
  end
  local text_after = signature(page)
  local page_changed = text_before ~= nil and text_before == text_control and text_after ~= nil and text_after ~= text_control
  local progressed = "no"
  if #cells >= math.max(o.min_cells, #noise * o.factor + o.add) or page_changed then
    progressed = "yes"
  elseif moving > o.busy_share then
    progressed = "unknown"
  end
  local box = evidence.region(cells, effect.columns, effect.rows, o.width or 1280, o.height or 720)
  return { progressed = progressed, method = evidence.method, cells = #cells, control_cells = #noise, page_changed = page_changed,
    regions = { box } }
end

return M
