-- The agent strategy against scripted models, in every form of tool, on a page in a real browser.
local scripted = require("qa").load_chunk("tests/strategies/support/scripted_answers.lua")()
local options = require "qa.run.options"
local qa = require "qa"
local strategies = require "qa.run.strategy_file"
local without_pictures = qa.load_chunk("tests/strategies/support/without_pictures.lua")()

local agent_tools = strategies.part "agent.tools"
local agent = strategies.load "agent"
local null = qa.json.null

local places = { Red = { 160, 135 }, Green = { 420, 135 }, Field = { 1000, 320 }, Next = { 1000, 110 } }

---A call of an action tool, in pixels of the picture that was sent.
local function act(kind, more)
  local arguments = { reasoning = "I try it", action = kind }
  for _, field in ipairs(agent_tools.of_actions{ kind }[kind].parameters.fields) do
    if arguments[field[1]] == nil then arguments[field[1]] = null end
  end
  for key, value in pairs(more or {}) do arguments[key] = value end
  return { name = kind, arguments = arguments }
end
local function click(name) return act("click", { target = scripted.at(unpack(places[name])) }) end
local function done(success, message)
  return { name = "done", arguments = { success = success ~= false, message = message or "it plays" } }
end

---Answers in their order, the last again and again; each is a list of calls, an answer, or a function of the request.
local function turns(list)
  return function(spec, n)
    local one = list[math.min(n, #list)]
    if type(one) == "function" then one = one(spec) end
    if one.kind then return nil, one end
    return one[1] and { calls = one } or one
  end
end

local function play(list, more) return scripted.play("agent", turns(list), more) end

local function text_of(spec)
  local texts = {}
  for _, message in ipairs(spec.messages) do
    for _, part in ipairs(message.parts or {}) do texts[#texts + 1] = part.text end
  end
  return table.concat(texts, "\n")
end

local metadata = { genre = "puzzle", inputSchema = { type = "javascript", content = "x",
  actions = { "Flip", { name = "Undo", keys = { "KeyU" } } },
  axes = { { name = "Cursor", keys = { "ArrowLeft", "ArrowRight" } } } },
    testingStrategy = { criticalActions = { "Flip" }, instructions = "flip all tiles" } }

return {
  ["C-040: 25 steps, 240 s and the preview of computer use are the defaults"] = function(t)
    t.equal({ agent.options.max_steps.default, agent.options.max_duration_ms.default, agent.options.model.default },
      { 25, 240000, "openai-responses/computer-use-preview" })
    local endpoint = require("qa.model.endpoints").resolve("openai-responses")
    t.equal({ endpoint.dialect, endpoint.model, endpoint.name },
      { "openai-responses", "computer-use-preview", "openai" })
  end,

  ["C-040, C-043: the last step ends the play, which is no failure"] = function(t)
    local outcome, asked = play({ function() return { click "Red" } end }, { set = { max_steps = "3" } })
    t.equal({ outcome.reason, #asked, outcome.report.metadata.stagehandAgent.turns }, { "max_steps", 3, 3 })
    t.equal({ outcome.report.metadata.stagehandAgent.completed, outcome.report.metadata.stagehandAgent.success },
      { false, false })
    t.truthy(outcome.status ~= "error" and outcome.status ~= "fail", outcome.status)
  end,

  ["C-041: the instruction names genre, controls, objectives and how long to play"] = function(t)
    local _, asked = play({ { done() } }, { metadata = metadata })
    local text = text_of(asked[1])
    t.truthy(text:find("Test this puzzle game. Expected controls: Flip, Undo, Cursor. Your objectives: ", 1, true),
      text)
    t.truthy(text:find("use Flip; flip all tiles. Play for about 2 minutes or\nuntil you reach a clear completion " ..
      "point.", 1, true), text)
    _, asked = play{ { done() } }
    t.truthy(text_of(asked[1]):find("Test this browser game. Expected controls: click.", 1, true))
  end,

  ["C-042: the model plays with tools, and the report has what it did as the seed has it"] = function(t)
    local outcome, asked, log = play{
      function(spec)
        local names = {}
        for _, tool in ipairs(spec.tools) do names[#names + 1] = tool.name end
        t.equal(table.concat(names, " "), "burst click done double_click drag extract hold move navigate press " ..
          "scroll type wait")
        return { click "Red", act("press", { target = { key = "ArrowRight" } }),
          act("type", { target = scripted.at(unpack(places.Field)), text = "hi" }) }
      end,
      function()
        return { act("scroll", { dy = 100 }), act("wait", { wait_ms = 10 }), { name = "extract", arguments = {} } }
      end,
      function(spec)
        local text = text_of(spec)
        t.truthy(text:find("done: click 160,13", 1, true) and text:find("<<<page ", 1, true)
          and text:find("Green", 1, true), text)
        return { { name = "navigate", arguments = { url = "?again" } } }
      end,
      { done(true, "all tiles answer") },
    }
    t.equal({ outcome.reason, #asked }, { "llm_complete", 4 })
    t.truthy(log ~= nil)
    local told = outcome.report.metadata.stagehandAgent
    t.equal({ told.success, told.completed, told.message, told.form, told.usage.calls },
      { true, true, "all tiles answer", "functions", 4 })
    local kinds = {}
    for i, one in ipairs(told.actions) do
      kinds[i] = one.type
      t.truthy(one.completed and one.url:find("^http") and one.timestamp:find("^20") and one.reasoning, one.type)
    end
    t.equal(table.concat(kinds, " "), "click press type scroll wait extract navigate done")
    t.truthy(told.actions[#told.actions].url:find("?again", 1, true))
    t.equal({ #outcome.report.metadata.actionHistory, outcome.report.metrics.spans.turn.n }, { 5, 4 })
  end,

  ["C-042: what a model does reaches the page, several calls a turn, in their order"] = function(t)
    local _, asked, log = play{ function() return { click "Red", click "Green",
      act("press", { target = { key = "ArrowRight" } }) } end, { done() } }
    t.equal(log, "Red Green ArrowRight")
    t.equal({ asked[1].pictures, asked[2].pictures }, { 1, 2 })
  end,

  ["C-042: what is called after done is not done"] = function(t)
    local outcome, _, log = play{ function() return { click "Red", done(), click "Green", done(false, "no") } end }
    local told = outcome.report.metadata.stagehandAgent
    t.equal({ log, outcome.reason, told.success, told.message, #told.actions },
      { "Red", "llm_complete", true, "it plays", 2 })
  end,

  ["C-042: tools of one's own are written in Lua, and an action that one returns passes the same gates"] = function(t)
    local seen
    local own = { score = { doc = "the score", parameters = qa.schema.object{ { "of", qa.schema.string() } },
        run = function(ctx, args) return args.of .. ": " .. tostring(ctx.page:evaluate("log.length")) end },
      broken = { doc = "fails", run = function() return nil, { kind = "io_error", message = "no such thing" } end },
      leap = { doc = "presses a key", action = function() return { action = "press", key = "ArrowRight" } end },
      fly = { doc = "presses no key", action = function() return { action = "press", key = "Warp" } end } }
    local outcome, _, log = play({ { { name = "leap" }, { name = "fly" },
      { name = "score", arguments = { of = "tiles" } }, { name = "broken" } },
      function(spec)
        seen = text_of(spec)
        return { done() }
      end }, { lists = { tools = qa.inherit(own) } })
    t.equal(log, "ArrowRight")
    t.truthy(seen:find("tiles: 1", 1, true) and seen:find("no such thing", 1, true)
      and seen:find("unknown key 'Warp'", 1, true), seen)
    t.equal(outcome.report.metadata.actionHistory[2].success, false)
  end,

  ["C-042: navigate stays on the game's own origin, and opens nothing but http"] = function(t)
    local ctx = { url = "http://127.0.0.1:41000/game/index.html?x=1", options = { off_origin = false } }
    for address, expected in pairs{ ["/other"] = "http://127.0.0.1:41000/other",
      ["level2.html"] = "http://127.0.0.1:41000/game/level2.html",
      ["?level=2"] = "http://127.0.0.1:41000/game/index.html?level=2",
      ["http://127.0.0.1:41000/a"] = "http://127.0.0.1:41000/a",
      ["HTTP://127.0.0.1:41000/a"] = "HTTP://127.0.0.1:41000/a" } do
      t.equal(agent_tools.address(ctx, address) or false, expected, address)
    end
    -- Names of containers have underscores.
    local named = { url = "HTTP://my_game:8080/", options = { off_origin = false } }
    t.equal({ (agent_tools.address(named, "/a")), (agent_tools.address(named, "http://my_game:8080/b")) },
      { "http://my_game:8080/a", "http://my_game:8080/b" })
    t.equal(select(2, agent_tools.address(named, "http://example.com/")).kind, "navigation_denied")
    for _, address in ipairs{ "file:///etc/passwd", "FILE:///etc/passwd", "chrome://settings", "javascript:alert(1)",
      "data:text/html,x", "about:blank",
      "http://example.com/", "https://127.0.0.1:41000/", "http://127.0.0.1:41001/", "//example.com", "\\\\example.com",
      "http:/\\example.com",
      "http://127.0.0.1:41000@example.com/", "http://user@127.0.0.1:41000/", "http://127.0.0.1:41000.example.com/",
      "view-source:http://127.0.0.1:41000/",
      " file:///etc/passwd", "fi\nle:///etc/passwd" } do
      local none, err = agent_tools.address(ctx, address)
      t.equal({ none, err.kind }, { nil, "navigation_denied" }, address)
    end
    ctx.options.off_origin = true
    t.equal(agent_tools.address(ctx, "http://example.com/"), "http://example.com/")
    t.falsy((agent_tools.address(ctx, "file:///etc/passwd")))
    local _, asked, log = play{ { { name = "navigate", arguments = { url = "file:///etc/passwd" } } },
      function() return { click "Red" } end, { done() } }
    t.truthy(text_of(asked[2]):find("only http and https", 1, true))
    t.equal(log, "Red")
  end,

  ["C-040: OpenAI's computer use, first generation: one action a call, the screen as its answer"] = function(t)
    local at = { x = 100, y = 80 }
    local outcome, asked, log = play({
      function(spec)
        t.equal(qa.json.decode(spec.tools[1].vendor).type, "computer_use_preview")
        t.equal(#spec.tools, 4)
        at = scripted.at(unpack(places.Red))
        return { items = '[{"type":"computer_call"}]', calls = { { name = "computer", toolset = "computer",
          arguments = qa.json.array{ { type = "click", button = "left", x = at.x, y = at.y } } } } }
      end,
      function(spec)
        local count = #spec.messages
        t.equal(spec.messages[2].items, '[{"type":"computer_call"}]')
        t.equal({ spec.messages[3].role, spec.messages[3].toolset, spec.messages[3].parts[2].image },
          { "tool", "computer", 2 })
        t.equal(spec.messages[count].role, "user")
        return { text = "The tile turned black.", items = "[]" }
      end,
    }, { model = "openai-responses/computer-use-preview" })
    t.equal({ log, outcome.reason, #asked }, { "Red", "llm_complete", 2 })
    local told = outcome.report.metadata.stagehandAgent
    t.equal({ told.form, told.message, told.completed, told.actions[1].type },
      { "computer_use_preview", "The tile turned black.", true, "click" })
    t.equal(asked[1].max_output, 1024)
  end,

  ["C-040: OpenAI's computer use, second generation: a batch in one call"] = function(t)
    local outcome, _, log = play({ function()
      local red, green = scripted.at(unpack(places.Red)), scripted.at(unpack(places.Green))
      return { items = "[{}]",
        calls = { { name = "computer", toolset = "computer",
        arguments = qa.json.array{ { type = "click", x = red.x, y = red.y },
        { type = "click", x = green.x, y = green.y }, { type = "keypress", keys = { "ARROWRIGHT" } },
        { type = "screenshot" } } } } }
    end, { text = "seen", items = "[{}]" } }, { model = "openai-responses/gpt-5.4" })
    t.equal({ log, outcome.report.metadata.stagehandAgent.form }, { "Red Green ArrowRight", "computer" })
  end,

  ["C-040: Anthropic's computer toolset: a tool each action"] = function(t)
    local outcome, asked, log = play({ function(spec)
      t.equal(qa.json.decode(spec.tools[1].vendor).type, "computer_toolset_20260801")
      t.equal(spec.extra, { cache_control = { type = "ephemeral" } })
      local red = scripted.at(unpack(places.Red))
      return { items = "[{}]",
        calls = { { name = "left_click", toolset = "computer", arguments = { coordinate = { red.x, red.y } } },
        { name = "key", toolset = "computer", arguments = { text = "Right" } },
        { name = "zoom", toolset = "computer", arguments = { region = { 1, 2, 3, 4 } } } } }
    end, { done() } }, { model = "anthropic/claude-sonnet-5" })
    t.equal({ log, outcome.report.metadata.stagehandAgent.form }, { "Red ArrowRight", "computer_toolset_20260801" })
    t.truthy(text_of(asked[2]):find("zoom is not possible here", 1, true))
    t.equal(asked[2].messages[4].parts[1].text, "done: press Right")
  end,

  ["C-043: a safety check of the vendor ends the play, unless the tester says otherwise"] = function(t)
    local function call()
      local red = scripted.at(unpack(places.Red))
      return { items = "[{}]",
        calls = { { name = "computer", toolset = "computer",
        arguments = qa.json.array{ { type = "click", x = red.x, y = red.y } },
        checks = '[{"id":"s1","code":"malicious_instructions","message":"the page asks for\\u001b[2J more"}]' } } }
    end
    local model = "openai-responses/computer-use-preview"
    local outcome, asked, log = play({ call }, { model = model })
    t.equal({ outcome.reason, #asked, log }, { "safety_check", 1, "" })
    local told = outcome.report.metadata.stagehandAgent
    t.equal({ #told.safety_checks, told.completed }, { 1, false })
    t.truthy(told.safety_checks[1]:find("malicious_instructions", 1, true)
      and not told.safety_checks[1]:find("\27", 1, true))
    outcome, asked, log = play({ call, { text = "end", items = "[{}]" } },
      { model = model, set = { acknowledge_checks = "true" } })
    t.equal({ outcome.reason, log }, { "llm_complete", "Red" })
    t.truthy(asked[2].messages[3].checks:find('"s1"', 1, true))
  end,

  ["C-043: a model that cannot be reached is an error result, at once and in the middle; no other mode takes over"] =
    function(t)
    local down = { kind = "llm_unavailable", message = "connection refused" }
    for n, list in pairs{ { down }, { function() return { click "Red" } end, down } } do
      local outcome, asked = play(list)
      t.equal({ outcome.status, outcome.exit_code, #asked }, { "error", 4, n })
      local told = outcome.report.metadata.stagehandAgent
      t.equal({ told.success, told.completed }, { false, false })
      t.truthy(told.message:find("connection refused", 1, true))
      t.equal(#outcome.report.metadata.actionHistory, n - 1)
    end
  end,

  ["C-043: time that is over is told in the result, and the run is judged by what was measured"] = function(t)
    local outcome = play({ function()
      qa.sleep(700)
      return { click "Red" }
    end }, { set = { max_duration_ms = "3500" } })
    t.equal(outcome.reason, "max_duration")
    local told = outcome.report.metadata.stagehandAgent
    t.equal({ told.success, told.completed }, { false, false })
    t.truthy(told.message:find("max_duration", 1, true) and outcome.status ~= "error", told.message)
  end,

  ["C-043: a model too slow or too busy is an error with exit code 4; one the run has no time for is not"] = function(t)
    for _, kind in ipairs{ "timeout", "llm_rate_limited", "llm_too_large" } do
      local outcome = play{ { kind = kind, message = "no" } }
      t.equal({ outcome.status, outcome.exit_code, outcome.report.metadata.stagehandAgent.success },
        { "error", 4, false }, kind)
    end
    local asked_for
    local outcome = play({ function(spec)
      asked_for = spec.timeout_ms
      qa.sleep(math.max(0, spec.timeout_ms) + 20)
      return { kind = "timeout", message = "no answer" }
    end }, { set = { max_duration_ms = "12000" } })
    t.equal(outcome.reason, "max_duration")
    t.truthy(outcome.status ~= "error" and asked_for and asked_for <= 8000, asked_for)
  end,

  ["C-043: a form of tool that the model does not have is an error, no other is taken"] = function(t)
    for set, why in pairs{ computer = "has no computer tool",
      magic = "tool_form: expected auto, computer or functions, got 'magic'" } do
      local outcome, asked = play({ { done() } }, { set = { tool_form = set } })
      t.equal({ outcome.status, #asked }, { "error", 0 })
      t.truthy(outcome.error:find(why, 1, true), outcome.error)
    end
    local _, asked = play({ { done() } }, { model = "openai-responses/computer-use-preview",
      set = { tool_form = "functions" } })
    t.equal(asked[1].tools[1].vendor, nil)
  end,

  ["a page that gives no picture ends the model's part, and the run is judged by what was measured"] = function(t)
    local outcome, tries = without_pictures("agent", function() return (play{ { done() } }) end)
    t.equal({ outcome.reason, outcome.status, tries }, { "timeout", "inconclusive", 3 }, outcome.error)
    t.truthy(outcome.report.metadata.stagehandAgent.message:find("timeout", 1, true))
  end,

  ["an option that has no effect, or a word that it does not know, is refused"] = function(t)
    for _, name in ipairs{ "answer_tokens", "history", "html_tokens", "pace_ms", "temperature" } do
      t.raises(function() options.resolve(agent, { [name] = "1" }) end, "agent has no such option")
    end
    local ok, err = agent.prepare{ options = options.resolve(agent, { cost_rule = "seeds" }) }
    t.equal({ ok, err.message },
      { nil, "--set cost_rule: expected measured or seed, got 'seeds' (did you mean 'seed'?)" })
  end,

  ["an answer that cannot be used is asked for again, three in a row are an error"] = function(t)
    local bad = { kind = "llm_invalid", message = "no answer" }
    local outcome, asked = play{ bad, bad, { done() } }
    t.equal({ outcome.reason, #asked }, { "llm_complete", 3 })
    outcome, asked = play{ bad }
    t.equal({ outcome.status, outcome.exit_code, #asked }, { "error", 4, 3 })
    -- One that was cut short is paid for.
    outcome = play{ { text = "and so on", finish = "length" }, { done() } }
    t.equal({ outcome.reason, outcome.report.metadata.stagehandAgent.usage.calls }, { "llm_complete", 2 })
    outcome, asked = play({ bad }, { set = { most_unusable = "1" } })
    t.equal({ outcome.status, #asked }, { "error", 1 })
  end,

  ["a model that hallucinates stays inside the bounds, and is no evidence"] = function(t)
    local many = {}
    for i = 1, 500 do many[i] = { name = "wait", arguments = { reasoning = "x", action = "wait", wait_ms = 1 } } end
    for name, answer in pairs{
      off_screen = { act("click", { target = { x = 5000, y = -3 } }) },
      keys = { act("press", { target = { key = "Turbo" } }) },
      many = many,
      long = { act("burst", { target = { key = "Space" }, ["repeat"] = 10000 }),
        act("hold", { target = { key = "Space" }, hold_ms = 99999999 }) },
      file = { { name = "navigate", arguments = { url = "file:///etc/passwd" } } },
      tools = { { name = "launch", arguments = {} }, { name = "click", arguments = "][" },
        { name = "computer", toolset = "computer", arguments = "[]" } },
      refusal = { finish = "refusal", refusal = "I cannot help with games" },
      quoting = { done(true, "Test this [genre] game. Play for about 2 minutes or until you reach a clear " ..
        "completion point.") },
      another_game = { act("press", { target = { key = "KeyZ" } }),
        done(true, "I reached level 9 of Pac-Man, score 85, minor UI alignment issue in menu") },
    } do
      local outcome, asked = play({ answer }, { set = { max_steps = "2" } })
      t.equal(outcome.status, "inconclusive", name .. " " .. tostring(outcome.error))
      t.truthy(#asked <= 2, name)
      t.truthy(#outcome.report.metadata.actionHistory <= 30, name .. #outcome.report.metadata.actionHistory)
      t.truthy(#outcome.report.metadata.stagehandAgent.actions <= 1500, name)
    end
  end,

  ["what the model leaves open is settled by the strategy's own inputs"] = function(t)
    local outcome = play({ { done(true, "score 85") } }, { set = { interaction_ms = "12000", overtime_ms = "20000" } })
    t.equal({ outcome.reason, outcome.status }, { "llm_complete", "pass" })
    t.truthy(outcome.report.checks[4].evidence[1]:find("without it nothing changed", 1, true))
    t.truthy(#outcome.report.metadata.actionHistory >= 1, "the strategy's own inputs are told")
  end,

  ["silence after a model's inputs proves nothing about the game"] = function(t)
    local outcome = play({ function() return { act("press", { target = { key = "F2" } }) } end },
      { set = { max_steps = "4", min_trials = "3" } })
    t.equal({ outcome.status, #outcome.report.metadata.actionHistory }, { "inconclusive", 4 })
    for _, action in ipairs(outcome.report.metadata.actionHistory) do t.equal(action.stateProgressed, false) end
  end,

  ["what the model plays is evidence of its own"] = function(t)
    local outcome = play{ function() return { click "Red" } end, function() return { click "Green" } end,
      function() return { click "Red" } end, { done() } }
    t.equal(outcome.status, "pass", qa.json.encode(outcome.report.checks))
    t.equal(#outcome.report.metadata.actionHistory, 3)
  end,
}
