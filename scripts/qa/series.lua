--- Series: windows in a row, each by lot with one kind of input or without. If that input does nothing, any other lots would do
-- as well as those drawn, whatever the scene does by itself: a few seconds tell more of a game that moves than single inputs do. What
-- follows an input much later, or stays for good, is for bursts (qa.play).

local eyes = require "qa.eyes"
local evidence = require "qa.evidence"
local measures = require "qa.measures"
local play = require "qa.play"
local qa = require "qa"

local M = {}

---Cells of an edge of the blocks of a window's picture.
local side = 4

---@class qa.SeriesWindow
---@field move? table what was played in it; nil: nothing
---@field cells integer[] what moved in it
---@field picture number[] its last frame, see evidence.picture
---@field drawn number how much more was drawn at its end than at its beginning

---Watches a series.
---@param ctx table
---@param moves table[] by lot one of them is played, or nothing
---@param ms integer length of a window
---@param windows integer
---@return qa.SeriesWindow[]? seen
---@return qa.Error? err
function M.watch(ctx, moves, ms, windows)
  local page, seen, drawn = ctx.page, {}, eyes.drawn(ctx.page)
  -- Hovering is not part of what is asked.
  if moves[1].x then page:move({ x = moves[1].x, y = moves[1].y }, { steps = 2 }) end
  for i = 1, windows do
    local move = math.random(2) == 1 and moves[math.random(#moves)] or nil
    local window, _, errs = qa.all(function() return page:watch(ms) end, function()
      return not move or play.act(page, move, { window_ms = ms, fps = ctx.state.fps })
    end)
    if not window then return nil, errs and errs[1] or { kind = "timeout", op = "qa.series", message = "the scene could not be watched" } end
    local drawn_now = eyes.drawn(page)
    seen[i] = { move = move, cells = evidence.restless(window, window, ctx.options.margin), picture = evidence.picture(window, side),
      drawn = drawn and drawn_now and drawn_now - drawn or 0 }
    drawn = drawn_now
  end
  return seen
end

---Windows that must be compared to ask: of 20 chance sets the most telling lots once in some 100000.
local least_windows = 20
---Powers of e by which the cells that move in a part of the scene must differ to tell anything.
local least_size = 0.05

local function regions(window)
  local sizes = measures.sizes_of_regions(window.cells)
  sizes[measures.whole_scene] = math.log(1 + #window.cells)
  return sizes
end

---Do the windows of one lot differ from those of the other? In how much moves somewhere, in how it looks at the end, or in how much is drawn.
---Windows of one series are compared with each other: the scene may have become another one by the next.
---@param list qa.SeriesWindow[][] series
---@param lot_of fun(window: qa.SeriesWindow): boolean? nil: the window is not compared
---@return number? p corrected for the three questions; nil: too few to ask
local function difference(list, lot_of, draws)
  local strata, groups, windows = {}, {}, {}
  for _, seen in ipairs(list) do
    local ones, others = {}, {}
    for _, window in ipairs(seen) do
      local lot = lot_of(window)
      if lot ~= nil then table.insert(lot and ones or others, window) end
    end
    if #ones > 0 and #others > 0 then
      strata[#strata + 1], groups[#groups + 1] = { rows = #ones + #others, chosen = #ones }, #ones + #others
      for _, part in ipairs{ ones, others } do
        for _, window in ipairs(part) do windows[#windows + 1] = window end
      end
    end
  end
  if #windows < least_windows then return nil end
  local sizes, pictures, drawn = {}, {}, {}
  for i, window in ipairs(windows) do sizes[i], pictures[i], drawn[i] = regions(window), window.picture, { window.drawn } end
  sizes, pictures = measures.deviations(sizes, least_size, groups), measures.deviations(pictures, measures.least_luma, groups)
  drawn = measures.deviations(drawn, 0, groups)
  for _, row in ipairs(drawn) do row[1] = row[1] or 0 end
  local p = 1
  for _, rows in ipairs{ sizes, pictures, measures.ranked(drawn) } do
    p = math.min(p, qa.permutation_test(rows, { strata = strata, statistic = "farthest", draws = draws }))
  end
  return math.min(1, 3 * p)
end

local function is_played(window) return window.move ~= nil end

---Which of two ways has the player been sent? Where he is tells more than that he moves.
local function is_back(window) return window.move and window.move.is_back end

local function has_ways(list)
  for _, seen in ipairs(list) do
    for _, window in ipairs(seen) do
      if is_back(window) ~= nil then return true end
    end
  end
  return false
end

---Smallest p over the kinds of input, and over all of them together, times the number of questions (Bonferroni).
---@param series table<string, qa.SeriesWindow[][]> by kind
---@param draws integer
---@param alpha? number p that is small enough for an answer: no more is asked then
---@return number p
function M.p(series, draws, alpha)
  local all, questions, ps = {}, {}, {}
  for _, list in pairs(series) do
    for _, seen in ipairs(list) do all[#all + 1] = seen end
    questions[#questions + 1] = { list, is_played }
    if has_ways(list) then questions[#questions + 1] = { list, is_back } end
  end
  if next(series, next(series)) then table.insert(questions, 1, { all, is_played }) end
  for _, question in ipairs(questions) do
    local p = difference(question[1], question[2], draws)
    ps[#ps + 1] = p
    if alpha and p and p * #questions <= alpha then break end
  end
  return math.min(1, math.min(1, unpack(ps)) * math.max(1, #ps))
end

return M
