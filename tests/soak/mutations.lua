-- Prints the entries of tests/mutations/*.lua, one a line: file, find, with and test, with a tab between them.
-- Newlines, tabs and backslashes are `\n`, `\t` and `\\`.
-- usage: qa-host tests/soak/mutations.lua [WORD]               those whose file, texts or test contain WORD
--        qa-host tests/soak/mutations.lua --sample N [SEED]    N that chance chooses, the same for the same SEED (1)
local qa = require "qa"

local escapes = { ["\\"] = "\\\\", ["\n"] = "\\n", ["\t"] = "\\t" }
local is_sample = qa.args[1] == "--sample"
local word = not is_sample and qa.args[1] or ""
local lines = {}
for _, name in ipairs(assert(qa.fs.list "tests/mutations")) do
  for _, entry in ipairs(assert(qa.load_chunk("tests/mutations/" .. name))()) do
    local fields = {}
    for i, field in ipairs(entry) do fields[i] = field:gsub("[\\\n\t]", escapes) end
    if table.concat(entry, "\n"):find(word, 1, true) then lines[#lines + 1] = table.concat(fields, "\t") end
  end
end

local count = #lines
if is_sample then
  count = math.min(count, tonumber(qa.args[2]) or error("mutations: --sample takes a number", 0))
  math.randomseed(tonumber(qa.args[3]) or 1)
end
for i = 1, count do
  if is_sample then
    local chosen = math.random(i, #lines)
    lines[i], lines[chosen] = lines[chosen], lines[i]
  end
  print(lines[i])
end
