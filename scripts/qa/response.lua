--- Response: did the inputs change the scene, or would it have changed anyway?
-- Control windows and input windows are counted the same way (qa.evidence), so a busy background raises both alike. Two rules decide:
-- quiet cells (strong in still scenes) and randomization tests over all bursts (for scenes that move by themselves).
-- Method: "sequential" (control before input, real clock); it shows a response, it does not prove a cause.

local evidence = require "qa.evidence"

local M = {}

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

---Quiet-cell rule: an input counts when it touches more cells that no control ever touched than any control touches
---cells that no other control did. Strong where most of the scene is still.
local function quiet_beats(bursts, rule)
  local controls = {}
  for i, burst in ipairs(bursts) do controls[i] = burst.control end
  local counts, distinct = touch_counts(controls)
  local noisiest, beats, dom_noise, own = 0, 0, false, {}
  for i, burst in ipairs(bursts) do
    own[i] = score(burst.control, counts, 1)
    noisiest = math.max(noisiest, own[i])
    dom_noise = dom_noise or burst.control_dom
  end
  -- One loud control in a scene that is still otherwise is an event of the game's own: an answer is a much larger one.
  local factor = noisiest > rule.quiet_noise and 2 * rule.factor or rule.factor
  local threshold = math.max(rule.min_cells, noisiest * factor + rule.add)
  for _, burst in ipairs(bursts) do
    if score(burst.input, counts, 0) > threshold or (burst.input_dom and not dom_noise) then beats = beats + 1 end
  end
  -- Where much moves, or controls keep finding new places, a handful of them says little about which cells stay quiet: the
  -- tests below decide there. What moves in its own corner all the time (a torch, a clock) leaves the rest as quiet as it was.
  table.sort(own)
  if (own[math.ceil(#own * 0.8)] or 0) > rule.quiet_noise or distinct > rule.busy_share * rule.cells then beats = 0 end
  return beats, threshold, distinct / rule.cells
end

---Do the quiet cells alone answer? Asking this after every burst is no repeated test: nothing happens there by itself.
---@return boolean
function M.answers_in_quiet(bursts, rule)
  return quiet_beats(bursts, rule) >= rule.repeats
end

---Draws that reach the measured value after which p is known well enough: a clear "no" takes tens of draws instead of thousands.
local enough_hits = 25

---Sequential Monte Carlo p (Besag and Clifford 1991): draws until `enough_hits` of them are at least the measured value.
---@param draws integer most
---@param draw fun(): number
local function p_of(measured, draws, draw)
  local hits = 0
  for n = 1, draws do
    if draw() >= measured - 1e-9 then hits = hits + 1 end
    if hits == enough_hits then return hits / n end
  end
  return (hits + 1) / (draws + 1)
end

---Share of random sign flips of the differences whose statistic is at least the measured one (randomization test: under
---"input does nothing" control and input window of a burst are exchangeable).
local function flip_test(n, statistic, draws, random)
  local signs = {}
  for i = 1, n do signs[i] = 1 end
  return p_of(statistic(signs), draws, function()
    for i = 1, n do signs[i] = random() < 0.5 and -1 or 1 end
    return statistic(signs)
  end)
end

---The same for the sum of the differences.
local function sum_test(d, draws, random)
  return flip_test(#d, function(signs)
    local sum = 0
    for i = 1, #d do sum = sum + signs[i] * d[i] end
    return sum
  end, draws, random)
end

local function size_of(cells) return math.log(1 + #cells) end

---Largest difference, in powers of e, that one burst brings into a sum: a round that begins or ends by itself is a large
---change in whichever window it falls, and must not outweigh all the others.
local most_weight = 1.5

---How much more the input window changed than the control window.
local function gain(burst)
  return math.max(-most_weight, math.min(most_weight, size_of(burst.input) - size_of(burst.control)))
end

---Do input windows change more than control windows?
local function count_test(bursts, draws, random)
  local d = {}
  for i, burst in ipairs(bursts) do d[i] = gain(burst) end
  return sum_test(d, draws, random)
end

---Do input windows change other places than control windows do? Each window is a unit vector over its cells; the
---statistic is the length of the summed differences, from their Gram matrix.
local function place_test(bursts, draws, random)
  local vectors, gram = {}, {}
  for i, burst in ipairs(bursts) do
    local v = {}
    for _, cell in ipairs(burst.input) do v[cell] = 1 / math.sqrt(#burst.input + 4) end
    for _, cell in ipairs(burst.control) do v[cell] = (v[cell] or 0) - 1 / math.sqrt(#burst.control + 4) end
    vectors[i] = v
  end
  for i = 1, #vectors do
    gram[i] = {}
    for j = 1, i - 1 do
      local sum, other = 0, vectors[j]
      for cell, value in pairs(vectors[i]) do sum = sum + value * (other[cell] or 0) end
      gram[i][j] = sum
    end
  end
  return flip_test(#bursts, function(signs)
    local sum = 0
    for i = 2, #gram do
      for j = 1, i - 1 do sum = sum + signs[i] * signs[j] * gram[i][j] end
    end
    return sum
  end, draws, random)
end

---Columns of the grid; cells are row major.
local columns = 128
---Cells a side of the blocks that the region test looks at, beside whole rows and columns of blocks.
local block = 8
---A region that fewer bursts touch can tell nothing.
local least_touches = 4

---Counts cells by block, by row of blocks and by column of blocks.
local function count_regions(cells, into, i, sign)
  for _, cell in ipairs(cells) do
    local x, y = math.floor((cell - 1) % columns / block), math.floor((cell - 1) / columns / block)
    for _, region in ipairs{ "block " .. x .. " " .. y, "row " .. y, "column " .. x } do
      local counts = into[region] or {}
      into[region] = counts
      counts[i * 2 + sign] = (counts[i * 2 + sign] or 0) + 1
    end
  end
end

---Does some part of the scene change more in input windows? A player who moves in a lane of his own is lost in the sum over a
---busy scene, and plain in his lane. The statistic is the largest of all parts' standardized sums of differences.
local function region_test(bursts, draws, random)
  local regions, tested = {}, {}
  for i, burst in ipairs(bursts) do
    count_regions(burst.input, regions, i, 1)
    count_regions(burst.control, regions, i, 0)
  end
  for _, counts in pairs(regions) do
    local part, squares = { at = {}, d = {} }, 0
    for i = 1, #bursts do
      local d = math.log(1 + (counts[i * 2 + 1] or 0)) - math.log(1 + (counts[i * 2] or 0))
      if d ~= 0 then
        part.at[#part.at + 1], part.d[#part.d + 1] = i, d
        squares = squares + d * d
      end
    end
    if #part.d >= least_touches then
      for k = 1, #part.d do part.d[k] = part.d[k] / math.sqrt(squares) end
      tested[#tested + 1] = part
    end
  end
  if #tested == 0 then return 1 end
  return flip_test(#bursts, function(signs)
    local most = -math.huge
    for _, part in ipairs(tested) do
      local sum, at, d = 0, part.at, part.d
      for k = 1, #d do sum = sum + signs[at[k]] * d[k] end
      if sum > most then most = sum end
    end
    return most
  end, draws, random)
end

---Bursts of one kind of input, by kind, kinds in the order of their first burst.
local function by_group(bursts)
  local groups, order = {}, {}
  for _, burst in ipairs(bursts) do
    if not groups[burst.group] then
      groups[burst.group] = {}
      order[#order + 1] = burst.group
    end
    table.insert(groups[burst.group], burst)
  end
  return groups, order
end

---Bursts that one kind of input needs to be tested by itself.
local least_alike = 3

---Share of random choices of `#sizes` windows out of these and the controls whose sum is at least theirs.
local function choice_test(sizes, controls, draws, random)
  local all, measured = {}, 0
  for i, size in ipairs(controls) do all[i] = size end
  for _, size in ipairs(sizes) do
    all[#all + 1] = size
    measured = measured + size
  end
  return p_of(measured, draws, function()
    local sum, last = 0, #all
    for _ = 1, #sizes do
      local pick = 1 + math.floor(random() * last)
      sum = sum + all[pick]
      all[pick], all[last] = all[last], all[pick]
      last = last - 1
    end
    return sum
  end)
end

---Does one kind of input (a key, the pointer) change more than control windows do? Smallest p over the kinds, times the
---number that could be tested (Bonferroni).
local function group_test(bursts, draws, random)
  local groups, order = by_group(bursts)
  local controls, best, tested = {}, 1, 0
  for i, burst in ipairs(bursts) do controls[i] = size_of(burst.control) end
  for _, name in ipairs(order) do
    if #groups[name] >= least_alike then
      tested = tested + 1
      local sizes = {}
      for i, burst in ipairs(groups[name]) do sizes[i] = size_of(burst.input) end
      best = math.min(best, choice_test(sizes, controls, draws, random))
    end
  end
  return math.min(1, best * math.max(1, tested))
end

---Does the page's own text or structure change with inputs more often than without?
local function page_test(bursts, draws, random)
  local d = {}
  for i, burst in ipairs(bursts) do d[i] = (burst.input_dom and 1 or 0) - (burst.control_dom and 1 or 0) end
  return sum_test(d, draws, random)
end

---Around a click, in cells: what a player would call "there".
local reach, spot_cells = 3, 3

local function touches(cells, spot)
  local n = 0
  for _, cell in ipairs(cells) do
    local column, row = (cell - 1) % columns, math.floor((cell - 1) / columns)
    if math.abs(column - spot.column) <= reach and math.abs(row - spot.row) <= reach then n = n + 1 end
  end
  return n >= spot_cells
end

---Does the picture change where the pointer clicks? How often it does so without input is read off all controls at all
---the clicked spots; p is the upper tail of the binomial distribution.
local function spot_test(bursts)
  local clicks, hits, noise, pairs_seen = 0, 0, 0, 0
  for _, burst in ipairs(bursts) do
    if burst.spot then
      clicks = clicks + 1
      for _, other in ipairs(bursts) do
        pairs_seen = pairs_seen + 1
        if touches(other.control, burst.spot) then noise = noise + 1 end
      end
      if touches(burst.input, burst.spot) and not touches(burst.control, burst.spot) then hits = hits + 1 end
    end
  end
  if hits < 2 then return 1 end
  local rate, below = (noise + 0.5) / (pairs_seen + 1), 0
  local term = (1 - rate) ^ clicks
  for k = 0, hits - 1 do
    below = below + term
    term = term * (clicks - k) / (k + 1) * rate / (1 - rate)
  end
  return math.max(0, 1 - below)
end

---The kind of input that has changed most so far beyond its own control windows.
---@return string? group
function M.best_group(bursts)
  local groups, order = by_group(bursts)
  local best, most = nil, 0
  for _, name in ipairs(order) do
    local sum = 0
    for _, burst in ipairs(groups[name]) do
      sum = sum + gain(burst) + (burst.input_dom and 1 or 0) - (burst.control_dom and 1 or 0)
    end
    if sum / #groups[name] > most then best, most = name, sum / #groups[name] end
  end
  return best
end

---Did the game answer clearly in the first half of the play, and no input at all do more than its controls in the second?
---@param bursts table[]
---@param rule table as in `of`
---@param needed integer inputs of the first half that must have beaten their control
---@return boolean
function M.has_stopped(bursts, rule, needed)
  local half, first, second, loudest = math.floor(#bursts / 2), {}, {}, 0
  for i, burst in ipairs(bursts) do table.insert(i <= half and first or second, burst) end
  if quiet_beats(first, rule) < needed then return false end
  local controls = {}
  for i, burst in ipairs(bursts) do controls[i] = burst.control end
  for _, burst in ipairs(second) do loudest = math.max(loudest, #burst.control) end
  local counts, answer, sizes, late = touch_counts(controls), rule.min_cells + 2 * loudest, {}, 0
  for _, burst in ipairs(first) do
    if #burst.input > answer then sizes[#sizes + 1] = #burst.input end
  end
  table.sort(sizes)
  local usual = sizes[math.ceil(#sizes / 2)] or 0
  for _, burst in ipairs(second) do
    local size = #burst.input
    if burst.input_dom or size > answer and size >= usual / 4 then return false end
    -- A clock that ticks late now and then is no answer: small ones are believed where nothing moves by itself, and when they are two.
    if size > answer and score(burst.input, counts, 0) > rule.min_cells then late = late + 1 end
  end
  return late < 2
end

---How unevenly the scene moves by itself: the range of the controls' cells over their median (plus 80). Above 1 or so,
---rounds end and begin by themselves, and a few inputs cannot be told from that.
local function unevenness(bursts)
  if #bursts == 0 then return 0 end
  local sizes = {}
  for i, burst in ipairs(bursts) do sizes[i] = #burst.control end
  table.sort(sizes)
  return (sizes[#sizes] - sizes[1]) / (sizes[math.ceil(#sizes / 2)] + 80)
end

---Did inputs beat their controls? A burst is {control = cells, input = cells, control_dom, input_dom, group, spot}: the novel cells of a
---window without and of one with input, whether the page's text or structure changed, the kind of input, and the cell that a click went to.
---@param bursts table[]
---@param rule {min_cells: integer, factor: number, add: integer, repeats: integer, noisy_share: number, cells: integer, alpha: number,
---doubt: number, draws: integer, enough: integer, enough_busy: integer, busy_share: number, quiet_noise: integer, uneven: number}
---@return {outcome: "yes"|"no"|"unknown", beats: integer, inputs: integer, threshold: number, noise_share: number, p: number, by: string?}
function M.of(bursts, rule)
  local beats, threshold, noise_share = quiet_beats(bursts, rule)
  local result = { outcome = "no", beats = beats, inputs = #bursts, threshold = threshold, noise_share = noise_share, p = 1,
    method = evidence.method }
  if beats >= rule.repeats then
    result.outcome, result.by = "yes", "quiet cells"
    return result
  end
  -- A generator of its own keeps the verdict a function of the evidence.
  local seed = 12345
  local function random()
    seed = (seed * 16807) % 2147483647
    return seed / 2147483647
  end
  for _, test in ipairs{ { "amount of change", count_test }, { "place of change", place_test },
    { "change in one part", region_test }, { "one kind of input", group_test },
    { "change of the page", page_test }, { "change at the clicked spot", spot_test } } do
    local p = #bursts >= rule.repeats and test[2](bursts, rule.draws, random) or 1
    if p < result.p then result.p, result.by = p, test[1] end
  end
  if result.p <= rule.alpha then
    result.outcome = "yes"
  else
    result.by = nil
    -- The more moves by itself, the more inputs it takes to see one that does something.
    local enough = noise_share > rule.busy_share and rule.enough_busy or rule.enough
    local unclear = result.p <= rule.doubt or #bursts < enough or unevenness(bursts) > rule.uneven
    if unclear or noise_share > rule.noisy_share then result.outcome = "unknown" end
  end
  return result
end

return M
