-- A page opened with hold_scroll stays where it is under the keys of games; everything else that keys do is as ever.
local qa = require "qa"

local function page_with(browser, hold_scroll)
  local page = assert(browser:new_page{ width = 600, height = 400, hold_scroll = hold_scroll })
  assert(page:navigate(assert(qa.serve "tests/lua/samples/scrolling.html").url))
  return page
end

local function scrolled_by(page, key)
  page:press(key)
  page:settle{ max_ms = 1000 }
  local y = assert(page:evaluate "scrollY")
  assert(page:evaluate "scrollTo({ top: 0, behavior: 'instant' }), true")
  return y > 0
end

return {
  ["arrow keys and Space scroll a page, and not one that holds its place"] = function(t)
    local browser = assert(qa.browser.launch{})
    local free, held = page_with(browser, false), page_with(browser, true)
    for _, key in ipairs{ "ArrowDown", "Space" } do
      t.equal({ scrolled_by(free, key), scrolled_by(held, key) }, { true, false }, key)
    end
    t.equal(scrolled_by(held, "PageDown"), true)
    browser:close()
  end,

  ["the page hears the same keys, Space still presses a button and arrows still move a caret"] = function(t)
    local browser = assert(qa.browser.launch{})
    local page = page_with(browser, true)
    page:press "Space"
    page:press "ArrowDown"
    t.equal(page:evaluate "seen.join(' ')", "keydownSpacefalse keypressSpacefalse keyupSpacefalse " ..
      "keydownArrowDownfalse keyupArrowDownfalse")
    page:evaluate "document.getElementById('go').focus(); 1"
    page:press "Space"
    t.equal(page:evaluate "clicks", 1)
    page:evaluate "document.getElementById('field').focus(); field.setSelectionRange(3, 3); 1"
    page:press "ArrowRight"
    t.equal(page:evaluate "field.selectionStart", 4)
    browser:close()
  end,
}
