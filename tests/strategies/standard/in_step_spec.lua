-- Trials in a scene that moves in circles and answers nothing. What helps against falling into step with it is the
-- random pause before each trial: here the circle takes as long as a trial and the mean pause do, which is the worst
-- there is.
local response = require "qa.effect.response"
local strategy = require("qa.run.strategy_file").load("standard")
local facts = require("qa.run.strategy_file").part("standard.facts")

local columns, window_ms, gap_ms, frame_ms = 128, 450, 50, 17
local trial_ms = 1900 -- without its pause, about as in plays of dead_keyboard_animated

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
  for n = 1, options.most_trials do
    now_ms = now_ms + math.random(0, options.jitter_ms)
    local gap = gap_ms + math.random(-10, 10)
    local before, control = watch(now_ms, period_ms), watch(now_ms + window_ms + gap, period_ms)
    local window, key = watch(now_ms + 2 * (window_ms + gap), period_ms), keys[math.random(#keys)]
    trials[n] = { restless = restless(control, before), control = novel(control, before),
      input = novel(window, control), group = key, by_key = true,
      aims = { key = key } }
    now_ms = now_ms + trial_ms + math.random(-60, 60)
    if n >= options.min_trials and n % 4 == 0 then
      answer = response.of(trials, facts.rule{ options = options })
      if answer.outcome == "yes" or answer.outcome == "no" and answer.p > 0.2 then break end
    end
  end
  return answer
end

return {
  ["presses that do nothing are no answer where the scene moves in step with the trials"] = function(t)
    math.randomseed(7)
    local ended, plays = { yes = 0, unknown = 0, no = 0 }, 60
    for _ = 1, plays do
      local outcome = play(trial_ms + options.jitter_ms / 2).outcome
      ended[outcome] = ended[outcome] + 1
    end
    t.truthy(ended.yes <= 3 and ended.unknown <= plays / 10,
      ("of %d plays %d were answered, %d undecided"):format(plays, ended.yes, ended.unknown))
  end,
}
