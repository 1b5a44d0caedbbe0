-- Isolated groups (A-G1): before each the game is opened anew, and brought to where the group goes on from.
local qa = require "qa"
local ready = require "qa.page.ready"
local led = qa.load_chunk("tests/strategies/support/led_play.lua")()

local click, press, group = led.click, led.press, led.group

---Plays isolated groups. opened: called each time that the page is opened; gives what its navigation gives.
local function play(answers, opened)
  local real_wait, n = ready.wait, 0
  function ready.wait() end
  local ok, played = pcall(led.play, "action_groups",
    { set = { isolate = true }, answers = answers, before = function(ctx)
    ctx.page.navigate = function()
      n = n + 1
      table.insert(ctx.page.log, { "navigate" })
      if opened then return opened(ctx, n) end
      return { status = 200 }
    end
  end })
  ready.wait = real_wait
  if not ok then error(played, 0) end
  local names = {}
  for i, entry in ipairs(played.log) do
    names[i] = entry[1] == "mouse_click" and "click " .. entry[2] or entry[2] or entry[1]
  end
  return played, names
end

return {
  ["A-G1: isolated groups each begin with the game anew, in the state that their parent led to"] = function(t)
    local played, names = play{ led.groups(group(0.9, { click(1, 1) }), group(0.8, { click(200, 200) })),
      led.groups(group(0.9, { press "Space" }, { parent = 2 })), led.groups() }
    t.equal(played.reason, "llm_complete")
    t.equal(names, { "navigate", "click 1", "navigate", "click 200", "navigate", "click 200", "Space" })
    -- What is repeated to get there counts neither as an action nor as history.
    t.equal({ played.ctx.state.actions, #played.report.metadata.actionHistory }, { 3, 3 })
  end,

  ["a group that only says complete opens nothing: it speaks of the game as it stands"] = function(t)
    local played, names = play{ led.groups(group(0.9, { click(1, 1) }), group(0.8, { led.action "complete" })) }
    t.equal({ played.reason, played.ctx.state.led_to_end }, { "llm_complete", true })
    t.equal(names, { "navigate", "click 1" })
  end,

  ["where the game cannot be opened anew nothing is played"] = function(t)
    for reason, answer in pairs{ load_failed = { status = 503 },
      error = { kind = "navigation_error", message = "no route" } } do
      local played, names = play({ led.groups(group(0.9, { click(1, 1) })) }, function()
        if answer.status then return answer end
        return nil, answer
      end)
      t.equal({ played.reason, names }, { reason, { "navigate" } })
    end
  end,

  ["a way that cannot be gone again to its end is told, and its group is not run from elsewhere"] = function(t)
    local played, names = play({ led.groups(group(0.9, { click(1, 1) })),
      led.groups(group(0.9, { press "Space" }, { parent = 1 })) },
      function(ctx, n)
        if n == 2 then
          ctx.page.mouse_click = function() return nil, { kind = "timeout", message = "no answer to the click" } end
        end
        return { status = 200 }
      end)
    t.equal({ played.reason, names }, { "zero_successful_groups", { "navigate", "click 1", "navigate" } })
    local told = led.events(played, "group")[2]
    t.equal({ told.executed, told.progressed, #played.ctx.state.failed_groups }, { 0, "unknown", 0 })
    t.truthy(told.error:find("no answer to the click", 1, true), told.error)
  end,

  ["what failed in a group is not repeated on the way to the next"] = function(t)
    local _, names = play{ led.groups(group(0.9, { click(1, 1) })),
      led.groups(group(0.9, { press "Jump", press "Space" }, { parent = 1 })),
      led.groups(group(0.9, { press "Enter" }, { parent = 1 })), led.groups() }
    t.equal(names, { "navigate", "click 1", "navigate", "click 1", "Space", "navigate", "click 1", "Space", "Enter" })
  end,

  ["the way ends with the time of the model's part"] = function(t)
    local played, names = play({ led.groups(group(0.9, { click(1, 1) })),
      led.groups(group(0.9, { press "Space" }, { parent = 1 })) },
      function(ctx, n)
        if n == 2 then ctx.elapsed = 200000 end
        return { status = 200 }
      end)
    t.equal({ played.reason, names }, { "max_duration", { "navigate", "click 1", "navigate" } })
  end,
}
