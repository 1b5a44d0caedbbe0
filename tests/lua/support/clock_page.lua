-- Pages on game time for specs: one browser, one server, worlds of the same seed.
local qa = require "qa"

local clock_page = {}

---Serves `html`, and files by name, and calls fn(open, server); open(options?, name?) gives a page on game time where
---that document, or the file of that name, is loaded, from the browser that fn gets, too.
---@param html string
---@param fn fun(open: (fun(options?: table, name?: string): qa.Page), server: table, browser: qa.Browser)
---@param files? table<string, string>
function clock_page.with(html, fn, files)
  local dir = assert(qa.run.open{ slug = "clock-spec" })
  for name, text in pairs(files or {}) do assert(qa.run.publish(name, text)) end
  assert(qa.run.publish("index.html", "<!doctype html><style>body { margin: 0 }</style>" .. html))
  local server = assert(qa.serve(dir))
  local browser = assert(qa.browser.launch{ clock = "game" })
  local function open(options, name)
    local given = { clock = "game", width = 640, height = 360 }
    for key, value in pairs(options or {}) do given[key] = value end
    local page = assert(browser:new_page(given))
    assert(page:navigate(server.url .. (name or "index.html")))
    return page
  end
  local ok, err = pcall(fn, open, server, browser)
  browser:close()
  if not ok then error(err, 0) end
end

---What an expression of the page is; fails where it throws.
function clock_page.value(page, js)
  local value, err = page:evaluate(js)
  if err then error(err.message, 2) end
  return value
end

return clock_page
