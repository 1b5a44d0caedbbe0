--- Response: did the inputs change the scene, or would it have changed anyway? Control windows and input windows are
-- counted the same way (qa.page.cell_grid), so a busy background raises both alike. Two rules decide: quiet cells
-- (strong in still scenes), and a randomised block design over all trials (for scenes that move by themselves). It
-- shows a response, it does not prove a cause.
local block_design = require "qa.effect.block_design"
local cell_grid = require "qa.page.cell_grid"

local M = {}

---The numbers of `of`; `enough` trials is min_trials of the strategy. min_cells: quiet cells that an input must change;
---factor, add: it must beat the noisiest control so many times, and by so many cells; repeats: inputs that must;
---busy_share: share of the scene that moves by itself which makes it a busy one, where enough_busy trials are needed;
---noisy_share: share beyond which input cannot be told; quiet_noise: quiet cells that a control may touch; doubt: p up
---to which a game is not called dead; uneven: range of the controls beyond which a scene moves too unevenly for that.
M.RULE = { min_cells = 4, factor = 1.5, add = 4, repeats = 2, noisy_share = 0.85, cells = cell_grid.cells, doubt = 0.02,
  enough_busy = 30, busy_share = 0.35, quiet_noise = 12, uneven = 2.2 }

---Cells that exactly these windows touched: in `lists`, how many touched each cell.
local function touch_counts(lists)
  local counts, distinct = {}, 0
  for _, cells in ipairs(lists) do
    for _, cell in ipairs(cells) do
      if not counts[cell] then distinct = distinct + 1 end
      counts[cell] = (counts[cell] or 0) + 1
    end
  end
  return counts, distinct
end

local function score(cells, counts, allowed)
  local n = 0
  for _, cell in ipairs(cells) do
    if (counts[cell] or 0) <= allowed then n = n + 1 end
  end
  return n
end

---What moves by itself reaches a little farther each time: cells so near to any that a control touched are not quiet.
local columns, reach = cell_grid.columns, 2

---The cells of all these windows, with those around them.
local function surroundings(counts)
  local near = {}
  for cell in pairs(counts) do
    local column = (cell - 1) % columns
    for x = math.max(0, column - reach), math.min(columns - 1, column + reach) do
      for y = -reach, reach do near[cell + x - column + y * columns] = 1 end
    end
  end
  return near
end

---How each control touches cells that no other one does, from the quietest to the loudest, and on how much of the scene
---any control touches. Where much moves, or controls keep finding new places, a handful of them says little about which
---cells stay quiet. What moves in its own corner all the time (a torch, a clock) leaves the rest as quiet as it was.
local function no_input_windows(trials)
  local controls, own = {}, {}
  for i, trial in ipairs(trials) do controls[i] = trial.control end
  local counts, distinct = touch_counts(controls)
  for i, cells in ipairs(controls) do own[i] = score(cells, counts, 1) end
  table.sort(own)
  return own, counts, distinct
end

---The share of the controls that must be quiet: four of five.
local quiet_share = 0.8

---Are these cells few, and all that controls touch together not too much of the scene?
local function is_quiet(own_cells, most, distinct, rule)
  return (own_cells or 0) <= most and distinct <= rule.busy_share * rule.cells
end

---Cells of its own that each control more makes believable: the fewer there were, the more is still to be seen.
local noise_allowance = 2

---Quiet-cell rule: an input counts when it touches more cells that nothing ever came near without input than any
---control touches cells that no other control did. Strong where most of the scene is still.
---@param some? table[] trials whose inputs count (all); what moves by itself is learned from every control
local function quiet_beats(trials, rule, some)
  local own, counts, distinct = no_input_windows(trials)
  local noisiest, beats, dom_noise = own[#own] or 0, 0, false
  for _, trial in ipairs(trials) do dom_noise = dom_noise or trial.control_dom end
  -- One loud control in a scene that is still otherwise is an event of the game's own: an answer is a much larger one.
  local factor = noisiest > rule.quiet_noise and 2 * rule.factor or rule.factor
  local threshold = math.max(rule.min_cells, noisiest * factor + rule.add)
  local near = surroundings(counts)
  for _, trial in ipairs(trials) do
    for _, cell in ipairs(trial.restless or {}) do near[cell] = 1 end
  end
  for _, trial in ipairs(some or trials) do
    if score(trial.input, near, 0) > threshold or (trial.input_dom and not dom_noise) then beats = beats + 1 end
  end
  local most = math.min(rule.quiet_noise, noise_allowance * (#own - rule.repeats))
  -- The blocks decide where no cells are quiet.
  return is_quiet(own[math.ceil(#own * quiet_share)], most, distinct, rule) and beats or 0, threshold,
    distinct / rule.cells
end

---Is there an answer already? Asking the quiet cells after every trial is no repeated test: nothing happens there by
---itself.
---@return boolean
function M.has_answered(trials, rule) return quiet_beats(trials, rule) >= rule.repeats end

---Did the game answer clearly in the first half of the play, and no input do more than its controls in the second?
---@param trials table[]
---@param rule table as in `of`
---@param needed integer inputs of the first half that must have beaten their control
---@return boolean
function M.has_stopped(trials, rule, needed)
  local half, first, second, loudest = math.floor(#trials / 2), {}, {}, 0
  for i, trial in ipairs(trials) do table.insert(i <= half and first or second, trial) end
  if quiet_beats(trials, rule, first) < needed then return false end
  -- One alone may be a clock that ticks late.
  if quiet_beats(trials, rule, second) > 1 then return false end
  for _, trial in ipairs(second) do loudest = math.max(loudest, #trial.control) end
  local answer, sizes = rule.min_cells + 2 * loudest, {}
  for _, trial in ipairs(first) do
    if #trial.input > answer then sizes[#sizes + 1] = #trial.input end
  end
  table.sort(sizes)
  local usual = sizes[math.ceil(#sizes / 2)] or 0
  for _, trial in ipairs(second) do
    if trial.input_dom or #trial.input > answer and #trial.input >= usual / 4 then return false end
  end
  return true
end

---How unevenly the scene moves by itself: the range of the controls' cells over their median (plus 80). Above 1 or so,
---rounds end and begin by themselves, and a few inputs cannot be told from that.
local function unevenness(trials)
  if #trials == 0 then return 0 end
  local sizes = {}
  for i, trial in ipairs(trials) do sizes[i] = #trial.control end
  table.sort(sizes)
  return (sizes[#sizes] - sizes[1]) / (sizes[math.ceil(#sizes / 2)] + 80)
end

---Did inputs beat their controls? A trial is {restless = cells?, control = cells, input = cells, control_dom,
---input_dom, control_lasting = cells?, lasting = cells?, control_drawn = number?, drawn = number?, group, spot}: what
---was not the same all the time without input, the novel cells of a window without and of one with input, whether the
---page's text or structure changed, what rested before and after and differs, without input and with it (where the
---scene moves), how much more is drawn after the window without and the one with input than before it (in powers of e),
---the kind of input, and the cell that a click went to.
---@param trials table[]
---@param rule {min_cells: integer, factor: number, add: integer, repeats: integer, noisy_share: number, cells: integer,
---doubt: number, enough: integer, enough_busy: integer, busy_share: number, quiet_noise: integer, uneven: number}
---@return {outcome: "yes"|"no"|"unknown", beats: integer, inputs: integer, threshold: number, noise_share: number,
---p: number, by: string?}
function M.of(trials, rule)
  local beats, threshold, noise_share = quiet_beats(trials, rule)
  local result = { outcome = "no", beats = beats, inputs = #trials, threshold = threshold, noise_share = noise_share,
    p = 1, method = cell_grid.method }
  if beats >= rule.repeats then
    result.outcome, result.by = "yes", "quiet cells"
    return result
  end
  if #trials >= rule.repeats then result.p = block_design.p(trials) end
  if result.p <= block_design.alpha() then
    result.outcome, result.by = "yes", "randomised blocks"
  else
    -- The more moves by itself, the more inputs it takes to see one that does something.
    local enough = noise_share > rule.busy_share and rule.enough_busy or rule.enough
    local unclear = result.p <= rule.doubt or #trials < enough or unevenness(trials) > rule.uneven
    if unclear or noise_share > rule.noisy_share then result.outcome = "unknown" end
  end
  return result
end

return M
