-- The action-group strategy (seed 000, section A) led by a scripted model.
local action_groups = require "qa.input.action_groups"
local qa = require "qa"
local led = qa.load_chunk("tests/strategies/support/led_play.lua")()
local strategy = require "qa.run.strategy_file"

local loaded = strategy.load "action_groups"
local sizes = loaded.lists.group_sizes
local click, press, group, complete = led.click, led.press, led.group, led.action "complete"

local function play(opts) return led.play("action_groups", opts) end

local function presses(n, key)
  local list = {}
  for i = 1, n do list[i] = press(key or "Space") end
  return list
end

---Answers: the first iteration, then for ever one group that continues the first of those that succeeded.
local function growing(n)
  return { led.groups(group(0.9, { click(1, 1) })),
    function() return led.groups(group(0.9, presses(n), { parent = 1 })) end }
end

local function sizes_of(counts, with_parents)
  local list = {}
  for i, n in ipairs(counts) do list[i] = { actions = presses(n), parent = with_parents and i or nil } end
  return list
end

return {
  ["what came up during a wait is no evidence of the input that follows it"] = function(t)
    local wait = led.action("wait", nil, { wait_ms = 100 })
    local function evidence(list)
      local played = play{ answers = { led.groups(group(0.9, { click(1, 1) })),
        led.groups(group(0.9, list, { parent = 1 })), led.groups() } }
      return { #played.log, played.ctx.state.model_trials or #played.ctx.state.trials }
    end
    t.equal(evidence{ wait, press "Space" }, { 2, 1 })
    t.equal(evidence{ press "Space", wait }, { 2, 2 })
  end,

  ["A-001, A-002: groups are an object's list; each has reasoning, confidence, actions and an outcome"] = function(t)
    local played = play{ answers = { led.groups(group(0.7, { click(10, 20) })), led.groups() } }
    local form = qa.json.decode(played.asked[1].schema)
    t.equal(form.required, { "groups" })
    local fields = form.properties.groups.items.properties
    t.truthy(fields.reasoning and fields.confidence and fields.actions)
    local told = led.events(played, "group")[1]
    t.equal({ told.reasoning, told.confidence, told.success, told.progressed },
      { "a strategy of its own", 0.7, true, "yes" })
    t.equal(#played.report.screenshots, 2)
  end,

  ["A-003, A-011: a group that succeeded goes on with its reasoning, actions, outcomes, confidence and both pictures"] =
    function(t)
    local played =
      play{ answers = { led.groups(group(0.7, { click(10, 20) }, { reasoning = "the red door looks open" })),
      led.groups() } }
    local winner = played.ctx.state.successful[1]
    t.equal({ winner.reasoning, winner.confidence, winner.before, winner.after },
      { "the red door looks open", 0.7, "shots/001_before_groups.png", "shots/002_iteration_01.png" })
    t.equal(winner.actions, { "click 10,20: done" })
    local text = played.asked[2].text
    t.truthy(text:find("group 1, confidence 0.70, picture 2 before and picture 3 after: the red door looks open", 1,
      true), text)
    t.truthy(text:find("click 10,20: done", 1, true))
    t.equal({ played.asked[1].images, played.asked[2].images }, { 1, 3 })
  end,

  ["A-004, A-018: each action is told with the group's result"] = function(t)
    local played = play{ answers = { led.groups(group(0.9, { click(1, 1) })),
      led.groups(group(0.9, { press "Jump", press "Space" }, { parent = 1 })), led.groups() } }
    local history = played.report.metadata.actionHistory
    t.equal(#history, 3)
    t.equal({ history[2].success, history[2].stateProgressed, history[3].success, history[3].stateProgressed },
      { false, true, true, true })
    t.truthy(history[1].timestamp and history[1].target and history[1].reasoning == "because")
  end,

  ["A-005, A-006: an action has its own reasoning and confidence; click, keypress, wait, complete exist"] = function(t)
    local played = play{ answers = { led.groups() } }
    local fields = qa.json.decode(played.asked[1].schema).properties.groups.items.properties.actions.items.properties
    t.truthy(fields.reasoning and fields.confidence and fields.target)
    local names = {}
    for _, name in ipairs(fields.action.enum) do names[name] = true end
    for _, name in ipairs{ "click", "press", "wait", "complete" } do t.truthy(names[name], name) end
  end,

  ["A-007: a reasoning has 10 to 500 characters, a confidence lies in 0 to 1"] = function(t)
    local wrong = { ["10 characters"] = { reasoning = "too short" },
      ["500 characters"] = { reasoning = ("x"):rep(501) }, ["at most 1"] = { confidence = 1.2 } }
    for text, more in pairs(wrong) do
      local bad = led.groups(group(0.5, { click(1, 1) }, more))
      local played = play{ answers = { bad, bad } }
      t.equal({ played.reason, #played.asked, #played.log }, { "error", 2, 0 })
      t.truthy(played.asked[2].text:find(text, 1, true), played.asked[2].text)
    end
    t.equal(play{ answers = { led.groups(group(1, { click(1, 1) }, { reasoning = ("x"):rep(500) })),
      led.groups() } }.reason, "llm_complete")
  end,

  ["A-008, A-017: all actions of a group run, even past one that fails; then one picture and one assessment"] =
    function(t)
    local played = play{ answers = { led.groups(group(0.9, { click(1, 1) })),
      led.groups(group(0.9, { press "Jump", press "Space", press "Enter" }, { parent = 1 })), led.groups() } }
    t.equal(#played.assessed, 2)
    t.equal({ played.log[2][2], played.log[3][2] }, { "Space", "Enter" })
    t.equal({ #played.report.screenshots, led.events(played, "group")[2].executed }, { 3, 3 })
  end,

  ["A-010: the first iteration has one to three groups of exactly one action, surest first"] = function(t)
    t.equal(action_groups.rule(sizes, 1, 0), { groups = { 1, 3 }, actions = { 1, 1 } })
    local played = play{ answers = { led.groups(group(0.9, { click(1, 1) }), group(0.8, { click(200, 200) }),
      group(0.7, { click(300, 300) })), led.groups() } }
    t.equal({ #played.log, #played.assessed }, { 3, 3 })
    t.truthy(played.asked[1].text:find("Propose 1 to 3 action groups", 1, true))
    t.truthy(played.asked[1].text:find("A group has 1%s+actions"))
  end,

  ["A-012: the second iteration has up to five actions a group, later ones up to ten"] = function(t)
    t.equal(action_groups.rule(sizes, 2, 2), { groups = { 1, 2 }, actions = { 1, 5 } })
    t.equal(action_groups.rule(sizes, 3, 3), { groups = { 1, 3 }, actions = { 1, 10 } })
    t.equal(action_groups.rule(sizes, 40, 1).actions, { 1, 10 })
    local played = play{ answers = { led.groups(group(0.9, { click(1, 1) })),
      led.groups(group(0.9, presses(5), { parent = 1 })),
      led.groups(group(0.9, presses(10), { parent = 1 })), led.groups() } }
    t.equal({ played.reason, #played.log }, { "llm_complete", 16 })
  end,

  ["A-013: there is no last iteration"] = function(t)
    local played = play{ answers = growing(1), set = { max_actions = 60 } }
    t.equal({ played.reason, played.ctx.state.iteration }, { "max_actions", 60 })
  end,

  ["A-014: groups run highest confidence first, whatever the order of the answer; equals as they came"] = function(t)
    local played = play{ answers = { led.groups(group(0.2, { click(1, 1) }), group(0.9, { click(200, 200) }),
      group(0.9, { click(300, 300) })), led.groups() } }
    t.equal({ played.log[1][2], played.log[2][2], played.log[3][2] }, { 200, 300, 1 })
  end,

  ["A-015: the state after a group is the state before the next"] = function(t)
    local played = play{ answers = { led.groups(group(0.9, { click(1, 1) }), group(0.8, { click(200, 200) })),
      led.groups() } }
    local winners = played.ctx.state.successful
    t.equal({ winners[2].before, #played.report.screenshots }, { winners[1].after, 3 })
  end,

  ["A-016: between two actions of a group their effect is waited for, at most 2 s"] = function(t)
    t.equal(loaded.options.settle_ms.default, 2000)
    local played = play{ answers = { led.groups(group(0.9, { click(1, 1) })),
      led.groups(group(0.9, presses(4), { parent = 1 })), led.groups() } }
    t.equal(played.ctx.page.settled, 3)
  end,

  ["A-019: only a group that succeeded goes on"] = function(t)
    local played = play{ answers = { led.groups(group(0.9, { click(1, 1) }), group(0.8, { click(200, 200) })),
      led.groups() },
      effects = function(n) return n == 2 and "yes" or "no" end }
    t.equal(#played.ctx.state.successful, 1)
    t.truthy(played.asked[2].text:find("click 200,200: done", 1, true))
    local listed = played.asked[2].text:match "<<<groups.-groups %x+>>>"
    t.falsy(listed:find("click 1,1", 1, true))
  end,

  ["A-020, A-X3: complete stops the rest of its group and wins over everything else"] = function(t)
    local played = play{ answers = { led.groups(group(0.9, { click(1, 1) })),
      led.groups(group(0.9, { press "Space", complete, press "Enter" }, { parent = 1 })) } }
    t.equal({ played.reason, #played.log, #played.assessed }, { "llm_complete", 2, 2 })
    played = play{ answers = { led.groups(group(0.9, { complete })) } }
    t.equal({ played.reason, #played.assessed }, { "llm_complete", 0 })
    -- Also where nothing else has succeeded.
    played = play{ answers = { led.groups(group(0.9, { click(1, 1) }), group(0.8, { complete })) },
      effects = function() return "no" end }
    t.equal(played.reason, "llm_complete")
  end,

  ["A-021: each kind of iteration has its own prompt, with an example, the form and what succeeded"] = function(t)
    local played = play{ answers = { led.groups(group(0.9, { click(1, 1) })),
      led.groups(group(0.9, presses(2), { parent = 1 })),
      led.groups(group(0.9, presses(3), { parent = 1 })), led.groups() } }
    local names = {}
    for _, entry in ipairs(played.report.prompts) do names[entry.name] = #entry.sha256 end
    t.equal(names, { player = 64, action_groups_first = 64, action_groups_second = 64, action_groups_more = 64 })
    for _, asked in ipairs(played.asked) do t.truthy(asked.text:find('{"groups": [{', 1, true)) end
    t.truthy(played.asked[2].text:find("give 1 to 5", 1, true)
      and played.asked[3].text:find("1 to 10 actions", 1, true))
  end,

  ["A-022: the temperature is 0.3; an answer that does not fit is asked for again once, then an error"] = function(t)
    local played = play{ answers = { "{}", "{}" } }
    t.equal({ played.reason, #played.asked, played.asked[1].temperature }, { "error", 2, 0.3 })
    t.truthy(played.report.issues[1].description:find('missing property "groups"', 1, true),
      played.report.issues[1].description)
    t.equal(play{ answers = { "{}", led.groups() } }.reason, "llm_complete")
  end,

  ["A-030, A-X5: sizes are validated by iteration, and the message names the path"] = function(t)
    local function refused(iteration, counts, pattern, parents)
      local n = parents or #counts
      local rule = action_groups.rule(sizes, iteration, n)
      local ok, message = action_groups.validate(sizes_of(counts, iteration > 1), rule, iteration, n)
      t.falsy(ok, pattern)
      t.truthy(message:find(pattern), message)
    end
    refused(1, { 1, 1, 1, 1 }, "^groups: iteration 1 has 1 to 3 groups, got 4")
    refused(1, { 1, 2 }, "^groups%[1%]%.actions: a group of iteration 1 has 1 actions, got 2")
    refused(2, { 0 }, "^groups%[0%]%.actions: a group of iteration 2 has 1 to 5 actions, got 0")
    refused(2, { 6 }, "1 to 5 actions, got 6")
    refused(3, { 1, 11 }, "^groups%[1%]%.actions: a group of iteration 3 has 1 to 10 actions, got 11")
    for iteration, counts in pairs{ { 1, 1, 1 }, { 1, 5 }, { 1, 10 } } do
      local rule = action_groups.rule(sizes, iteration, #counts)
      t.truthy(action_groups.validate(sizes_of(counts, iteration > 1), rule, iteration, #counts))
    end
    local played = play{ answers = { led.groups(group(0.9, presses(2))), led.groups() } }
    t.truthy(played.asked[2].text:find("1 items, got 2", 1, true)
      or played.asked[2].text:find("1 actions, got 2", 1, true), played.asked[2].text)
  end,

  ["A-X6: there is at most one group for each that succeeded, and it names its parent"] = function(t)
    local rule = action_groups.rule(sizes, 2, 2)
    local function said(list) return select(2, action_groups.validate(list, rule, 2, 2)) end
    local one, two = { parent = 1, actions = presses(1) }, { parent = 2, actions = presses(1) }
    t.truthy(said{ one, two, two }:find("1 to 2 groups, got 3"))
    t.truthy(said{ { parent = 3, actions = presses(1) } }:find("groups[0].parent: expected the number of a group " ..
      "that succeeded, 1 to 2, got 3", 1, true))
    t.truthy(said{ { actions = presses(1) } }:find("got nil", 1, true))
    t.truthy(said{ two, two }:find("continued already", 1, true))
    local played = play{ answers = { led.groups(group(0.9, { click(1, 1) }), group(0.8, { click(200, 200) })),
      led.groups(group(0.9, { press "Space" }, { parent = 2 })), led.groups() } }
    t.equal(led.events(played, "group")[3].parent, 2)
  end,

  ["A-050, A-X3: a group that could not be assessed is told, and its complete counts"] = function(t)
    local function blind(list)
      return play{ answers = { led.groups(group(0.9, { click(1, 1) })), led.groups(group(0.9, list, { parent = 1 })) },
        effects = function(n) return n == 1 and "yes" or "blind" end }
    end
    local played = blind{ press "Space", led.action "complete" }
    local told = led.events(played, "group")[2]
    t.equal({ played.reason, told.executed, told.success, told.progressed }, { "llm_complete", 1, false, "unknown" })
    t.equal(blind{ press "Space" }.reason, "timeout")
  end,

  ["A-031, A-X2: no groups at all means that nothing is left to do, in any iteration"] = function(t)
    t.truthy(action_groups.validate({}, action_groups.rule(sizes, 1, 0), 1, 0))
    t.equal(play{ answers = { led.groups() } }.reason, "llm_complete")
    t.equal(play{ answers = { led.groups(group(0.9, { click(1, 1) })), led.groups() } }.reason, "llm_complete")
  end,

  ["A-040: each of the six reasons to stop is reached"] = function(t)
    local one = led.groups(group(0.9, { click(1, 1) }))
    t.equal(play{ answers = growing(5), set = { max_actions = 8 } }.reason, "max_actions")
    t.equal(play{ answers = growing(5), before = function(ctx) ctx.elapsed = ctx.elapsed + 30000 end }.reason,
      "max_duration")
    t.equal(play{ answers = growing(5),
      near_cap = function(ctx) return ctx.state.actions and ctx.state.actions > 5 end }.reason, "budget_limit")
    t.equal(play{ answers = { led.groups() } }.reason, "llm_complete")
    t.equal(play{ answers = { one }, effects = function() return "no" end }.reason, "zero_successful_groups")
    t.equal(play{ answers = { led.groups(group(0.9, { click(1, 1) })), { error = "timeout" } } }.reason, "error")
  end,

  ["A-041: time and money are asked about before the question"] = function(t)
    t.equal(#play{ answers = growing(1), before = function(ctx) ctx.elapsed = 200000 end }.asked, 0)
    t.equal(#play{ answers = growing(1), near_cap = function() return true end }.asked, 0)
    t.equal(loaded.limits.usd, 0.50)
  end,

  ["A-042: an iteration in which no group succeeded is the last"] = function(t)
    local played = play{ answers = { led.groups(group(0.9, { click(1, 1) }), group(0.8, { click(200, 200) })) },
      effects = function(n) return n == 1 and "no" or "unknown" end }
    t.equal({ played.reason, #played.asked, #played.log }, { "zero_successful_groups", 1, 2 })
    t.equal(led.events(played, "iteration"), { { n = 1, groups = 2, successful = 0, elapsed_ms = 0 } })
  end,

  ["A-050: iterations and groups are told with their numbers"] = function(t)
    local played = play{ answers = { led.groups(group(0.9, { click(1, 1) }), group(0.8, { click(200, 200) })),
      led.groups() },
      effects = function(n) return n == 1 and "yes" or "no" end }
    t.equal(led.events(played, "iteration"), { { n = 1, groups = 2, successful = 1, elapsed_ms = 0 } })
    local told = led.events(played, "group")[2]
    t.equal({ told.reasoning, told.confidence, told.actions, told.success, told.progressed, told.executed,
      told.iteration },
      { "a strategy of its own", 0.8, 1, false, "no", 1, 1 })
    t.equal(played.report.steps[2].reasoning, "a strategy of its own")
  end,

  ["A-050: an iteration that a limit or complete ends in its middle is told, with what has succeeded until then"] =
    function(t)
    local first, second, third = group(0.9, { click(1, 1) }), group(0.8, { click(200, 200) }),
      group(0.7, { click(300, 300) })
    local function told(opts) return led.events(play(opts), "iteration") end
    local two_of_three = { { n = 1, groups = 3, successful = 2, elapsed_ms = 0 } }
    t.equal(told{ answers = { led.groups(first, second, third) }, set = { max_actions = 2 } }, two_of_three)
    t.equal(told{ answers = { led.groups(first, second, group(0.7, { complete })) } }, two_of_three)
    -- What a group has done before its limit counts, too.
    local played = play{ answers = { led.groups(first), led.groups(group(0.9, presses(5), { parent = 1 })) },
      set = { max_actions = 3 } }
    t.equal(led.events(played, "iteration")[2], { n = 2, groups = 1, successful = 1, elapsed_ms = 0 })
    t.equal(#played.ctx.state.successful[1].path, 3)
  end,

  ["A-051: one flow through three iterations, each built on what succeeded before"] = function(t)
    local played = play{ answers = { led.groups(group(0.9, { click(1, 1) }), group(0.5, { click(200, 200) })),
      led.groups(group(0.6, presses(2), { parent = 1 }), group(0.8, presses(3, "Enter"), { parent = 2 })),
      led.groups(group(0.9, presses(4), { parent = 1 })), led.groups() },
        effects = function(n) return n ~= 4 and "yes" or "no" end }
    t.equal({ played.reason, #played.asked, #played.log }, { "llm_complete", 4, 11 })
    -- The surer group was run first and is the first of those that succeeded.
    t.equal({ played.log[3][2], led.events(played, "iteration")[2].successful }, { "Enter", 1 })
    t.equal(played.ctx.state.successful[1].path[1].target, { x = 200, y = 200 })
    t.equal(#played.ctx.state.successful[1].path, 1 + 3 + 4)
  end,

  ["A-X1: when a group has succeeded is one rule; all three facts are told"] = function(t)
    local function reason(rule)
      local played = play{ answers = { led.groups(group(0.9, { press "Jump" })), led.groups() },
        set = { success_rule = rule } }
      local told = led.events(played, "group")[1]
      t.equal({ told.progressed, told.some_ok, told.every_ok }, { "yes", false, false })
      return played.reason
    end
    t.equal({ reason "progressed", reason "some", reason "every" },
      { "llm_complete", "zero_successful_groups", "zero_successful_groups" })
    t.equal(loaded.options.success_rule.default, "progressed")
    local ok, err = loaded.prepare{ options = { cost_rule = "measured", success_rule = "most" } }
    t.equal({ ok, err.message }, { nil, "--set success_rule: expected progressed, some or every, got 'most'" })
  end,

  ["A-X4, A-X7: actions, time and money are looked at before each group and each action, not only between iterations"] =
    function(t)
    local many = led.groups(group(0.9, presses(10), { parent = 1 }))
    local played = play{ answers = { led.groups(group(0.9, { click(1, 1) })),
      led.groups(group(0.9, presses(5), { parent = 1 })), many },
      set = { max_actions = 9 } }
    t.equal({ played.reason, #played.log, #played.report.metadata.actionHistory }, { "max_actions", 9, 9 })
    played = play{ answers = { led.groups(group(0.9, { click(1, 1) }), group(0.8, { click(200, 200) }),
      group(0.7, { click(300, 300) })) },
      before = function(ctx) ctx.elapsed = ctx.elapsed + 80000 end }
    t.equal({ played.reason, #played.log }, { "max_duration", 1 })
    -- In the middle of a group.
    played = play{ answers = growing(5), effects = function(_, ctx)
      if #ctx.page.log >= 2 then ctx.elapsed = 1e6 end
      return "yes"
    end }
    t.equal(played.reason, "max_duration")
    played = play{ answers = { led.groups(group(0.9, { click(1, 1) }), group(0.8, { click(200, 200) })) },
      near_cap = function(ctx) return (ctx.state.actions or 0) >= 1 end }
    t.equal({ played.reason, #played.log }, { "budget_limit", 1 })
  end,

  ["A-G4: what failed in this run is told, and not done again on the same screen"] = function(t)
    local answers = { led.groups(group(0.9, { click(1, 1) }), group(0.8, { click(300, 300) })),
      led.groups(group(0.9, { click(302, 301) }, { parent = 1 })) }
    local function effects(n) return n == 1 and "yes" or "no" end
    local played = play{ answers = answers, effects = effects }
    t.truthy(played.asked[2].text:find("click 300,300: done (nothing changed)", 1, true))
    t.equal({ played.reason, #played.log, led.events(played, "group")[3].known }, { "zero_successful_groups", 2, true })
    -- Another screen is another attempt.
    played = play{ answers = answers, effects = effects, screen = function(ctx) return "screen " .. #ctx.page.log end }
    t.equal(#played.log, 3)
  end,

  ["A-G4: a group of which nobody can tell what it did has not failed: it may be done again"] = function(t)
    local played = play{ answers = { led.groups(group(0.9, { click(1, 1) }), group(0.8, { click(300, 300) })),
      led.groups(group(0.9, { click(302, 301) }, { parent = 1 })), led.groups() },
        effects = function(n) return n == 2 and "unknown" or "yes" end }
    t.falsy(played.asked[2].text:find("click 300,300", 1, true))
    t.equal({ #played.log, led.events(played, "group")[2].progressed }, { 3, "unknown" })
  end,

  ["upstream's later rule, three groups of three actions, is one table"] = function(t)
    local mine = led.strategy({ name = "mine", extends = "action_groups", lists = { group_sizes = {
      [1] = { groups = { 3, 3 }, actions = { 3, 3 } }, [2] = { groups = { 3, 3 }, actions = { 3, 5 } },
      n = { groups = { 3, 3 }, actions = { 6, 10 } } } } })
    local function three(n, with_parents)
      local list = {}
      for i = 1, 3 do list[i] = group(1 - i / 10, presses(n), { parent = with_parents and i or nil }) end
      return led.groups(unpack(list))
    end
    local played = led.play(mine, { answers = { three(3), three(5, true), three(6, true), led.groups() } })
    t.equal({ played.reason, #played.log, #played.asked }, { "llm_complete", 9 + 15 + 18, 4 })
    t.truthy(played.asked[1].text:find("Propose 3 action groups", 1, true))
    played = led.play(mine, { answers = { three(2), three(2) } })
    t.equal({ played.reason, #played.log }, { "error", 0 })
    t.truthy(played.asked[2].text:find("has 3 actions, got 2", 1, true), played.asked[2].text)
  end,

  ["a model that talks nonsense, refuses, or goes beyond all bounds does nothing and ends the model's part"] =
    function(t)
    local crowd = {}
    for i = 1, 10000 do crowd[i] = press "Space" end
    for _, answer in ipairs{ { refusal = "No." }, "Certainly!", led.groups(group(0.9, crowd)),
      led.groups(group(0.9, { click(9000, 1) })),
      led.groups(group(0.9, { led.action("navigate", { x = 1, y = 1 }, { text = "file:///etc/passwd" }) })),
      led.groups(group(0.9, { led.action("burst", { key = "Space" }, { ["repeat"] = 10000 }) })),
      led.groups(group(0.9, { click(1, 1) }, { reasoning = "The door at the end of the corridor is open, so I walk " ..
        "through it." })) } do
      local played = play{ answers = { function() return answer end } }
      t.equal({ played.reason, #played.log }, { "error", 0 })
      t.truthy(#played.asked <= 2)
      t.equal(played.report.issues[1].kind, "analysis_unavailable")
    end
  end,

  ["a look at the questions of later iterations needs no earlier ones"] = function(t)
    for iteration, words in pairs{ [2] = "give 1 to 5", [3] = "1 to 10 actions" } do
      local played = play{ answers = { led.groups() }, set = { first_iteration = iteration } }
      t.truthy(played.asked[1].text:find(words, 1, true))
      t.equal(played.ctx.state.iteration, iteration)
    end
  end,
}
