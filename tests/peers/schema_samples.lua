-- Compiled schemas, one a line, for schema_oracle.mjs: one that uses everything, then as many as the first argument
-- says (300), put together at random from a fixed seed.
local s = require "qa.model.schema"

local seed = 20
local function pick(low, high)
  seed = seed * 16807 % 2147483647
  return low + seed % (high - low + 1)
end

local spaces = {
  { width = 1280, height = 720 },
  { width = 768, height = 432, scale = 0.6, order = "yx" },
  { width = 1280, height = 720, space = "norm1000", order = "yx", form = "box" },
  { width = 512, height = 288, scale = 0.4, form = "list" },
}

local random_type

local function random_object(depth)
  local fields = {}
  for i = 1, pick(0, 5) do fields[i] = { ("%s_%d"):format(("zebra"):sub(1, pick(1, 5)), i), random_type(depth + 1) } end
  return s.object(fields, pick(1, 3) == 1 and { doc = 'Said with "quotes", a \\ and é.' } or nil)
end

local makers = {
  function() return s.string { min = 1, max = pick(1, 400), doc = pick(1, 2) == 1 and "Why." or nil } end,
  function() return s.string { pattern = "^%d+$" } end,
  function() return s.number { min = 0, max = 0.5 } end,
  function() return s.integer { min = -pick(0, 9) } end,
  function() return s.boolean() end,
  function() return s.enum({ "click", "wait", "ä" }, { doc = "What to do." }) end,
  function() return s.enum { 1, 2.5 } end,
  function() return s.const "x" end,
  function() return s.const(true) end,
  function() return s.point { doc = "Where." } end,
  function(depth) return s.nullable(random_type(depth), { doc = "Or nothing." }) end,
  function(depth) return s.any_of({ random_type(depth), random_type(depth) }, { doc = "Either." }) end,
  function(depth) return s.array(random_type(depth + 1), { min = pick(0, 2), max = pick(2, 9) }) end,
  random_object,
}

function random_type(depth) return makers[pick(1, depth < 5 and #makers or 10)](depth) end

local everything = {}
for i, make in ipairs(makers) do everything[i] = { ("kind_%d"):format(i), make(4) } end
print(s.compile(s.object(everything)).text)
for _ = 1, tonumber((...)) or 300 do
  print(s.compile(random_object(1), { space = spaces[pick(1, #spaces + 1)] }).text)
end
