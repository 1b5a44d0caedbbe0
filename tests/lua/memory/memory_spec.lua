-- The memory, one sentence or more for each requirement of seed 003 (D-002 .. D-012, D-G, D-X), over the real store;
-- its file is in memory_file_spec.lua.
local memory = require "qa.memory.memory"
local qa = require "qa"
local records = require "qa.memory.record"
local policy = require("qa.run.strategy_file").part("standard.memory_lists").memory_policy
local with_memory = qa.load_chunk("tests/lua/support/own_memory.lua")()

local here = { game = "clicker", build = "b1", goal = "start it", scene = "00000000000000ff",
  hash = "00000000000000ff" }

local function context(fields)
  local made = {}
  for key, value in pairs(here) do made[key] = value end
  for key, value in pairs(fields or {}) do made[key] = value end
  return made
end

local function click(x, y) return { action = { action = "click", target = { x = x, y = y } }, phase = "start" } end
local function press(key) return { action = { action = "press", key = key } } end
local function near(t, got, wanted)
  t.truthy(math.abs(got - wanted) < 1e-9, ("%.12g, expected %.12g"):format(got, wanted))
end

return {
  ["D-002: a context is a scene and a goal; another goal or another scene knows nothing of it"] = function(t)
    with_memory(function(m)
      t.equal(memory.context_key(here), "00000000000000ff:start it")
      m:record_success(context(), { click(10, 10) }, "Test 1 passed")
      t.truthy(m:get_successful_pattern(context()))
      t.equal(m:get_successful_pattern(context{ goal = "score" }), nil)
      t.equal(m:get_successful_pattern(context{ scene = "ff000000000000ff" }), nil)
      t.equal(m:get_successful_pattern(context{ game = "chess" }), nil)
    end)
  end,

  ["D-003: rewards are an exponential average that begins at 0"] = function(t)
    with_memory(function(m)
      t.equal(m:get_action_reward "click", 0)
      m:update_reward("click", 0.2)
      near(t, m:get_action_reward "click", 0.02)
      m:update_reward("click", -0.5)
      near(t, m:get_action_reward "click", 0.02 * 0.9 - 0.05)
      t.equal(m:get_action_reward "press", 0)
    end)
  end,

  ["D-004: a passed test keeps its actions and rewards each of them by 0.2"] = function(t)
    with_memory(function(m)
      m:record_success(context(), { click(10, 10), press "Space", press "Enter" }, "Test 7 passed")
      local pattern = m:get_successful_pattern(context())
      t.equal({ #pattern.actions, pattern.outcome }, { 3, "Test 7 passed" })
      near(t, m:get_action_reward "click", 0.02)
      near(t, m:get_action_reward "press", 0.02 * 0.9 + 0.02)
    end)
  end,

  ["D-005, D-012: at the end of a run what failed and what worked are kept, each kind of failure once"] = function(t)
    with_memory(function(m, store)
      local ctx = { memory = m, lists = { memory_policy = policy, start_cascade = { { id = "dom_text" } } },
        event = function() end,
        report = { start = { attempts = { { method = "dom_text", effect = "yes" } } } },
        state = { recall = { context = context(), how = "standard", question = "how", healed = {} },
          recorded = { click(10, 10) } } }
      local missed = { action = { action = "press", key = "Enter" }, reason = "it had no effect" }
      ctx.state.failed = { missed, missed, { action = click(10, 10).action, reason = "too early" } }
      local lessons = require("qa.run.strategy_file").part "recall.lessons"
      lessons.keep(ctx, { status = "inconclusive" })
      t.equal(store:get(memory.scene_key(here)), nil, "a run that was cut short teaches nothing")
      lessons.keep(ctx, { status = "pass" })
      local record = store:get(memory.scene_key(here))
      t.equal({ #record.failures, record.failures[1].bucket, record.failures[1].count, #record.patterns },
        { 1, "press:Enter", 1, 1 })
      local _, _, ranked = m:choose("how", { { name = "standard" } })
      t.truthy(ranked[1].mean > 0.6)
    end)
  end,

  ["D-005: a failed action keeps what was done before it, and costs 0.5"] = function(t)
    with_memory(function(m, store)
      m:record_failure(context(), { click(10, 10), press "Space" }, "nothing happened")
      local failure = store:get(memory.scene_key(here)).failures[1]
      t.equal({ #failure.actions, failure.bucket, failure.reason, failure.count },
        { 2, "press:Space", "nothing happened", 1 })
      near(t, m:get_action_reward "press", -0.05)
      t.equal(m:get_action_reward "click", 0)
    end)
  end,

  ["D-006: the pattern that led to the goal most often is the one to replay"] = function(t)
    with_memory(function(m)
      m:record_success(context(), { click(10, 10) }, "passed")
      m:record_success(context(), { press "Space" }, "passed")
      m:record_success(context(), { press "Space" }, "passed")
      t.equal(m:get_successful_pattern(context()).actions[1].action.key, "Space")
    end)
  end,

  ["D-006: a pattern that failed three times in a row is none; one success takes it back"] = function(t)
    with_memory(function(m)
      m:record_success(context(), { click(10, 10) }, "passed")
      local signature = m:get_successful_pattern(context()).signature
      for i = 1, 3 do
        t.truthy(m:get_successful_pattern(context()), "after " .. i - 1)
        m:record_failure(context(), { click(10, 10) }, "gone", signature)
      end
      t.equal(m:get_successful_pattern(context()), nil)
      m:record_success(context(), { click(10, 10) }, "passed")
      t.truthy(m:get_successful_pattern(context()))
    end)
  end,

  ["D-007: an action is avoided from its third failure on, and the planner is told why"] = function(t)
    with_memory(function(m)
      local action = { action = "click", target = { x = 100, y = 100 } }
      for i = 1, 3 do
        t.equal((m:should_avoid_action(context(), action)), false, "after " .. i - 1)
        t.equal(m:hint(context()), "")
        m:record_failure(context(), { { action = action } }, "it is\ncovered")
      end
      local avoid, reason = m:should_avoid_action(context(), action)
      t.equal(avoid, true)
      t.truthy(reason:find("failed 3 times here: it is covered", 1, true), reason)
      -- The same cell of the view is the same kind of action, another one is not.
      t.equal((m:should_avoid_action(context(), { action = "click", target = { x = 110, y = 95 } })), true)
      t.equal((m:should_avoid_action(context(), { action = "click", target = { x = 700, y = 95 } })), false)
      t.equal((m:should_avoid_action(context{ goal = "score" }, action)), false)
      t.equal(m:hint(context()), "Avoid click@0,1: " .. reason)
    end)
  end,

  ["D-007: the planner's prompt holds the reasons, fenced"] = function(t)
    local steps, real, asked = require "qa.start.attempts", {}, nil
    for name in pairs{ object = 1, space = 1, is_available = 1 } do real[name] = qa.llm[name] end
    function qa.llm.object(request)
      asked = request.prompt
      return nil, { kind = "llm_unavailable", message = "not here" }
    end
    function qa.llm.space() return nil end
    function qa.llm.is_available() return true end
    local page = { clickables = function() return {} end,
      screenshot = function() return { size = function() return 1280, 720 end, close = function() end } end }
    local ctx = { page = page, options = { use_models = true },
      state = { hints = "Avoid click@7,7: failed 3 times here: no effect" } }
    local ok, err = pcall(steps.kinds.model, ctx, { id = "model", prompt = "find_start" }, {})
    for name, value in pairs(real) do qa.llm[name] = value end
    t.truthy(ok, tostring(err))
    t.truthy(asked:find("<<<memory %x+\nAvoid click@7,7: failed 3 times here: no effect\nmemory %x+>>>"), asked)
  end,

  ["D-008: patterns keep how often and when they worked"] = function(t)
    with_memory(function(m)
      for _ = 1, 3 do m:record_success(context(), { click(10, 10) }, "passed") end
      local pattern = m:get_successful_pattern(context())
      t.equal(pattern.count, 3)
      t.truthy(pattern.timestamp:find "^%d%d%d%d%-%d%d%-%d%dT" and pattern.first <= pattern.timestamp)
    end)
  end,

  ["D-010: a memory has the six calls of the seed"] = function(t)
    with_memory(function(m)
      for _, name in ipairs{ "get_successful_pattern", "record_success", "record_failure", "update_reward",
        "get_action_reward", "should_avoid_action" } do
        t.equal(type(m[name]), "function", name)
      end
    end)
  end,

  ["D-012: a remembered step that cannot be done fails the run, whatever else was measured"] = function(t)
    local told = {}
    local ctx = { state = { recall = { pattern = { actions = { click(10, 10), press "Space" } },
      lost = { step = 1, reason = "it is gone" } } } }
    function ctx.issue(_, issue) told.issue = issue end
    function ctx.check(_, id, outcome) told.check = id .. " " .. outcome end
    local report = { status = "pass", playability_score = 90, missing = {} }
    require("qa.run.strategy_file").part("recall.lessons").tell_lost(ctx, report)
    t.equal({ report.status, report.playability_score, told.check }, { "fail", 20, "started fail" })
    t.equal({ told.issue.kind, told.issue.severity }, { "start_not_found", "critical" })
    t.truthy(told.issue.description:find("Step 1 of 2 .*click 10,10.*it is gone"), told.issue.description)
  end,

  ["D-G1: groups are tried by confidence x what their actions have earned"] = function(t)
    with_memory(function(m)
      local good = { confidence = 0.5, actions = { { action = "press", key = "KeyG" } } }
      local bad = { confidence = 0.5, actions = { { action = "press", key = "KeyB" } } }
      t.equal(m:rank(context(), { bad, good })[1], bad)  -- nothing is known: as proposed
      for _ = 1, 8 do
        m:record_success(context(), { press "KeyG" }, "passed")
        m:record_failure(context(), { press "KeyB" }, "no")
      end
      local first = 0
      for _ = 1, 40 do
        if m:rank(context(), { bad, good })[1] == good then first = first + 1 end
      end
      t.truthy(first >= 38, first)
      bad.confidence, good.confidence = 1, 0.05
      local confident = 0
      for _ = 1, 40 do
        if m:rank(context(), { bad, good })[1] == bad then confident = confident + 1 end
      end
      t.truthy(confident >= 20, confident)
    end)
  end,

  ["D-G1: what has started the game is tried earlier, what is unknown keeps its place"] = function(t)
    with_memory(function(m)
      local part = require("qa.run.strategy_file").part
      local order, cascade = part "recall.start_order", part("standard.start_lists").start_cascade
      local ctx = { memory = m, event = function() end, lists = { memory_policy = policy, start_cascade = cascade } }
      local function ids()
        local list = {}
        for i, step in ipairs(order.learned(ctx).start_cascade) do list[i] = step.id end
        return list
      end
      local fresh = ids()
      for i, step in ipairs(cascade) do t.equal(fresh[i], step.id) end
      for _ = 1, 30 do
        order.learn(ctx, { { method = "dom_exact", effect = "no" }, { method = "key", effect = "no" },
          { method = "key", effect = "yes" } })
      end
      local place = {}
      for i, id in ipairs(ids()) do place[id] = i end
      t.truthy(place.key < place.dom_text and place.dom_exact > place.dom_text, qa.json.encode(place))
      t.equal(place.model, #cascade)
      t.equal(ctx.lists.start_cascade, cascade)
    end)
  end,

  ["D-G2: a scene that looks a little different is the same one, one that looks very different is not"] = function(t)
    with_memory(function(m)
      m:record_success(context(), { click(10, 10) }, "passed")
      t.equal(memory.distance("00000000000000ff", "00000000000000fe"), 1)
      t.equal(memory.distance("0000000000000000", "ffffffffffffffff"), 64)
      local same = m:context "00000000000000f0"
      t.equal({ same.scene, same.is_known }, { "00000000000000ff", true })
      t.equal(m:context("00000000000000f0", "score").is_known, false)
      -- 15 bits away: too far, unless the scene moves by itself.
      t.equal(m:context("00000000007fffff").is_known, false)
      t.equal(m:context("00000000007fffff", nil, true).is_known, true)
      local other = m:context "ffff0000000000ff"
      t.equal({ other.scene, other.is_known }, { "ffff0000000000ff", false })
    end)
  end,

  ["D-G3: the memory of a game knows its build, scene and goal"] = function(t)
    with_memory(function(m, store)
      m:record_success(context(), { click(10, 10) }, "passed")
      local record = store:get(memory.scene_key(here))
      t.equal({ record.game, record.goal, record.scene, record.hash, record.patterns[1].build },
        { "clicker", "start it", here.scene, here.hash, "b1" })
    end)
  end,

  ["D-G4: the better way is soon chosen mostly, in the order of the seed, and exploration has a rate"] = function(t)
    local orders = {}
    for run = 1, 2 do
      with_memory(function(m)
        local dice, order = require("qa.memory.sampler").new(5), {}
        for i = 1, 40 do
          order[i] = m:choose("how", { { name = "good" }, { name = "poor" } })
          m:learn("how", order[i], dice:uniform() < (order[i] == "good" and 0.9 or 0.2) and 1 or 0)
        end
        orders[run] = table.concat(order, " ")
        local late = 0
        for i = 21, 40 do late = late + (order[i] == "good" and 1 or 0) end
        t.truthy(late >= 16, orders[run])
        t.truthy(m:exploration_rate() > 0 and m:exploration_rate() < 0.5, m:exploration_rate())
        t.equal(m.choices, 40)
      end)
    end
    t.equal(orders[1], orders[2])
  end,

  ["D-G6: credit is kept for each kind of action in its scene, not for a type of action everywhere"] = function(t)
    with_memory(function(m, store)
      m:record_success(context(), { click(10, 10) }, "passed")
      m:record_failure(context(), { click(1000, 600) }, "no")
      local credit = store:get(memory.scene_key(here)).credit
      near(t, credit["click@0,0"].value, 0.02)
      near(t, credit["click@6,6"].value, -0.05)
      t.equal({ credit["click@0,0"].wins, credit["click@6,6"].losses }, { 1, 1 })
      m:record_success(context(), { click(10, 10) }, "passed")
      near(t, store:get(memory.scene_key(here)).credit["click@0,0"].value, 0.02 * 0.9 + 0.02)
    end)
  end,

  ["D-G7: what was learned of another build counts less, and is not avoided for old failures"] = function(t)
    with_memory(function(m)
      local action = { action = "press", key = "KeyX" }
      m:record_success(context(), { press "Space" }, "passed")
      m:record_success(context(), { press "Space" }, "passed")
      for _ = 1, 4 do m:record_failure(context(), { { action = action } }, "no") end
      t.equal((m:should_avoid_action(context(), action)), true)
      m.build = "b2"
      t.equal((m:should_avoid_action(context(), action)), false)
      -- Two successes of the old build weigh as one of the new: the newer way wins with its second.
      for _ = 1, 2 do m:record_success(context{ build = "b2" }, { press "Enter" }, "passed") end
      t.equal(m:get_successful_pattern(context()).actions[1].action.key, "Enter")
      m:learn("how", "a", 1)
      m.build = "b3"
      m:learn("how", "a", 1)
      near(t, memory.store():get("clicker/choice/" .. qa.fs.sha256(qa.json.encode{ "how" }):sub(1, 24)).arms.a.wins,
        1 * 0.5 * 0.98 + 1)
    end)
  end,

  ["D-X1: a failure counts for its own step, and a success of that step ends it"] = function(t)
    with_memory(function(m, store)
      for _ = 1, 3 do m:record_failure(context(), { press "Space", click(10, 10) }, "no effect") end
      t.equal((m:should_avoid_action(context(), { action = "press", key = "Space" })), false)
      t.equal((m:should_avoid_action(context(), click(10, 10).action)), true)
      m:record_success(context(), { click(10, 10) }, "passed")
      t.equal((m:should_avoid_action(context(), click(10, 10).action)), false)
      t.equal(#store:get(memory.scene_key(here)).failures, 0)
    end)
  end,

  ["what is kept is bounded: patterns, failures and scenes that were not used for longest go"] = function(t)
    local few = setmetatable({ most_patterns = 2, most_failures = 2, most_scenes = 3 }, { __index = policy })
    with_memory(function(m, store)
      for i = 1, 4 do
        m:record_success(context(), { press("Digit" .. i) }, "passed")
        m:record_failure(context(), { press("Key" .. ("ABCD"):sub(i, i)) }, "no")
      end
      local record = store:get(memory.scene_key(here))
      t.equal({ #record.patterns, #record.failures }, { 2, 2 })
      for i = 1, 4 do m:record_success(context{ scene = "s" .. i, hash = nil }, { press "Space" }, "passed") end
      local count = 0
      for _ in store:each{ prefix = "clicker/scene/" } do count = count + 1 end
      t.equal(count, 3)
    end, { policy = few })
  end,

  ["a memory that knows nothing gives nothing, and asks for no store before it is used"] = function(t)
    local real, opened = memory.store, 0
    memory.store = function()
      opened = opened + 1
      return real()
    end
    local m = memory.new{ game = "nobody", policy = policy }
    t.equal(opened, 0)
    memory.store = real
    with_memory(function(empty)
      t.equal(empty:get_successful_pattern(context()), nil)
      t.equal((empty:should_avoid_action(context(), { action = "press", key = "A" })), false)
      t.equal(empty:hint(context()), "")
      t.equal(empty:exploration_rate(), 0)
    end)
    t.equal(m:exploration_rate(), 0)
  end,

  ["reasons are kept as one safe line"] = function(t)
    local record = records.with_failure(nil, context(), { press "A" }, "a\27[31m\nb" .. ("x"):rep(500), nil, policy,
      "now")
    local reason = record.failures[1].reason
    t.falsy(reason:find("[%c]"), reason)
    t.truthy(#reason <= 320, #reason)
  end,
}
