-- qa.effect on the scenes of tests/accept/eyes/progress.html, of which is known whether an input is answered.
-- usage, from the project's folder: qa-host tests/accept/cause/scenes.lua [PAIRS]    PAIRS per kind, half of them live
local qa = require "qa"
local acceptance = assert(qa.load_chunk("tests/support/acceptance.lua"))()
local effects = require "qa.effect.effect"
local time = require "qa.page.time"
local worlds = require "qa.world.world"

local pairs_each = tonumber(qa.args[1]) or 20
local KINDS = { "static_scene", "particles", "clock", "parallax", "hover", "caret", "level_change", "score_tick",
  "late_answer", "spinner", "pulse", "noise", "page_text", "daylight" }
local WIDTH, HEIGHT, FRAMES = 640, 360, 30
local KEY = { action = "press", key = "KeyA", hold_ms = 50 }
local CLICK = { action = "click", x = WIDTH / 2, y = HEIGHT / 2, hold_ms = 50 }

local server = assert(qa.serve("tests/accept/eyes"))
local browser = assert(qa.browser.launch{ clock = "game" })

---@return boolean? answered nil: the page does not repeat
---@return qa.Error? err
local function ask(kind, seed, is_live, move)
  local url = ("%sprogress.html#%s,%d,%s"):format(server.url, kind, seed, tostring(is_live))
  local world = assert(worlds.open(browser, { url = url, width = WIDTH, height = HEIGHT }))
  local effect, err
  time.during(world.page, function()
    world:step(FRAMES)
    world.page:move(CLICK)
    effect, err = effects.of(world, move)
  end)
  world:close()
  if not effect then return nil, err end
  return effect.changed and effect.lasts ~= false and not effect.is_native
end

local right, all, wrong, unknown = 0, 0, {}, {}
for _, kind in ipairs(KINDS) do
  for i = 1, pairs_each do
    local is_live, move = i % 2 == 1, i % 4 > 1 and KEY or CLICK
    local answered, err = ask(kind, i, is_live, move)
    local name = ("%s %d, %s, %s"):format(kind, i, is_live and "live" or "dead", move.action)
    if answered == nil then
      unknown[#unknown + 1] = name .. ": " .. err.message
    else
      all, right = all + 1, right + (answered == is_live and 1 or 0)
      if answered ~= is_live then wrong[#wrong + 1] = name end
    end
  end
end
browser:close()
local function joined(list) return #list > 0 and table.concat(list, "; ") or "none" end
acceptance.row("scenes_by_effect", ("%d of %d that repeat; wrong: %s; do not repeat: %s"):format(right, all,
  joined(wrong), joined(unknown)), "all that repeat", right == all and all > 0)
