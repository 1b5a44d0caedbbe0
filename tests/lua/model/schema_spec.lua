-- The schema DSL: what it compiles to, and what of an answer it enforces.
local qa = require "qa"
local json_text = require "qa.text.json_text"
local reader = require "qa.model.schema_reader"
local s = require "qa.model.schema"

---Value, or the errors as text.
local function read(fields, text, opts, space)
  local schema = s.compile(s.object(fields), { space = space })
  local value, errors = reader.read(schema, assert(json_text.read(text)), opts or {})
  return value, reader.text(errors)
end

local function one(kind, json, opts, space)
  local value, errors = read({ { "v", kind } }, '{"v":' .. json .. "}", opts, space)
  return value and value.v, errors
end

local function groups()
  return s.object {
    { "reasoning", s.string { max = 400, doc = "Why, in one sentence." } },
    { "action", s.enum { "click", "wait" } },
    { "target", s.nullable(s.point()) },
    { "confidence", s.number { min = 0, max = 1 } },
    { "tags", s.array(s.any_of { s.string(), s.integer() }, { max = 3 }) },
  }
end

return {
  ["the compiled text keeps the order of fields, and bounds stand in descriptions"] = function(t)
    local compiled = s.compile(groups(), { name = "groups" })
    t.equal(compiled.text, '{"type":"object","properties":{'
      .. '"reasoning":{"type":"string","description":"Why, in one sentence. At most 400 characters."},'
      .. '"action":{"type":"string","enum":["click","wait"]},'
      .. '"target":{"anyOf":[{"type":"object","description":"A point in CSS pixels of the page.",'
      .. '"properties":{"x":{"type":"number"},"y":{"type":"number"}},"required":["x","y"],"additionalProperties":false}'
      .. ',{"type":"null"}]},'
      .. '"confidence":{"type":"number","description":"0 to 1."},'
      .. '"tags":{"type":"array","description":"At most 3 ' ..
        'items.","items":{"anyOf":[{"type":"string"},{"type":"integer"}]}}},'
      .. '"required":["reasoning","action","target","confidence","tags"],"additionalProperties":false}')
    t.equal(compiled.name, "groups")
    t.truthy(compiled.is_strict)
  end,

  ["the same declaration gives the same bytes and hash, another order others"] = function(t)
    local a, b = s.compile(groups()), s.compile(groups())
    t.equal(a.text, b.text)
    t.equal(a.hash, b.hash)
    local first, second = { "a", s.boolean() }, { "b", s.boolean() }
    t.truthy(s.compile(s.object { first, second }).hash ~= s.compile(s.object { second, first }).hash)
  end,

  ["a declaration that cannot be meant is refused at its line"] = function(t)
    local here = "schema_spec%.lua:%d+: "
    t.raises(function() s.object { a = s.string() } end, here .. "qa.schema.object: 'a': fields have an order")
    t.raises(function() s.object { { "a", "string" } } end, "field 1: expected {name, type}")
    t.raises(function() s.object { { "a", s.string() }, { "a", s.string() } } end, "'a' is declared twice")
    t.raises(function() s.object { { "a b", s.string() } } end, "a name has up to 64")
    t.raises(function() local made = s.string { mx = 3 } return made end,
      here .. ".*unknown option 'mx' %(did you mean")
    t.raises(function() s.integer { min = 3, max = 1 } end, "min is larger than max")
    t.raises(function() s.array(s.string(), { min = -1 }) end, "expected counts")
    t.raises(function() s.number { min = 0 / 0 } end, "expected finite numbers")
    t.raises(function() s.array(s.string(), { sort_desc = "x" }) end, "name of a number of its items")
    t.raises(function() s.enum {} end, "expected a list of values")
    t.raises(function() s.enum { "a", "a" } end, "listed twice")
    t.raises(function() s.enum { "a", 1 } end, "of one kind")
    t.raises(function() s.object { { "1", s.string() } } end, "no digit first")
    t.raises(function() s.raw "[1]" end, "expected one JSON object")
    t.raises(function() s.compile(s.string()) end, "the root is an object")
    t.raises(function() s.compile(groups(), { name = "no spaces" }) end, "name: up to 64")
    t.raises(function() s.compile(groups(), { limits = { depth = 1 } }) end, "depth: 2, at most 1")
    t.raises(function() s.compile(groups(), { limits = { properties = 6 } }) end, "properties: 7, at most 6")
  end,

  ["raw text is kept in its order and is not called strict"] = function(t)
    local compiled = s.compile(s.object { { "r", s.raw('{ "type" : "array", "items": {"minimum":1.50, ' ..
      '"type":"number"} }') } })
    t.truthy(compiled.text:find('"r":{"type":"array","items":{"minimum":1.50,"type":"number"}}', 1, true))
    t.falsy(compiled.is_strict)
    t.equal(one(s.raw '{"type":"array"}', "[1,null]"), { 1, qa.json.null })
  end,

  ["bounds of numbers, lengths and counts are enforced on the answer"] = function(t)
    for _, case in ipairs {
      { s.number { min = 0, max = 1 }, "1.2", "/v: expected at most 1, got 1.2" },
      { s.number { min = 0 }, "-0.5", "expected at least 0" },
      { s.integer(), "1.5", "whole number" },
      { s.integer(), "9007199254740993", "below 2^53" },
      { s.integer(), '"7"', "expected a whole number, got string" },
      { s.string { max = 2 }, '"äöü"', "expected at most 2 characters, got 3" },
      { s.string { min = 1 }, '""', "expected at least 1" },
      { s.string { pattern = "^%d+$" }, '"12a"', "Lua pattern" },
      { s.string(), "12", "expected a string, got number" },
      { s.boolean(), '"true"', "expected true or false, got string" },
      { s.enum { "a", "b" }, '"c"', 'expected one of "a", "b"' },
      { s.enum { 1, 2 }, '"1"', "expected one of 1, 2" },
      { s.const "x", "null", 'expected "x"' },
      { s.array(s.boolean(), { max = 1 }), "[true,false]", "expected at most 1 items, got 2" },
      { s.array(s.boolean(), { min = 1 }), "[]", "expected at least 1 items, got 0" },
      { s.array(s.boolean()), "{}", "expected an array, got object" },
      { s.object {}, "[]", "expected an object, got array" },
      { s.object {}, '{"a/b":1}', "/v/a~1b: unknown property" },
      { s.object { { "a", s.nullable(s.string()) } }, "{}", '/v: missing property "a"' },
      { s.array(s.object { { "a", s.boolean() } }), '[{"a":true},{"a":1}]', "/v/1/a: expected true or false" },
    } do
      local value, errors = one(case[1], case[2])
      t.equal(value, nil, case[2])
      t.truthy(errors:find(case[3], 1, true), case[2] .. ": " .. errors)
    end
    t.equal(one(s.string { max = 3 }, '"äöü"'), "äöü")
    t.equal(one(s.integer(), "9007199254740991"), 9007199254740991)
  end,

  ["lossless coercions need the flag, and a lost digit is no coercion"] = function(t)
    local allowed = { coerce = true }
    for json, value in pairs { ['"640"'] = 640, ["1e3"] = 1000, ["1000.0"] = 1000, ['"6.4e2"'] = 640,
      ["640000e-3"] = 640 } do
      t.equal(one(s.integer(), json), nil, json)
      t.equal(one(s.integer(), json, allowed), value, json)
    end
    t.equal(one(s.number(), '"0.5"', allowed), 0.5)
    for _, json in ipairs { "640.00000000000000000001", '"640.000000000000000000001"', "1.5", '" 640"', '"0x10"',
      '"640px"',
      '""', "true", "9007199254740992.0", '"1e999"', "6401e-1" } do
      t.equal(one(s.integer(), json, allowed), nil, json)
    end
    t.equal(one(s.any_of { s.integer(), s.string() }, '"640"', allowed), "640")
  end,

  ["null is nil in an object and qa.json.null in a list"] = function(t)
    local value = read({ { "a", s.nullable(s.string()) }, { "b", s.array(s.nullable(s.integer())) } },
      '{"a":null,"b":[1,null]}')
    t.equal(value, { b = { 1, qa.json.null } })
  end,

  ["the answer decides nothing between a list and a map"] = function(t)
    t.equal(qa.json.encode(one(s.array(s.string()), "[]")), "[]")
    t.equal(one(s.array(s.string()), "{}"), nil)
  end,

  ["any_of takes the first form that fits and tells of the nearest one"] = function(t)
    local click = s.object { { "kind", s.const "click" }, { "x", s.integer() } }
    local wait = s.object { { "kind", s.const "wait" }, { "ms", s.integer { max = 100 } } }
    local either = s.any_of { click, wait }
    t.equal(one(either, '{"kind":"wait","ms":5}'), { kind = "wait", ms = 5 })
    local _, errors = one(either, '{"kind":"wait","ms":500}')
    t.equal(errors, "/v/ms: expected at most 100, got 500")
  end,

  ["sort_desc orders by a number, equal ones as they came"] = function(t)
    local list = s.array(s.object { { "n", s.number() }, { "id", s.string() } }, { sort_desc = "n" })
    local value = one(list, '[{"n":1,"id":"a"},{"n":3,"id":"b"},{"n":1,"id":"c"},{"n":3,"id":"d"}]')
    local ids = {}
    for i, item in ipairs(value) do ids[i] = item.id end
    t.equal(table.concat(ids), "bdac")
  end,

  ["a check of a node sees the value and its message is the error"] = function(t)
    local even = s.integer { check = function(n) return n % 2 == 0 or nil, "expected an even number" end }
    t.equal(one(even, "4"), 4)
    t.equal(select(2, one(even, "3")), "/v: expected an even number")
    local pair = s.object({ { "a", s.integer() }, { "b", s.integer() } },
      { check = function(v) return v.a < v.b or nil, "a before b" end })
    t.equal(select(2, one(pair, '{"a":2,"b":1}')), "/v: a before b")
    local called = false
    local never = s.object({ { "a", s.integer() } }, { check = function() called = true return true end })
    one(never, '{"a":"x"}')
    t.falsy(called, "a check never sees a value that does not fit")
  end,

  ["points are CSS pixels of the page, from every space and form"] = function(t)
    local norm = { width = 1280, height = 720, space = "norm1000", order = "yx" }
    t.equal(one(s.point(), '{"y":500,"x":250}', {}, norm), { x = 320, y = 360 })
    norm.form = "list"
    t.equal(one(s.point(), "[500,250]", {}, norm), { x = 320, y = 360 })
    norm.form = "box"
    t.equal(one(s.point(), "[400,200,600,300]", {}, norm).x, 320)
    t.equal(one(s.point(), "[400,200,600]", {}, norm), nil)
    local _, errors = one(s.point(), '{"x":1280,"y":5}', {}, { width = 1280, height = 720 })
    t.equal(errors, "/v: x 1280 is outside 0..1280 (exclusive)")
    t.equal(one(s.point(), '{"x":1,"y":2,"z":3}', {}, { width = 1280, height = 720 }), nil)
    t.equal(one(s.point(), '{"x":7,"y":9}'), { x = 7, y = 9 })
    local text = s.compile(s.object { { "p", s.point() } }, { space = norm }).text
    t.truthy(text:find("written [y1, x1, y2, x2]", 1, true) and text:find('"items":{"type":"number"}', 1, true), text)
  end,

  ["at most 20 errors and 1 kB are told, and the rest is counted"] = function(t)
    local long = '{"v":[' .. ("1,"):rep(999) .. "1]}"
    local schema = s.compile(s.object { { "v", s.array(s.string()) } })
    local _, errors = reader.read(schema, assert(json_text.read(long)), {})
    t.equal(#errors, 20)
    t.equal(errors.total, 1000)
    local text = reader.text(errors)
    t.truthy(#text <= 1024 and text:find "and 980 more$", text)
    local wide = {}
    for i = 1, 30 do wide[i] = ('"%s%d":1'):format(("k"):rep(300), i) end
    _, errors = reader.read(s.compile(s.object {}), assert(json_text.read("{" .. table.concat(wide, ",") .. "}")), {})
    t.truthy(#reader.text(errors) <= 1024)
  end,

  ["every function of the DSL is described in scripts/types/schema.lua, and nothing else"] = function(t)
    local types = assert(qa.fs.read "scripts/types/schema.lua")
    for _, name in ipairs { "schema", "structured", "page_text", "point_space" } do
      local module, told = require("qa.model." .. name), {}
      for method in types:gmatch("\nfunction " .. name .. "%.([%w_]+)%(") do told[method] = true end
      for method in pairs(module) do t.truthy(told[method], name .. "." .. method .. " is not described") end
      for method in pairs(told) do t.truthy(module[method], name .. "." .. method .. " is described but not there") end
    end
  end,
}
