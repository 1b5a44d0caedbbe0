-- The ladder from the text of an answer to a checked value.
local s = require "qa.model.schema"
local structured = require "qa.model.structured"

local action = s.object { { "x", s.integer { min = 0, max = 1279 } }, { "why", s.string { max = 40 } } }
local schema = s.compile(s.object { { "groups", s.array(action, { min = 1, max = 3 }) } })
local good = '{"groups":[{"x":640,"why":"start"}]}'

local function steps_of(result)
  local names = {}
  for i, step in ipairs(result.steps) do names[i] = (step.ok and "" or "!") .. step.step end
  return table.concat(names, " ")
end

local function refused(t, text, opts, kind, pattern)
  local result, err = structured.read(text, schema, opts)
  t.equal(result, nil, text:sub(1, 60))
  t.equal(err.kind, kind or "llm_invalid")
  t.truthy(err.message:find(pattern or ""), err.message)
  return err
end

return {
  ["a good answer needs two steps"] = function(t)
    local result = structured.read(good, schema)
    t.equal(result.value, { groups = { { x = 640, why = "start" } } })
    t.equal(steps_of(result), "parse validate")
    t.equal(result.attempts, 1)
    t.falsy(result.is_partial)
  end,

  ["what stands around the object is stripped where it is allowed, and recorded"] = function(t)
    local around = {
      ["\239\187\191" .. good] = "bom",
      ["```json\n" .. good .. "\n```"] = "fence",
      ["Sure! Here it is:\n" .. good .. "\nAnything else?"] = "prose",
      ["\239\187\191 Here:\n```\n" .. good .. "\n```\n"] = "bom fence prose",
    }
    for text, removed in pairs(around) do
      local result = structured.read(text, schema, { strip = true })
      t.equal(result.value.groups[1].x, 640)
      t.equal(table.concat(result.steps[1].removed, " "), removed)
      refused(t, text, {}, "llm_invalid", "not JSON")
    end
    t.equal(steps_of(structured.read(" " .. good .. "\n", schema, { strip = true })), "parse validate")
  end,

  ["two objects are a guess, and a guess is refused"] = function(t)
    for _, text in ipairs { good .. good, good .. "\nor\n" .. good, "[" .. good .. "]", "{} " .. good, good .. "]" } do
      refused(t, text, { strip = true })
      refused(t, text, {})
    end
  end,

  ["coercions need the flag and are recorded with their place"] = function(t)
    local text = '{"groups":[{"x":"640","why":"a"},{"x":1e3,"why":"b"}]}'
    refused(t, text, {}, "llm_invalid", "/groups/0/x: expected a whole number, got string")
    local result = structured.read(text, schema, { coerce = true })
    t.equal(result.value.groups[2].x, 1000)
    t.equal(steps_of(result), "parse coerce validate")
    t.equal(result.steps[2].at, { "/groups/0/x", "/groups/1/x" })
  end,

  ["of a cut answer only closed elements are taken"] = function(t)
    local cut = '{"groups":[{"x":640,"why":"a"},{"x":64'
    refused(t, cut, {}, "llm_invalid", "ends too early")
    local result = structured.read(cut, schema, { partial = "closed" })
    t.equal(result.value, { groups = { { x = 640, why = "a" } } })
    t.truthy(result.is_partial)
    t.equal(steps_of(result), "!parse partial validate")
    refused(t, '{"groups":[{"x":64', { partial = "closed" })
    refused(t, '{"groups":[{"x":9999,"why":"a"},{"x":64', { partial = "closed" }, "llm_invalid", "at most 1279")
    refused(t, '{"groups":[{"x":640,"why":"a"},{"x":64x', { partial = "closed" }, "llm_invalid", "not JSON: expected")
  end,

  ["cut at every byte, an answer gives a beginning of what it said or nothing"] = function(t)
    local whole = '{"groups":[{"x":640,"why":"a ]}, \\" b"},{"x":12,"why":"é"},{"x":7,"why":"c"}]}'
    local all = structured.read(whole, schema).value.groups
    local counts = { [0] = 0, 0, 0, 0 }
    for last = 0, #whole - 1 do
      local result = structured.read(whole:sub(1, last), schema, { partial = "closed", strip = true, coerce = true })
      local found = result and result.value.groups or {}
      for i, item in ipairs(found) do t.equal(item, all[i], "cut at " .. last) end
      counts[#found] = counts[#found] + 1
    end
    t.truthy(counts[0] > 0 and counts[1] > 0 and counts[2] > 0 and counts[3] == 2, "three before ']' and before '}'")
  end,

  ["one more question carries the errors"] = function(t)
    local asked = {}
    local function ask_again(errors, attempt)
      asked[#asked + 1] = { errors, attempt }
      return good
    end
    local result = structured.read('{"groups":[{"x":-1,"why":"a"}]}', schema, { ask_again = ask_again })
    t.equal(asked, { { "/groups/0/x: expected at least 0, got -1", 1 } })
    t.equal(result.attempts, 2)
    t.equal(steps_of(result), "parse !validate ask parse validate")
    t.equal(result.steps[4].attempt, 2)
  end,

  ["it asks as often as it may, then the failure tells all"] = function(t)
    local asked = 0
    local function ask_again() asked = asked + 1 return "no" end
    local err = refused(t, "{}", { ask_again = ask_again })
    t.equal(asked, 1)
    t.equal(err.detail.attempts, 2)
    t.equal(err.detail.text, "no")
    t.equal(err.detail.errors[1].path, "")
    refused(t, "{}", { ask_again = ask_again, max_asks = 3 })
    t.equal(asked, 4)
    refused(t, "{}", { ask_again = ask_again, max_asks = 0 })
    t.equal(asked, 4)
  end,

  ["where asking fails, the first failure stands and says so"] = function(t)
    local function ask_again() return nil, { kind = "budget_exceeded", message = "0.00 left" } end
    local err = refused(t, "{}", { ask_again = ask_again }, "llm_invalid", "asking again: budget_exceeded")
    t.equal(err.detail.ask_again.kind, "budget_exceeded")
  end,

  ["a refusal and a cut are told apart from a wrong answer, and ask nothing"] = function(t)
    local function ask_again() t.fail "asked" end
    refused(t, "I cannot help with that.", { finish = "refusal", ask_again = ask_again }, "llm_refused",
      "I cannot help")
    refused(t, '{"groups":[{', { finish = "length", partial = "closed", ask_again = ask_again }, "llm_truncated")
    local result = structured.read('{"groups":[{"x":1,"why":""},', schema, { finish = "length", partial = "closed" })
    t.equal(#result.value.groups, 1)
    local err = refused(t, "{}", { ask_again = function() return "No.", nil, "refusal" end }, "llm_refused")
    t.equal(err.detail.attempts, 2)
  end,

  ["a failure keeps the beginning of a long text"] = function(t)
    local err = refused(t, '{"groups":"' .. ("é"):rep(20000) .. '"}')
    t.truthy(#err.detail.text <= 8192)
    t.equal(err.detail.bytes, 40013)
  end,

  ["misuse raises"] = function(t)
    t.raises(function() structured.read(good, schema, { partial = "open" }) end, "partial")
    t.raises(function() structured.read(good, schema, { corce = true }) end, "did you mean 'coerce'")
  end,
}
