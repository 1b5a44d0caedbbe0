-- The facts that the judge sees, and whether more play would change them (parts/standard/facts.lua).
local strategy = require("qa.run.strategy_file").load("standard")
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
  ["the look at the end of the play may take a chance that is taken once"] = function(t)
    local ctx = ctx_with{}
    ctx.page = { probe = function() return nil end, events = function() return {} end,
      health = function() return { counts = {} } end }
    ctx.state.decided, ctx.state.trials, ctx.lists = "none", {}, {}
    for i = 1, 24 do
      local trial = { group = "KeyA", aims = {}, restless = {}, control = {}, input = {}, still = false,
        animated = true }
      for cell = 1, 40 + i % 5 do trial.control[cell], trial.input[cell] = cell, cell end
      -- Nowhere is quiet: the first control reaches all.
      for cell = 1, 60 do table.insert(i == 1 and trial.control or trial.input, 3000 + cell) end
      ctx.state.trials[i] = trial
    end
    ctx.options.alpha = 1e-9
    t.equal(facts.of(ctx).response.outcome, "yes")
    -- A run that is cut short looks once, too: at what it has found so far.
    local function cut_short(p)
      ctx.state.answer = { outcome = "unknown", p = p, beats = 0, inputs = 24, threshold = 4, series = 0,
        noise_share = 0, method = "sequential" }
      return facts.of(ctx, true).response.outcome
    end
    t.equal({ cut_short(0.0001), cut_short(0.0003) }, { "yes", "unknown" })
    ctx.options.last_alpha, ctx.state.answer = 0, nil
    t.equal(facts.of(ctx).response.outcome, "unknown")
  end,
  ["what chance would hardly give is worth more trials"] = function(t)
    local ctx = ctx_with{}
    ctx.state.trials = {}
    for i = 1, ctx.options.most_trials + 1 do
      ctx.state.trials[i] = { group = "KeyA", control = { i }, input = { i }, still = false }
    end
    t.equal(facts.is_clear(ctx, 0), true)
    -- What the last look said does not count: what has been seen since does.
    ctx.state.last_p = 1
    for i = 1, 7 do ctx.state.trials[7 * i].input = { 7 * i, 7 * i + 300, 7 * i + 600 } end
    t.equal({ facts.is_clear(ctx, 0), ctx.state.last_p <= ctx.options.promising }, { false, true })
    t.equal(facts.is_clear(ctx, ctx.options.promising_share * ctx.options.overtime_ms), true)
    -- In a slow game the first look may come when its time is over.
    ctx.state.last_p, ctx.state.trials = nil, {}
    for i = 1, 8 do
      ctx.state.trials[i] = { group = "KeyA", by_key = true, control = { 40 * i }, input = {}, restless = {},
        still = false }
      for cell = 1, i <= 6 and 4000 or 0 do
        ctx.state.trials[i].restless[cell], ctx.state.trials[i].input[cell] = cell, cell
      end
    end
    t.equal({ facts.is_clear(ctx, ctx.options.overtime_ms), ctx.state.last_p <= ctx.options.promising },
      { false, true })
  end,
  ["what answered single inputs is played until it is seen whether it goes on, though series took their time"] =
    function(t)
    local ctx = ctx_with{}
    ctx.state.trials = {}
    for i = 1, 4 do ctx.state.trials[i] = { control = {}, input = i < 3 and { 1, 2, 3, 4, 5, 6, 7, 8, 9 } or {} } end
    local function is_clear(series, overtime_ms)
      ctx.state.series = series
      return facts.is_clear(ctx, overtime_ms)
    end
    t.equal({ is_clear(nil, 0), is_clear({ p = 0 }, 0), is_clear({ p = 1 }, 0) }, { true, true, false })
    t.equal(is_clear({ p = 1 }, ctx.options.overtime_ms), true)
    for i = 5, 8 do ctx.state.trials[i] = ctx.state.trials[4] end
    t.equal(is_clear({ p = 1 }, 0), true)
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
        ctx.state.trials[i] = { group = group, aims = { key = group:match("^Key") and group }, picture = {},
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
      ctx.state.trials[i] = { group = "KeyA", aims = { key = "KeyA" }, picture = {}, control = { i, i + 1 },
        input = { i, i + 1 }, still = false }
    end
    t.equal({ facts.is_clear(ctx, 0), facts.of(ctx).response.outcome }, { false, "unknown" })
    ctx.state.trials[24].aims = { key = "KeyB" }
    t.equal({ facts.is_clear(ctx, 0), facts.of(ctx).response.outcome }, { false, "unknown" })
    -- Held and tapped: twice where the scene moves by itself, and once where nothing does.
    ctx.state.trials[23].aims = { key = "KeyB" }
    t.equal({ facts.is_clear(ctx, 0), facts.of(ctx).response.outcome }, { true, "no" })
    -- Nor is one whose things were clicked and never dragged.
    ctx.state.controls[3] = { kind = "drag" }
    t.equal(facts.of(ctx).response.outcome, "unknown")
    for i = 21, 22 do ctx.state.trials[i].group, ctx.state.trials[i].aims = "drag", {} end
    t.equal(facts.of(ctx).response.outcome, "no")
    ctx.state.trials[21].group, ctx.state.trials[23].group = "KeyA", "KeyA"
    t.equal(facts.of(ctx).response.outcome, "unknown")
    for _, trial in ipairs(ctx.state.trials) do trial.control, trial.input, trial.still = {}, {}, true end
    t.equal(facts.of(ctx).response.outcome, "no")
  end,
}
