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

  ["the scripts of a page are listed and read; one that the browser has forgotten is asked of its server"] = function(t)
    local browser = assert(qa.browser.launch{})
    local page = assert(browser:new_page{})
    local url = assert(qa.serve "tests/lua/samples/modules").url
    assert(page:navigate(url .. "index.html"))
    local resources = assert(page:resources())
    t.equal({ resources[1].type, resources[1].url, resources[1].document },
      { "Document", url .. "index.html", url .. "index.html" })
    local text = assert(page:resource_text(url .. "index.html", { frame = resources[1].frame }))
    t.equal(text, assert(qa.fs.read "tests/lua/samples/modules/index.html"))
    t.equal(page:load_resource(url .. "index.html"), text)
    t.equal(page:load_resource(url .. "index.html", { most_bytes = 9 }), text:sub(1, 9))
    local _, err = page:resource_text(url .. "never.js")
    t.equal(err.kind, "cdp_error")
    local _, why = page:load_resource "http://127.0.0.1:1/never.js"
    t.equal({ why.kind, why.detail.net_error }, { "navigation_error", "net::ERR_UNSAFE_PORT" })
    browser:close()
  end,

  ["a preload runs before the scripts of each document until it is removed"] = function(t)
    local browser = assert(qa.browser.launch{})
    local page = assert(browser:new_page{})
    local url = assert(qa.serve "tests/lua/samples/scrolling.html").url
    local id = assert(page:add_preload "globalThis.preloaded = document.documentElement === null")
    assert(page:navigate(url))
    t.equal(type(page:evaluate "preloaded"), "boolean")
    assert(page:remove_preload(id))
    assert(page:navigate(url))
    t.equal(page:evaluate "typeof preloaded", "undefined")
    browser:close()
  end,

  ["an endless script is ended, and the time of scripts adds up"] = function(t)
    local browser = assert(qa.browser.launch{})
    local page = assert(browser:new_page{})
    assert(page:navigate "about:blank")
    local loop = qa.spawn(function() return select(2, page:evaluate "for (;;);") end)
    qa.sleep(100)
    assert(page:terminate_script())
    t.equal(loop:join().kind, "cdp_error")
    local before = assert(page:metrics()).ScriptDuration
    assert(page:evaluate "setInterval(() => { for (const end = Date.now() + 5; Date.now() < end;); }, 10)")
    qa.sleep(200)
    t.truthy(assert(page:metrics()).ScriptDuration > before)
    browser:close()
  end,

  ["an element that listens has a box; touch is emulated while it is wanted"] = function(t)
    local browser = assert(qa.browser.launch{})
    local page = assert(browser:new_page{})
    assert(page:navigate "about:blank")
    assert(page:evaluate [[(() => {
      document.body.innerHTML =
        '<p id="piece" style="position:absolute;margin:0;inset:20px auto auto 30px;width:50px;height:40px;' +
        'border:5px solid"></p>' +
        '<p id="gone" style="display:none"></p>'
      for (const id of ['piece', 'gone']) document.getElementById(id).addEventListener('click', () => id)
      return true
    })()]])
    local boxes = {}
    for _, listener in ipairs(assert(page:listeners())) do
      local box, err = page:node_box(listener.node, { frame = listener.frame })
      boxes[#boxes + 1] = box or err.kind
    end
    t.equal(boxes, { { x = 30, y = 20, width = 60, height = 50 }, "element_not_found" })
    for _, is_on in ipairs{ true, false } do
      assert(page:emulate_touch(is_on))
      t.equal(page:evaluate "navigator.maxTouchPoints > 0", is_on)
    end
    browser:close()
  end,
}
