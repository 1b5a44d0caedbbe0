-- The primitives that need no browser, as a script sees them.
local qa = require "qa"

return {
  ["qa.all gives one value per position and the outcomes by position"] = function(t)
    local a, b, errs = qa.all(
      function() qa.sleep(2) return "a" end,
      function() return nil, { kind = "timeout", message = "late" } end)
    t.equal(a, "a")
    t.equal(b, nil)
    t.equal(errs[2].kind, "timeout")
    t.equal((select("#", qa.all(function() end))), 2)
  end,

  ["qa.all raises what a function raised, after its siblings have ended"] = function(t)
    local ended = false
    local err = t.raises(function()
      qa.all(function() qa.sleep(2) error({ kind = "mine" }) end, function()
        pcall(qa.sleep, 60000)
        ended = true
      end)
    end, "mine")
    t.equal(err.kind, "mine")
    t.truthy(ended)
  end,

  ["qa.race gives the index and the value of the first"] = function(t)
    local index, value = qa.race(function() qa.sleep(60000) end, function() return "quick" end)
    t.equal(index, 2)
    t.equal(value, "quick")
    t.raises(function() qa.race() end, "needs 1 to")
  end,

  ["qa.with_deadline gives timeout and leaves the caller alone"] = function(t)
    local value, err = qa.with_deadline(5, function() qa.sleep(60000) end)
    t.equal(value, nil)
    t.equal(err.kind, "timeout")
    t.equal(qa.with_deadline(60000, function() return 5 end), 5)
  end,

  ["a cancelled task raises again at every wait"] = function(t)
    local kinds = {}
    local task = qa.spawn(function()
      for i = 1, 3 do
        local _, err = pcall(qa.sleep, 60000)
        kinds[i] = err.kind
      end
    end)
    qa.sleep(1)
    task:cancel()
    task:join()
    t.equal(kinds, { "cancelled", "cancelled", "cancelled" })
  end,

  ["errors are plain data with a readable text"] = function(t)
    local _, err = qa.fs.read("/nonexistent")
    t.equal(err.kind, "io_error")
    t.equal(err.op, "qa.fs.read")
    t.truthy(tostring(err):find("^io_error: /nonexistent"))
    t.equal(qa.json.decode(qa.json.encode(err)).kind, "io_error")
  end,

  ["coroutines of a script may wait"] = function(t)
    local numbers = coroutine.wrap(function()
      for i = 1, 3 do
        qa.sleep(1)
        coroutine.yield(i)
      end
    end)
    t.equal({ numbers(), numbers(), numbers() }, { 1, 2, 3 })
  end,

  ["waiting inside table.sort is refused with a sentence"] = function(t)
    t.raises(function() table.sort({ 2, 1 }, function() qa.sleep(1) end) end,
      "qa%.sleep%(%) cannot wait here %(inside table%.sort, string%.gsub or require%)")
  end,

  ["unknown options are refused with a suggestion"] = function(t)
    t.raises(function() qa.run.open { slog = "x" } end, "unknown option 'slog' %(did you mean 'slug'%?%)")
  end,

  ["undeclared variables are refused"] = function(t)
    t.raises(assert(load("return undeclared")), "undeclared variable 'undeclared'")
    t.raises(assert(load("undeclared = 1")), "assignment to undeclared variable 'undeclared'")
  end,

  ["JSON keeps empty arrays, nulls and integers"] = function(t)
    local text = '{"a":[],"b":{},"c":null,"d":1,"e":1.5}'
    t.equal(qa.json.encode(qa.json.decode(text)), text)
    t.equal(qa.json.encode { list = qa.json.array {} }, '{"list":[]}')
    t.raises(function() qa.json.decode("[1,") end, "qa%.json%.decode%(%): .* at byte")
    t.raises(function() qa.json.encode { 0 / 0 } end, "NaN")
  end,

  ["a stretch of pure Lua in a task of its own does not end the caller"] = function(t)
    local ok, value = qa.internal.attempt(function() return "fine" end)
    t.equal(ok, true)
    t.equal(value, "fine")
    local failed, err = qa.internal.attempt(function() error("inside", 0) end)
    t.equal(failed, false)
    t.equal(err, "inside")
  end,
}
