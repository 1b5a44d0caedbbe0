local qa = require "qa"
local strategy = require "qa.run.strategy_file"
local swap = require "qa.run.swap"

---A run whose strategy file lies in a run directory, where a spec may write.
local function begin(source)
  local dir = assert(qa.run.open { slug = "swap-spec" })
  assert(qa.run.publish("policy.lua", source))
  local loaded = strategy.load(dir .. "/policy.lua")
  local ctx = { strategy = loaded, events = {} }
  function ctx:event(name, data) table.insert(self.events, { name = name, data = data }) end
  return ctx
end

local function policy(answer)
  return ("return { name = 'policy', observe = function() return %q end }"):format(answer)
end

return {
  ["an unchanged file is left alone, also when it was touched"] = function(t)
    local ctx = begin(policy "old")
    t.falsy(swap.check(ctx, {}, 1))
    qa.run.publish("policy.lua", policy "old")
    t.falsy(swap.check(ctx, {}, 2))
    t.equal(#ctx.events, 0)
  end,
  ["a changed file is used from the next step on"] = function(t)
    local ctx = begin(policy "old")
    qa.run.publish("policy.lua", policy "brand new")
    t.truthy(swap.check(ctx, {}, 3))
    t.equal(ctx.strategy.observe({}), "brand new")
    t.equal(ctx.events[1].name, "swap")
    t.equal(ctx.events[1].data.step, 3)
    t.equal(#ctx.events[1].data.sha256, 64)
  end,
  ["a broken file leaves the old policy in force and is reported once"] = function(t)
    local ctx, watch = begin(policy "old"), {}
    qa.run.publish("policy.lua", "return {\n  name = 'policy' step\n}")
    t.falsy(swap.check(ctx, watch, 1))
    t.falsy(swap.check(ctx, watch, 2))
    t.equal(ctx.strategy.observe({}), "old")
    t.equal(#ctx.events, 1)
    t.equal(ctx.events[1].name, "swap_refused")
    t.truthy(ctx.events[1].data.message:find("policy.lua:2:"))
    -- What is wrong now is another thing.
    qa.run.publish("policy.lua", "return {\n  name = 'policy',\n  step\n  observe\n}")
    t.falsy(swap.check(ctx, watch, 3))
    t.equal(#ctx.events, 2)
    t.truthy(ctx.events[2].data.message:find("policy.lua:4:"))
    qa.run.publish("policy.lua", policy "mended")
    t.truthy(swap.check(ctx, watch, 4))
    t.equal(ctx.strategy.observe({}), "mended")
  end,
  ["what needs another file is used once that is there, whichever of them was saved first"] = function(t)
    local ctx, watch = begin(policy "old"), {}
    local function publish_policy(least)
      qa.run.publish("policy.lua",
        ("if require('part').version < %d then error('the part is too old') end\n"):format(least) .. policy(least))
    end
    publish_policy(1)
    t.falsy(swap.check(ctx, watch, 1))
    qa.run.publish("part.lua", "return { version = 1 }")
    t.truthy(swap.check(ctx, watch, 2))
    publish_policy(2)
    t.falsy(swap.check(ctx, watch, 3))
    t.falsy(swap.check(ctx, watch, 4))
    qa.run.publish("part.lua", "return { version = 2 }")
    t.truthy(swap.check(ctx, watch, 5))
    local names = {}
    for i, event in ipairs(ctx.events) do names[i] = event.name end
    t.equal({ ctx.strategy.observe{}, names }, { "2", { "swap_refused", "swap", "swap_refused", "swap" } })
  end,
  ["a file that breaks the contract is refused by its sentence"] = function(t)
    local ctx = begin(policy "old")
    qa.run.publish("policy.lua", "return { name = 'policy', obsrve = function() end }")
    t.falsy(swap.check(ctx, {}, 1))
    t.truthy(ctx.events[1].data.message:find("did you mean 'observe'"))
  end,
}
