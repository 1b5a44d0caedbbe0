-- What fails in a batched play besides its plan: pictures, the model that sees, questions, options that are misspelt.
local qa = require "qa"
local batched_play = qa.load_chunk("tests/strategies/support/batched_play.lua")()
local options = require "qa.run.options"
local strategies = require "qa.run.strategy_file"
local without_pictures = qa.load_chunk("tests/strategies/support/without_pictures.lua")()

local executor = strategies.part "batched.executor"
local batched = strategies.load "batched"

local null, scripted, places = qa.json.null, batched_play.scripted, batched_play.places
local action, click, plan, revised, complete = batched_play.action, batched_play.click, batched_play.plan,
  batched_play.revised, batched_play.complete
local analysis, answers, count, text_of, play = batched_play.analysis, batched_play.answers, batched_play.count,
  batched_play.text_of, batched_play.play

local function nowhere() return plan{ action("click", { element = "Nowhere" }) } end
local function query(element)
  return function(spec)
    local more = { kind = "query", query = { element = element, question = "Where is it?" } }
    return spec.purpose == "revision" and revised({}, nil, more) or plan({}, more)
  end
end

---The sky tile is where Blue is, and nothing else is anywhere.
local function locate(spec)
  if not text_of(spec):find("sky tile", 1, true) then return batched_play.not_there() end
  return { value = { is_there = true, point = scripted.at(unpack(places.Blue)), confidence = 0.9, reason = "",
    alternatives = qa.json.array{} } }
end

---A play in which the questions of a purpose fail once so many plans have been asked for.
local function failing(purpose, kind, plans)
  local planned, script = 0,
    answers({ function() return plan{ click "Gold" } end, nowhere, function() return revised{ click "Red" } end,
    complete })
  return scripted.play("batched", function(spec)
    if spec.purpose == "plan" then planned = planned + 1 end
    if spec.purpose == purpose and planned >= (plans or 0) then
      return nil, { kind = kind, message = "as the script says", op = "qa.llm" }
    end
    return script(spec)
  end)
end

return {
  ["B-015: a page that gives no picture ends the model's part, and the run is judged by what was measured"] =
    function(t)
    for stage, list in pairs{ turn = { complete }, error = { nowhere, complete }, query = { query "x", complete },
      element_location = { nowhere, complete } } do
      local outcome, tries = without_pictures(stage, function() return (play(list)) end)
      -- After the first turn one input has been played, and was answered.
      local status = stage == "turn" and "inconclusive" or "pass"
      t.equal({ outcome.reason, outcome.status, tries }, { "timeout", status, 3 },
        stage .. " " .. tostring(outcome.error))
    end
  end,

  ["B-013: questions about a failure cost no revision, and what they have located is told with the next one"] =
    function(t)
    local told, analyses
    local script = answers({ function() return plan{ click "Gold" } end, nowhere, query "the sky tile",
      query "the crimson one", function(spec)
      told = text_of(spec)
      return revised{ action("click", { element = "the sky tile" }) }
    end, complete }, function()
      analyses = (analyses or 0) + 1
      return analysis{ "Red", "Blue" }
    end, locate)
    local outcome, asked, log = scripted.play("batched", script, { set = { max_revisions = "1" } })
    t.equal({ outcome.reason, log, count(asked, "revision"), outcome.report.metrics.counters.revisions },
      { "llm_complete", "Gold Blue", 3, 1 })
    t.truthy(told:find('other "the sky tile" at ', 1, true) and told:find('button "Red" at ', 1, true), told)
    t.truthy(told:find("This is revision 1 of at most 1", 1, true), told)
    -- One look at the failure, none after a question about it.
    t.equal(count(asked, "element_location"), 3)
    t.truthy(analyses <= 4, analyses)
  end,

  ["B-011: a goal that is reached after a failure is told without the failure"] = function(t)
    local outcome = play{ nowhere, function() return revised({}, nil, { kind = "complete" }) end }
    t.equal({ outcome.reason, outcome.report.failure }, { "llm_complete", nil })
  end,

  ["a vision model that cannot be reached is an error of the run, wherever it is asked"] = function(t)
    for i, one in ipairs{ { "page_analysis", "llm_unavailable" }, { "page_analysis", "cassette_miss" },
      { "page_analysis", "cassette_miss", 2 },
      { "element_location", "llm_unavailable" }, { "element_location", "cassette_miss" } } do
      local outcome, asked = failing(unpack(one))
      t.equal({ outcome.status, outcome.exit_code, count(asked, "revision") }, { "error", 4, 0 }, i)
    end
  end,

  ["a vision model that declines, or has no money left, ends the play wherever it is asked"] = function(t)
    for i, one in ipairs{ { "page_analysis", "budget_exceeded" }, { "page_analysis", "llm_refused" },
      { "element_location", "budget_exceeded" },
      { "element_location", "llm_refused" } } do
      local outcome, asked = failing(unpack(one))
      t.equal({ outcome.reason, outcome.status, count(asked, "revision") },
        { one[2] == "budget_exceeded" and "budget_limit" or "llm_refused",
        one[1] == "element_location" and "pass" or "inconclusive", 0 }, i)
    end
    -- An answer that cannot be used is no end: the orchestrator has a picture of its own.
    local outcome, _, log = failing("page_analysis", "llm_invalid")
    t.equal({ outcome.reason, log }, { "llm_complete", "Gold Red" })
  end,

  ["an action without a place is not looked for, whatever its element is called"] = function(t)
    local outcome, asked, log = play{ function()
      return plan{ action("wait", { element = "the end", wait_ms = 10 }),
        action("press", { element = "the box", target = { key = "ArrowRight" } }),
        action("complete", { element = "end screen" }) }
    end }
    t.equal({ outcome.reason, log, count(asked, "element_location") }, { "llm_complete", "Gold ArrowRight", 0 })
    local made = executor.resolve(
      { state = { batched = { analysis = { elements = { { label = "Go", point = { x = 1, y = 2 } } } } } } },
      { action = "tap", element = "Go" })
    t.equal(made.target, { x = 1, y = 2 })
  end,

  ["B-008: a question first does not spare the turn that explores"] = function(t)
    local texts = {}
    local script = answers({ query "the sky tile", function(spec)
      texts[#texts + 1] = text_of(spec)
      return plan{ click "Gold" }
    end, function(spec)
      texts[#texts + 1] = text_of(spec)
      return complete()
    end }, nil, locate)
    local _, _, log = scripted.play("batched", script)
    t.equal(log, "Gold")
    t.truthy(texts[1]:find("This is the first turn", 1, true) and texts[1]:find('"the sky tile" at', 1, true), texts[1])
    t.falsy(texts[2]:find("This is the first turn", 1, true))
  end,

  ["an option has an effect, or is none of the strategy's"] = function(t)
    local _, asked = play({ function() return plan{ click("Green", { target = null, element = "the lawn" }) } end,
      complete },
      { set = { temperature = "0.7", answer_tokens = "900" } })
    t.truthy(#asked >= 5)
    for _, spec in ipairs(asked) do t.equal({ spec.temperature, spec.max_output }, { 0.7, 900 }, spec.purpose) end
    for _, name in ipairs{ "history", "html_tokens", "pace_ms" } do
      t.raises(function() options.resolve(batched, { [name] = "1" }) end, "batched has no such option")
    end
  end,

  ["a word that an option does not know is refused before the game is opened, with those that it knows"] = function(t)
    for name, message in pairs{ begin_with = "expected explore, plan, revision or query, got 'explor' (did you mean " ..
      "'explore'?)",
      screenshot_policy = "expected on_change, on_navigation, per_group or per_action, got 'explor'",
      cost_rule = "expected measured or seed, got 'explor'" } do
      local ctx = { options = options.resolve(batched, { [name] = "explor" }) }
      local ok, err = batched.prepare(ctx)
      t.equal({ ok, err.kind, err.message }, { nil, "type_mismatch", ("--set %s: %s"):format(name, message) })
    end
  end,
}
