-- Trials in a scene that moves in circles and answers nothing. What helps against falling into step with it is that
-- chance decides in which half of a trial the input is played: here the circle takes as long as a trial and the mean
-- pause before it do, which is the worst there is.
local block_design = require "qa.effect.block_design"
local response = require "qa.effect.response"
local strategy = require("qa.run.strategy_file").load("standard")
local facts = require("qa.run.strategy_file").part("standard.facts")

local columns, window_ms, gap_ms, frame_ms = 128, 450, 60, 17
-- Of a half: two windows, and half of one in which what rests is seen. Of a trial, without its pause, two of these.
local half_ms = 2 * window_ms + gap_ms + window_ms / 2
local trial_ms = 2 * half_ms + 225

local options = {}
for name, option in pairs(strategy.options) do options[name] = option.default end

---Smallest and largest value of each cell that a light of 8 x 3 cells passes, and of 16 lamps of 4 x 6 that blink, from
---`start_ms` on.
local function watch(start_ms, period_ms)
  local low, high = {}, {}
  local function paint(column, row, value)
    local cell = row * columns + column + 1
    low[cell], high[cell] = math.min(low[cell] or value, value), math.max(high[cell] or value, value)
  end
  for ms = start_ms, start_ms + window_ms, frame_ms do
    local left = math.floor(60 + 56 * math.sin(2 * math.pi * ms / period_ms))
    for column = 0, columns - 1 do
      for row = 19, 21 do paint(column, row, column >= left and column < left + 8 and 1 or 0) end
    end
    for lamp = 0, 15 do
      local value = math.sin(ms / 130 + lamp * 2.4) > 0 and 1 or 0
      for column = 2 + lamp * 8, 5 + lamp * 8 do
        for row = 8, 13 do paint(column, row, value) end
      end
    end
  end
  return { low = low, high = high }
end

local function cells_where(window, before, differs)
  local cells = {}
  for cell in pairs(window.low) do
    if differs(window.low[cell], window.high[cell], before.low[cell], before.high[cell]) then
      cells[#cells + 1] = cell
    end
  end
  table.sort(cells)
  return cells
end

local function novel(window, before)
  return cells_where(window, before,
    function(low, high, band_low, band_high) return low < band_low or high > band_high end)
end

local function restless(window, before)
  return cells_where(window, before,
    function(low, high, band_low, band_high) return math.min(low, band_low) ~= math.max(high, band_high) end)
end

---How a play of presses ends that do nothing: the answer that is found, or that the last look gives.
local function play(period_ms)
  local keys, trials, now_ms, answer = { "ArrowLeft", "ArrowRight", "ArrowUp", "Space" }, {}, math.random() * 1e4, nil
  local looks = block_design.LOOKS
  for n = 1, looks[#looks] do
    now_ms = now_ms + math.random(0, options.jitter_ms)
    local halves, key = {}, keys[math.random(#keys)]
    for half = 1, 2 do
      local from_ms = now_ms + (half - 1) * half_ms
      local before = watch(from_ms, period_ms)
      local window = watch(from_ms + window_ms + gap_ms + math.random(-10, 10), period_ms)
      halves[half] = { restless = restless(window, before), novel = novel(window, before) }
    end
    -- Chance decides in which half the key is pressed.
    local with = math.random(2)
    trials[n] = { restless = halves[3 - with].restless, control = halves[3 - with].novel, input = halves[with].novel,
      group = key, by_key = true, aims = { key = key } }
    now_ms = now_ms + trial_ms + math.random(-60, 60)
    if block_design.is_look(n) then
      answer = response.of(trials, facts.rule{ options = options })
      if answer.outcome == "yes" or n >= options.min_trials and answer.outcome == "no" and answer.p > 0.2 then break end
    end
  end
  return answer
end

return {
  ["presses that do nothing are no answer where the scene moves in step with the trials"] = function(t)
    math.randomseed(7)
    local ended, by_blocks, plays = { yes = 0, unknown = 0, no = 0 }, 0, 60
    for _ = 1, plays do
      local answer = play(trial_ms + options.jitter_ms / 2)
      ended[answer.outcome] = ended[answer.outcome] + 1
      if answer.by == "randomised blocks" then by_blocks = by_blocks + 1 end
    end
    t.truthy(ended.yes <= 2 and by_blocks <= 1 and ended.unknown <= plays / 20,
      ("of %d plays %d were answered, %d of them by the blocks, %d undecided"):format(plays, ended.yes, by_blocks,
      ended.unknown))
  end,
}
