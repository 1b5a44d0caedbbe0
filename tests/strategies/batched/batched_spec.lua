-- The batched strategy against scripted models, on a page in a real browser.
local qa = require "qa"
local batched_play = qa.load_chunk("tests/strategies/support/batched_play.lua")()
local strategies = require "qa.run.strategy_file"

local models, orchestrator = strategies.part "batched.schemas", strategies.part "batched.orchestrator"
local plan_errors, vision = strategies.part "batched.plan_errors", strategies.part "batched.vision"
local batched = strategies.load "batched"

local null, scripted, places = qa.json.null, batched_play.scripted, batched_play.places
local action, click, press, plan, fitted = batched_play.action, batched_play.click, batched_play.press,
  batched_play.plan, batched_play.fitted
local complete, revised, analysis, not_there = batched_play.complete, batched_play.revised, batched_play.analysis,
  batched_play.not_there
local answers, count, text_of, first_of, play = batched_play.answers, batched_play.count, batched_play.text_of,
  batched_play.first_of, batched_play.play

return {
  ["B-001, B-003, B-014, B-016: agent, vision, orchestrator, executor, metrics make a turn, as is told"] = function(t)
    local outcome, asked, log = play{ function() return plan{ click "Red", click "Green", press "ArrowRight",
      click "Blue" } end,
      complete }
    t.equal(log, "Gold Red Green ArrowRight Blue")
    t.equal(outcome.reason, "llm_complete")
    t.truthy(text_of(asked[4] or asked[3]):find("turn 1, executor", 1, true), "what went before is told")
    local metrics, steps = outcome.report.metrics, outcome.report.steps
    t.equal({ metrics.actions, metrics.success_rate, metrics.counters.batches }, { 5, 1, 2 })
    t.truthy(metrics.model_calls == #asked and metrics.spans.vision.n >= 1 and metrics.spans.orchestrator.n == 3)
    t.equal({ steps[2].batch.actions, steps[2].batch.done, steps[2].batch.progressed, steps[2].plan.kind },
      { 4, 4, "yes", "plan" })
    t.truthy(metrics.actions_per_screenshot > 0.8, metrics.actions_per_screenshot)
    for _, one in ipairs(outcome.report.metadata.actionHistory) do t.truthy(one.success and one.reasoning ~= "") end
    local named = {}
    for _, prompt in ipairs(outcome.report.prompts) do named[prompt.name] = prompt.sha256 end
    t.truthy(named.batched_explore and named.batched_plan and named.batched_vision)
  end,

  ["B-002: vision and orchestrator are asked at the same time"] = function(t)
    local script = answers{ complete, function() return plan{ click "Red" } end }
    local outcome, asked = scripted.play("batched", function(spec, n)
      if n <= 2 then
        qa.sleep(1000)
        if spec.purpose == "plan" then return fitted(spec, plan{ click "Red" }) end
      end
      return script(spec)
    end)
    t.truthy(asked[1].purpose ~= asked[2].purpose)
    -- Each before the other is answered.
    t.truthy(math.max(asked[1].at_ms, asked[2].at_ms) < math.min(asked[1].done_ms, asked[2].done_ms))
    t.truthy(outcome.report.metrics.spans.vision.max_ms >= 1000)
    t.equal({ asked[1].pictures, asked[2].pictures }, { 1, 1 })
  end,

  ["B-004, B-005, B-X2: a batch takes no picture in between, and ends where the scene is another one"] = function(t)
    local outcome, asked, log =
      play{ function() return plan{ click "Red", click "Next", click "Green", click "Blue" } end,
      function(spec)
        t.truthy(text_of(spec):find("the scene is another one", 1, true))
        return plan{ click("Home", { leads_on = true }) }
      end, complete }
    t.equal(log, "Gold Red Next Home")
    t.equal({ outcome.report.steps[2].batch.done, outcome.report.steps[2].batch.scene_changed }, { 2, "scene" })
    -- One look a turn that asks, none between actions.
    local looks = 0
    for _, shot in ipairs(outcome.report.screenshots) do looks = looks + (shot.stage == "turn" and 1 or 0) end
    t.equal({ looks, count(asked, "plan") }, { 4, 4 })
    -- What was planned for the first screen is not done on the second.
    t.equal(#outcome.report.metadata.actionHistory, 4)
  end,

  ["B-004: a batch ends where a key has led to another address, however the scene looks"] = function(t)
    local leading = [[<script>addEventListener('keydown', (e) => {
      if (e.key === 'ArrowRight') history.pushState(0, '', '/elsewhere') })</script>]]
    local outcome, _, log = play({ function() return plan{ press "ArrowRight", click "Green", click "Blue" } end,
      complete },
      { page = batched_play.scripted.page .. leading })
    t.equal(log, "Gold ArrowRight")
    t.equal({ outcome.report.steps[2].batch.done, outcome.report.steps[2].batch.scene_changed }, { 1, "navigation" })
  end,

  ["B-004, B-X2: a batch ends where the scene is another one in a game that moves by itself, too"] = function(t)
    local ticking = [[<div style="left:1150px;top:500px;width:100px;height:100px" id="clock"></div>
      <script>setInterval(() => { clock.style.background = clock.style.background === 'red' ? 'blue' : 'red' }, 30)
      </script>]]
    local list = { function() return plan{ click "Red", click "Next", click "Green", click "Blue" } end,
      function() return plan{ click "Pink", click "Home" } end, complete }
    local outcome, _, log = play(list, { page = batched_play.scripted.page .. ticking })
    t.equal(log, "Gold Red Next Home")
    t.equal({ outcome.report.steps[2].batch.done, outcome.report.steps[2].batch.scene_changed }, { 2, "scene" })
    -- After the last of a batch, too.
    t.equal({ outcome.report.steps[3].batch.done, outcome.report.steps[3].batch.scene_changed }, { 2, "scene" })
  end,

  ["B-X1: the screenshot policy is an option"] = function(t)
    local list = { function() return plan{ click "Red", click "Green", click "Blue" } end, complete }
    local function stages(policy)
      local seen, outcome = {}, play(list, { set = { screenshot_policy = policy } })
      for _, shot in ipairs(outcome.report.screenshots) do seen[shot.stage] = (seen[shot.stage] or 0) + 1 end
      return { seen.action or 0, seen.batch or 0 }
    end
    t.equal(stages "per_action", { 4, 0 })
    t.equal(stages "per_group", { 0, 2 })
    t.equal(stages "on_change", { 0, 0 })
  end,

  ["B-004, B-006, B-009, B-010: the first error ends the batch, what was done is kept, and the revision is told both"] =
    function(t)
    local told
    local outcome, asked, log = play({ function() return plan{ click "Red",
      click("Green", { target = null, element = "Nowhere" }), click "Blue" } end,
      function(spec)
        told = spec
        return revised{ click "Blue" }
      end, complete }, { see = function() return analysis{ "Red", "Blue" } end, set = { batch_size = "10" } })
    t.equal(log, "Gold Red Blue")
    t.equal(told.purpose, "revision")
    local text = text_of(told)
    t.truthy(text:find("element_not_found", 1, true) and text:find("Nowhere", 1, true)
      and text:find("click 160,13", 1, true), text)
    t.equal(outcome.report.steps[2].error.type, "element_not_found")
    t.equal(outcome.report.metrics.counters.partial_batches, 1)
    t.truthy(count(asked, "page_analysis") >= 2, "vision looks again before the revision")
    local stages = {}
    for _, shot in ipairs(outcome.report.screenshots) do stages[shot.stage] = true end
    t.truthy(stages.error, "a picture of the error")
  end,

  ["B-007: the orchestrator is not asked while its plan has actions left"] = function(t)
    local outcome, asked, log =
      play({ function() return plan{ click "Red", click "Green", click "Blue", click "Pink", click "Teal" } end,
      complete },
      { set = { batch_size = "1", most_batch = "2" } })
    t.equal(log, "Gold Red Green Blue Pink Teal")
    t.equal({ count(asked, "plan"), outcome.report.metrics.counters.orchestrator_skipped }, { 3, 2 })
  end,

  ["B-008: the first turn only explores, and that is checked"] = function(t)
    local rows = { { x = 160, y = 135, width = 200, height = 150 } }
    local ctx = { options = { explore_actions = 3 }, lists = batched.lists }
    local function explores(list, kind)
      return orchestrator.explores(ctx, { kind = kind or "plan", actions = list }, rows)
    end
    t.truthy(explores{ { action = "click", target = { x = 100, y = 100 } }, { action = "keypress", key = "Space" },
      { action = "wait" } })
    for why, list in pairs{ ["no drag"] = { { action = "drag" } }, ["no type"] = { { action = "type" } },
      ["at most 3"] = { {}, {}, {}, {} },
      ["nothing is at that point"] = { { action = "click", target = { x = 900, y = 100 } } },
      ["no element"] = { { action = "click", element = "Play" } },
      ["no leads_on"] = { { action = "click", target = { x = 100, y = 100 }, leads_on = true } } } do
      local ok, message = explores(list)
      t.falsy(ok, why)
      t.truthy(message:find(why, 1, true), message)
    end
    t.falsy(explores({}, "complete"))
    -- In a run, an answer that does not explore is asked for again, and what does not fit is never done.
    local n = 0
    local _, asked, log = scripted.play("batched", function(spec)
      if spec.purpose == "page_analysis" then return analysis() end
      n = n + 1
      return fitted(spec, n == 1 and plan{ click("Red", { element = "Red" }) } or n == 2 and plan{ click "Green" }
        or complete())
    end)
    t.equal(log, "Green")
    t.equal(count(asked, "repair"), 1)
    t.truthy(text_of(first_of(asked, "repair")):find("assumes nothing about the page", 1, true))
  end,

  ["B-010: a revision says what is different, and does not begin with what failed"] = function(t)
    t.equal(models.revisions, { "other_element", "other_order", "intermediate_step", "other_parameters" })
    local n = 0
    local _, asked = play({ function() return plan{ action("click", { element = "Nowhere" }) } end, function()
      n = n + 1
      return n == 1 and revised({ action("click", { element = "Nowhere" }) }, "other_parameters")
        or revised{ click "Red" }
    end, function() return revised{ click "Red" } end, complete })
    t.equal({ count(asked, "revision"), count(asked, "repair") }, { 1, 1 })
    t.truthy(text_of(first_of(asked, "repair")):find("begins with the action that failed", 1, true))
  end,

  ["B-011: after three revisions in a row the play ends, and says in full why"] = function(t)
    local function nowhere(n) return function(spec)
      local list = { action("click", { element = "Nothing " .. n }) }
      return spec.purpose == "revision" and revised(list) or plan(list)
    end end
    local outcome, asked, log = play{ nowhere(1), nowhere(2), nowhere(3), nowhere(4), nowhere(5) }
    t.equal({ outcome.reason, count(asked, "revision"), log }, { "revision_limit", 3, "Gold" })
    -- The game answered the one input that reached it.
    t.equal(outcome.status, "pass")
    local told = outcome.report.failure
    t.equal({ told.type, told.revisions }, { "element_not_found", 3 })
    t.truthy(told.message:find("Nothing 4", 1, true) and #told.messages >= 5)
  end,

  ["B-011: a batch that succeeds begins the count of revisions anew"] = function(t)
    local function bad(n) return function(spec)
      local list = { action("click", { element = "Nothing " .. n }) }
      return spec.purpose == "revision" and revised(list) or plan(list)
    end end
    local function good(name)
      return function(spec) return spec.purpose == "revision" and revised{ click(name) } or plan{ click(name) } end
    end
    local outcome, asked, log = play{ bad(1), bad(2), good "Red", bad(3), bad(4), good "Blue", complete }
    t.equal({ outcome.reason, count(asked, "revision"), log }, { "llm_complete", 4, "Gold Red Blue" })
  end,

  ["B-012: five types of errors; what the host names otherwise is unknown_error"] = function(t)
    for kind, expected in pairs{ element_not_found = "element_not_found", type_mismatch = "type_mismatch",
      timeout = "timeout",
      navigation_error = "navigation_error", navigation_denied = "navigation_error", js_error = "unknown_error",
      page_crashed = "unknown_error",
      llm_invalid = "unknown_error" } do
      local told = plan_errors.of({ kind = kind, message = "x" }, { action = "click" })
      t.equal({ told.type, told.kind }, { expected, kind })
    end
    -- Typing into a button, and a screen that was to come and did not.
    local outcome = play{ function() return plan{ action("type",
      { target = scripted.at(unpack(places.Red)), text = "hello" }) } end,
      function() return revised{ click("Nothing", { leads_on = true }) } end,
      function() return revised{ press "NoSuchKey" } end,
      function() return revised({}, nil, { kind = "complete" }) end }
    local types = {}
    for _, step in ipairs(outcome.report.steps) do types[#types + 1] = step.error and step.error.type or nil end
    t.equal(types, { "type_mismatch", "navigation_error", "type_mismatch" })
  end,

  ["B-013: an element is located on the picture, or its failure names alternatives"] = function(t)
    t.equal(models.location("Play", { is_there = true, point = { x = 1, y = 2 }, confidence = 0.7 }),
      { element = "Play", point = { x = 1, y = 2 }, confidence = 0.7 })
    local none, missing = models.location("Play",
      { is_there = false, point = { x = 1, y = 2 }, reason = "a menu", alternatives = { { label = "Go" } } })
    t.equal({ none, missing }, { nil, { element = "Play", reason = "a menu", alternatives = { { label = "Go" } } } })
    local told
    local script = answers({ function() return plan{ click "Gold" } end,
      function() return plan{ action("click", { element = "the crimson one" }) } end,
      function() return plan{ action("click", { element = "the exit" }) } end, function(spec)
        told = text_of(spec)
        return revised({}, nil, { kind = "complete" })
      end }, nil, function(spec)
        if not text_of(spec):find("crimson", 1, true) then return not_there() end
        return { value = { is_there = true, point = scripted.at(unpack(places.Red)), confidence = 0.9, reason = "",
          alternatives = qa.json.array{} } }
      end)
    local _, asked, log = scripted.play("batched", script)
    t.equal({ log, count(asked, "element_location") }, { "Gold Red", 2 })
    t.truthy(told:find("There is instead: a Next button", 1, true), told)
  end,

  ["B-013: the orchestrator may ask first, or have one action done at once"] = function(t)
    local told
    local script = answers({ function() return plan{ click "Gold" } end,
      function()
        return plan({}, { kind = "query", query = { element = "the sky tile", question = "Where is it?" } })
      end,
      function(spec)
        told = text_of(spec)
        return plan({ action("click", { element = "the sky tile" }) }, { kind = "tool_call" })
      end, complete }, nil, function()
        return { value = { is_there = true, point = scripted.at(unpack(places.Blue)), confidence = 0.9, reason = "",
          alternatives = qa.json.array{} } }
      end)
    local outcome, asked, log = scripted.play("batched", script)
    t.equal({ log, count(asked, "element_location"), outcome.report.metrics.counters.queries }, { "Gold Blue", 1, 1 })
    t.truthy(told:find("the sky tile is there", 1, true), told)
  end,

  ["B-013: an orchestrator that only asks is told to plan"] = function(t)
    local query = function(spec)
      local more = { kind = "query", query = { element = "x", question = "Where?" } }
      return spec.purpose == "revision" and revised({}, nil, more) or plan({}, more)
    end
    local outcome, asked = scripted.play("batched", answers{ function() return plan{ click "Gold" } end, query })
    t.equal(outcome.reason, "revision_limit")
    t.truthy(#asked < 30)
  end,

  ["B-017: batches grow with success and shrink with errors"] = function(t)
    local function five() return plan{ click "Red", click "Green", click "Blue", click "Pink", click "Teal" } end
    local outcome = play({ five, function() return plan{ click("Red", { target = null, element = "Nowhere" }) } end,
      function() return revised{ click "Red" } end, complete }, { set = { batch_size = "1" } })
    local sizes = {}
    for i, step in ipairs(outcome.report.steps) do sizes[i] = step.batch and step.batch.size or 0 end
    t.equal({ sizes[1], sizes[2], sizes[3] }, { 1, 2, 4 })
    t.truthy(sizes[6] and sizes[5] and sizes[6] < sizes[5], qa.json.encode(sizes))
  end,

  ["B-G1, B-017: a screen that was seen before costs no vision"] = function(t)
    t.equal({ vision.distance("00ff", "00ff"), vision.distance("00ff", "00fe"), vision.distance("0000", "ffff") },
      { 0, 1, 16 })
    local ctx = { options = { cache_bits = 2 },
      state = { analyses = { { key = "00ff", analysis = "a" }, { key = "0f0f", analysis = "b" } } } }
    t.equal({ vision.known(ctx, "00fd"), vision.known(ctx, "0f0f"), vision.known(ctx, "f0f0") }, { "a", "b", nil })
    local outcome, asked = play{ function() return plan{ action "wait" } end,
      function() return plan{ action "wait" } end, complete }
    t.equal(count(asked, "plan"), 4)
    t.truthy(count(asked, "page_analysis") <= 2 and outcome.report.metrics.counters.analyses_reused >= 2)
  end,

  ["batches that change nothing are a failure of the plan"] = function(t)
    local function idle() return plan{ press "F2" } end
    local outcome = play{ idle, idle, idle, function() return revised({}, nil, { kind = "complete" }) end }
    t.equal({ outcome.reason, outcome.report.metrics.counters.revisions }, { "llm_complete", 1 })
    t.truthy(outcome.report.steps[4].error.message:find("changed nothing", 1, true))
    t.equal(outcome.report.metadata.actionHistory[3].stateProgressed, false)
  end,

  ["a model that hallucinates stays inside the bounds, and is no evidence"] = function(t)
    local far = { x = 5000, y = -3 }
    local function odd(list, more) return function(spec)
      return spec.purpose == "revision" and revised(list, nil, more) or plan(list, more)
    end end
    local many = {}
    for i = 1, 10000 do many[i] = { action = "click" } end
    for name, answer in pairs{ off_screen = odd{ action("click", { target = far }) }, keys = odd{ press "Turbo" },
      many = odd(many), refusal = { finish = "refusal", refusal = "I cannot" },
      prose = { text = "The score is 85. Minor UI alignment issue in menu." },
      quoting = odd({ action "wait" },
        { reasoning = "They are carried out one after the other without a new picture." }),
      another_game = odd{ press "KeyZ", press "KeyX" } } do
      local outcome, asked = scripted.play("batched", function(spec)
        if spec.purpose == "page_analysis" then return analysis() end
        return fitted(spec, type(answer) == "function" and answer(spec) or answer)
      end, { set = { max_turns = "4" } })
      t.truthy(outcome.status == "inconclusive", name .. ": " .. outcome.status .. " " .. tostring(outcome.error))
      t.truthy(#asked <= 20, name .. ": " .. #asked .. " calls")
      t.truthy(#outcome.report.metadata.actionHistory <= 20, name)
    end
  end,

  ["what the model leaves open is settled by the strategy's own inputs"] = function(t)
    local outcome = scripted.play("batched",
      function(spec)
        return spec.purpose == "page_analysis" and analysis() or { finish = "refusal", refusal = "no" }
      end,
      { set = { interaction_ms = "12000", overtime_ms = "20000" } })
    t.equal({ outcome.reason, outcome.status }, { "llm_refused", "pass" })
    t.truthy(outcome.report.checks[4].evidence[1]:find("without it nothing changed", 1, true))
  end,

  ["a model that cannot be reached is an error of the run, not another mode"] = function(t)
    local outcome = scripted.play("batched", function() return nil,
      { kind = "llm_unavailable", message = "connection refused" } end)
    t.equal({ outcome.status, outcome.exit_code }, { "error", 4 })
  end,
}
