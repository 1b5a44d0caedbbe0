-- qa.store as a script sees it: what is put is there, updates of several tasks are all kept, misuse is told by name.
local qa = require "qa"
local store_of = require "qa.memory.store"

---Runs fn with a namespace of its own, which is emptied afterwards.
local function with_store(fn)
  local store = store_of.open("spec " .. tostring(qa.now_ms()))
  local ok, err = pcall(fn, store)
  local keys = {}
  for key in store:each() do keys[#keys + 1] = key end
  for _, key in ipairs(keys) do store:delete(key) end
  if not ok then error(err, 0) end
end

return {
  ["what is put is there, with a revision; what is not is nil and 0"] = function(t)
    with_store(function(store)
      local revision = assert(store:put("a", { n = 1, list = qa.json.array{} }))
      local value, seen = store:get("a")
      t.equal(qa.json.encode(value), '{"list":[],"n":1}')
      t.equal(seen, revision)
      t.equal({ store:get "b" }, { nil, 0 })
      t.equal(select(2, store:get "b"), 0)
      t.equal(store:delete "a", true)
      t.equal(store:delete "a", false)
    end)
  end,

  ["a put with a revision that is not there any more is false, and writes nothing"] = function(t)
    with_store(function(store)
      local first = assert(store:put("a", 1, { revision = 0 }))
      t.equal(store:put("a", 2, { revision = 0 }), false)
      assert(store:put("a", 3, { revision = first }))
      t.equal(store:put("a", 4, { revision = first }), false)
      t.equal((store:get "a"), 3)
    end)
  end,

  ["each goes through a prefix in order, over many pages"] = function(t)
    with_store(function(store)
      for i = 1, 130 do assert(store:put(("k%03d"):format(i), i)) end
      assert(store:put("other", true))
      local sum, last, count = 0, "", 0
      for key, value in store:each{ prefix = "k" } do
        t.truthy(key > last)
        last, sum, count = key, sum + value, count + 1
      end
      t.equal({ count, sum }, { 130, 130 * 131 / 2 })
    end)
  end,

  ["updates of several tasks are all kept"] = function(t)
    with_store(function(store)
      local function count()
        for _ = 1, 15 do assert(store:update("n", function(n) return (n or 0) + 1 end)) end
        return true
      end
      qa.all(count, count, count)
      t.equal((store:get "n"), 45)
      t.equal(store:update("n", function() return nil end), 45)
    end)
  end,

  ["misuse is told at the caller's line"] = function(t)
    t.raises(function() store_of.open "" end, "expected the name of a namespace")
    with_store(function(store)
      t.raises(function() store:put("a", 1, { revison = 2 }) end,
        "unknown option 'revison' %(did you mean 'revision'%?%)")
      t.raises(function() store:put("a", nil) end, "expected a value")
      t.raises(function() store:put(("k"):rep(1025), 1) end, "longer than 1024 bytes")
      t.raises(function() store:put("a", print) end, "qa%.store")
    end)
  end,
}
