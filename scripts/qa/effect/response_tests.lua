--- The statistics behind qa.effect.response: does some measure of the input windows exceed what the control windows
-- give? Each test takes trials (see response.of) and a number of draws, and gives p. Under "input does nothing" the two
-- windows of a trial are exchangeable, and so are the windows of one kind of input and all controls.
local cell_grid = require "qa.page.cell_grid"
local measures = require "qa.effect.measures"
local qa = require "qa"

local M = {}

local sizes_of_regions = measures.sizes_of_regions

---A region that fewer trials touch can tell nothing.
local least_touches = 4

local function size_of(cells) return math.log(1 + #cells) end

---Largest difference, in powers of e, that one trial brings into a sum: a round that begins or ends by itself is a
---large change in whichever window it falls, and must not outweigh all the others.
local most_weight = 1.5

local function count_difference(trial)
  return math.max(-most_weight, math.min(most_weight, size_of(trial.input) - size_of(trial.control)))
end

---Do input windows change more than control windows?
local function count_test(trials, draws)
  local rows = {}
  for i, trial in ipairs(trials) do rows[i] = { count_difference(trial) } end
  return qa.permutation_test(rows, { draws = draws })
end

---Do input windows change other places than control windows do? Each window is a unit vector over its cells; the
---statistic is the norm of the summed differences.
local function place_test(trials, draws)
  local rows = {}
  for i, trial in ipairs(trials) do
    local row = {}
    for _, cell in ipairs(trial.input) do row[cell] = 1 / math.sqrt(#trial.input + 4) end
    for _, cell in ipairs(trial.control) do row[cell] = (row[cell] or 0) - 1 / math.sqrt(#trial.control + 4) end
    rows[i] = row
  end
  return qa.permutation_test(rows, { statistic = "norm", draws = draws })
end

---By how much more each region of each trial changed with input than without.
local function region_differences(trials)
  local rows = {}
  for i, trial in ipairs(trials) do
    local row = sizes_of_regions(trial.input)
    for region, size in pairs(sizes_of_regions(trial.control)) do
      local d = (row[region] or 0) - size
      row[region] = d ~= 0 and d or nil
    end
    rows[i] = row
  end
  return rows
end

---Does some part of the scene change more in input windows? A player who moves in a lane of his own is lost in the sum
---over a busy scene, and plain in his lane. The statistic is the largest standardized sum of a part.
local function region_test(trials, draws)
  return qa.permutation_test(measures.standardize(region_differences(trials), least_touches), { draws = draws })
end

---Trials of one kind of input, by kind, kinds in the order of their first trial.
local function by_group(trials)
  local groups, order = {}, {}
  for _, trial in ipairs(trials) do
    if not groups[trial.group] then
      groups[trial.group] = {}
      order[#order + 1] = trial.group
    end
    table.insert(groups[trial.group], trial)
  end
  return groups, order
end

---The same, and all keys and all that the pointer does as a kind each: slow games leave no time for many of one key.
local function with_devices(trials)
  local groups, order = by_group(trials)
  for _, by_key in ipairs{ true, false } do
    local all, seen, distinct = {}, {}, 0
    for _, trial in ipairs(trials) do
      if (trial.by_key == true) == by_key then
        all[#all + 1] = trial
        distinct = distinct + (seen[trial.group] and 0 or 1)
        seen[trial.group] = true
      end
    end
    if distinct > 1 then
      order[#order + 1] = by_key
      groups[by_key] = all
    end
  end
  return groups, order
end

---Trials that one kind of input needs to be tested by itself.
local least_alike = 3
---Smallest p over the kinds of input, times the number that could be tested (Bonferroni). The windows of a kind are
---exchangeable with the controls.
---@param kinds fun(trials: table[]): table<any, table[]>, any[] trials by kind, and the kinds in order
---@param row_of fun(seen: any): table<integer, number> what counts of a window
---@param prepare fun(rows: table[]): table[]
---@param input? string the field of a trial that tells of its window with input: "input"
---@param control? string and the one of that without: "control"
local function over_kinds(trials, draws, kinds, row_of, prepare, input, control)
  input, control = input or "input", control or "control"
  local groups, order = kinds(trials)
  local best, tested = 1, 0
  for _, name in ipairs(order) do
    local group, rows = groups[name], {}
    if #group >= least_alike then
      tested = tested + 1
      for i, trial in ipairs(group) do rows[i] = row_of(trial[input]) end
      for _, trial in ipairs(trials) do rows[#rows + 1] = row_of(trial[control]) end
      best = math.min(best, qa.permutation_test(prepare(rows), { chosen = #group, draws = draws }))
    end
  end
  return math.min(1, best * math.max(1, tested))
end

---Does one kind of input (a key, the pointer) change more than control windows do?
local function group_test(trials, draws)
  return over_kinds(trials, draws, with_devices, function(cells) return { size_of(cells) } end,
    function(rows) return rows end)
end

---Does one kind of input change one part of the scene more than control windows do? Few of many inputs may move the
---player, and he may be small. The statistic is the largest of all parts' standardized sums.
local function group_region_test(trials, draws)
  return over_kinds(trials, draws, by_group, sizes_of_regions, function(rows) return measures.standardize(rows, 1) end)
end

---The same of what rests before and after, and differs. A player stays where he was brought, whatever passes by.
local function lasting_test(trials, draws)
  return over_kinds(trials, draws, by_group, sizes_of_regions, function(rows) return measures.standardize(rows, 1) end,
    "lasting", "control_lasting")
end

---Fewer trials cannot tell in pairs: chance sets the most telling signs of so many once in 2^16.
local least_pairs = 16
---Does one kind of input change the scene, or a part of it, more than the window right before it does? A scene that
---grows busier as the game goes on does so in both, and inputs that do nothing do not dilute those that do.
local function group_pair_test(trials, draws)
  local groups, order = with_devices(trials)
  local best, tested = 1, 0
  for _, name in ipairs(order) do
    local group = groups[name]
    -- All trials are what other tests look at.
    if #group >= least_pairs and #group < #trials then
      local rows = region_differences(group)
      for i, trial in ipairs(group) do
        local d = count_difference(trial)
        rows[i][measures.whole_scene] = d ~= 0 and d or nil
      end
      tested = tested + 1
      best = math.min(best, qa.permutation_test(measures.standardize(rows, least_touches), { draws = draws }))
    end
  end
  return math.min(1, best * math.max(1, tested))
end

---Does the game draw more, or less, after one kind of input? A shot is one drawing more, too small to be seen or not,
---at any frame rate.
local function drawing_test(trials, draws)
  return over_kinds(trials, draws, with_devices, function(change) return { change or 0 } end, measures.ranked, "drawn",
    "control_drawn")
end

---Does the page's own text or structure change with inputs more often than without?
local function page_test(trials, draws)
  local rows = {}
  for i, trial in ipairs(trials) do rows[i] = { (trial.input_dom and 1 or 0) - (trial.control_dom and 1 or 0) } end
  return qa.permutation_test(rows, { draws = draws })
end

---Around a click, in cells: what a player would call "there".
local reach, spot_cells = 3, 3

local columns = cell_grid.columns

local function touches(cells, spot)
  local n = 0
  for _, cell in ipairs(cells) do
    local column, row = (cell - 1) % columns, math.floor((cell - 1) / columns)
    if math.abs(column - spot.column) <= reach and math.abs(row - spot.row) <= reach then n = n + 1 end
  end
  return n >= spot_cells
end

---Does the picture change where the pointer clicks? How often it does so without input is read off all controls at all
---the clicked spots, at each once: clicking it again tells nothing more of it. p is the upper binomial tail.
local function spot_test(trials)
  local clicks, hits, noise, pairs_seen, seen = 0, 0, 0, 0, {}
  for _, trial in ipairs(trials) do
    if trial.spot then
      clicks = clicks + 1
      local place = math.floor(trial.spot.column / reach) + columns * math.floor(trial.spot.row / reach)
      for _, other in ipairs(seen[place] and {} or trials) do
        pairs_seen = pairs_seen + 1
        if touches(other.control, trial.spot) then noise = noise + 1 end
      end
      seen[place] = true
      if touches(trial.input, trial.spot) and not touches(trial.control, trial.spot) then hits = hits + 1 end
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

---Trials with a picture whose input strives for something of this kind, and what they strive for, in the order of the
---first of each.
local function aimed(trials, kind)
  local some, values, count = {}, {}, {}
  for _, trial in ipairs(trials) do
    local value = trial.picture and trial.aims[kind]
    if value then
      some[#some + 1] = trial
      if not count[value] then values[#values + 1] = value end
      count[value] = (count[value] or 0) + 1
    end
  end
  return some, values, count
end

---Does the scene look different at the end of one input than at the end of others of its kind? A player is where the
---keys or the pointer have brought him, however much goes on around him. p is the smallest over what inputs strive for,
---times their number (Bonferroni).
local function picture_test(trials, draws)
  local best, tested = 1, 0
  for _, kind in ipairs{ "key", "across", "down" } do
    local some, values, count = aimed(trials, kind)
    local pictures = {}
    for i, trial in ipairs(some) do pictures[i] = trial.picture end
    local rows = #values > 1 and measures.deviations(pictures, measures.least_luma) or {}
    -- Of two the one tells what the other does.
    for v = 1, #values == 2 and 1 or #values do
      if #values > 1 and count[values[v]] >= least_alike and #some - count[values[v]] >= least_alike then
        local first, rest = {}, {}
        for i, trial in ipairs(some) do table.insert(trial.aims[kind] == values[v] and first or rest, rows[i]) end
        for _, row in ipairs(rest) do first[#first + 1] = row end
        tested = tested + 1
        best = math.min(best,
          qa.permutation_test(first, { chosen = count[values[v]], statistic = "max_abs", draws = draws }))
      end
    end
  end
  return math.min(1, best * math.max(1, tested))
end

---What a change of the page counts beside standard errors.
local page_weight = 5

---How far the windows of one kind of input stand out in the part where they do most, in standard errors of the mean.
---@param rows table[] sizes_of_regions of the windows; the first `inputs` are of that kind
local function salience(rows, inputs)
  local sums, squares, own = {}, {}, {}
  for i, row in ipairs(rows) do
    for region, value in pairs(row) do
      sums[region], squares[region] = (sums[region] or 0) + value, (squares[region] or 0) + value * value
      if i <= inputs then own[region] = (own[region] or 0) + value end
    end
  end
  local most = 0
  for region, sum in pairs(own) do
    local mean = sums[region] / #rows
    -- A deviation of a tenth at least: what hardly ever moves must not weigh without limit.
    local deviation = math.sqrt(squares[region] / #rows - mean * mean + 0.01)
    most = math.max(most, (sum / inputs - mean) * math.sqrt(inputs) / deviation)
  end
  return most
end

---The kind of input that has stood out most so far: in some part of the scene by what moved or by what has come to rest
---elsewhere, by how much is drawn, or in the page itself.
---@return string? group
function M.best_group(trials)
  local groups, order = by_group(trials)
  local function changes_of(drawn) return { math.max(0, drawn or 0), math.max(0, -(drawn or 0)) } end
  local controls, rested_controls, drawn_controls, best, most = {}, {}, {}, nil, 0
  for i, trial in ipairs(trials) do
    controls[i], rested_controls[i] = sizes_of_regions(trial.control), sizes_of_regions(trial.control_lasting)
    drawn_controls[i] = changes_of(trial.control_drawn)
  end
  for _, name in ipairs(order) do
    local group, rows, rested, drawn, page = groups[name], {}, {}, {}, 0
    for i, trial in ipairs(group) do
      rows[i], rested[i], drawn[i] = sizes_of_regions(trial.input), sizes_of_regions(trial.lasting),
        changes_of(trial.drawn)
      page = page + (trial.input_dom and 1 or 0) - (trial.control_dom and 1 or 0)
    end
    for i, row in ipairs(controls) do
      rows[#rows + 1], rested[#rested + 1], drawn[#drawn + 1] = row, rested_controls[i], drawn_controls[i]
    end
    local score = page_weight * math.max(0, page) / #group
    if #group > 1 then
      score = score + math.max(salience(rows, #group), salience(rested, #group), salience(drawn, #group))
    end
    if score > most then best, most = name, score end
  end
  return best
end

---What is asked, and how the report calls it.
M.all = {
  { "amount of change", count_test }, { "place of change", place_test }, { "change in one part", region_test },
  { "one kind of input", group_test }, { "one kind of input in one part", group_region_test },
  { "change of the page", page_test },
  { "change at the clicked spot", spot_test }, { "picture after one input", picture_test },
  { "lasting change by one kind of input", lasting_test }, { "what is drawn after one kind of input", drawing_test },
  { "one kind of input against the moment before", group_pair_test },
}

return M
