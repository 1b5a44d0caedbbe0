--- Key names in text: those that a script's source compares with, and those that instructions name.
local words = require "qa.page.words"

local M = {}

local legacy_names = { [8] = "Backspace", [9] = "Tab", [13] = "Enter", [16] = "Shift", [17] = "Control", [18] = "Alt",
  [27] = "Escape", [32] = "Space", [33] = "PageUp", [34] = "PageDown", [35] = "End", [36] = "Home", [37] = "ArrowLeft",
  [38] = "ArrowUp", [39] = "ArrowRight", [40] = "ArrowDown",
  [46] = "Delete" }

---KeyboardEvent.keyCode -> code, for the codes that games use.
---@return string?
local function code_name(number)
  if legacy_names[number] then return legacy_names[number] end
  if number >= 65 and number <= 90 then return "Key" .. string.char(number) end
  if number >= 48 and number <= 57 then return "Digit" .. string.char(number) end
  return nil
end

local constant_names = { LEFT = "ArrowLeft", RIGHT = "ArrowRight", UP = "ArrowUp", DOWN = "ArrowDown", SPACE = "Space",
  ENTER = "Enter", LEFT_ARROW = "ArrowLeft", RIGHT_ARROW = "ArrowRight", UP_ARROW = "ArrowUp", DOWN_ARROW = "ArrowDown",
  SPACEBAR = "Space", RETURN = "Enter",
  left = "ArrowLeft", right = "ArrowRight", up = "ArrowUp", down = "ArrowDown", space = "Space", enter = "Enter" }

---Adds to the weight of a key; nil is none.
---@param found table<string, number>
---@param key string?
---@param weight? number
function M.count(found, key, weight)
  if key then found[key] = (found[key] or 0) + (weight or 1) end
end
local count = M.count

---Comparisons of key codes: `keyCode === 37`, `case 37:`, `KEYS = {LEFT: 37}`, `{37: "left"}`.
local function scan_numbers(source, found)
  for number in source:gmatch("[kK]ey[cC]?o?d?e?%s*={2,3}%s*(%d+)") do count(found, code_name(tonumber(number)), 2) end
  for number in source:gmatch("[kK]eyCode%s*==?=?%s*(%d+)") do count(found, code_name(tonumber(number)), 2) end
  for number in source:gmatch("which%s*==?=?%s*(%d+)") do count(found, code_name(tonumber(number)), 2) end
  for number in source:gmatch("(%d+)%s*===?%s*[%w_%.]*[kK]eyCode") do count(found, code_name(tonumber(number)), 2) end
  for number in source:gmatch("[kK]ey[%w_]*%[(%d%d)%]") do count(found, code_name(tonumber(number)), 2) end
  for number in source:gmatch("%[(%d%d)%]") do
    if tonumber(number) >= 37 and tonumber(number) <= 40 then count(found, code_name(tonumber(number))) end
  end
  for number in source:gmatch("case%s+(%d%d)%s*:") do count(found, code_name(tonumber(number))) end
  for name, number in source:gmatch("['\"]?([%a_]+)['\"]?%s*[:=]%s*(%d%d)%f[%D]") do
    local key = code_name(tonumber(number))
    if constant_names[name] == key and key then count(found, key) end
  end
  for number, name in source:gmatch("['\"]?%f[%d](%d%d)['\"]?%s*:%s*['\"]([%a ]+)['\"]") do
    local key = code_name(tonumber(number))
    if key and (constant_names[name] == key or words.key_of(name) == key) then count(found, key, 2) end
  end
  for number in source:gmatch("%f[%d](3[7-9])%s*:%s*%d") do count(found, code_name(tonumber(number)), 2) end
  for number in source:gmatch("%f[%d](40)%s*:%s*%d") do count(found, code_name(tonumber(number)), 2) end
end

---Variables that hold a key code (`var k = e.keyCode`) compared with numbers, and calls like keyIsDown(39).
local function scan_variables(source, found)
  local seen = {}
  for name in source:gmatch("%f[%w_]([%a_][%w_]*)%s*=%s*[^;\n=]-%.keyCode") do
    if not seen[name] and #name < 20 then
      seen[name] = true
      for number in source:gmatch("%f[%w_]" .. name .. "%s*===?%s*(%d+)") do
        count(found, code_name(tonumber(number)), 2)
      end
    end
  end
  -- Held keys play; pressed ones are often switches.
  for number in source:gmatch("[dD]own%(%s*(%d%d)%s*[,%)]") do count(found, code_name(tonumber(number)), 5) end
  for number in source:gmatch("[pP]ressed%(%s*(%d%d)%s*[,%)]") do count(found, code_name(tonumber(number)), 2) end
end

---Key names in quotes: 'ArrowLeft', "KeyW", 'Space', key === 'a'.
local function scan_names(source, found)
  for name in source:gmatch("['\"`](Arrow%a+)['\"`]") do
    if name == "ArrowLeft" or name == "ArrowRight" or name == "ArrowUp" or name == "ArrowDown" then
      count(found, name, 2)
    end
  end
  -- Of a table of what is held, or of what each key does.
  for _, pattern in ipairs{ "%f[%w](Arrow%a+)%s*:", "%.(Arrow%a+)" } do
    for name in source:gmatch(pattern) do
      if constant_names[name:sub(6):upper()] == name then count(found, name, 2) end
    end
  end
  for name in source:gmatch("['\"`](Key%u)['\"`]") do count(found, name, 2) end
  for name in source:gmatch("%f[%w](Key%u)%s*:") do count(found, name, 2) end
  for name in source:gmatch("%.(Key%u)%f[%W]") do count(found, name, 2) end
  for name in source:gmatch("['\"`](Space)['\"`]") do count(found, name, 2) end
  for name in source:gmatch("['\"`](Enter)['\"`]") do count(found, name, 1) end
  for _, pattern in ipairs{ "%f[%w_]key%s*==?=?%s*['\"`](.-)['\"`]",
    "%f[%w_]key%.to%a+Case%(%)%s*==?=?%s*['\"`](.-)['\"`]",
    "code%s*==?=?%s*['\"`](.-)['\"`]", "case%s*['\"`](.-)['\"`]" } do
    for name in source:gmatch(pattern) do
      if name == " " then count(found, "Space", 2)
      elseif name:match("^%a$") then count(found, "Key" .. name:upper(), pattern:find("case") and 1 or 2) end
    end
  end
  for name in source:gmatch("[kK]ey[%w_]*[%(%[]['\"`]([%w ]+)['\"`]") do count(found, words.key_of(name), 2) end
  for name in source:gmatch("[kK]eys%.(%l)%f[^%w_(]") do count(found, words.key_of(name), 2) end
  -- Phaser: addKeys('W,A,S,D').
  for list in source:gmatch("addKeys%(['\"`](.-)['\"`]") do
    for name in list:gmatch("[%w_]+") do count(found, constant_names[name] or words.key_of(name), 2) end
  end
  -- Held keys play; pressed ones are often switches.
  for name in source:gmatch("[dD]own%(%s*['\"`](Key%u)['\"`]") do count(found, name, 2) end
  for _, pattern in ipairs{ "keys?:%s*['\"`]([%a ]+)['\"`]", "bind%(['\"`]([%a ]+)['\"`]" } do
    for name in source:gmatch(pattern) do count(found, words.key_of(name), 2) end
  end
  for name in source:gmatch("[%.%[]['\"`]?([%u_]+)['\"`]?%]?") do
    if constant_names[name] and (name:find("ARROW") or name == "SPACE") then count(found, constant_names[name]) end
  end
  for name in source:gmatch("KEY_([%a_]+)") do count(found, constant_names[name], 2) end
  for name in source:gmatch("[kK][eE][yY][%w_]*%.([%a_]+)") do count(found, constant_names[name], 2) end
  for name in source:gmatch("[kK][eE][yY][%w_]*%.(%u)%f[%W]") do count(found, "Key" .. name, 2) end
end

---Keys that a script names, with weights.
---@param source string
---@param found table<string, number>
function M.scan(source, found)
  scan_numbers(source, found)
  scan_variables(source, found)
  scan_names(source, found)
  return found
end

---Is there a script that compares a key with letters at large?
---@param sources string[]
---@param patterns string[] Lua patterns
function M.takes_letters(sources, patterns)
  for _, source in ipairs(sources) do
    for _, pattern in ipairs(source:find("%.key") and patterns or {}) do
      if source:find(pattern) then return true end
    end
  end
  return false
end

---Keys that the instructions name: "use the arrow keys", "WASD to move", "press Z to jump", "with the Q and A keys".
---@param text string visible text
---@param aside_words string[] purposes that are no playing
---@param restart_words string[] purposes that begin another round
---@return table<string, true>
function M.named_in_text(text, aside_words, restart_words)
  local named = {}
  text = text:lower():gsub("[ \t\r\n]+", " ")
  if text:find("arrow") or text:find("cursor keys") then
    for _, key in ipairs{ "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown" } do named[key] = true end
  end
  if text:find("%f[%w]wasd%f[%W]") or text:find("w,?%s*a,?%s*s,?%s*d%f[%W]") then
    for _, key in ipairs{ "KeyW", "KeyA", "KeyS", "KeyD" } do named[key] = true end
  end
  if text:find("%f[%w]space%s?bar") or text:find("%f[%w]space%f[%W]") and not text:find("space%s+%a+ers") then
    named.Space = true
  end
  for letter, purpose in text:gmatch("%f[%w'\"]['\"]?(%l)['\"]?%s+to%s+(%l%l+)") do
    local plays = not words.first_match(purpose, aside_words) and not words.first_match(purpose, restart_words)
    if letter ~= "a" and letter ~= "i" and plays then named[words.key_of(letter)] = true end
  end
  local unquoted = text:gsub("['\"]", "")
  for _, join in ipairs{ " and ", " or ", " & ", "/", ", " } do
    for _, pattern in ipairs{ "%f[%w](%l)" .. join .. "(%l) keys%f[%W]", "%f[%w]keys (%l)" .. join .. "(%l)%f[%W]" } do
      for one, other in unquoted:gmatch(pattern) do
        named[words.key_of(one)], named[words.key_of(other)] = true, true
      end
    end
  end
  return named
end

return M
