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
}
