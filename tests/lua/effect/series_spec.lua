-- Inputs that are played at random (qa.effect.series) in scenes that move by themselves.
local qa = require "qa"
local series = require "qa.effect.series"
local reload_trials = require "qa.effect.trials"

local columns, alpha = 128, 0.00005

local function p_of(list) return series.p(list, 2000000, 0.02) end

---A window of a scene in which a light of 8 x 3 cells goes round; what is played moves `answer` more cells in a corner.
local function window(ms, period_ms, move, answer)
  local cells, picture = {}, {}
  local left = math.floor(60 + 56 * math.sin(2 * math.pi * ms / period_ms))
  for row = 19, 21 do
    for column = left, left + 7 do cells[#cells + 1] = row * columns + column + 1 end
  end
  for cell = 1, move and answer or 0 do cells[#cells + 1] = 50 * columns + cell end
  for block = 1, 576 do picture[block] = 80 + (block == 1 + math.floor(left / 4) and 20 or 0) end
  return { move = move or nil, cells = cells, picture = picture, drawn = 0 }
end

---@param kinds table[][]
---@param answer integer
---@param answers? fun(move: table): boolean which moves are answered: all
---@return table[] windows of a series
local function played(kinds, period_ms, answer, answers)
  local seen, from_ms = {}, math.random() * 1e4
  for i, move in ipairs(series.deal(kinds, nil, 24)) do
    seen[i] = window(from_ms + i * 225, period_ms, move, move and (not answers or answers(move)) and answer or 0)
  end
  return seen
end

local function key(name) return { action = "press", key = name } end

---Adds so many cells, 24 at most, around those of the answers: in each part of the scene that those are in.
local function add(seen, n)
  for cell = 0, n - 1 do
    table.insert(seen.cells, ({ 48, 49, 51 })[1 + cell % 3] * columns + 1 + math.floor(cell / 3))
  end
end

local space = { { key"Space" } }
local many = {}
for i = 1, 12 do many[i] = { key("Key" .. i) } end

return {
  ["a scene that goes round answers nothing, at whatever period"] = function(t)
    math.randomseed(7)
    local answers = 0
    for i = 1, 30 do
      local period_ms = ({ 225, 450, 900, 1350, 2700 })[1 + i % 5]
      if p_of({ played(many, period_ms, 0), played(space, period_ms, 0) }) <= alpha then answers = answers + 1 end
    end
    t.equal(answers, 0)
  end,
  ["a few cells that always follow are an answer after one series"] = function(t)
    math.randomseed(8)
    t.truthy(p_of({ played(space, 1350, 3) }) <= alpha)
  end,
  ["of many kinds that all are answered each has hardly to be played"] = function(t)
    math.randomseed(9)
    t.truthy(p_of({ played(many, 1350, 3) }) <= alpha)
  end,
  ["the one kind that is answered stands out, and playing it on tells"] = function(t)
    math.randomseed(10)
    local function answers(move) return move.key == "Key5" end
    local list, best, p = {}, nil, 1
    for n = 1, 6 do
      local seen = {}
      for i, move in ipairs(series.deal(many, best and { key(best) }, 24)) do
        seen[i] = window(i * 225, 1350, move, move and answers(move) and 3 or 0)
      end
      list[n] = seen
      p, best = p_of(list)
    end
    t.equal(best, "Key5")
    t.truthy(p <= alpha)
  end,
  ["a scene that gets busier all the time hides no answer"] = function(t)
    math.randomseed(11)
    local function busier(answer)
      local seen = played(space, 1350, answer)
      for i, one in ipairs(seen) do add(one, i + math.random(0, 1)) end
      return seen
    end
    t.truthy(p_of({ busier(4), busier(4), busier(4) }) <= alpha)
    t.truthy(p_of({ busier(0), busier(0), busier(0) }) > 0.01)
  end,
  ["a scene that flashes hides no answer"] = function(t)
    math.randomseed(12)
    local function flashing(answer)
      local seen = played(space, 1350, answer)
      for i, one in ipairs(seen) do
        for cell = 6001, i % 8 == 0 and 9000 or 0 do table.insert(one.cells, cell) end
      end
      return seen
    end
    t.truthy(p_of({ flashing(4), flashing(4) }) <= alpha)
    t.truthy(p_of({ flashing(0), flashing(0) }) > 0.01)
  end,
  ["windows are compared with those of their own series"] = function(t)
    math.randomseed(12)
    local list = {}
    for n = 1, 4 do
      list[n] = played(space, 1350, 0)
      -- One series in a scene of its own, in which more was played by chance.
      local is_busy, assignment = n % 2 == 0, {}
      for i = 1, 24 do assignment[i] = i <= (is_busy and 18 or 6) end
      for i, is_played in ipairs(reload_trials.shuffle(assignment)) do
        local seen = list[n][i]
        seen.move = is_played and key"Space" or nil
        seen.drawn = is_busy and 3 or 0
        for block = 1, is_busy and 60 or 0 do seen.picture[block + 400] = 200 end
      end
    end
    t.truthy(p_of(list) > 0.01)
  end,
  ["where a player was sent is told by the picture, though each way moves as much"] = function(t)
    math.randomseed(13)
    local there, back = { action = "move", is_back = false }, { action = "move", is_back = true }
    local list = {}
    for n = 1, 4 do
      list[n] = played({ { there, back } }, 1350, 0)
      local is_right = false
      for _, seen in ipairs(list[n]) do
        if seen.move then is_right = not seen.move.is_back end
        seen.picture[500] = is_right and 120 or 80
      end
    end
    t.truthy(p_of(list) <= alpha)
  end,
  ["few windows, or only ones with an input, answer nothing"] = function(t)
    math.randomseed(14)
    local seen = played(space, 1350, 3)
    t.equal(p_of({ { unpack(seen, 1, 12) } }), 1)
    for _, one in ipairs(seen) do one.move = key"Space" end
    seen.measured = nil
    t.equal(p_of({ seen }), 1)
    t.equal(p_of({}), 1)
  end,
  ["half of the windows are played, the kinds by turns, and every second of them the favourite"] = function(t)
    math.randomseed(15)
    local n, of_favourite = 0, 0
    for _, move in ipairs(series.deal(many, many[3], 24)) do
      if move then n = n + 1 end
      if move == many[3][1] then of_favourite = of_favourite + 1 end
    end
    t.equal(n, 12)
    t.truthy(of_favourite == 6 or of_favourite == 7)
    -- Beside it all others have their turns, also where their number is even.
    local seen, kinds = {}, { { key"A" }, { key"B" }, { key"C" }, { key"D" } }
    for _, move in ipairs(series.deal(kinds, kinds[1], 24)) do
      if move then seen[move.key] = (seen[move.key] or 0) + 1 end
    end
    t.truthy(seen.B and seen.C and seen.D)
  end,

  ["what was drawn is read when a window ends, though its input goes on"] = function(t)
    local moves, order = require "qa.input.moves", {}
    local act, grid = moves.act, ("a"):rep(128 * 72)
    local page = {}
    function page.watch()
      qa.sleep(20)
      order[#order + 1] = "window"
      return { low = grid, high = grid, last = grid, columns = columns, rows = 72 }
    end
    function page.probe()
      order[#order + 1] = "drawn"
      return { { value = #order } }
    end
    moves.act = function()
      qa.sleep(80)
      order[#order + 1] = "input"
      return true
    end
    local ok, seen = pcall(series.watch, { page = page, state = { fps = 60 }, options = { margin = 10 } }, { key"A" },
      20)
    moves.act = act
    t.truthy(ok, seen)
    t.equal(order, { "drawn", "window", "drawn", "input" })
    t.equal(seen[1].drawn, 2)
  end,

  ["a trial goes on when the time it waits for passes while it looks at the clock"] = function(t)
    local play, grid, now_ms, now = require "qa.effect.play", ("a"):rep(128 * 72), qa.now_ms, 0
    local rest = { low = grid, high = grid, last = grid, activity = ("\0"):rep(128 * 72), columns = columns, rows = 72 }
    local page = { watch = function() return rest end, probe = function() return nil end }
    function qa.now_ms()
      now = now + 0.7 * play.gap_ms
      return now
    end
    local ok, trial = pcall(play.trial, { page = page, state = { window_ms = 20 },
      options = { margin = 10, calm_ms = 0 } }, key"A", function() return true end)
    qa.now_ms = now_ms
    t.truthy(ok, trial)
    t.equal(trial.group, "A")
  end,
}
