-- Operations on a page that are one command to the browser each.
local qa = require "qa"

return {
  ["how often a page may load itself is an option of the page"] = function(t)
    local browser = assert(qa.browser.launch{})
    local page = assert(browser:new_page{ reload_loop_loads = 1, reload_loop_ms = 5000 })
    local server = assert(qa.serve "examples/games/reload_loop")
    assert(page:navigate(server.url))
    local event = assert(page:next_event{ kind = "reload_loop", timeout_ms = 20000 })
    t.equal(event.message, "the page loaded itself more than 1 times within 5 s")
    browser:close()
  end,

  ["a task that is cancelled in mid-swipe leaves no finger down"] = function(t)
    local browser = assert(qa.browser.launch{})
    local page = assert(browser:new_page{ touch = true })
    assert(page:navigate "about:blank")
    assert(page:evaluate [[(() => {
      globalThis.fingers = []
      for (const type of ['touchstart', 'touchmove', 'touchcancel'])
        addEventListener(type, (event) => fingers.push([type, event.touches.length]))
      return true
    })()]])
    local swipe = qa.spawn(function()
      page:touch({ x = 10, y = 10 }, { path = { { x = 300, y = 10 }, { x = 300, y = 200 } }, duration_ms = 10000 })
    end)
    assert(page:wait_for({ js = "fingers.some(([type]) => type === 'touchmove')" }, { timeout_ms = 10000 }))
    swipe:cancel()
    t.truthy(page:wait_for{ js = "fingers.at(-1)[0] === 'touchcancel' && fingers.at(-1)[1] === 0" })
    t.raises(function() page:touch({ { x = 1, y = 1 }, { x = 2, y = 2 } }, { path = { x = 9, y = 9 } }) end,
      "only one finger has a path")
    browser:close()
  end,
}
