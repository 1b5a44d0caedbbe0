-- Effects against a no-input control (A-G2, P-06, P-14).
local block_design = require "qa.effect.block_design"
local response = require "qa.effect.response"
local shared = require("qa").load_chunk("tests/lua/support/response_rule.lua")()

local cells, rule, range = shared.cells, shared.rule, shared.range

return {
  ["few presses of many keys tell together what those of one cannot"] = function(t)
    local keys = { "ArrowUp", "ArrowLeft", "ArrowDown", "KeyE", "KeyA" }
    local function trials(count)
      local list = {}
      for i = 1, count do
        list[i] = { group = keys[i % 5 + 1], by_key = true, control = range(1 + 40 * i, i == 2 and 9000 or 20 + i),
          input = range(i, 5000) }
      end
      return list
    end
    t.equal(response.of(trials(20), rule).by, "randomised blocks")
    t.truthy(response.of({ unpack(trials(20), 1, 4) }, rule).outcome ~= "yes")
  end,

  ["in a scene that grows busier an input that adds to it is told, and its lack of effect likewise"] = function(t)
    local function trials(gain)
      local list = {}
      for i = 1, 40 do
        -- What moves by itself moves elsewhere each time, and chance decides which window comes first.
        local level, later = 40 * i, i % 2 * 20
        list[i] = { group = "Space", by_key = true,
          control = range(1 + 613 * i % 5000, level + 20 - later + 7 * (i * 5 % 7)),
          input = range(1 + 977 * i % 5000, math.floor(gain * level) + later + 7 * (i * 3 % 7)) }
      end
      return list
    end
    local p, none = block_design.p(trials(1.4)), block_design.p(trials(1))
    t.truthy(p < 0.0001, p)
    t.truthy(none > 0.05, none)
  end,

  ["a page that changes by itself hides no kind of input that stands out"] = function(t)
    local trials = {}
    for i = 1, 8 do
      trials[i] = { group = i % 2 == 0 and "move" or "click", control_dom = true, control = range(1, 5),
        input = i % 2 == 0 and range(900, 80) or range(1, 5) }
    end
    t.equal(block_design.best_kind(trials), "move")
  end,

  ["inputs that change quiet cells twice beat their control"] = function(t)
    local trials = {}
    for i = 1, 4 do trials[i] = { group = "Space", control = range(1, 6), input = range(500 + i, 15) } end
    local r = response.of(trials, rule)
    t.equal(r.outcome, "yes")
    t.equal(r.beats, 4)
  end,

  ["quiet cells say nothing where the scene moves by itself"] = function(t)
    local trials = {}
    for i = 1, 4 do trials[i] = { group = "Space", control = range(i * 400, 60), input = range(3000 + i * 400, 90) } end
    t.equal(response.of(trials, rule).outcome, "unknown")
  end,

  ["one answer alone is not enough"] = function(t)
    local trials = {}
    for i = 1, 12 do trials[i] = { group = "Space", control = {}, input = i == 5 and range(500, 80) or {} } end
    t.equal(response.of(trials, rule).outcome, "no")
  end,

  ["a background that moves alike with and without input does not"] = function(t)
    local trials = {}
    for i = 1, 12 do
      trials[i] = { group = "Space", control = range((i * 97) % 1000 + 1, 60), input = range((i * 61) % 1000 + 1, 60) }
    end
    t.equal(response.of(trials, rule).outcome, "no")
  end,

  ["a clock that ticks in some windows is not an effect"] = function(t)
    local trials = {}
    for i = 1, 12 do
      trials[i] = { group = "Space", control = i % 3 == 0 and range(10, 6) or {}, input = i % 3 == 1 and range(10, 6)
        or {} }
    end
    t.equal(response.of(trials, rule).outcome, "no")
  end,

  ["inputs that change more than a busy background beat it"] = function(t)
    local trials = {}
    for i = 1, 16 do
      trials[i] = { group = "Space", control = range((i * 97) % 800 + 1, 30 + i % 5),
        input = range((i * 61) % 800 + 1, 60 + i % 7) }
    end
    t.equal(response.of(trials, rule).outcome, "yes")
  end,

  ["inputs that change another place than the background beat it"] = function(t)
    local trials = {}
    for i = 1, 16 do
      trials[i] = { group = "Space", control = range((i * 37) % 600 + 1, 60), input = range((i * 53) % 600 + 1, 40) }
      for cell = 300, 320 do table.insert(trials[i].input, cell) end
    end
    t.equal(response.of(trials, rule).outcome, "yes")
  end,

  ["one kind of input that answers is found among others in an uneven scene, and tried more"] = function(t)
    local trials = {}
    for i = 1, 30 do
      local own = 30 + i * 37 % 160
      local answers = i % 2 == 0
      trials[i] = { group = answers and "mash" or "drag " .. i % 3, control = range((i * 97) % 4000 + 1, own),
        input = range((i * 97) % 4000 + 1, answers and own + 40 or own - 3 + i % 7) }
    end
    t.equal(response.of(trials, rule).outcome, "yes")
    t.equal(block_design.best_kind(trials), "mash")
  end,

  ["a round that begins by itself in some window does not outweigh the answers"] = function(t)
    local trials = {}
    for i = 1, 24 do
      trials[i] = { group = i == 2 and "click" or "Space", control = range((i * 97) % 800 + 1, i == 7 and 4000 or 30),
        input = range((i * 61) % 800 + 1, i == 2 and 4000 or 75) }
    end
    t.equal(response.of(trials, rule).outcome, "yes")
    for i = 3, 5 do trials[i].group = "click" trials[i].input = range(100 * i, 25) end
    t.equal(block_design.best_kind(trials), "Space")
  end,

  ["a busy scene is not called dead by a few inputs"] = function(t)
    local function trials(n)
      local list = {}
      for i = 1, n do
        list[i] = { group = "Space", control = range(i * 3 % 10 * 250 + 1, 6500),
          input = range(i * 7 % 10 * 250 + 1, 6500) }
      end
      return list
    end
    t.equal(response.of(trials(10), rule).outcome, "unknown")
    t.equal(response.of(trials(14), rule).by, nil)
    local easy = setmetatable({ busy_share = 0.99, noisy_share = 0.99 }, { __index = rule })
    t.equal(response.of(trials(10), easy).outcome, "no")
  end,

  ["what little a busy scene has not yet touched is not quiet"] = function(t)
    local trials = {}
    for i = 1, 10 do
      trials[i] = { group = "Space", control = range((i * 997) % 2500 + 1, 6500),
        input = range((i * 661) % 2500 + 1, 6500) }
    end
    t.equal(response.of(trials, rule).outcome, "unknown")
    -- Not even far from all that has moved so far.
    for i = 1, 4 do
      trials[i] = { group = "Space", control = range(1, 6600), input = i < 3 and range(8000, 80) or range(1, 6600) }
    end
    t.equal(response.of({ unpack(trials, 1, 4) }, rule).beats, 0)
  end,

  ["a player in a lane of his own is seen in a busy scene"] = function(t)
    local function trials(answers)
      local list = {}
      for i = 1, 40 do
        list[i] = { group = "ArrowLeft", control = range((i * 97) % 4000 + 1, 90 + 40 * (i % 5)),
          input = range((i * 61) % 4000 + 1, 90 + 40 * (i * 2 % 5)) }
        if answers and i % 2 == 0 then
          for cell = 1, 4 do table.insert(list[i].input, 8200 + (i * 13) % 90 + cell) end
        end
      end
      return list
    end
    local r = response.of(trials(true), rule)
    t.equal(r.outcome, "yes")
    t.equal(r.by, "randomised blocks")
    t.truthy(response.of(trials(false), rule).outcome ~= "yes")
  end,

  ["a player on the border of two blocks is seen as well as one within a block"] = function(t)
    local function p_at(middle)
      local trials = {}
      for i = 1, 30 do
        local side, other_side = i % 2 == 0 and -1 or 1, i % 4 < 2 and -1 or 1
        -- He stands on either side of the middle; without input something as small passes a little farther away.
        trials[i] = { group = "Space", input = range(50 * 128 + middle + 2 * side, 2),
          control = range(50 * 128 + middle + 6 * other_side, 2) }
      end
      return block_design.p(trials, 20000)
    end
    t.truthy(p_at(64) < 0.001 and p_at(68) < 0.001)
  end,

  ["a player who stays where he was brought is seen among what passes by"] = function(t)
    local function trials(answers)
      local list = {}
      for i = 1, 48 do
        local sideways, passing = i % 2 == 0, range((i * 97) % 4000 + 1, 90 + 40 * (i % 5))
        list[i] = { group = sideways and "sideways" or i % 4 == 1 and "Space" or "click", control = passing,
          input = passing,
          control_lasting = range((i * 37) % 3000 + 1, 5), lasting = range((i * 53) % 3000 + 1, 5) }
        if answers and sideways then
          for cell = 1, 6 do table.insert(list[i].lasting, 8200 + (i * 13) % 90 + cell) end
        end
      end
      return list
    end
    local r = response.of(trials(true), rule)
    t.equal({ r.outcome, r.by }, { "yes", "randomised blocks" })
    t.truthy(response.of(trials(false), rule).outcome ~= "yes")
  end,

  ["a shot that is too small to be seen is counted as it is drawn"] = function(t)
    local function trials(answers)
      local list = {}
      for i = 1, 48 do
        local fires, passing = i % 2 == 0, range((i * 97) % 4000 + 1, 90 + 40 * (i % 5))
        -- What is drawn comes and goes by itself, now and then by much.
        local function by_itself(k) return (i * k) % 11 == 0 and 4 or ((i * k) % 3 - 1) * 0.3 end
        list[i] = { group = fires and "Space" or i % 4 == 1 and "sideways" or "click", control = passing,
          input = passing,
          control_drawn = by_itself(5), drawn = by_itself(7) }
        if answers and fires then list[i].drawn = answers * math.log(1 + 2) end
      end
      return list
    end
    for _, more in ipairs{ 1, -1 } do
      local r = response.of(trials(more), rule)
      t.equal({ r.outcome, r.by }, { "yes", "randomised blocks" })
    end
    t.truthy(response.of(trials(nil), rule).outcome ~= "yes")
    local unknown = trials(1)
    for i = 1, 48 do unknown[i].control_drawn, unknown[i].drawn = nil, nil end
    t.truthy(response.of(unknown, rule).outcome ~= "yes")
  end,

  ["a scene that jumps by itself now and then leaves it open"] = function(t)
    local trials = {}
    for i = 1, 12 do
      trials[i] = { group = "Space", control = range(100, i % 3 == 0 and 900 or 10),
        input = range(100, i % 3 == 1 and 900 or 10) }
    end
    t.equal(response.of(trials, rule).outcome, "unknown")
  end,

  ["a busy scene that changes where it is clicked has answered"] = function(t)
    local trials = {}
    for i = 1, 40 do
      local row = 20 + i
      trials[i] = { group = "click", spot = { column = 64, row = row },
        control = range((i * 97) % 800 + 1, 30 + 400 * (i % 2)),
        input = range((i * 61) % 800 + 1, 30 + 400 * (i % 2)) }
      for column = 62, 66 do table.insert(trials[i].input, row * 128 + column + 1) end
    end
    t.equal(response.of(trials, rule).outcome, "yes")
  end,

  ["a click where the scene moves anyway proves nothing"] = function(t)
    local trials = {}
    for i = 1, 12 do
      local around = {}
      for row = 30, 34 do for column = 60, 68 do around[#around + 1] = row * 128 + column + 1 end end
      trials[i] = { group = "click", spot = { column = 64, row = 32 }, control = i % 2 == 0 and around or {},
        input = i % 2 == 1 and around or {} }
    end
    t.truthy(response.of(trials, rule).outcome ~= "yes")
  end,

  ["a click on what moves by itself proves nothing"] = function(t)
    local trials = {}
    for i = 1, 12 do
      local there = range((5 * i + 2) * 128 + 60, 9)
      trials[i] = { group = "click", spot = { column = 63, row = 5 * i + 2 }, control = there, input = there }
    end
    t.truthy(response.of(trials, rule).outcome ~= "yes")
  end,

  ["a scene that moves everywhere cannot be judged"] = function(t)
    local trials = {}
    for i = 1, 12 do trials[i] = { group = "Space", control = range(1, cells), input = range(1, cells) } end
    t.equal(response.of(trials, rule).outcome, "unknown")
  end,

  ["no input, no answer: unknown, never yes"] = function(t)
    t.equal(response.of({}, rule).outcome, "unknown")
  end,
}
