-- Inputs that are played by lot (qa.series) in scenes that move by themselves.
local series = require "qa.series"

local columns, alpha, draws = 128, 0.00005, 200000

---A window of a scene in which a light of 8 x 3 cells goes round; what is played moves `answer` more cells in a corner.
local function window(ms, period_ms, move, answer)
  local cells, picture = {}, {}
  local left = math.floor(60 + 56 * math.sin(2 * math.pi * ms / period_ms))
  for row = 19, 21 do
    for column = left, left + 7 do cells[#cells + 1] = row * columns + column + 1 end
  end
  for cell = 1, move and answer or 0 do cells[#cells + 1] = 50 * columns + cell end
  for block = 1, 576 do picture[block] = 80 + (block == 1 + math.floor(left / 4) and 20 or 0) end
  return { move = move, cells = cells, picture = picture, drawn = 0 }
end

---@return table[] windows of a series that plays `moves`
local function played(moves, period_ms, answer)
  local seen, from_ms = {}, math.random() * 1e4
  for i = 1, 24 do seen[i] = window(from_ms + i * 225, period_ms, math.random(2) == 1 and moves[math.random(#moves)] or nil, answer) end
  return seen
end

local key = { action = "press", key = "Space" }

return {
  ["a scene that goes round answers nothing, at whatever period"] = function(t)
    math.randomseed(7)
    local answers = 0
    for i = 1, 30 do
      local period_ms = ({ 225, 450, 900, 1350, 2700 })[1 + i % 5]
      local p = series.p({ Space = { played({ key }, period_ms, 0), played({ key }, period_ms, 0) } }, draws)
      if p <= alpha then answers = answers + 1 end
    end
    t.equal(answers, 0)
  end,
  ["a few cells that always follow are an answer after one series"] = function(t)
    math.randomseed(8)
    t.truthy(series.p({ Space = { played({ key }, 1350, 3) } }, draws) <= alpha)
  end,
  ["windows are compared with those of their own series"] = function(t)
    math.randomseed(9)
    local list = {}
    for n = 1, 4 do
      list[n] = played({ key }, 1350, 0)
      -- One series in a scene of its own, in which more was played by chance.
      local is_busy, k = n % 2 == 0, 0
      for i, seen in ipairs(list[n]) do
        seen.move = (is_busy and i % 4 ~= 0 or not is_busy and i % 4 == 0) and key or nil
        for cell = 1, is_busy and 60 or 0 do table.insert(seen.cells, 40 * columns + cell) end
        k = k + #seen.cells
      end
    end
    t.truthy(series.p({ Space = list }, draws) > 0.01)
  end,
  ["where a player was sent is told by the picture, though each way moves as much"] = function(t)
    math.randomseed(10)
    local there, back = { action = "move" , is_back = false }, { action = "move", is_back = true }
    local list = {}
    for n = 1, 4 do
      list[n] = played({ there, back }, 1350, 0)
      local is_right = false
      for _, seen in ipairs(list[n]) do
        if seen.move then is_right = not seen.move.is_back end
        seen.picture[500] = is_right and 120 or 80
      end
    end
    t.truthy(series.p({ move = list }, draws) <= alpha)
  end,
  ["few windows, or only ones of a kind, answer nothing"] = function(t)
    math.randomseed(11)
    local seen = played({ key }, 1350, 3)
    t.equal(series.p({ Space = { { unpack(seen, 1, 12) } } }, draws), 1)
    for _, one in ipairs(seen) do one.move = key end
    t.equal(series.p({ Space = { seen } }, draws), 1)
    t.equal(series.p({}, draws), 1)
  end,
}
