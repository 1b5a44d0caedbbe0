--- Does a scene that moves by itself answer? A randomised block design, for games in real time: a block is two windows,
-- each after one without input, and chance decides in which of the two an input is played (qa.effect.play). Where input
-- does nothing the two windows of a block are exchangeable, so that its differences may as well have the other sign.
--
--   block 1: [before][window]  [before][window + input]      differences of each part of the scene, by kind of input
--   block 2: [before][window + input]  [before][window]      one test: the largest of all standardized sums
--
-- It is asked at the looks that are declared here, and at the end; the chance of a false answer is spent over them.
local measures = require "qa.effect.measures"
local qa = require "qa"

local M = {}

---Blocks after which is asked; one look more is at the end.
M.LOOKS = { 16, 24, 36, 48 }
---Chance that a game which answers nothing is said to answer, over all looks.
M.ALPHA = 0.001
M.DRAWS = 100000
---A part of the scene that fewer blocks touch tells nothing.
local LEAST_TOUCHES = 4
---Largest difference, in powers of e, that one block brings into a sum: a round that begins or ends by itself is a
---large change in whichever window it falls, and must not outweigh all the others.
local MOST_WEIGHT = 1.5
---Where the measures of a row begin: what moved, by region; what has come to rest elsewhere, by region; what is drawn;
---what the page says. Then the same again for each kind of input.
local REGIONS = measures.whole_scene + 1
local LASTING, DRAWN, SAID, KIND = REGIONS, 2 * REGIONS, 2 * REGIONS + 1, 2 * REGIONS + 2

---@return boolean is this number of blocks one of the looks?
function M.is_look(blocks)
  for _, look in ipairs(M.LOOKS) do if look == blocks then return true end end
  return false
end

---@return number alpha of one look
function M.alpha() return M.ALPHA / (#M.LOOKS + 1) end

local function limited(d) return math.max(-MOST_WEIGHT, math.min(MOST_WEIGHT, d)) end

---By how much more each part changed with the input than without.
---@param row table<integer, number>
---@param at integer where these measures begin
local function add_regions(row, at, input, control)
  if not input or not control then return end
  local with, without = measures.sizes_of_regions(input), measures.sizes_of_regions(control)
  for region, size in pairs(with) do row[at + region] = limited(size - (without[region] or 0)) end
  for region, size in pairs(without) do if not with[region] then row[at + region] = limited(-size) end end
  row[at + measures.whole_scene] = limited(math.log(1 + #input) - math.log(1 + #control))
end

---The measures of one block.
---@param trial table of qa.effect.play
---@return table<integer, number>
local function differences(trial)
  local row = {}
  add_regions(row, 0, trial.input, trial.control)
  add_regions(row, LASTING, trial.lasting, trial.control_lasting)
  if trial.drawn and trial.control_drawn then row[DRAWN] = limited(trial.drawn - trial.control_drawn) end
  row[SAID] = (trial.input_dom and 1 or 0) - (trial.control_dom and 1 or 0)
  for place, value in pairs(row) do if value == 0 then row[place] = nil end end
  return row
end

---How often would chance alone set the windows with input apart at least as much? Only trials in which chance decided
---where the input was played can tell.
---@param trials table[] of qa.effect.play
---@param draws? integer
---@return number p of one look; 1 where no trial was randomised
function M.p(trials, draws)
  local rows, kinds, count, blocks = {}, {}, 0, {}
  for _, trial in ipairs(trials) do if not trial.is_ordered then blocks[#blocks + 1] = trial end end
  if #blocks == 0 then return 1 end
  for i, trial in ipairs(blocks) do
    if not kinds[trial.group] then kinds[trial.group], count = count, count + 1 end
    local row, offset = differences(trial), KIND * (kinds[trial.group] + 1)
    local both = {}
    for place, value in pairs(row) do both[place], both[offset + place] = value, value end
    rows[i] = both
  end
  return qa.permutation_test(measures.standardize(rows, LEAST_TOUCHES), { statistic = "max_abs",
    draws = draws or M.DRAWS })
end

---The kind of input after which most more has changed so far than without.
---@param trials table[]
---@return string? group
function M.best_kind(trials)
  local sums, counts, best, most = {}, {}, nil, 0
  for _, trial in ipairs(trials) do
    local d = math.log(1 + #trial.input) - math.log(1 + #trial.control) + (trial.input_dom and 1 or 0)
    sums[trial.group], counts[trial.group] = (sums[trial.group] or 0) + limited(d), (counts[trial.group] or 0) + 1
  end
  for group, sum in pairs(sums) do
    local mean = sum / math.sqrt(counts[group])
    if mean > most then best, most = group, mean end
  end
  return best
end

return M
