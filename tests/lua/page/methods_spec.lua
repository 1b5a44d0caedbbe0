local actions = require "qa.page.methods"

---A page that answers `locate` from a list of readings, one a call, and records what was done.
local function fake_page(readings)
  local page = { clicks = {}, probes = 0 }
  function page:probe(name)
    self.probes = self.probes + 1
    if name == "clickables" then return { { frame = "main", value = { { id = "start", text = "Start" } } } } end
    local reading = readings[math.min(self.probes, #readings)]
    if reading.kind then return nil, reading end
    return { { frame = "main", value = reading } }
  end
  function page:mouse_click(x, y, opts) table.insert(self.clicks, { x, y, opts.button }) return true end
  function page:mouse_drag(...) self.drag = { ... } return true end
  function page:capture(opts) self.captured = opts return "image" end
  return page
end

local function element(more)
  local found = { x = 10, y = 20, width = 8, height = 6, visible = true, enabled = true, covered = false,
    in_viewport = true, exact = true }
  for key, value in pairs(more or {}) do found[key] = value end
  return found
end

---A page with one text to find; keys and clicks are recorded.
local function page_with(text)
  local page = { done = {} }
  function page.find(_, target)
    if target.text == text then return { x = 7, y = 9 } end
    return nil, { kind = "element_not_found" }
  end
  function page:click(at) table.insert(self.done, at.x .. "," .. at.y) return true end
  function page:press(key) table.insert(self.done, key) return true end
  function page.probe() return {} end
  return page
end

return {
  ["C-052: four phrases act on what they name, at no cost"] = function(t)
    for phrase, text in pairs{ ["click start button"] = "start", ["click play button"] = "play",
      ["press start"] = "start",
      ["click begin game"] = "begin game" } do
      local page = page_with(text)
      t.truthy(actions.act(page, phrase, { use_models = false }), phrase)
      t.equal(page.done, { "7,9" }, phrase)
    end
    local page = page_with("begin")
    t.truthy(actions.act(page, "click begin game", { use_models = false }))
    page = page_with("nothing")
    t.truthy(actions.act(page, "press space", { use_models = false }))
    t.equal(page.done, { "Space" })
    local none, err = actions.act(page, "click the start button", { use_models = false })
    t.equal({ none, err.kind }, { nil, "element_not_found" })
    t.raises(function() actions.act(page, "click the button") end, "names nothing")
  end,
  ["a click waits until its target is visible and enabled"] = function(t)
    local page = fake_page { {}, { element { visible = false } }, { element { enabled = false } }, { element() } }
    local found = actions.click(page, "#start", { poll_ms = 1 })
    t.equal(found.x, 10)
    t.equal(page.clicks, { { 10, 20 } })
    t.equal(page.probes, 4)
  end,
  ["a miss names what was there"] = function(t)
    local page = fake_page { {} }
    local found, err = actions.click(page, "#star", { timeout_ms = 0 })
    t.equal(found, nil)
    t.equal(err.kind, "element_not_found")
    t.equal(err.detail.there, { "#start" })
    t.equal(#page.clicks, 0)
  end,
  ["a covered target is not clicked, unless forced"] = function(t)
    local page = fake_page { { element { covered = true } } }
    local found, err = actions.click(page, "#a", { timeout_ms = 0 })
    t.equal(found, nil)
    t.equal(err.detail.reason, "something covers it")
    t.truthy(actions.click(page, "#a", { timeout_ms = 0, force = true }))
  end,
  ["stable waits until the box stays where it is"] = function(t)
    local page = fake_page { { element { x = 1 } }, { element { x = 5 } }, { element { x = 9 } },
      { element { x = 9 } } }
    t.equal(actions.click(page, "#a", { stable = true, poll_ms = 1 }).x, 9)
    t.equal(page.probes, 4)
  end,
  ["an error of the page ends the wait at once"] = function(t)
    local page = fake_page { { kind = "page_crashed", message = "gone" } }
    local _, err = actions.click(page, "#a", { timeout_ms = 60000 })
    t.equal(err.kind, "page_crashed")
    t.equal(page.probes, 1)
  end,
  ["an invalid selector is said to be one"] = function(t)
    local page = fake_page { { error = "not valid" } }
    local _, err = actions.find(page, "##")
    t.equal(err.kind, "js_error")
    t.truthy(err.message:find("invalid selector ##: not valid", 1, true))
  end,
  ["a point needs no look-up"] = function(t)
    local page = fake_page { {} }
    t.truthy(actions.click(page, { x = 3, y = 4 }, { button = "right" }))
    t.equal(page.clicks, { { 3, 4, "right" } })
    t.equal(page.probes, 0)
  end,
  ["after scrolling the place is read again"] = function(t)
    local page = fake_page { { element { scrolled = true, y = 900 } }, { element { y = 300 } } }
    t.equal(actions.find(page, "#a").y, 300)
  end,
  ["wrong targets and options are refused"] = function(t)
    local page = fake_page { {} }
    t.raises(function() actions.click(page, 5) end, "page:click: expected a CSS selector")
    t.raises(function() actions.click(page, {}) end, "a target table has x and y, or text")
    t.raises(function() actions.click(page, "#a", { tiemout_ms = 1 }) end,
      "unknown option 'tiemout_ms' %(did you mean 'timeout_ms'%?%)")
    t.raises(function() actions.click(page, "#a", { timeout_ms = "1" }) end,
      "option 'timeout_ms': expected a number, got string")
    t.raises(function() actions.content(page, { format = "pdf" }) end, "format is 'html' or 'text'")
  end,
  ["a drag goes from centre to centre"] = function(t)
    local page = fake_page { { element { x = 1, y = 2 } }, { element { x = 30, y = 40 } },
      { element { x = 1, y = 2 } } }
    t.truthy(actions.drag(page, "#a", "#b"))
    t.equal({ page.drag[1], page.drag[2], page.drag[3], page.drag[4] }, { 1, 2, 30, 40 })
  end,
  ["a screenshot of an element is a clip of its box"] = function(t)
    local page = fake_page { { element() } }
    t.equal(actions.screenshot(page, { element = "#a" }), "image")
    t.equal(page.captured.clip, { x = 6, y = 17, width = 8, height = 6 })
  end,
}
