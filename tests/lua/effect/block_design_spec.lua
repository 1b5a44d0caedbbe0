-- The randomised block design: how often chance alone is called an answer, and what is found with how many blocks.
local block_design = require "qa.effect.block_design"

local columns, rows = 128, 72
---Fewer than block_design.DRAWS; the smallest p of so many is still well below alpha().
local draws = 20000
local kinds = { "Space", "click", "KeyA" }

---Cells of a rectangle.
local function box(x, y, width, height)
  local cells = {}
  for column = x, math.min(columns, x + width) - 1 do
    for row = y, math.min(rows, y + height) - 1 do cells[#cells + 1] = row * columns + column + 1 end
  end
  return cells
end

---Cells of up to `most` things that move by themselves, anywhere above the row `bottom`.
local function passing(most, bottom)
  local seen, cells = {}, {}
  for _ = 1, math.random(0, most) do
    for _, cell in ipairs(box(math.random(0, columns - 1), math.random(0, (bottom or rows) - 6), math.random(6),
      math.random(6))) do
      seen[cell] = true
    end
  end
  for cell in pairs(seen) do cells[#cells + 1] = cell end
  return cells
end

local function joined(...)
  local cells = {}
  for _, list in ipairs{ ... } do
    for _, cell in ipairs(list) do cells[#cells + 1] = cell end
  end
  return cells
end

---Blocks of a play, one after the other.
---@param block fun(i: integer, kind: string): table the fields of a block
local function played(count, block)
  local trials = {}
  for i = 1, count do
    local kind = kinds[i % #kinds + 1]
    trials[i] = block(i, kind)
    trials[i].group = trials[i].group or kind
  end
  return trials
end

---Is this an answer?
local function answers(trials) return block_design.p(trials, draws) <= block_design.alpha() end

return {
  ["where input does nothing an answer is found as seldom as promised, over all looks of a play"] = function(t)
    math.randomseed(11)
    local plays, found, tenth, half = 400, 0, 0, 0
    for _ = 1, plays do
      local trials, has_answered, p, last = {}, false, 1, math.random(12, 48)
      for i = 1, last do
        trials[i] = { group = kinds[math.random(#kinds)], control = passing(6), input = passing(6),
          control_lasting = passing(2), lasting = passing(2), control_drawn = math.random(-2, 2),
          drawn = math.random(-2, 2), control_dom = math.random(4) == 1, input_dom = math.random(4) == 1 }
        -- The look at the end is beside those that are declared.
        if block_design.is_look(i) or i == last then
          p = block_design.p(trials, draws)
          has_answered = has_answered or p <= block_design.alpha()
        end
      end
      found = found + (has_answered and 1 or 0)
      tenth, half = tenth + (p <= 0.1 and 1 or 0), half + (p <= 0.5 and 1 or 0)
    end
    -- 0.4 are expected. More than 3 come once in a thousand times, where the promise is kept.
    t.truthy(found <= 3, found .. " answers")
    -- 40 and 200 are expected. Three standard deviations are 18 and 30.
    t.truthy(tenth > 15 and tenth <= 58 and half >= 170 and half <= 230, ("%d and %d of %d"):format(tenth, half, plays))
  end,

  ["the chance of a false answer is spent over the looks and the end"] = function(t)
    t.truthy(block_design.alpha() * (#block_design.LOOKS + 1) <= block_design.ALPHA + 1e-12)
    local looks = {}
    for i = 1, 60 do if block_design.is_look(i) then looks[#looks + 1] = i end end
    t.equal(looks, block_design.LOOKS)
  end,

  ["a player who moves in one region in the windows with input is found within 24 blocks"] = function(t)
    math.randomseed(12)
    local function trials(is_player)
      return played(24, function()
        local player = is_player and box(math.random(40, 60), 66, 4, 1) or {}
        return { control = passing(8, 60), input = joined(passing(8, 60), player) }
      end)
    end
    for _ = 1, 5 do t.equal({ answers(trials(true)), answers(trials(false)) }, { true, false }) end
  end,

  ["one kind of input of three that does something is found, and played more often"] = function(t)
    math.randomseed(13)
    local function trials(is_player)
      local list = {}
      for i = 1, 48 do
        -- Every second block is of the kind that stands out, once each had its turn.
        local group = i > 6 and i % 2 == 0 and block_design.best_kind(list) or kinds[math.floor(i / 2) % #kinds + 1]
        -- Where he moves, others move at times, too.
        local function near() return math.random(2) == 1 and box(math.random(40, 62), 66, 2, 1) or {} end
        list[i] = { group = group, control = joined(passing(3, 60), near()), input = joined(passing(3, 60),
          is_player and group == "KeyA" and box(math.random(40, 56), 66, 8, 2) or near()) }
      end
      return list
    end
    for _ = 1, 5 do
      local list = trials(true)
      t.equal({ answers(list), block_design.best_kind(list) }, { true, "KeyA" })
      local others = {}
      for _, trial in ipairs(list) do if trial.group ~= "KeyA" then others[#others + 1] = trial end end
      t.equal({ answers(others), answers(trials(false)) }, { false, false })
    end
  end,

  ["what one kind of input does is told though others do the opposite"] = function(t)
    -- Half of the blocks are of a kind that sets something in motion, half of one that holds it still.
    local function trials(less)
      return played(32, function(i)
        local moving, still = box(60, 30, 4, 2), {}
        local is_more = i % 2 == 0 or not less
        return { group = i % 2 == 0 and "Space" or "click", control = is_more and still or moving, input = is_more
          and moving or still }
      end)
    end
    t.equal({ answers(trials(false)), answers(trials(true)) }, { true, true })
  end,

  ["an input that makes a scene rest has answered"] = function(t)
    math.randomseed(14)
    t.equal(answers(played(24, function()
      return { control = joined(passing(8, 60), box(math.random(40, 60), 66, 4, 1)), input = passing(8, 60) }
    end)), true)
  end,

  ["rounds that end by themselves in any window are no answer, and hide none"] = function(t)
    math.randomseed(15)
    local function trials(is_player)
      return played(48, function()
        local player = is_player and box(60, 66, 2, 1) or {}
        local control, input = passing(4, 60), joined(passing(4, 60), player)
        -- The whole scene is another one.
        local other = math.random(6) == 1 and math.random(2)
        if other == 1 then control = box(0, 0, columns, rows) end
        if other == 2 then input = box(0, 0, columns, rows) end
        return { control = control, input = input }
      end)
    end
    local found, alone = 0, 0
    for _ = 1, 10 do
      found, alone = found + (answers(trials(true)) and 1 or 0), alone + (answers(trials(false)) and 1 or 0)
    end
    t.equal({ found, alone }, { 10, 0 })
  end,

  ["what rests elsewhere afterwards, what is drawn, and what the page says are told as well"] = function(t)
    math.randomseed(16)
    local function play(field, control_field, with, without)
      return played(24, function()
        local trial = { control = passing(8), input = passing(8) }
        trial[field], trial[control_field] = with(), without()
        return trial
      end)
    end
    local function rests() return passing(2, 60) end
    local function brought() return joined(rests(), box(math.random(40, 60), 66, 3, 1)) end
    local function drawn() return math.random(-2, 2) * 0.3 end
    local function drawn_more() return 1 + drawn() end
    local function drawn_less() return drawn() - 1 end
    local function yes() return true end
    local function no() return false end
    t.equal({ answers(play("lasting", "control_lasting", brought, rests)),
      answers(play("drawn", "control_drawn", drawn_more, drawn)),
      answers(play("drawn", "control_drawn", drawn_less, drawn)),
      answers(play("input_dom", "control_dom", yes, no)) }, { true, true, true, true })
    t.equal({ answers(play("lasting", "control_lasting", rests, rests)),
      answers(play("drawn", "control_drawn", drawn, drawn)),
      -- A clock that ticks in each window.
      answers(play("input_dom", "control_dom", yes, yes)),
      answers(play("input_dom", "control_dom", no, no)) }, { false, false, false, false })
    -- What is not known tells nothing.
    local function unknown() return nil end
    t.equal({ answers(play("lasting", "control_lasting", brought, unknown)),
      answers(play("drawn", "control_drawn", drawn_more, unknown)) }, { false, false })
  end,

  ["the kind that stands out is told by what changes more with it than without, in the scene or in the page"] =
    function(t)
    local function best(of_click, of_key)
      return block_design.best_kind(played(12, function(i)
        local trial = i % 2 == 0 and of_click() or of_key()
        trial.group = i % 2 == 0 and "click" or "KeyA"
        return trial
      end))
    end
    local function moves(more)
      return function() return { control = box(0, 0, 5, 2), input = box(0, 0, 5, more) } end
    end
    t.equal({ best(moves(3), moves(2)), best(moves(2), moves(3)) }, { "click", "KeyA" })
    t.equal(best(moves(2), moves(1)), nil)
    t.equal(best(moves(2), function() return { control = {}, input = {}, input_dom = true } end), "KeyA")
    t.equal(block_design.best_kind{}, nil)
  end,
}
