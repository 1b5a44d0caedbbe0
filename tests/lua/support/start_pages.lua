-- Pages for specs of the start cascade: the cascade is run on one, on game time or in real time.
local qa = require "qa"
local clock_page = require("qa").load_chunk("tests/lua/support/clock_page.lua")()
local cascade = require "qa.start.cascade"
local time = require "qa.page.time"
local worlds = require "qa.world.world"
local strategy = require("qa.run.strategy_file").load("standard")

local M = {}

function M.defaults()
  local options = {}
  for name, option in pairs(strategy.options) do options[name] = option.default end
  return options
end

---Runs the cascade (or `how`) on a page, and gives its result and the attempts.
local function run_on(page, url, controls, state, how, world)
  local attempts = {}
  local ctx = { page = page, world = world, url = url, width = 640, height = 360, options = M.defaults(),
    lists = strategy.lists,
    state = { window_ms = strategy.options.window_ms.default, controls = controls or {} },
    event = function(_, name, data)
      if name == "start_attempt" then attempts[#attempts + 1] = data end
    end }
  ctx.options.hold_ms = 120
  for name, value in pairs(state or {}) do ctx.state[name] = value end
  how = how or function() return cascade.run(ctx, function() return true end, function() return false end) end
  return how(ctx), attempts
end

local function html_of(body, script)
  return [[<div id="scene" style="position:fixed;inset:0;background:#fff;z-index:-1"></div>]] .. body ..
    "<script>window.go = () => { document.body.style.background = '#123'; " ..
    "document.getElementById('scene').style.background = '#123' };" .. script .. "</script>"
end

---On game time.
function M.run(body, script, controls, state, how)
  local result, attempts
  clock_page.with(html_of(body, script), function(_, server, browser)
    local world = assert(worlds.open(browser, { url = server.url, width = 640, height = 360,
      page = { tap_text = true } }))
    assert(world:step(10))
    time.during(world.page, function()
      result, attempts = run_on(world.page, server.url, controls, state, how, world)
    end)
    world:close()
  end)
  return result, attempts
end

---In real time, where a trial is compared with windows without input.
function M.run_in_real_time(body, script, controls, state, how)
  local result, attempts
  clock_page.with(html_of(body, script), function(_, server)
    local browser = assert(qa.browser.launch{})
    local page = assert(browser:new_page{ width = 640, height = 360, tap_text = true })
    assert(page:navigate(server.url))
    -- The first paint is not part of any control.
    page:settle{ quiet_ms = 150, max_ms = 3000 }
    result, attempts = run_on(page, server.url, controls, state, how)
    browser:close()
  end)
  return result, attempts
end

---Paints a menu whose START button does `action`; everything else on the canvas is dead.
function M.canvas_menu(action, name)
  return ([[
    const painted = %s, ctx = painted.getContext('2d');
    ctx.fillStyle = '#dde'; ctx.fillRect(0, 0, 640, 360);
    ctx.fillStyle = '#223'; ctx.fillRect(380, 220, 180, 60);
    ctx.fillStyle = '#fff'; ctx.font = 'bold 32px "DejaVu Sans"'; ctx.textAlign = 'center'; ctx.textBaseline = 'middle';
    ctx.fillText('START', 470, 250);
    addEventListener('mousedown', e => {
      if (e.clientX > 380 && e.clientX < 560 && e.clientY > 220 && e.clientY < 280) {
        document.querySelector('canvas').remove(); %s }
    });
  ]]):format(name or "document.querySelector('canvas')", action)
end

return M
