-- The strategies for one game are what people copy: short, and each begins by saying what it does.
local qa = require "qa"
local strategy = require "qa.run.strategy_file"

local folder = "strategies/games/"

local function each_file(fn)
  local names = assert(qa.fs.list(folder))
  for _, name in ipairs(names) do fn(folder .. name, assert(qa.fs.read(folder .. name))) end
  return #names
end

return {
  ["a strategy for one game has at most 2250 characters, and says first what it does"] = function(t)
    local count = each_file(function(path, text)
      t.truthy(#text <= 2250, ("%s has %d characters"):format(path, #text))
      t.truthy(text:find "^%-%-%- [%u%d]", path .. " does not begin by what it does")
    end)
    t.truthy(count >= 10)
  end,

  ["a strategy for one game keeps the contract"] = function(t)
    each_file(function(path) t.truthy(strategy.load(path).step, path) end)
  end,

  ["docs/strategies.md lists every strategy for one game"] = function(t)
    local page = assert(qa.fs.read "docs/strategies.md")
    each_file(function(path)
      local name = path:match "([%w_]+)%.lua$"
      t.truthy(page:find("`" .. name .. "`", 1, true), name)
    end)
  end,
}
