-- Effects against a no-input control (A-G2, P-06, P-14).
local evidence = require "qa.evidence"

local cells = 64 * 36
local rule = { min_cells = 3, factor = 1.5, add = 2, repeats = 2, noisy_share = 0.85, cells = cells }
local function flat(value) return string.char(value):rep(cells) end
local function window(low, high) return { low = low, high = high, last = high, activity = flat(0) } end
local function paint(grid, from, count, value) return grid:sub(1, from - 1) .. string.char(value):rep(count) .. grid:sub(from + count) end
local function range(from, count)
  local list = {}
  for i = 0, count - 1 do list[#list + 1] = from + i end
  return list
end

return {
  ["a cell is novel only outside the control's band and margin"] = function(t)
    local control = window(flat(100), flat(120))
    t.equal(#evidence.novel(window(flat(95), flat(125)), control, 10), 0)
    t.equal(#evidence.novel(window(paint(flat(100), 7, 5, 50), flat(120)), control, 10), 5)
    t.equal(evidence.novel(window(flat(100), paint(flat(120), 9, 1, 200)), control, 10)[1], 9)
  end,

  ["inputs that change quiet cells twice beat their control"] = function(t)
    local samples = {}
    for i = 1, 4 do
      samples[#samples + 1] = { input = false, cells = range(1, 20) }
      samples[#samples + 1] = { input = true, cells = range(500 + i, 15) }
    end
    local r = evidence.response(samples, rule)
    t.equal(r.outcome, "yes")
    t.equal(r.beats, 4)
  end,

  ["a background that moves alike with and without input does not"] = function(t)
    local samples = {}
    for i = 1, 6 do
      samples[#samples + 1] = { input = false, cells = range(i * 100, 60) }
      samples[#samples + 1] = { input = true, cells = range(i * 100 + 30, 60) }
    end
    t.equal(evidence.response(samples, rule).outcome, "no")
  end,

  ["a clock that ticks in some windows is not an effect"] = function(t)
    local samples = {}
    for i = 1, 8 do
      samples[#samples + 1] = { input = false, cells = i % 3 == 0 and range(10, 6) or {} }
      samples[#samples + 1] = { input = true, cells = i % 2 == 0 and range(10, 6) or {} }
    end
    t.equal(evidence.response(samples, rule).outcome, "no")
  end,

  ["a scene that moves everywhere cannot be judged"] = function(t)
    local samples = {}
    for _ = 1, 4 do
      samples[#samples + 1] = { input = false, cells = range(1, cells) }
      samples[#samples + 1] = { input = true, cells = range(1, cells) }
    end
    t.equal(evidence.response(samples, rule).outcome, "unknown")
  end,

  ["no input, no answer: unknown, never yes"] = function(t)
    t.equal(evidence.response({}, rule).outcome, "unknown")
    t.equal(evidence.response({ { input = false, cells = {} } }, rule).outcome, "unknown")
  end,

  ["flat pictures are told from painted ones"] = function(t)
    t.truthy(evidence.is_flat({ last = flat(255) }, 3))
    t.falsy(evidence.is_flat({ last = paint(flat(255), 100, 30, 200) }, 3))
  end,
}
