-- Ready detection and game type (C-014, C-015, C-016, P-09, P-12).
local ready = require "qa.ready"
local strategy = require("qa.strategy").load("standard")

local function state(fields)
  local value = { canvases = {}, iframes = {}, visible_text = "", has_game_classes = 0, images_pending = 0, ready_state = "complete" }
  for key, field in pairs(fields or {}) do value[key] = field end
  return { value = value, width = 800, height = 600, x = 0, y = 0 }
end
local canvas = { visible = true, width = 640, height = 480 }

return {
  ["C-014: canvas comes before iframe before dom before unknown"] = function(t)
    t.equal(ready.game_type({ state{ canvases = { canvas }, has_game_classes = 3 } }, 5), "canvas")
    t.equal(ready.game_type({ state{ iframes = { { cross_origin = true, width = 400, height = 300 } }, has_game_classes = 2 } }, 1), "iframe")
    t.equal(ready.game_type({ state{}, state{ canvases = { canvas } } }, 0), "iframe")
    t.equal(ready.game_type({ state{ has_game_classes = 1 } }, 0), "dom")
    t.equal(ready.game_type({ state{} }, 2), "dom")
    t.equal(ready.game_type({ state{} }, 0), "unknown")
  end,

  ["C-014: a canvas nobody can see does not make a canvas game"] = function(t)
    t.equal(ready.game_type({ state{ canvases = { { visible = false, width = 640, height = 480 } }, has_game_classes = 1 } }, 0), "dom")
  end,

  ["P-12: loading words count at word borders only"] = function(t)
    local words = strategy.lists.loading_words
    t.truthy(ready.loading_phrase("LOADING... 45%", words))
    t.truthy(ready.loading_phrase("Please wait", words))
    t.truthy(ready.loading_phrase("initialising audio", words))
    t.falsy(ready.loading_phrase("This game was made to show how loading sprites from a sheet works in a canvas", words))
    t.falsy(ready.loading_phrase("Download the game, reload, choose a loadout", words))
    t.falsy(ready.loading_phrase("Reloading takes 2 s", words))
  end,

  ["C-015: four of seven signals within 60 s are the defaults"] = function(t)
    t.equal(strategy.options.ready_signals.default, 4)
    t.equal(strategy.options.ready_ms.default, 60000)
    t.equal(ready.count{ a = true, b = false, c = true }, 2)
  end,
}
