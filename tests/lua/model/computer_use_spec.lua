-- Computer use of each vendor, translated into the one vocabulary; the picture is half as large as the page.
local actions = require "qa.input.actions"
local computer_use = require "qa.model.computer_use"
local point_space = require "qa.model.point_space"
local qa = require "qa"

local function place(at)
  return { space = point_space.new{ width = 640, height = 360, scale = { x = 0.5, y = 0.5 } }, at = at }
end

---Steps of an OpenAI call: one action, or a batch.
local function openai(list, at)
  return computer_use.steps({ name = "computer", toolset = "computer",
    arguments = qa.json.encode(qa.json.array(list)) }, place(at))
end

local function anthropic(name, input, at)
  return computer_use.steps({ name = name, toolset = "computer", arguments = qa.json.encode(input) }, place(at))[1]
end

local bounds = { width = 1280, height = 720 }

return {
  ["C-040: each vendor's tool is declared as its API wants it, and by its own dialect alone"] = function(t)
    local function vendor(kind, dialect)
      return qa.json.decode(assert(computer_use.tool(kind, dialect, 768, 432)).vendor)
    end
    t.equal(vendor("computer_use_preview", "openai-responses"),
      { type = "computer_use_preview", environment = "browser", display_width = 768, display_height = 432 })
    t.equal(vendor("computer", "openai-responses"), { type = "computer" })
    t.equal(vendor("computer_20251124", "anthropic-messages"),
      { type = "computer_20251124", name = "computer", display_width_px = 768, display_height_px = 432 })
    local toolset = vendor("computer_toolset_20260801", "anthropic-messages")
    t.equal({ toolset.type, toolset.configs.zoom, toolset.configs.left_click },
      { "computer_toolset_20260801", { enabled = false } })
    for kind, dialect in pairs{ computer = "openai-chat", computer_toolset_20260801 = "openai-responses",
      computer_use_preview = "anthropic-messages",
      browser_toolset_20260801 = "anthropic-messages", [""] = "openai-chat" } do
      local none, err = computer_use.tool(kind, dialect, 1, 1)
      t.equal({ none, err.kind }, { nil, "llm_unavailable" })
    end
  end,

  ["C-042: all actions of OpenAI's computer become actions of the vocabulary, points in pixels of the page"] =
    function(t)
    local steps = openai{ { type = "click", button = "left", x = 320, y = 180 },
      { type = "double_click", x = 10, y = 20 }, { type = "move", x = 1, y = 2 },
      { type = "drag", path = { { x = 10, y = 10 }, { x = 15, y = 30 }, { x = 20, y = 10 } } },
      { type = "keypress", keys = { "ARROWLEFT" } },
      { type = "keypress", keys = { "CTRL", "A" } },
      { type = "scroll", x = 100, y = 100, scroll_x = 0, scroll_y = 200 }, { type = "type", text = "hello" },
      { type = "wait" }, { type = "screenshot" } }
    t.equal(steps[1], { action = { action = "click", target = { x = 640, y = 360 } } })
    t.equal(steps[4].action, { action = "drag", target = { x = 20, y = 20 }, to = { x = 40, y = 20 } })
    t.equal(steps[10], { look = true })
    local kinds = {}
    for i = 1, 9 do kinds[i] = assert(actions.check(steps[i].action, bounds)).action end
    t.equal(kinds, { "click", "double_click", "move", "drag", "press", "press", "scroll", "type", "wait" })
    t.equal({ actions.check(steps[5].action).key, actions.check(steps[6].action).key },
      { "ArrowLeft", { "ControlLeft", "KeyA" } })
  end,

  ["C-042: all members of Anthropic's toolset that are offered become actions, and the dated tool's"] = function(t)
    t.equal(anthropic("left_click", { coordinate = { 320, 180 } }),
      { action = { action = "click", target = { x = 640, y = 360 } } })
    t.equal(anthropic("left_click", { coordinate = qa.json.null }, { x = 7, y = 8 }),
      { action = { action = "click", target = { x = 7, y = 8 } } })
    t.equal(anthropic("left_click_drag", { start_coordinate = { 10, 10 }, coordinate = { 20, 10 } }).action,
      { action = "drag", target = { x = 20, y = 20 }, to = { x = 40, y = 20 } })
    t.equal(actions.check(anthropic("key", { text = "Return" }).action).key, "Enter")
    t.equal(actions.check(anthropic("key", { text = "ctrl+s", ["repeat"] = 2 }).action)["repeat"], 2)
    t.equal(anthropic("hold_key", { text = "Right", duration = 1.5 }).action,
      { action = "hold", key = "Right", hold_ms = 1500 })
    t.equal(anthropic("scroll", { coordinate = { 10, 10 }, scroll_direction = "down", scroll_amount = 3 }).action,
      { action = "scroll", target = { x = 20, y = 20 }, dx = 0, dy = 300 })
    t.equal({ anthropic("wait", { duration = 2 }).action.wait_ms, anthropic("type", { text = "a" }).action.text,
      anthropic("screenshot", {}).look },
      { 2000, "a", true })
    local dated = computer_use.steps({ name = "computer", toolset = "",
      arguments = '{"action":"mouse_move","coordinate":[1,2]}' }, place())
    t.equal(dated, { { action = { action = "move", target = { x = 2, y = 4 } } } })
    for _, name in ipairs(computer_use.not_offered) do
      t.truthy(anthropic(name, { coordinate = { 1, 1 } }).error, name)
    end
  end,

  ["what is no action of a game says why, and nothing is guessed"] = function(t)
    for _, item in ipairs{ { type = "click", button = "right", x = 1, y = 1 },
      { type = "click", x = 1, y = 1, keys = { "SHIFT" } }, { type = "click" },
      { type = "click", x = 9000, y = 1 }, { type = "click", x = -1, y = 1 }, { type = "click", x = "1", y = 1 },
      { type = "drag", path = {} },
      { type = "launch_missiles" }, {} } do
      local step = openai{ item }[1]
      t.truthy(step.error and not step.action, qa.json.encode(item))
    end
    t.truthy(openai({ "click" })[1].error)
    t.truthy(anthropic("scroll", { scroll_direction = "inwards", scroll_amount = 1 }).error)
    t.truthy(anthropic("left_click", { coordinate = { 1 } }).error and anthropic("left_click", {}).error)
    -- What has the wrong type goes on as it is and is refused by the vocabulary.
    for _, step in ipairs{ openai{ { type = "keypress", keys = {} } }[1], openai{ { type = "type", text = 7 } }[1],
      anthropic("hold_key", { text = "a" }),
      anthropic("wait", { duration = 1e9 }), anthropic("key", { text = "Turbo" }) } do
      t.falsy((actions.check(step.action, bounds)))
    end
    -- And told as what it was.
    for words, item in pairs{ ["press null+A"] = { type = "keypress", keys = qa.json.array{ qa.json.null, "A" } },
      ['type "true"'] = { type = "type", text = true },
      ["scroll 2,4 by 0,down"] = { type = "scroll", x = 1, y = 2, scroll_y = "down" } } do
      local step = openai{ item }[1]
      t.falsy((actions.check(step.action, bounds)))
      t.equal(actions.describe(step.action), words)
    end
    t.truthy(computer_use.steps({ name = "computer", toolset = "computer", arguments = "not json" }, place())[1].error)
    local many = {}
    for i = 1, 10000 do many[i] = { type = "wait" } end
    t.equal(#openai(many), computer_use.most_actions + 1)
  end,

  ["the pointer's place is kept for actions without a coordinate"] = function(t)
    local kept = place()
    computer_use.steps({ name = "mouse_move", toolset = "computer", arguments = '{"coordinate":[5,6]}' }, kept)
    t.equal(kept.at, { x = 10, y = 12 })
  end,
}
