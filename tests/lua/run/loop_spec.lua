local qa = require "qa"
local reader = require "qa.page.reader"
local failure = require "qa.text.failure"
local loop = require "qa.run.loop"
local report_of = require "qa.run.report"
local strategy = require "qa.run.strategy_file"

local game = "examples/games/clicker"

---Runs hooks on a real page.
local function run(hooks, more)
  hooks.name = "quick"
  hooks.prepare = hooks.prepare or function(ctx) return ctx.page:navigate(ctx.url, { wait = "dom" }) ~= nil end
  hooks.step = hooks.step or function() return false, "completed" end
  hooks.conclude = hooks.conclude or function(_, report)
    report.status, report.playability_score = "pass", 70
    return report
  end
  local opts = { strategy = strategy.load("tests/lua/samples/quick.lua", hooks), target = game, quiet = true }
  for key, value in pairs(more or {}) do opts[key] = value end
  return loop.run(opts)
end

return {
  ["a run ends with the verdict of conclude, and its report is that of its journal"] = function(t)
    local outcome = run {
      step = function(ctx)
        ctx.state.n = (ctx.state.n or 0) + 1
        ctx.this_step.note = "n" .. ctx.state.n
        ctx:shot("final_state")
        return ctx.state.n < 3, "enough"
      end,
    }
    t.equal({ outcome.status, outcome.score, outcome.exit_code, outcome.reason }, { "pass", 70, 0, "enough" })
    t.equal(#outcome.report.steps, 3)
    t.equal(outcome.report.steps[2].note, "n2")
    t.equal(outcome.report.metadata.gameUrl, "http://game.local/")
    t.equal(#outcome.report.screenshots, 3)
    t.truthy(qa.fs.stat(outcome.dir .. "/" .. outcome.report.screenshots[1].path))
    t.equal(report_of.encode(report_of.from_journal(assert(qa.run.journal()))), qa.fs.read(outcome.path))
  end,
  ["a run sees what its game draws and writes on canvases, as its options say"] = function(t)
    for _, is_on in ipairs{ true, false } do
      local drawn, written, scrolled
      run {
        options = { tap_text = { default = is_on, doc = "" }, count_draws = { default = is_on, doc = "" },
          hold_scroll = { default = is_on, doc = "" } },
        step = function(ctx)
          ctx.page:evaluate(
            "document.body.appendChild(document.createElement('canvas')).getContext('2d').fillText('GO', 50, 50); 1")
          drawn, written = reader.drawn(ctx.page), reader.lines(reader.painted(ctx.page))
          -- A key that comes before the frame in which the page has grown scrolls nothing.
          local grown = ctx.page:evaluate([[document.body.style = 'height: 5000px; overflow: auto';
            document.activeElement.blur();
            new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))]])
          t.equal(grown, true)
          ctx.page:press "Space"
          -- A busy machine may take long for the frame in which a page scrolls.
          scrolled = ctx.page:wait_for({ js = "scrollY > 0" }, { timeout_ms = is_on and 500 or 10000 }) ~= nil
          return false, "enough"
        end,
      }
      t.equal({ drawn or "none", written, scrolled }, is_on and { 1, "GO", false } or { "none", "", true })
    end
  end,
  ["C-060, C-062: an error in a hook is an error report with file and line"] = function(t)
    local outcome = run { step = function() error("boom") end }
    t.equal({ outcome.status, outcome.exit_code, outcome.score }, { "error", 3, 0 })
    t.equal(outcome.report.issues[1].kind, "environment")
    t.equal(outcome.report.issues[1].severity, "critical")
    t.equal({ #outcome.report.issues, outcome.report.metadata.gameType, #outcome.report.screenshots },
      { 1, "unknown", 0 })
    t.truthy(outcome.report.issues[1].description:find("loop_spec.lua:%d+: boom"))
    t.equal(outcome.report.partial, false)
  end,
  ["C-060: a page that cannot be reached is an error of the environment"] = function(t)
    local outcome = run({ prepare = function(ctx)
      local ok, err = ctx.page:navigate(ctx.url)
      return ok and true, err
    end }, { target = "http://127.0.0.1:1/" })
    t.equal({ outcome.status, outcome.exit_code }, { "error", 4 })
  end,
  ["limits end the run, and it is still judged"] = function(t)
    local counted = function(ctx)
      ctx.state.actions = ctx.state.actions + 1
      return true
    end
    t.equal(run({ step = counted, limits = { actions = 2 } }).reason, "max_actions")
    local outcome = run({ step = function() return true end, limits = { steps = 2 } })
    t.equal({ outcome.reason, outcome.status, #outcome.report.steps }, { "max_steps", "pass", 2 })
  end,
  ["limits.usd lowers what the run may spend, also one that comes with another strategy; it never raises it"] =
    function(t)
    local real_state, real_lower, cap, seen = qa.budget.state, qa.budget.lower, 5, {}
    function qa.budget.state() return { cap = cap } end
    function qa.budget.lower(usd) cap = usd end
    local function spends(usd, hook)
      return function(ctx)
        seen[#seen + 1], ctx.limits.usd = cap, usd
        return hook(ctx)
      end
    end
    local ok, err = pcall(run, { limits = { usd = 2 },
      prepare = spends(0.5, function(ctx) return ctx.page:navigate(ctx.url, { wait = "dom" }) ~= nil end),
      start = spends(0.25, function() return true end),
      step = spends(9, function() return #seen < 4, "enough" end) })
    qa.budget.state, qa.budget.lower = real_state, real_lower
    t.equal({ ok, err and err.reason, seen }, { true, "enough", { 2, 0.5, 0.25, 0.25 } })
  end,
  ["the run's deadline ends it in the middle of a step, and it is still judged"] = function(t)
    local outcome = run({ step = function() qa.sleep(60000) return true end }, { max_duration_ms = 1500 })
    t.equal({ outcome.reason, outcome.status, outcome.exit_code }, { "max_duration", "pass", 0 })
  end,
  ["a hook can end the run early"] = function(t)
    t.equal(run { start = function(ctx) ctx:stop("seen_enough") end }.reason, "seen_enough")
    t.equal(run { prepare = function() return false, "crash" end }.reason, "crash")
  end,
  ["C-054: a start that is not found does not end the run"] = function(t)
    local outcome = run { start = function() return nil, failure.new("element_not_found", "no button", "start") end }
    t.equal({ outcome.reason, outcome.status }, { "completed", "pass" })
  end,
  ["C-060, C-063: a conclude that fails is an error report"] = function(t)
    local outcome = run { conclude = function() error("no verdict") end }
    t.equal({ outcome.status, outcome.exit_code }, { "error", 3 })
    t.truthy(outcome.report.issues[1].description:find("no verdict"))
  end,
  ["a step that returns nothing is an error, not an endless run"] = function(t)
    local outcome = run { step = function() end }
    t.equal(outcome.status, "error")
    t.truthy(outcome.report.issues[1].description:find("step: expected true, or false and a reason"))
  end,
  ["an inconclusive verdict without a reason is given one"] = function(t)
    local outcome = run { conclude = function(_, report) return report end }
    t.equal({ outcome.status, outcome.exit_code }, { "inconclusive", 2 })
    t.equal(#outcome.report.missing, 1)
  end,
  ["issues and checks of unknown names are refused"] = function(t)
    run { step = function(ctx)
      t.raises(function() ctx:issue { severity = "critical", kind = "frozzen", description = "x" } end,
        "did you mean 'frozen'")
      t.raises(function() ctx:issue { severity = "bad", kind = "frozen", description = "x" } end,
        "unknown severity 'bad'")
      t.raises(function() ctx:check("load", "pass") end, "unknown id 'load'")
      return false, "completed"
    end }
  end,
  ["a wrong target, option or strategy is refused before anything begins"] = function(t)
    t.raises(function() run({}, { target = "file:///x" }) end, "only http and https")
    t.raises(function() run({}, { set = { speeed = "1" } }) end, "no such option")
    t.raises(function() loop.run { strategy = "nowhere", target = game } end, "no strategy 'nowhere'")
  end,
}
