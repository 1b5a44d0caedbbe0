-- Each line of the files is JSON, without what drives a terminal or what some readers take for the end of a line.
-- usage: qa-host tests/support/check_json.lua FILE...    prints the number of lines; raises at the first that is not
local qa = require "qa"

local unsafe = { "[%z\1-\31\127]", "\194[\128-\159]", "\226\128[\142\143\168-\174]", "\226\129[\166-\169]", "\216\156" }
local lines = 0
for _, path in ipairs(qa.args) do
  for line in assert(qa.fs.read(path)):gmatch "[^\n]+" do
    lines = lines + 1
    qa.json.decode(line)
    for _, pattern in ipairs(unsafe) do
      if line:find(pattern) then error(("%s, line %d: has a raw %q"):format(path, lines, line:match(pattern)), 0) end
    end
    if qa.json.encode(qa.json.decode(line)):find "\237[\160-\191]" then error(path .. ": a lone surrogate", 0) end
  end
end
print(lines)
