-- The sampler's numbers: the same for a seed, spread as their distributions are, and choices that follow what was
-- learned.
local sampler = require "qa.memory.sampler"

local function mean_of(n, draw)
  local sum, squares = 0, 0
  for _ = 1, n do
    local x = draw()
    sum, squares = sum + x, squares + x * x
  end
  local mean = sum / n
  return mean, squares / n - mean * mean
end

local function near(t, got, wanted, by)
  t.truthy(math.abs(got - wanted) <= by, ("%.4f, expected about %.4f"):format(got, wanted))
end

return {
  ["the same seed gives the same numbers, another one others"] = function(t)
    local a, b, c = sampler.new(7), sampler.new(7), sampler.new(8)
    local x, y, z = a:uniform(), b:uniform(), c:uniform()
    t.equal(x, y)
    t.truthy(math.abs(x - z) > 1e-3)
    for _ = 1, 1000 do
      local u = a:uniform()
      t.truthy(u > 0 and u < 1)
    end
  end,

  ["uniform, normal, gamma and beta have their means and variances"] = function(t)
    local s = sampler.new(3)
    local mean, variance = mean_of(8000, function() return s:uniform() end)
    near(t, mean, 0.5, 0.015)
    near(t, variance, 1 / 12, 0.005)
    mean, variance = mean_of(8000, function() return s:normal() end)
    near(t, mean, 0, 0.04)
    near(t, variance, 1, 0.06)
    for _, shape in ipairs{ 0.25, 1, 6 } do
      mean, variance = mean_of(8000, function() return s:gamma(shape) end)
      near(t, mean, shape, 0.06 + shape * 0.02)
      near(t, variance, shape, 0.1 + shape * 0.08)
    end
    for _, shape in ipairs{ { 1, 1 }, { 6, 0.25 }, { 2, 5 } } do
      local a, b = shape[1], shape[2]
      mean, variance = mean_of(8000, function() return s:beta(a, b) end)
      near(t, mean, a / (a + b), 0.015)
      near(t, variance, a * b / ((a + b) ^ 2 * (a + b + 1)), 0.006)
    end
  end,

  ["what has worked is chosen, what costs or is doubted less often, and exploring is told"] = function(t)
    local function share(arms, seed)
      local s, first, explored = sampler.new(seed), 0, 0
      for _ = 1, 400 do
        local arm, is_exploring = s:choose(arms)
        first = first + (arm == arms[1] and 1 or 0)
        explored = explored + (is_exploring and 1 or 0)
      end
      return first / 400, explored / 400
    end
    local good, explored = share({ { name = "a", wins = 20, losses = 2 }, { name = "b", wins = 2, losses = 20 } }, 1)
    t.truthy(good > 0.99 and explored < 0.01)
    local even = share({ { name = "a", wins = 5, losses = 5 }, { name = "b", wins = 5, losses = 5 } }, 1)
    near(t, even, 0.5, 0.08)
    t.truthy(share({ { name = "a", wins = 5, losses = 5, price = 0.3 }, { name = "b", wins = 5, losses = 5 } },
      1) < 0.15)
    t.truthy(share({ { name = "a", wins = 5, losses = 5, confidence = 0.4 }, { name = "b", wins = 5, losses = 5 } },
      1) < 0.15)
    local unknown, tried = share({ { name = "a", wins = 6, losses = 1 }, { name = "b", wins = 1, losses = 1 } }, 1)
    t.truthy(tried > 0.05 and tried < 0.4 and unknown > 0.6, tried)
  end,

  ["a fixed arm is worth its mean, and nothing to choose from is misuse"] = function(t)
    local s = sampler.new(1)
    for _ = 1, 50 do
      t.equal(s:choose{ { name = "a", wins = 3, losses = 1, is_fixed = true },
        { name = "b", wins = 2, losses = 1, is_fixed = true } }.name, "a")
    end
    t.raises(function() s:choose{} end, "nothing to choose from")
  end,
}
