-- Recall around another strategy, in a real browser, with a scripted model: what it did is remembered, and done again without it.
local memory = require "qa.memory"
local qa = require "qa"
local led = qa.load_chunk("tests/strategies/support/led_play.lua")()
local scripted_model = require "qa.scripted_model"

---A run of recall on a game; everything that it may ask is in `answers`.
local function play(answers, set)
  local options = { interaction_ms = 1500, ready_ms = 4000, strategies = "adaptive", analysis_pictures = 1 }
  for name, value in pairs(set or {}) do options[name] = value end
  return scripted_model.run(answers, function()
    return require("qa.loop").run{ strategy = "recall", target = "examples/games/clicker", set = options, seed = 1, quiet = true }
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
local good = { what_is_seen = "A counter that goes up.", has_loaded = true, reacts_to_play = "yes", issues = qa.json.array{}, playability_score = 90 }

return {
  ["D-006, D-012: what a model led the game to is done again, step by step, without it"] = function(t)
    with_memory(function()
      local first, asked = play{ action = { led.recommend(coin), led.recommend(coin), led.recommend(led.action "complete") }, analysis = { good } }
      t.equal({ first.status, first.report.memory.how, #asked }, { "pass", "adaptive", 4 })
      t.equal(first.report.memory.learned.steps, 3)
      local second, nobody = play{}
      t.equal({ second.status, #nobody, second.report.memory.how, second.report.start.method }, { "pass", 0, "memory", "memory" })
      local replayed = second.report.memory.replayed
      t.equal({ #replayed, replayed[3].ok }, { 3, true })
      local history = second.report.metadata.actionHistory
      t.equal({ history[1].action, history[2].action, history[3].action }, { "click", "click", "click" })
    end)
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
    t.truthy(played.asked[1].text:find("<<<memory %x+\nAvoid press:KeyX: failed 3 times here: nothing moved"), played.asked[1].text)
  end,

  ["an option that is none is refused before the game is played"] = function(t)
    with_memory(function()
      local outcome = play({}, { memory = "sometimes", use_models = false })
      t.equal({ outcome.status, outcome.exit_code }, { "error", 3 })
      t.truthy(outcome.error:find("option memory is auto, always or never, got 'sometimes'", 1, true), outcome.error)
    end)
  end,
}
