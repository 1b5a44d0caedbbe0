--- Series: windows in a row, one half of them, chosen at random, with an input. If inputs do nothing, the windows are
-- exchangeable, whatever the scene does by itself: a few seconds tell more of a game that moves than single inputs do.
-- What follows an input much later, or stays for good, is for trials (qa.effect.play).
local reader = require "qa.page.reader"
local cell_grid = require "qa.page.cell_grid"
local measures = require "qa.effect.measures"
local moves = require "qa.input.moves"
local qa = require "qa"
local reload_trials = require "qa.effect.trials"

local M = {}

---Cells of an edge of the blocks of a window's picture.
local side = 4
---What is left of a window after its input, in ms: an input that goes on in the next window would be seen there.
M.rest_ms = 60

---@class qa.SeriesWindow
---@field move? table what was played in it; nil: nothing
---@field err? qa.Error why that failed
---@field cells integer[] what moved in it
---@field picture number[] its last frame, see cell_grid.picture
---@field drawn number how much more was drawn at its end than at its beginning

---What is played in each window of a series: in one half of them, chosen at random, a move.
---@param kinds table[][] moves of each kind of input, which have their turns
---@param favourite table[]? the kind that every second move is of
---@param windows integer an even number
---@return (table|false)[]
function M.deal(kinds, favourite, windows)
  local assignment, first = {}, math.random(#kinds)
  for i = 1, windows do
    local turn = favourite and math.ceil(i / 2) or i
    local kind = i % 2 == 0 and favourite or kinds[(first + turn) % #kinds + 1]
    assignment[i] = i <= windows / 2 and kind[math.random(#kind)]
  end
  return reload_trials.shuffle(assignment)
end

---Watches a series.
---@param ctx table
---@param assignment (table|false)[] of M.deal
---@param ms integer length of a window
---@return qa.SeriesWindow[]? seen
---@return qa.Error? err
function M.watch(ctx, assignment, ms)
  local page, seen, drawn = ctx.page, {}, reader.drawn(ctx.page)
  for i, move in ipairs(assignment) do
    local drawn_now, act_err, _
    local window, _, errs = qa.all(function()
      local watched, err = page:watch(ms)
      -- As soon as after a window in which nothing is played.
      drawn_now = watched and reader.drawn(page)
      return watched, err
    end, function()
      if move then _, act_err = moves.act(page, move, { window_ms = ms - M.rest_ms, fps = ctx.state.fps }) end
    end)
    if not window then
      return nil, errs and errs[1] or { kind = "timeout", op = "qa.series", message = "the scene could not be watched" }
    end
    seen[i] = { move = move or nil, err = act_err, cells = cell_grid.restless(window, window, ctx.options.margin),
      picture = cell_grid.picture(window, side), drawn = drawn and drawn_now and drawn_now - drawn or 0 }
    drawn = drawn_now
  end
  return seen
end

---Fewest possible assignments to ask: of fewer, chance gives the most telling ones too often for an answer.
local min_assignments = 1000000

---What is compared of the windows of a series, as rows of numbers: how much moves in each region, how each block looks
---at the end, and how much more is drawn; of each also what stands out of the windows right before and after, for many
---a scene gets busier all the time.
---@param seen qa.SeriesWindow[]
---@return table<integer, number>[][] rows of each window: sizes, pictures, drawn
local function measured(seen)
  if not seen.measured then
    local sizes, pictures, drawn = {}, {}, {}
    for i, window in ipairs(seen) do
      sizes[i], pictures[i], drawn[i] = measures.sizes_of_regions(window.cells), {}, { window.drawn }
      sizes[i][measures.whole_scene] = #window.cells
      -- Smaller differences are noise of the encoder.
      for block, luma in ipairs(window.picture) do pictures[i][block] = math.floor(luma + 0.5) end
    end
    seen.measured = { measures.in_time(sizes), measures.in_time(pictures), measures.in_time(drawn) }
  end
  return seen.measured
end

---Do the windows of one treatment arm differ from those of the other? Windows of one series are compared with each
---other: the scene may have become another one by the next.
---@param list qa.SeriesWindow[][] series
---@param arm_of fun(window: qa.SeriesWindow): boolean? nil: the window is not compared
---@return number? p corrected for the three measures; nil: too few to ask
local function difference(list, arm_of, draws)
  local strata, groups, compared, assignments = {}, {}, { {}, {}, {} }, 1
  for _, seen in ipairs(list) do
    local ones, others = {}, {}
    for i, window in ipairs(seen) do
      local arm = arm_of(window)
      if arm ~= nil then table.insert(arm and ones or others, i) end
    end
    if #ones > 0 and #others > 0 then
      strata[#strata + 1], groups[#groups + 1] = { rows = #ones + #others, chosen = #ones }, #ones + #others
      for i in ipairs(ones) do assignments = assignments * (#others + i) / i end
      for k, rows in ipairs(measured(seen)) do
        for _, i in ipairs(ones) do table.insert(compared[k], rows[i]) end
        for _, i in ipairs(others) do table.insert(compared[k], rows[i]) end
      end
    end
  end
  if assignments < min_assignments then return nil end
  local p = 1
  for _, rows in ipairs(compared) do
    p = math.min(p, qa.permutation_test(measures.deviations(rows, 0, groups),
      { strata = strata, statistic = "max_abs", draws = draws }))
  end
  return math.min(1, 3 * p)
end

local function kind_of(window) return window.move and moves.group(window.move) end

---What is asked of series: does it matter whether anything is played, whether this kind is, or in which of two ways it
---sends the player? Where he is tells more than that he moves.
---@return {kind: string?, arm_of: fun(window: qa.SeriesWindow): boolean?}[]
local function questions_of(list)
  local kinds, ways = {}, {}
  for _, seen in ipairs(list) do
    for _, window in ipairs(seen) do
      local kind = kind_of(window)
      if kind then kinds[kind] = true end
      if kind and window.move.is_back ~= nil then ways[kind] = true end
    end
  end
  local questions = { { arm_of = function(window) return window.move ~= nil end } }
  for kind in pairs(kinds) do
    questions[#questions + 1] = { kind = kind, arm_of = function(window)
      local own = kind_of(window)
      if own == nil or own == kind then return own ~= nil end
    end }
  end
  for kind in pairs(ways) do
    questions[#questions + 1] = { kind = kind, arm_of = function(window)
      if kind_of(window) == kind then return window.move.is_back end
    end }
  end
  return questions
end

---Draws that are enough to see what may be an answer; only that is worth asking with more.
local few_draws = 20000

---Smallest p over the questions that can be asked, times their number (Bonferroni), of which the first counts as much
---as all others together.
---@param list qa.SeriesWindow[][] series
---@param draws integer
---@param promising number p of few draws up to which more are worth their time
---@return number p
---@return string? kind the kind of input that stands out most
function M.p(list, draws, promising)
  local questions, asked, best = questions_of(list), 0, nil
  local of_all, of_best = difference(list, questions[1].arm_of, few_draws) or 1, 1
  for i = 2, #questions do
    local p = difference(list, questions[i].arm_of, few_draws)
    if p then asked = asked + 1 end
    if p and p < of_best then of_best, best = p, questions[i] end
  end
  local function corrected() return math.min(1, 2 * of_all, best and 2 * asked * of_best or 1) end
  local kind = best and best.kind
  if draws <= few_draws or corrected() > promising then return corrected(), kind end
  -- Which of the others is asked again was chosen among all that were asked: the factor stays.
  if 2 * of_all <= promising then of_all = difference(list, questions[1].arm_of, draws) end
  if best and 2 * asked * of_best <= promising then of_best = difference(list, best.arm_of, draws) end
  return corrected(), kind
end

return M
