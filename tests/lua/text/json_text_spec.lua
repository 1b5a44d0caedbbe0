-- JSON text as nodes: what is refused, what is kept, what was closed before the text ended.
local json_text = require "qa.text.json_text"

local function refused(t, text, pattern)
  local node, problem = json_text.read(text)
  t.falsy(node, text:sub(1, 60))
  t.truthy(problem.message:find(pattern), ("%q: %s"):format(text:sub(1, 60), problem.message))
  return problem
end

local function plain(text) return json_text.plain((json_text.read(text))) end

return {
  ["values of every kind are read"] = function(t)
    t.equal(plain ' {"a":[1,-2.5e1,true,false,"x\\u00e9\\n",{}],"b":{"":[]}} ',
      { a = { 1, -25, true, false, "xé\n", {} }, b = { [""] = {} } })
    t.equal(plain "null", require("qa").json.null)
  end,

  ["spelling and the order of keys are kept"] = function(t)
    local text = '{"z":1e3,"a":[1.0,"\\u00e9",null],"m":{"q":-0}}'
    t.equal(json_text.compact((json_text.read(text))), '{"z":1e3,"a":[1.0,"é",null],"m":{"q":-0}}')
  end,

  ["a key that comes twice is refused, however it is spelt"] = function(t)
    refused(t, '{"a":1,"a":2}', 'duplicate key "a"')
    refused(t, '{"a":1,"\\u0061":1}', 'duplicate key "a"')
    refused(t, '{"x":[{"k":1,"b":2,"k":3}]}', 'duplicate key "k"')
    t.truthy(json_text.read '{"a":{"a":1},"b":{"a":1}}')
  end,

  ["numbers that a double cannot hold are refused"] = function(t)
    for _, number in ipairs { "1e757", "78072e+776831", "-1e999", "712E6352357065406089", "1e-400", "0.000e1x" } do
      t.falsy(json_text.read("[" .. number .. "]"), number)
    end
    refused(t, "[1e400]", "out of range")
    t.equal(plain "[1e308,5e-324,0e5,-0.0,0e43672516]", { 1e308, 5e-324, 0, 0, 0 })
  end,

  ["what JSON does not know is refused"] = function(t)
    for _, text in ipairs { "01", "+1", ".5", "1.", "1e", "0x10", "-", "NaN", "Infinity", "'a'", "[1,]", '{"a":1,}',
      "{a:1}",
      "[1 2]", '{"a" 1}', '"\\x"', '"\\ud800"', '"a\nb"', '"\255"', '"\192\128"', "\239\187\191{}", "nul]", "[,1]",
      "/**/1" } do
      local node, rest = json_text.read(text .. " ")
      t.falsy(node and not text:find("%S", rest), text)
    end
  end,

  ["a depth bomb is refused and not taken for a cut text"] = function(t)
    local problem = refused(t, ("["):rep(200000), "nested deeper than 64")
    t.falsy(problem.is_truncated)
    refused(t, ('{"a":'):rep(200000), "nested deeper")
    t.truthy(json_text.read(("["):rep(64) .. ("]"):rep(64)))
  end,

  ["every beginning of a text is told from a wrong one"] = function(t)
    local text = '{"a":[1.5e-2,true,null,"x\\u00e9\\"",{"b":[]}],"c":false}'
    for last = 0, #text - 1 do
      local node, problem = json_text.read(text:sub(1, last))
      t.falsy(node, last)
      t.truthy(problem.is_truncated, ("%d: %s"):format(last, problem.message))
    end
    t.falsy(refused(t, '{"a":[1,x', "unexpected").is_truncated)
  end,

  ["closed elements of the outermost open array are kept, never the open one"] = function(t)
    local function kept(text)
      local _, problem = json_text.read(text)
      local root, count = json_text.closed_part(problem)
      return root and json_text.compact(root), count
    end
    t.equal(kept '{"n":5,"g":[{"a":[1,2]},{"a":[1', '{"n":5,"g":[{"a":[1,2]}]}')
    t.equal(kept '{"g":[{"a":[{"x":1},{"x":2},{"x"', nil)
    t.equal(kept '[1,2,64', "[1,2]")
    t.equal(kept '[1,2,64 ', "[1,2,64]")
    t.equal(kept '{"o":{"g":["a","b"', '{"o":{"g":["a","b"]}}')
    t.equal(kept '{"g":[1,2],"o":{"a":1},"h":"x', '{"g":[1,2],"o":{"a":1}}')
    t.equal(kept '{"g":[1,2],"o":{"a":1', '{"g":[1,2]}')
    t.equal(kept '{"h":12', nil)
    t.equal(kept '{"g":[{"a":1},x', nil)
    t.equal(kept '{"g":[', nil)
  end,
}
