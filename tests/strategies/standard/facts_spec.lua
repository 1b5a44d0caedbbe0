-- The facts that the judge sees, and whether more play would change them (parts/standard/facts.lua).
local strategy = require("qa.run.strategy_file").load("standard")
local block_design = require "qa.effect.block_design"
local qa = require "qa"
local facts, rounds = require("qa.run.strategy_file").part("standard.facts"),
  require("qa.run.strategy_file").part("standard.rounds")

local function ctx_with(list)
  local ctx = { url = "http://127.0.0.1:1/game.html", state = { controls = list, window_ms = 350 },
    lists = strategy.lists, options = {},
    page = { probe = function() return {} end } }
  for name, option in pairs(strategy.options) do ctx.options[name] = option.default end
  return ctx
end

---Trials of a scene that moves by itself, in so many of which the input does something elsewhere.
local function moving(count, answering)
  local trials = {}
  for i = 1, count do
    local trial = { group = "KeyA", aims = {}, restless = {}, control = {}, input = {}, still = false, animated = true }
    for cell = 1, 40 + i % 5 do trial.control[cell], trial.input[cell] = cell, cell end
    -- Nowhere is quiet: the first control reaches all.
    for cell = 1, 60 do
      if i == 1 then table.insert(trial.control, 3000 + cell) end
      if i <= answering then table.insert(trial.input, 3000 + cell) end
    end
    trials[i] = trial
  end
  return trials
end

---A context of a game that moved by itself until it threw 50 ms ago; its scene (ctx.seen), text (ctx.says) and script
---(ctx.script_runs) rest.
local function thrown_in_play()
  local ctx, now, script_seconds = ctx_with{}, qa.now_ms(), 0
  ctx.options.loop_ms, ctx.options.jitter_ms = 1, 0
  ctx.state.was_animated, ctx.state.window_ms, ctx.state.words_in_play = true, 1, {}
  ctx.seen, ctx.says, ctx.script_runs = { low = "a", high = "a" }, "", 0
  ctx.state.trials = { { group = "KeyA", control = { 1 }, input = { 1 }, t_ms = now - 100 } }
  ctx.page = { content = function() return ctx.says end, evaluate = function() return "" end,
    probe = function() return {} end,
    health = function() return { counts = {} } end,
    events = function() return { { kind = "exception", message = "TypeError: x", t_ms = now - 50 } } end,
    watch = function() return ctx.seen end,
    metrics = function()
      script_seconds = script_seconds + ctx.script_runs
      return { ScriptDuration = script_seconds }
    end }
  return ctx, now
end

return {
  ["the look at the end of the play is one more, and a run that is cut short is judged by what it has found"] =
    function(t)
    local ctx = ctx_with{}
    ctx.page = { probe = function() return nil end, events = function() return {} end,
      health = function() return { counts = {} } end }
    ctx.state.decided, ctx.lists, ctx.state.trials = "none", {}, moving(22, 22)
    -- What was found at the look before was no answer yet.
    local function found(outcome, by)
      ctx.state.answer = { outcome = outcome, by = by, p = 0.0003, beats = 0, inputs = 16, threshold = 4,
        noise_share = 0, method = "sequential" }
    end
    found "unknown"
    t.equal({ facts.of(ctx, true).response.outcome, facts.of(ctx).response.outcome }, { "unknown", "yes" })
    -- What is an answer stays one.
    ctx.state.trials = moving(22, 0)
    found("yes", "randomised blocks")
    t.equal({ facts.of(ctx, true).response.outcome, facts.of(ctx).response.outcome }, { "yes", "yes" })
    ctx.state.answer = nil
    t.equal({ facts.of(ctx, true).response.outcome, facts.of(ctx).response.outcome }, { "no", "no" })
  end,
  ["the answer is looked for at the declared looks, and play goes on until the last of them"] = function(t)
    local ctx = ctx_with{}
    local function is_clear(count, answering, overtime_ms)
      ctx.state.trials, ctx.state.answer = moving(count, answering), nil
      return { facts.is_clear(ctx, overtime_ms or 0), ctx.state.answer ~= nil }
    end
    t.equal({ is_clear(15, 15), is_clear(16, 16), is_clear(17, 17) }, { { false, false }, { true, true },
      { false, false } })
    -- What has been no answer so far may be one later, unless it is certain that the game began.
    local last = block_design.LOOKS[#block_design.LOOKS]
    t.equal({ is_clear(36, 0), is_clear(last - 1, 0), is_clear(last, 0) }, { { false, true }, { false, false },
      { true, false } })
    ctx.state.is_certain = true
    t.equal({ is_clear(24, 0), is_clear(25, 0) }, { { true, true }, { false, false } })
    t.equal({ is_clear(17, 0, ctx.options.overtime_ms - 1), is_clear(17, 0, ctx.options.overtime_ms) },
      { { false, false }, { true, false } })
  end,
  ["what answers in a scene at rest is clear at once"] = function(t)
    local ctx = ctx_with{}
    ctx.state.trials = {}
    for i = 1, 4 do ctx.state.trials[i] = { control = {}, input = i < 3 and { 1, 2, 3, 4, 5, 6, 7, 8, 9 } or {} } end
    t.equal(facts.is_clear(ctx, 0), true)
    ctx.state.trials[2].input = {}
    t.equal(facts.is_clear(ctx, 0), false)
  end,
  ["where an exception came with the last input the scene is watched once more"] = function(t)
    local ctx, now = thrown_in_play()
    ctx.state.trials[2] = { group = "KeyA", control = { 1 }, input = {}, t_ms = now }
    t.equal(facts.of(ctx).ended_by_exception, true)
    ctx.script_runs = 1
    t.equal(facts.of(ctx).ended_by_exception, false)
    ctx.script_runs, ctx.seen = 0, { low = "a", high = "b" }
    t.equal(facts.of(ctx).ended_by_exception, false)
  end,
  ["what a page opened anew answers does not undo the exception that ended the game before"] = function(t)
    local function ended(says)
      local ctx, now = thrown_in_play()
      ctx.state.trials[2] = { group = "KeyA", control = { 1 }, input = {}, t_ms = now }
      ctx.state.trials[3] = { group = "KeyA", control = {}, input = {}, still = true, t_ms = now }
      ctx.state.still_trials, ctx.state.restarts, ctx.state.reopened_ms, ctx.state.last_answer_ms = 1, 1, 1, 2
      ctx.says = says
      local opens = rounds.open_anew
      rounds.open_anew = function() return true end
      rounds.again(ctx)
      rounds.open_anew = opens
      -- The new page goes on.
      ctx.seen, ctx.state.still_trials, ctx.says = { low = "a", high = "b" }, 0, ""
      return facts.of(ctx).ended_by_exception
    end
    t.equal({ ended(""), ended("Game over") }, { true, false })
  end,
  ["a page that closed has not hung, and an exception that games live with is no failure of theirs"] = function(t)
    local decisive = require("qa.run.strategy_file").part("standard.decisive")
    local ctx = ctx_with{}
    ctx.page = { is_closed = function() return true end, health = function() return { counts = {} } end,
      evaluate = function() return nil end }
    t.equal({ decisive.still_answers(ctx), ctx.state.decided, ctx.state.no_answer }, { false, "page_closed", nil })
    local function failed(message)
      ctx.page.events = function() return { { kind = "exception", message = message } } end
      return decisive.own_failure(ctx)
    end
    t.equal({ failed("NotAllowedError: play() failed"), failed("TypeError: x is undefined") }, { false, true })
  end,
  ["silence after keys that were only guessed, or after few places of a picture at rest, says nothing"] = function(t)
    local function outcome(control, groups, board_cells)
      local ctx = ctx_with{ control }
      ctx.state.decided, ctx.state.trials, ctx.state.is_certain, ctx.state.board_cells = "hang", {}, true, board_cells
      ctx.page = { events = function() return {} end, health = function() return { counts = {}, hung = false } end }
      for i = 1, 24 do
        local group = groups[i] or "KeyX"
        ctx.state.trials[i] = { group = group, aims = { key = group:match("^Key") and group },
          control = {}, input = {}, still = true }
      end
      return facts.of(ctx).response.outcome
    end
    local function of_key(source) return outcome({ kind = "key", key = "KeyA", source = source }, { "KeyA" }) end
    t.equal({ of_key "script", of_key "listener" }, { "no", "unknown" })
    local few, many = { "click", "click", "scatter" }, { "click", "scatter", "scatter" }
    t.equal({ outcome({ kind = "click" }, few, 9216), outcome({ kind = "click" }, many, 9216),
      outcome({ kind = "click" }, few) }, { "unknown", "no", "no" })
  end,
  ["a game whose keys were not all pressed is not said to answer none"] = function(t)
    local ctx = ctx_with{ { kind = "key", key = "KeyA" }, { kind = "key", key = "KeyB" } }
    ctx.state.decided, ctx.state.trials, ctx.state.is_certain = "hang", {}, true
    ctx.page = { events = function() return {} end, health = function() return { counts = {}, hung = false } end }
    for i = 1, 24 do
      ctx.state.trials[i] = { group = "KeyA", aims = { key = "KeyA" }, control = { i, i + 1 },
        input = { i, i + 1 }, still = false }
    end
    -- In a play more trials come between two looks.
    local function outcome()
      ctx.state.answer = nil
      return facts.of(ctx).response.outcome
    end
    local function seen()
      ctx.state.answer = nil
      return { facts.is_clear(ctx, 0), outcome() }
    end
    t.equal(seen(), { false, "unknown" })
    ctx.state.trials[24].aims = { key = "KeyB" }
    t.equal(seen(), { false, "unknown" })
    -- Held and tapped: twice where the scene moves by itself, and once where nothing does.
    ctx.state.trials[23].aims = { key = "KeyB" }
    t.equal(seen(), { true, "no" })
    -- Nor is one whose things were clicked and never dragged.
    ctx.state.controls[3] = { kind = "drag" }
    t.equal(outcome(), "unknown")
    for i = 21, 22 do ctx.state.trials[i].group, ctx.state.trials[i].aims = "drag", {} end
    t.equal(outcome(), "no")
    ctx.state.trials[21].group, ctx.state.trials[23].group = "KeyA", "KeyA"
    t.equal(outcome(), "unknown")
    for _, trial in ipairs(ctx.state.trials) do trial.control, trial.input, trial.still = {}, {}, true end
    t.equal(outcome(), "no")
  end,
}
