--- Sampler: seeded random numbers of its own, so that the same seed makes the same choices whatever else a run draws;
-- and Thompson sampling (Thompson 1933; Chapelle and Li 2011): what has worked w times and failed l times is worth a
-- draw of Beta(w, l), so that the better one is mostly chosen, and what is little known is tried now and then.
local M = {}

local Sampler = {}
Sampler.__index = Sampler

-- Park and Miller's generator with Schrage's bounds: exact in doubles.
local MODULUS, MULTIPLIER = 2147483647, 48271

---@param seed number
function M.new(seed)
  local state = math.floor(math.abs(tonumber(seed) or 0)) % (MODULUS - 1) + 1
  local self = setmetatable({ state = state }, Sampler)
  -- Neighbouring seeds begin with neighbouring numbers: a few draws part them.
  for _ = 1, 8 do self:uniform() end
  return self
end

---@return number from 0 to 1, both excluded
function Sampler:uniform()
  self.state = self.state * MULTIPLIER % MODULUS
  return self.state / MODULUS
end

---Box and Muller 1958.
function Sampler:normal()
  return math.sqrt(-2 * math.log(self:uniform())) * math.cos(2 * math.pi * self:uniform())
end

---Marsaglia and Tsang 2000; below 1 with their boost.
---@param shape number above 0
function Sampler:gamma(shape)
  if shape < 1 then return self:gamma(shape + 1) * self:uniform() ^ (1 / shape) end
  local d = shape - 1 / 3
  local c = 1 / math.sqrt(9 * d)
  while true do
    local x = self:normal()
    local v = (1 + c * x) ^ 3
    if v > 0 and math.log(self:uniform()) < 0.5 * x * x + d - d * v + d * math.log(v) then return d * v end
  end
end

---@param wins number above 0
---@param losses number above 0
function Sampler:beta(wins, losses)
  local a = self:gamma(wins)
  return a / (a + self:gamma(losses))
end

---Chooses one of several ways. Its score is confidence x a draw of what was learned, less its price.
---@param arms {name: string, wins: number, losses: number, confidence?: number, price?: number, is_fixed?: boolean}[]
---is_fixed: worth its mean, without a draw
---@return table arm, boolean explored the choice is not the one with the best mean
---@return table[] ranked all of them, best first, with `score` and `mean`
function Sampler:choose(arms)
  if #arms == 0 then error("sampler:choose(): nothing to choose from", 2) end
  local ranked, best = {}, nil
  for i, arm in ipairs(arms) do
    local confidence, price = arm.confidence or 1, arm.price or 0
    local mean = arm.wins / (arm.wins + arm.losses)
    local drawn = arm.is_fixed and mean or self:beta(arm.wins, arm.losses)
    local item = { arm = arm, i = i, score = confidence * drawn - price, mean = confidence * mean - price }
    if not best or item.mean > best.mean then best = item end
    ranked[i] = item
  end
  table.sort(ranked, function(a, b)
    if a.score ~= b.score then return a.score > b.score end
    return a.i < b.i
  end)
  return ranked[1].arm, ranked[1] ~= best, ranked
end

return M
