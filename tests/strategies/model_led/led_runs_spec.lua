-- Whole runs led by a scripted model on real pages: what the model says never stands for what was measured.
local loop = require "qa.run.loop"
local qa = require "qa"
local led = qa.load_chunk("tests/strategies/support/led_play.lua")()
local scripted_model = require "qa.model.scripted_model"

local doors, dead = "tests/strategies/pages/doors", "examples/games/dead_mouse_still"

local praise = { what_is_seen = "A wonderful game, fully playable.", has_loaded = true, reacts_to_play = "yes",
  issues = qa.json.array{},
  playability_score = 100 }

---Where the door is that the sign in the question names.
local function way_on(text)
  local door = text:match "way on is door (%u)"
  return door and ({ A = 270, B = 640, C = 1010 })[door]
end

local function run(target, name, answers, set)
  local options = { ready_ms = 8000, interaction_ms = 2000, max_duration_ms = 60000 }
  for key, value in pairs(set or {}) do options[key] = value end
  local last
  local restarts = 0
  local outcome, asked = scripted_model.run({ action = answers, analysis = { praise } }, function()
    return loop.run{ target = target, strategy = name, quiet = true, set = options, on = function(stage, ctx)
      restarts = math.max(restarts, ctx.state.restarts or 0)
      if stage == "done" then last = ctx.page:evaluate("typeof game === 'object' ? game : null") end
    end }
  end)
  return outcome, asked, last, restarts
end

---Adaptive answers in coordinates of the picture that is sent: 1024 of 1280.
local function click(x, y) return led.click(x * 0.8, y * 0.8) end

return {
  ["C-034, C-037: adaptive plays through a game that needs decisions; the last look has what was done"] = function(t)
    local outcome, asked, game = run(doors, "adaptive", { function(question)
      local x = way_on(question.text)
      return led.recommend(x and click(x, 400) or led.action "complete", led.press "Space")
    end })
    local report = outcome.report
    t.equal({ outcome.status, outcome.reason, game and game.room }, { "pass", "llm_complete", 5 })
    t.equal(report.metrics.actions_progressed >= 5, true)
    local last = asked[#asked]
    t.equal({ last.purpose, last.images }, { "analysis", #report.screenshots - 1 })
    t.truthy(last.text:find("click 1010,400: the scene changed", 1, true), last.text)
    t.truthy(report.seed_cost.usd > 0 and report.metadata.estimatedCost and report.metrics.actions_per_screenshot)
    t.truthy(report.opinion.score == 100 and report.playability_score <= 100)
  end,

  ["A-051: action groups play through the same game, each iteration on what the last one reached"] = function(t)
    local outcome, asked, game = run(doors, "action_groups", { function(question)
      local x, is_first = way_on(question.text), not question.text:find("have changed it", 1, true)
      if not x then return led.groups() end
      if is_first then return led.groups(led.group(0.9, { click(x, 400) }), led.group(0.3, { click(60, 600) })) end
      return led.groups(led.group(0.9, { led.press "Space", click(x, 400) }, { parent = 1 }))
    end })
    t.equal({ outcome.status, outcome.reason, game and game.room }, { "pass", "llm_complete", 5 })
    t.truthy(asked[2].images == 3 and #asked >= 6)
  end,

  ["a model that praises a game whose controls are dead makes no pass of it"] = function(t)
    for name, answer in pairs{ adaptive = led.recommend(click(640, 360)),
      action_groups = led.groups(led.group(0.9, { click(640, 360) })) } do
      local outcome = run(dead, name, { function() return answer end },
        { max_actions = 4, start_ms = 6000, overtime_ms = 6000 })
      t.truthy(outcome.status ~= "pass" and outcome.status ~= "error", name .. ": " .. outcome.status)
      t.truthy(outcome.score < 50)
    end
  end,

  ["a game that moves by itself, with a clock, and answers nothing is no pass, whatever a model does in it"] =
    function(t)
    local many = { led.press "ArrowRight", click(300, 300), led.action("wait", nil, { wait_ms = 700 }),
      click(900, 500) }
    local strategies = { adaptive = led.recommend(click(640, 360)),
      action_groups = led.groups(led.group(0.9, { click(640, 360) })) }
    for name, answer in pairs(strategies) do
      local function again(question)
        if name == "adaptive" or not question.text:find("have changed it", 1, true) then return answer end
        return led.groups(led.group(0.9, many, { parent = 1 }))
      end
      local outcome = run("tests/strategies/pages/deaf", name, { again },
        { max_actions = 10, start_ms = 6000, overtime_ms = 6000 })
      t.truthy(outcome.status ~= "pass" and outcome.status ~= "error", name .. ": " .. outcome.status)
    end
  end,

  ["a model that knows no key has the game started again, and the run judged by standard inputs"] = function(t)
    local outcome, _, _, restarts = run(doors, "adaptive",
      { function() return led.recommend(led.press "HyperJump") end },
      { max_actions = 7, restart_ms = 3000 })
    -- Seven refused presses, and what the proof did after them.
    t.equal(outcome.status, "pass")
    t.truthy(#outcome.report.metadata.actionHistory > 7 and restarts >= 1, restarts)
  end,

  ["a game that a model has played to an end of its own is not locked: opened anew it answers, which is told"] =
    function(t)
    local dir = assert(qa.run.open{ slug = "led-to-an-end" })
    assert(qa.run.publish("index.html", [[<!doctype html><style>body { margin: 0 }</style><p id="told">Row home.</p>
      <canvas id="view" width="640" height="360"></canvas><script>
        let x = 20;
        const brush = view.getContext('2d');
        const draw = () => { brush.clearRect(0, 0, 640, 360); brush.fillRect(x, 100, 60, 60); };
        addEventListener('keydown', e => {
          if (e.code !== 'ArrowRight' || x > 400) return;
          x += 140;
          if (x > 400) told.textContent = 'The boat has sunk.';
          draw();
        });
        draw();
      </script>]]))
    local outcome = run(dir, "adaptive", { function() return led.recommend(led.press "ArrowRight") end },
      { max_actions = 6, most_restarts = 0, ready_ms = 3000 })
    local issue = outcome.report.issues[1] or {}
    t.equal({ outcome.status, outcome.report.clock.kind, issue.severity, issue.kind },
      { "pass", "game", "minor", "soft_lock" })
  end,

  ["a model that answers for another game, or says complete at once, leaves the verdict to the measured proof"] =
    function(t)
    local elsewhere = run(doors, "adaptive", { function() return led.recommend(click(60, 600)) end },
      { max_actions = 4 })
    t.equal({ elsewhere.status, elsewhere.reason }, { "pass", "max_actions" })
    t.truthy(elsewhere.report.metrics.actions > 4, "the proof played on")
    local silent = run(doors, "action_groups", { led.groups() })
    t.equal({ silent.status, silent.reason }, { "pass", "llm_complete" })
  end,
}
