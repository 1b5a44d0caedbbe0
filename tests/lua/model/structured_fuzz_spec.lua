-- Thousands of broken answers through the ladder: nothing raises, and what is accepted stands up to a second validation
-- that shares no code with the first: the host's own JSON parser and rules written out by hand. Seeded: the same
-- answers each time.
local qa = require "qa"
local s = require "qa.model.schema"
local structured = require "qa.model.structured"

local null = qa.json.null
local width, height = 1280, 720

local function new_schema()
  local action = s.object {
    { "action", s.enum { "click", "keypress", "wait" } },
    { "target", s.nullable(s.point()) },
    { "repeats", s.integer { min = 1, max = 5000 } },
    { "key", s.nullable(s.string { max = 8 }) },
  }
  local group = s.object {
    { "reasoning", s.string { min = 1, max = 30 } },
    { "confidence", s.number { min = 0, max = 1 } },
    { "actions", s.array(action, { min = 1, max = 4 }) },
  }
  return s.compile(s.object { { "groups", s.array(group, { max = 4 }) } },
    { space = { width = width, height = height } })
end

---- The second validation, over values of qa.json.decode ----

local function only(map, names)
  if type(map) ~= "table" or #map > 0 then return false end
  for key in pairs(map) do if not names[key] then return false end end
  return true
end

local function is_number(value, low, high) return type(value) == "number" and value >= low and value <= high end

local function characters(text)
  local count = 0
  for i = 1, #text do
    local byte = text:byte(i)
    if byte < 128 or byte >= 192 then count = count + 1 end
  end
  return count
end

local function action_fits(a)
  if not only(a, { action = 1, target = 1, repeats = 1, key = 1 }) then return false end
  if a.action ~= "click" and a.action ~= "keypress" and a.action ~= "wait" then return false end
  if a.target ~= null then
    local p = a.target
    if not only(p, { x = 1, y = 1 }) or not is_number(p.x, 0, width - 1e-9) or not is_number(p.y, 0, height - 1e-9) then
      return false
    end
  end
  if a.key ~= null and (type(a.key) ~= "string" or characters(a.key) > 8) then return false end
  return is_number(a.repeats, 1, 5000) and math.floor(a.repeats) == a.repeats
end

local function group_fits(g)
  if not only(g, { reasoning = 1, confidence = 1, actions = 1 }) or not is_number(g.confidence, 0, 1) then
    return false
  end
  if type(g.reasoning) ~= "string" or g.reasoning == "" or characters(g.reasoning) > 30 then return false end
  if type(g.actions) ~= "table" or #g.actions < 1 or #g.actions > 4 then return false end
  for _, a in ipairs(g.actions) do if not action_fits(a) then return false end end
  return true
end

local function answer_fits(value)
  if not only(value, { groups = 1 }) or type(value.groups) ~= "table" or #value.groups > 4 then return false end
  if qa.json.encode(value.groups):sub(1, 1) ~= "[" then return false end
  for _, g in ipairs(value.groups) do if not group_fits(g) then return false end end
  return true
end

---- Keys of the text against keys of the value: fewer in the value means that one came twice ----

local function keys_of_text(text)
  local _, count = text:gsub("\\.", "xx"):gsub('"[^"]*"%s*:', "")
  return count
end

local function keys_of_value(value)
  local count = 0
  if type(value) == "table" then
    for key, item in pairs(value) do count = count + (type(key) == "string" and 1 or 0) + keys_of_value(item) end
  end
  return count
end

---What qa.json.decode and the rules say to a text: the value, or nil.
local function judged(text)
  local ok, value = pcall(qa.json.decode, text)
  if not ok or not answer_fits(value) or keys_of_text(text) ~= keys_of_value(value) then return nil end
  return value
end

---The longest beginning that ends with a closed group and is an answer once "]}" is added, or with all groups and "}".
local function judged_beginning(text)
  for last = #text, 1, -1 do
    local c = text:sub(last, last)
    local value = c == "}" and judged(text:sub(1, last) .. "]}") or c == "]" and judged(text:sub(1, last) .. "}")
    if value then return value end
  end
end

---The value as the ladder gives it: null members are nil.
local function without_null(value)
  if type(value) ~= "table" then return value end
  local copy = {}
  for key, item in pairs(value) do if item ~= null then copy[key] = without_null(item) end end
  return copy
end

---- Broken answers ----

local function generator(seed)
  return function(low, high)
    seed = seed * 16807 % 2147483647
    return low + seed % (high - low + 1)
  end
end

local good = '{"groups":[{"reasoning":"press \\"play\\" ' ..
  'é","confidence":0.9,"actions":[{"action":"click","target":{"x":640,"y":360},'
  .. '"repeats":1,"key":null}]},{"reasoning":"then [go] ' ..
    '{on}","confidence":0.25,"actions":[{"action":"keypress","target":null,'
  .. '"repeats":3,"key":"Enter"},{"action":"wait","target":null,"repeats":2,"key":null}]}]}'

local tokens = { "{", "}", "[", "]", ",", ":", '"', "\\", "null", "true", "1e999", "78072e+776831", "1e3", '"640"', "-",
  "9",
  ".", "\255", "\192\128", "\239\187\191", "\\ud800", '"x":1,', '"key":"a","key":"b",', '"groups":[],', "```", "\n",
  "\0", "[[[[",
  '{"a":', "0.5", "1279.5", "1280", "-1", "2e0", '"a"', "0" }

local changes = {
  function(text, at, pick) return text:sub(1, at - 1) .. text:sub(at + pick(1, 12)) end,
  function(text, at, pick) return text:sub(1, at + pick(0, 40)) .. text:sub(at) end,
  function(text, at, pick) return text:sub(1, at - 1) .. string.char(pick(0, 255)) .. text:sub(at + 1) end,
  function(text, at, pick) return text:sub(1, at - 1) .. tokens[pick(1, #tokens)] .. text:sub(at) end,
  function(text, at, pick) return text:sub(1, at - 1) .. tokens[pick(1, #tokens)] .. text:sub(at + pick(1, 4)) end,
  function(text, at) return text:sub(1, at) end,
  -- A value in place of another: such answers are still JSON.
  function(text, at, pick)
    local first, last = text:find("%f[%w\"-][%w.\"-]+%f[,}%]]", at)
    return first and text:sub(1, first - 1) .. tokens[pick(9, #tokens)] .. text:sub(last + 1) or text
  end,
  function(text, at, pick)
    local first, last = text:find("%f[%d]%d[%d.]*", at)
    return first and text:sub(1, first - 1) .. tokens[pick(11, #tokens)] .. text:sub(last + 1) or text
  end,
  function(text, at, pick)
    local first, last, member = text:find('("%a+":[%w."]+,)', at)
    return first and text:sub(1, last) .. (pick(1, 2) == 1 and member or "") .. text:sub(last + 1) or text
  end,
}

local function broken(pick)
  local text = good
  for _ = 1, pick(1, 3) do text = changes[pick(1, #changes)](text, pick(1, math.max(1, #text)), pick) end
  return text
end

---Every answer through the ladder with these options; counts what became of it.
local function run(t, seed, count, opts, check)
  local schema, pick = new_schema(), generator(seed)
  local seen = { accepted = 0, refused = 0 }
  for i = 1, count do
    if i % 100 == 0 then qa.sleep(1) end  -- one stretch of pure Lua is limited
    local text = broken(pick)
    local ok, result, err = pcall(structured.read, text, schema, opts)
    if not ok then t.fail(("answer %d raised %s: %q"):format(i, tostring(result), text)) end
    if result then
      seen.accepted = seen.accepted + 1
    else
      seen.refused = seen.refused + 1
      t.equal(err.kind, "llm_invalid")
      t.truthy(#err.message <= 1100)
    end
    check(text, result, i)
  end
  return seen
end

return {
  ["a strict reading accepts what the second validation accepts, and nothing else"] = function(t)
    local seen = run(t, 11, 4000, {}, function(text, result, i)
      local value = judged(text)
      local note = ("answer %d: %q"):format(i, text)
      if result then
        t.truthy(value, "accepted wrongly, " .. note)
        t.equal(result.value, without_null(value), note)
      elseif value and not text:find '"repeats":[^,}]*[.eE]' and text:sub(1, 1) == "{" then
        t.fail("refused wrongly, " .. note)
      end
    end)
    t.truthy(seen.accepted > 100 and seen.refused > 1000, qa.json.encode(seen))
  end,

  ["a beginning is accepted only as far as its groups are closed"] = function(t)
    local partial = 0
    run(t, 12, 3000, { partial = "closed" }, function(text, result, i)
      if not result then return end
      local value = result.is_partial and judged_beginning(text) or not result.is_partial and judged(text)
      local note = ("answer %d: %q"):format(i, text)
      t.truthy(value, "accepted wrongly, " .. note)
      t.equal(result.value, without_null(value), note)
      partial = partial + (result.is_partial and 1 or 0)
    end)
    t.truthy(partial > 100, partial .. " partial answers")
  end,

  ["coerced and stripped answers hold nothing that their text does not"] = function(t)
    local seen = run(t, 13, 3000, { strip = true, coerce = true }, function(text, result, i)
      if not result then return end
      local first, last = text:find("{", 1, true), text:match ".*()}"
      local inner = text:sub(first, last)
      -- Numbers in quotes stand where a number is expected: take the quotes off, outside the two string members.
      local bare = inner:gsub('("[%a]+"%s*:%s*)"(%-?%d+%.?%d*)"', function(name, number)
        if not (name:find '"key"' or name:find '"reasoning"') then return name .. number end
      end)
      t.truthy(judged(bare), ("accepted wrongly, answer %d: %q"):format(i, text))
    end)
    t.truthy(seen.accepted > 100, qa.json.encode(seen))
  end,

  ["large hostile answers cost little and are refused"] = function(t)
    -- A schema without bounds of counts: every element is looked at.
    local schema, zeros = s.compile(s.object { { "groups", s.array(new_schema().root.by.groups.items) } }),
      ("0"):rep(50000)
    local group = '{"reasoning":"a","confidence":0,"actions":[{"action":"wait","target":null,"repeats":%s,"key":null}]}'
    local function answer(repeats) return '{"groups":[' .. group:gsub("%%s", repeats) .. "]}" end
    for _, text in ipairs { ("["):rep(100000), ('{"groups":'):rep(50000), '{"groups":[' .. ("1,"):rep(50000) .. "1]}",
      '{"groups":[' .. ("{},"):rep(30000) .. "{}]}", answer("1" .. zeros .. "1"), answer("1." .. zeros .. "1"),
      answer('"1.' .. zeros .. '1"'), '{"' .. ("k"):rep(100000) .. '":1}',
      '{"groups":"' .. ("\\u0041"):rep(15000) .. '"}', ('"'):rep(100000), ("\\"):rep(100000), ("{ "):rep(50000),
      ("`"):rep(100000),
      '{"groups":[],' .. ('"groups":[],'):rep(8000) .. "}", good .. (" "):rep(100000) .. "x",
      good .. (" "):rep(600000) } do
      for _, opts in ipairs { {}, { strip = true, coerce = true, partial = "closed" } } do
        qa.sleep(1)
        local ok, result, err = pcall(structured.read, text, schema, opts)
        t.truthy(ok, tostring(result) .. " " .. text:sub(1, 40))
        -- Prose after the object may be stripped.
        t.truthy(not result or opts.strip and text:find "}%s+x$", text:sub(1, 40))
        t.truthy(result or #err.message <= 1100 and #err.detail.text <= 8192)
      end
    end
  end,

  ["bytes without any form are refused in peace"] = function(t)
    local schema, pick = new_schema(), generator(14)
    for i = 1, 2000 do
      if i % 100 == 0 then qa.sleep(1) end
      local bytes = {}
      for j = 1, pick(0, 60) do bytes[j] = pick(1, 2) == 1 and string.char(pick(0, 255)) or tokens[pick(1, #tokens)] end
      local text = table.concat(bytes)
      local ok, result = pcall(structured.read, text, schema, { strip = true, coerce = true, partial = "closed" })
      t.truthy(ok, text)
      t.falsy(result, text)
    end
  end,
}
