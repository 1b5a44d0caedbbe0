-- What counts as quiet in a scene, whether an answer there is believed, and whether a game stopped answering (A-G2,
-- P-06).
local response = require "qa.effect.response"
local shared = require("qa").load_chunk("tests/lua/support/response_rule.lua")()

local rule, range = shared.rule, shared.range

return {
  ["what has moved without input is not quiet, though no control saw it for the first time"] = function(t)
    local trials = {}
    for i = 1, 12 do
      trials[i] = { group = "Space", restless = range(1900, 300), control = range(1, 6), input = i % 3 == 0
        and range(2000 + i, 15) or {} }
    end
    t.equal(response.has_answered(trials, rule), false)
    for i = 1, 12 do trials[i].restless = range(1, 300) end
    t.equal(response.has_answered(trials, rule), true)
  end,

  ["one event of a still scene's own hides no answers that are much larger"] = function(t)
    local function trials(answer)
      local list = {}
      for i = 1, 8 do
        list[i] = { group = "click", control = i == 3 and range(1, 19) or {}, input = i < 3 and range(500, answer)
          or {} }
      end
      return list
    end
    t.equal(response.of(trials(400), rule).outcome, "yes")
    t.truthy(response.of(trials(45), rule).outcome ~= "yes")
  end,

  ["the fewer controls were seen, the quieter they must be"] = function(t)
    -- Something flies on, and each window sees six more cells of its way.
    local function trials(n, step)
      local list = {}
      for i = 1, n do list[i] = { group = "Space", control = range(100 + i * step, 20), input = range(4000, 45) } end
      return list
    end
    t.equal({ response.has_answered(trials(2, 6), rule), response.has_answered(trials(2, 0), rule) }, { false, true })
    t.equal({ response.has_answered(trials(4, 6), rule), response.has_answered(trials(6, 6), rule) }, { false, true })
  end,

  ["what moves in its own corner all the time leaves the rest quiet"] = function(t)
    local trials = {}
    for i = 1, 12 do
      trials[i] = { group = "Space", control = range(100 + i % 3, 13 + i % 3), input = i < 3 and range(4000, 150)
        or range(100 + i % 4, 12) }
    end
    local r = response.of(trials, rule)
    t.equal(r.by, "quiet cells")
    t.equal(r.beats, 2)
  end,

  ["what lies at the edge of what moves by itself is not quiet"] = function(t)
    local function trials(row)
      local list = {}
      for i = 1, 12 do
        local control, input = {}, {}
        for y = 20, 26 do
          for x = 30, 70 do control[#control + 1] = y * 128 + x end
        end
        for y = row, row + 1 do
          for x = 30, 41 do input[#input + 1] = y * 128 + x end
        end
        list[i] = { group = "click", control = control, input = i < 4 and input or control }
      end
      return list
    end
    t.equal(response.of(trials(27), rule).beats, 0)
    t.equal(response.of(trials(18), rule).beats, 0)
    t.equal(response.of(trials(29), rule).beats, 3)
  end,

  ["a game that answered at first and then no more has stopped, whatever flickers in it"] = function(t)
    local function trials(late)
      local list = {}
      for i = 1, 12 do
        list[i] = { group = "Space", control = range(100, i < 4 and 15 or 2), input = i == 1 and range(4000, 150)
          or range(100, i > 8 and 14 or 2) }
      end
      for i = 1, late.n or 0 do list[12 - i].input = range(6000, late.size) end
      return list
    end
    t.truthy(response.has_stopped(trials{}, rule, 1))
    t.falsy(response.has_stopped(trials{}, rule, 2))
    t.truthy(response.has_stopped(trials{ n = 1, size = 20 }, rule, 1))
    t.falsy(response.has_stopped(trials{ n = 2, size = 20 }, rule, 1))
    t.falsy(response.has_stopped(trials{ n = 1, size = 60 }, rule, 1))
  end,

  ["a loud event without input does not hide that the game goes on answering"] = function(t)
    local trials = {}
    for i = 1, 12 do
      trials[i] = { group = "click", control = i % 3 == 0 and range(100, 34) or {}, input = range(4000, 30) }
    end
    -- A shop opens by itself, one time in each half.
    trials[4].control, trials[10].control = range(2000, 180), range(2000, 180)
    t.equal(response.of(trials, rule).outcome, "yes")
    t.falsy(response.has_stopped(trials, rule, 2))
  end,

  ["what moves by itself is learned from the whole play, also when only its first half is asked for an answer"] =
    function(t)
    local trials = {}
    for i = 1, 12 do
      -- Two torches, seen once each in the first half, burn on in the second.
      local torch = i % 3 == 2 and range(100 + i % 2 * 1000, 20) or {}
      trials[i] = { group = "Space", control = torch, input = i < 3 and range(4000 + i, 150) or {} }
    end
    t.truthy(response.has_stopped(trials, rule, 2))
  end,
}
