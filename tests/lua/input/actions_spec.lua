-- The vocabulary of actions: what models may write, what is refused by name, and what the page is asked to do.
local actions = require "qa.input.actions"
local keys = require "qa.text.key_names"
local point_space = require "qa.model.point_space"
local qa = require "qa"
local schema = require "qa.model.schema"
local structured = require "qa.model.structured"

local view = { width = 1280, height = 720 }

---A page that records what it is asked to do. rows: what can be clicked.
local function page_of(rows)
  local page = { log = {} }
  local function record(name)
    return function(_, ...)
      table.insert(page.log, { name, ... })
      return true
    end
  end
  for _, name in ipairs{ "press", "mouse_click", "mouse_drag", "type", "wheel", "move" } do
    page[name] = record(name)
  end
  function page.clickables() return rows or {} end
  function page.wait_for(_, target)
    if target == "#coin" or type(target) == "table" and target.text == "Play" then return { x = 50, y = 60 } end
    return nil, { kind = "element_not_found", message = "nothing matches" }
  end
  function page.probe() return { { frame = "main", value = { scroll = { x = 0, y = 0 }, canvases = {
    { x = 100, y = 50, width = 400, height = 200, pixel_width = 800, pixel_height = 400, visible = true } } } } } end
  return page
end

local function ctx_of(page, limits)
  return { page = page, state = {}, width = 1280, height = 720, limits = limits or {}, events = {},
    event = function(self, name, data) table.insert(self.events, { name, data }) end,
    elapsed_ms = function() return 1000 end, wait = function(self, ms) self.waited = ms end }
end

local function refused(t, action, pattern, kind, bounds)
  local made, err = actions.check(action, bounds or view)
  t.equal(made, nil, pattern)
  t.equal(err.kind, kind or "type_mismatch")
  t.truthy(err.message:find(pattern), err.message)
end

local function performed(action, opts, rows)
  local page = page_of(rows)
  local ctx = ctx_of(page)
  return actions.perform(ctx, action, opts), page.log, ctx
end

---A model's answer read by the schema.
local function answered(text, opts, space)
  local compiled = schema.compile(actions.schema(opts), { space = space })
  local result, err = structured.read(text, compiled, { coerce = true })
  return result and result.value, err, compiled
end

return {
  ["C-034, A-006: each action of the seeds has its place in the vocabulary"] = function(t)
    for _, name in ipairs{ "click", "double_click", "drag", "press", "hold", "type", "scroll", "move", "wait", "burst",
      "complete" } do
      t.truthy(actions.vocabulary[name], name)
    end
    t.equal(actions.check({ action = "keypress", target = "Enter" }, view), { action = "press", key = "Enter" })
    t.equal(actions.check({ action = "complete" }, view), { action = "complete" })
  end,

  ["C-X7: a key is a name or {key}, and comes out as a code"] = function(t)
    for _, action in ipairs{ { action = "press", target = { key = "space" } }, { action = "press", target = "Space" },
      { action = "press", key = " " },
      { action = "press", key = { key = "Space" } } } do
      t.equal(actions.check(action, view), { action = "press", key = "Space" })
    end
    t.equal(actions.check{ action = "press", key = "ctrl+a" }.key, { "ControlLeft", "KeyA" })
    t.equal(actions.check{ action = "press", key = { "Shift", "a" } }.key, { "ShiftLeft", "KeyA" })
    t.equal(actions.check{ action = "hold", target = "ArrowLeft", hold_ms = 5 },
      { action = "hold", key = "ArrowLeft", hold_ms = 5 })
  end,

  ["the keys that are known are those of the host"] = function(t)
    local source, count = assert(qa.fs.read "host/browser/keymap.cpp"):match "kEntries%[%] = {(.-)\n};", 0
    local host = {}
    for code in source:gmatch '{"(%w+)",' do
      host[code], count = true, count + 1
      t.truthy(keys.is_known(code), code)
    end
    for _, code in ipairs(keys.names()) do t.truthy(host[code], code) end
    t.equal(#keys.names(), count)
    for _, code in ipairs{ "KeyA", "Digit0", "Numpad7", "F12", "F24" } do t.truthy(keys.is_known(code), code) end
    for _, code in ipairs{ "F25", "F0", "Keya", "Jump", "" } do t.falsy(keys.is_known(code), code) end
  end,

  ["what is unknown is named, with what was probably meant"] = function(t)
    refused(t, { action = "clik", target = { x = 1, y = 1 } }, "unknown action 'clik' %(did you mean 'click'%?%)")
    refused(t, { action = "press", key = "Spcae" }, "unknown key 'Spcae' %(did you mean 'Space'%?%)")
    refused(t, { action = "press", key = "Jump" }, "unknown key 'Jump'")
    refused(t, { action = "click", targt = { x = 1, y = 1 } }, "unknown field 'targt' %(did you mean 'target'%?%)")
    refused(t, { action = "navigate", target = "file:///etc/passwd" }, "unknown action 'navigate'")
    refused(t, "click", "a table")
  end,

  ["what is missing or of the wrong type is named"] = function(t)
    refused(t, { action = "click" }, "click: target is missing")
    refused(t, { action = "drag", target = { x = 1, y = 1 } }, "drag: to is missing")
    refused(t, { action = "burst", ["repeat"] = 3 }, "give key or target")
    refused(t, { action = "hold", target = { x = 1, y = 1 } }, "hold_ms is missing")
    refused(t, { action = "click", target = { x = "1", y = 1 } }, "finite numbers")
    refused(t, { action = "click", target = { x = 0 / 0, y = 1 } }, "finite numbers")
    refused(t, { action = "wait", wait_ms = "long" }, "wait_ms: expected a number")
  end,

  ["repeats, holds, waits and texts have caps, which a caller may set"] = function(t)
    refused(t, { action = "burst", key = "Space", ["repeat"] = 10000 }, "repeat: 10000, at most 200")
    refused(t, { action = "burst", key = "Space", ["repeat"] = 200, hold_ms = 1000 },
      "holds for 200000 ms in all, at most 20000")
    refused(t, { action = "burst", key = "Space", ["repeat"] = 0 }, "repeat: 0")
    refused(t, { action = "burst", key = "Space", ["repeat"] = 1.5 }, "whole number")
    refused(t, { action = "wait", wait_ms = 600000 }, "wait_ms: 600000, at most 10000")
    refused(t, { action = "wait", wait_ms = -1 }, "wait_ms: %-1")
    refused(t, { action = "type", text = ("x"):rep(201) }, "201 bytes, at most 200")
    t.truthy(actions.check({ action = "burst", key = "Space", ["repeat"] = 500 }, { caps = { ["repeat"] = 500 } }))
  end,

  ["a place outside the view is refused, not moved into it"] = function(t)
    refused(t, { action = "click", target = { x = 5000, y = 300 } }, "5000,300 is outside the view of 1280x720",
      "element_not_found")
    refused(t, { action = "click", target = { x = 1280, y = 0 } }, "outside", "element_not_found")
    refused(t, { action = "drag", target = { x = 1, y = 1 }, to = { x = -1, y = 5 } }, "to: the point %-1,5",
      "element_not_found")
    local outcome, log, ctx = performed{ action = "click", target = { x = 640, y = 721 } }
    t.equal({ outcome.success, outcome.error.kind, #log, ctx.state.actions }, { false, "element_not_found", 0, 1 })
  end,

  ["P-08: a place is in pixels of the view, in percent of it, or in the canvas's own pixels"] = function(t)
    t.equal(actions.check({ action = "click", target = { x = 50, y = 25, unit = "percent" } }, view).target,
      { x = 640, y = 180 })
    local _, log = performed{ action = "click", target = { x = 400, y = 100, unit = "canvas" } }
    t.equal({ log[1][2], log[1][3] }, { 300, 100 })
    refused(t, { action = "click", target = { x = 100, y = 1, unit = "percent" } }, "outside", "element_not_found")
    refused(t, { action = "click", target = { x = 1, y = 1, unit = "canvas" } }, "there is no canvas")
    refused(t, { action = "click", target = { x = 1, y = 1, unit = "pct" } }, "unknown unit 'pct'")
    local outcome = performed{ action = "click", target = { x = 900, y = 100, unit = "canvas" } }
    t.truthy(outcome.error.message:find("outside the canvas of 800x400", 1, true))
  end,

  ["a link to another site is not clicked: a run that leaves is over"] = function(t)
    local function clicked(href, fields)
      local page = page_of{ { x = 100, y = 100, width = 60, height = 20, tag = "a", href = href, name = "Source" } }
      local ctx = ctx_of(page)
      ctx.url, ctx.options = "http://127.0.0.1:8080/game/", {}
      for key, value in pairs(fields or {}) do ctx.options[key] = value end
      local outcome = actions.perform(ctx, { action = "click", target = { x = 105, y = 100 } }, {})
      return { outcome.success, outcome.error and outcome.error.kind, #page.log }
    end
    for _, href in ipairs{ "https://example.com/x", " http://example.com", "//example.com/x",
      "http://127.0.0.1:8081/" } do
      t.equal(clicked(href), { false, "navigation_denied", 0 }, href)
    end
    for _, href in ipairs{ "level2.html", "#top", "/other", "http://127.0.0.1:8080/game/#a", "javascript:play()",
      "" } do
      t.equal(clicked(href), { true, nil, 1 }, href)
    end
    t.equal(clicked("https://example.com/x", { off_origin = true }), { true, nil, 1 })
  end,

  ["each action is done by the page's own primitive"] = function(t)
    local function log_of(action) return select(2, performed(action)) end
    t.equal(log_of{ action = "press", key = "a", ["repeat"] = 3 },
      { { "press", "KeyA", { hold_ms = 34, count = 3, gap_ms = 40 } } })
    t.equal(log_of{ action = "hold", key = "a", hold_ms = 50 },
      { { "press", "KeyA", { hold_ms = 50, count = 1, gap_ms = 40 } } })
    t.equal(log_of{ action = "hold", target = { x = 1, y = 2 }, hold_ms = 50 },
      { { "mouse_click", 1, 2, { hold_ms = 50 } } })
    t.equal(log_of{ action = "double_click", target = { x = 1, y = 2 } }, { { "mouse_click", 1, 2, { count = 2 } } })
    t.equal(log_of{ action = "drag", target = { x = 1, y = 2 }, to = { x = 3, y = 4 } },
      { { "mouse_drag", 1, 2, 3, 4, { steps = 8 } } })
    t.equal(log_of{ action = "type", text = "hi\nyou" }, { { "type", "hi you", {} } })
    t.equal(log_of{ action = "scroll", dy = 100 }, { { "wheel", { x = 640, y = 360 }, { dx = 0, dy = 100 } } })
    t.equal(log_of{ action = "move", target = { x = 1, y = 2 } }, { { "move", { x = 1, y = 2 }, { steps = 4 } } })
    t.equal(#log_of{ action = "burst", target = { x = 1, y = 2 }, ["repeat"] = 3 }, 3)
    local _, _, ctx = performed{ action = "wait", wait_ms = 30 }
    t.equal(ctx.waited, 30)
  end,

  ["a selector or a text is looked for when the action is done"] = function(t)
    local outcome, log = performed{ action = "click", target = "#coin" }
    t.equal({ outcome.success, outcome.at, log[1][2] }, { true, { x = 50, y = 60 }, 50 })
    t.truthy(performed{ action = "click", target = { text = "Play" } }.success)
    t.equal(performed{ action = "click", target = "#gone" }.error.kind, "element_not_found")
  end,

  ["a point is snapped to the smallest control that it hits, boards and canvases are played where it is"] = function(t)
    local function row(fields)
      local made = { x = 640, y = 360, width = 80, height = 24, text = "", name = "", tag = "button", id = "" }
      for key, value in pairs(fields) do made[key] = value end
      return made
    end
    local rows = { row{ tag = "div", width = 300, height = 300, id = "board" }, row{ name = "Play", id = "go" },
      row{ tag = "canvas", x = 100, width = 90, height = 90 },
      row{ tag = "input", type = "range", x = 1000 }, row{ x = 300, covered = true } }
    local outcome, log = performed({ action = "click", target = { x = 610, y = 365 } }, nil, rows)
    t.equal({ outcome.at, outcome.snapped_to, log[1][2] }, { { x = 640, y = 360 }, "button#go Play", 640 })
    for _, point in ipairs{ { x = 640, y = 480 }, { x = 80, y = 350 }, { x = 1010, y = 365 }, { x = 310, y = 365 } } do
      outcome = performed({ action = "click", target = point }, nil, rows)
      t.equal({ outcome.at, outcome.snapped_to }, { point, nil })
    end
    t.equal(performed({ action = "click", target = { x = 610, y = 365 } }, { snap = false }, rows).snapped_to, nil)
  end,

  ["A-X4, A-X7: the run's limits hold before each single action"] = function(t)
    local ctx = ctx_of(page_of(), { actions = 2 })
    local list = {}
    for i = 1, 10000 do list[i] = { action = "press", key = "a" } end
    local result = actions.perform_all(ctx, list)
    t.equal({ result.stop, result.done, #ctx.page.log, ctx.state.actions }, { "max_actions", 2, 2, 2 })
    ctx = ctx_of(page_of(), { duration_ms = 1000 })
    t.equal(actions.perform_all(ctx, list).stop, "max_duration")
    t.equal(#ctx.page.log, 0)
  end,

  ["a list ends at its first error and keeps what was done; or goes on past errors"] = function(t)
    local list = { { action = "press", key = "a" }, { action = "press", key = "Nope" },
      { action = "press", key = "b" } }
    local ctx = ctx_of(page_of())
    local result = actions.perform_all(ctx, list)
    t.equal({ result.done, result.failed_at, result.error.kind, #ctx.page.log, result.success },
      { 1, 2, "type_mismatch", 1, false })
    ctx = ctx_of(page_of())
    result = actions.perform_all(ctx, list, { go_on = true })
    t.equal({ result.done, result.failed_at, #result.outcomes, #ctx.page.log }, { 2, 2, 3, 2 })
  end,

  ["complete ends a list, and so does what `between` says"] = function(t)
    local press = { action = "press", key = "a" }
    local ctx = ctx_of(page_of())
    local result = actions.perform_all(ctx, { press, { action = "complete" }, press })
    t.equal({ result.complete, result.done, result.success, #ctx.page.log }, { true, 1, true, 1 })
    ctx = ctx_of(page_of())
    result = actions.perform_all(ctx, { press, press, press },
      { between = function(i) return i == 2 and "scene_change" end })
    t.equal({ result.broken_by, result.done }, { "scene_change", 2 })
    t.raises(function() actions.perform(ctx, press, { snapp = true }) end, "did you mean 'snap'")
  end,

  ["C-034: a model's answer is read as an action: a point, a key by either form, or nothing"] = function(t)
    local opts = { actions = { "click", "press", "wait", "complete" } }
    local text = '{"reasoning":"r","action":"%s","target":%s,"hold_ms":null,"wait_ms":null,'
      .. '"repeat":null,"confidence":0.5}'
    local value = assert(answered(text:format("click", '{"x":10,"y":20}'), opts))
    t.equal(value.target, { x = 10, y = 20 })
    t.equal(assert(actions.check(assert(answered(text:format("press", '{"key":"Space"}'), opts)), view)).key, "Space")
    t.equal(assert(actions.check(assert(answered(text:format("press", '"Enter"'), opts)), view)).key, "Enter")
    t.equal(assert(answered(text:format("complete", "null"), opts)).target, nil)
    local _, err = answered(text:format("navigate", "null"), opts)
    t.truthy(err.message:find("/action: expected one of", 1, true), err.message)
    t.raises(function() actions.schema{ actions = { "clik" } } end, "did you mean 'click'")
  end,

  ["a model's point is read in its own space, and outside the picture it is refused"] = function(t)
    local text = '{"action":"click","target":%s,"hold_ms":null,"repeat":null}'
    local opts = { actions = { "click" }, reasoning = false, confidence = false }
    local half = { width = 640, height = 360, scale = 0.5 }
    t.equal(assert(answered(text:format '{"x":320,"y":180}', opts, half)).target, { x = 640, y = 360 })
    t.equal(assert(answered(text:format '{"x":500,"y":500}', opts,
      { width = 1280, height = 720, space = "norm1000" })).target, { x = 640, y = 360 })
    t.equal(assert(answered(text:format '{"x":50,"y":25}', opts,
      { width = 1280, height = 720, space = "percent" })).target, { x = 640, y = 180 })
    local _, err = answered(text:format '{"x":5000,"y":10}', opts, half)
    t.truthy(err.message:find("outside 0..640", 1, true), err.message)
    t.equal({ point_space.to_model(point_space.new{ width = 1280, height = 720, space = "percent" },
      { x = 640, y = 180 }) }, { 50, 25 })
  end,

  ["the schema carries only the fields of its actions"] = function(t)
    local _, _, compiled = answered("{}", { actions = { "click", "complete" } })
    t.falsy(compiled.text:find('"dx"', 1, true) or compiled.text:find('"key"', 1, true)
      or compiled.text:find('"text"', 1, true))
    t.truthy(compiled.is_strict)
    _, _, compiled = answered("{}")
    for _, field in ipairs{ "target", "to", "text", "hold_ms", "wait_ms", "repeat", "dx", "dy" } do
      t.truthy(compiled.text:find('"' .. field .. '"', 1, true), field)
    end
  end,

  ["A-004: what was done is told to the report, in words that are safe to show"] = function(t)
    local ctx = ctx_of(page_of())
    local action = { action = "keypress", target = { key = "Space" }, reasoning = "go\27[31m", confidence = 0.5 }
    actions.record(ctx, action, actions.perform(ctx, action), true)
    local name, data = unpack(ctx.events[#ctx.events])
    t.equal({ name, data.action, data.target, data.success, data.stateProgressed, data.reasoning },
      { "action", "press", "Space", true, true, "go[31m" })
    t.truthy(data.timestamp:find "^%d+%-")
    t.equal(actions.describe{ action = "burst", target = { x = 1.2, y = 2 }, ["repeat"] = 10 }, "burst 1,2 x10")
    t.equal(actions.describe{ action = "drag", target = { x = 1, y = 2 }, to = { x = 3, y = 4 } }, "drag 1,2 3,4")
  end,
}
