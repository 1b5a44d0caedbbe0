-- A module that is required by the name that it had once: the message says the name that it has now.
local qa = require "qa"
local former_names = require "qa.run.former_names"
local strategy = require "qa.run.strategy_file"

return {
  ["a former name of a module raises a sentence with the new one"] = function(t)
    t.raises(function() require "qa.ready" end, [[module 'qa.ready' is now "qa.page.ready"]])
    t.raises(function() require "qa.eyes" end, [["qa.page.reader"]])
    t.raises(function() require "qa.touch" end, "page:touch")
    t.raises(function() require "qa.nothing" end, "module 'qa.nothing': ")
  end,

  ["a strategy that requires a part by its former name is told the new one"] = function(t)
    local dir = assert(qa.run.open{ slug = "former-names-spec" })
    for name, now in pairs{ ["parts.judge"] = "parts.standard.judge", ["qa.cascade"] = "qa.start.cascade" } do
      local path = dir .. "/old.lua"
      assert(qa.run.publish("old.lua", ("local it = require %q return { name = 'old', doc = it.doc }"):format(name)))
      t.raises(function() strategy.load(path) end, ("'%s' is now \"%s\""):format(name, now))
    end
  end,

  ["every new name is that of a file"] = function(t)
    local count = 0
    for prefix, root in pairs{ qa = "scripts/qa/", parts = "strategies/parts/" } do
      for _, old in ipairs(former_names.known(prefix)) do
        local now = former_names.sentence(old):match '"%w+%.(.-)"'
        if now then t.truthy(qa.fs.stat(root .. now:gsub("%.", "/") .. ".lua"), old .. " -> " .. now) end
        count = count + 1
      end
    end
    t.truthy(count > 120, count)
  end,
}
