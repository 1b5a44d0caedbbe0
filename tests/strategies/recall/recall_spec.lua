-- Recall around another strategy, in a real browser, with a scripted model: what it did is remembered, and done again
-- without it.
local memory = require "qa.memory.memory"
local qa = require "qa"
local led = qa.load_chunk("tests/strategies/support/led_play.lua")()
local scripted_model = require "qa.model.scripted_model"
local strategy = require "qa.run.strategy_file"
local swap = require "qa.run.swap"

---A run of recall on a game; everything that it may ask is in `answers`.
local function play(answers, set)
  local options = { interaction_ms = 1500, ready_ms = 4000, strategies = "adaptive", analysis_pictures = 1 }
  for name, value in pairs(set or {}) do options[name] = value end
  return scripted_model.run(answers, function()
    return require("qa.run.loop").run{ strategy = "recall", target = "examples/games/clicker", set = options, seed = 1,
      quiet = true }
  end)
end

local function with_memory(fn)
  local namespace = memory.namespace
  memory.namespace = "spec " .. tostring(qa.now_ms())
  local store = memory.store()
  local ok, err = pcall(fn, store)
  local keys = {}
  for key in store:each() do keys[#keys + 1] = key end
  for _, key in ipairs(keys) do store:delete(key) end
  memory.namespace = namespace
  if not ok then error(err, 0) end
end

local coin = led.click(552, 317)
local good = { what_is_seen = "A counter that goes up.", has_loaded = true, reacts_to_play = "yes",
  issues = qa.json.array{}, playability_score = 90 }

return {
  ["D-006, D-012: what a model led the game to is done again, step by step, without it"] = function(t)
    with_memory(function()
      local first, asked = play{ action = { led.recommend(coin), led.recommend(coin),
        led.recommend(led.action "complete") }, analysis = { good } }
      t.equal({ first.status, first.report.memory.how, #asked }, { "pass", "adaptive", 4 })
      t.equal(first.report.memory.learned.steps, 3)
      local second, nobody = play{}
      t.equal({ second.status, #nobody, second.report.memory.how, second.report.start.method },
        { "pass", 0, "memory", "memory" })
      local replayed = second.report.memory.replayed
      t.equal({ #replayed, replayed[3].ok }, { 3, true })
      local history = second.report.metadata.actionHistory
      t.equal({ history[1].action, history[2].action, history[3].action }, { "click", "click", "click" })
    end)
  end,

  ["D-005, D-012: groups that a model proposed are remembered as well, and one that failed ends nothing"] = function(t)
    with_memory(function()
      local set = { strategies = "action_groups" }
      local first = play({ action = { led.groups(led.group(0.9, { coin }), led.group(0.8, { led.press "KeyQ" })),
        led.groups() }, analysis = { good } }, set)
      t.equal({ first.status, first.error, first.report.memory.how }, { "pass", nil, "action_groups" })
      t.equal(first.report.memory.learned.steps, 3)
    end)
  end,

  ["a swap of recall leaves the settings of the strategy that plays in force, and nobody asked while memory leads"] =
    function(t)
    local dir = assert(qa.run.open{ slug = "recall-spec" })
    local function policy(n)
      return "return { name = 'mine', extends = 'recall', options = { memory = { default = 'auto', doc = '" .. n
        .. "' } } }"
    end
    local function begin(recall)
      assert(qa.run.publish("mine.lua", policy(1)))
      local ctx = { strategy = strategy.load(dir .. "/mine.lua"), state = { recall = recall }, event = function() end }
      ctx.options, ctx.limits = require("qa.run.options").resolve(ctx.strategy, {})
      ctx.lists = ctx.strategy.lists
      return ctx
    end
    local function both(ctx, step)
      step()
      assert(qa.run.publish("mine.lua", policy(22)))
      t.truthy(swap.check(ctx, { set = {} }, 2))
      step()
    end
    local ctx, seen = begin{ how = "adaptive" }, {}
    ctx.inner = { options = { stuck_after = { default = 7 }, goal = { default = "win" } },
      lists = { stuck_hints = { "jump" } }, limits = { usd = 0.5 },
      step = function() seen[#seen + 1] = { ctx.options.stuck_after, ctx.options.goal, ctx.lists.stuck_hints,
        ctx.limits.usd } end }
    both(ctx, function() ctx.strategy.step(ctx) end)
    t.equal(seen, { { 7, "win", { "jump" }, 0.5 }, { 7, "win", { "jump" }, 0.5 } })
    ctx, seen = begin{ how = "memory", lost = { reason = "gone" } }, {}
    both(ctx, function()
      ctx.strategy.step(ctx)
      seen[#seen + 1] = ctx.options.use_models
    end)
    t.equal(seen, { false, false })
  end,

  ["D-G4: memory=never plays anew, and both ways are learned from"] = function(t)
    with_memory(function(store)
      play({}, { strategies = "standard", use_models = false })
      local again = play({}, { strategies = "standard", use_models = false, memory = "never" })
      t.equal({ again.status, again.report.memory.how, again.report.memory.is_known }, { "pass", "standard", true })
      play({}, { strategies = "standard", use_models = false, memory = "always" })
      local arms
      for key, record in store:each{ prefix = "clicker/choice/" } do
        if record.arms.memory then arms = record.arms end
        t.truthy(key)
      end
      t.truthy(arms.memory.wins > 0.9 and arms.standard.wins > 0.9, qa.json.encode(arms))
    end)
  end,

  ["D-007: who plans is told what to avoid, and why"] = function(t)
    local played = led.play("adaptive", { answers = { led.recommend(led.action "complete") },
      before = function(ctx) ctx.state.hints = "Avoid press:KeyX: failed 3 times here: nothing moved" end })
    t.truthy(played.asked[1].text:find("<<<memory %x+\nAvoid press:KeyX: failed 3 times here: nothing moved"),
      played.asked[1].text)
  end,

  ["an option that is none is refused before the game is played"] = function(t)
    with_memory(function()
      local outcome = play({}, { memory = "sometimes", use_models = false })
      t.equal({ outcome.status, outcome.exit_code }, { "error", 3 })
      t.truthy(outcome.error:find("--set memory: expected auto, always or never, got 'sometimes'", 1, true),
        outcome.error)
    end)
  end,
}
