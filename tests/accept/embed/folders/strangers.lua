-- Who asks for the origin of a folder, and what it gets, a line each. Then it waits for the file of its second word:
-- meanwhile other tabs of that browser may ask.
local qa = require "qa"

local browser = assert(qa.browser.launch {})
local page = assert(browser:new_page {})
local site = assert(qa.serve(qa.args[1]))
assert(page:navigate(site.url))
local function status(from, path, more)
  return from:evaluate(("fetch('%s', %s).then(r => r.status, String)"):format(site.url .. path, more or "{}"))
end
print("page", status(page, ""))
page:evaluate "void open('/')"
assert(page:next_event { kind = "popup", timeout_ms = 10000 })
-- The first document of a popup may come too early for the host.
local popup = browser:pages()[2]
print("popup", assert(popup:navigate(site.url)).status, status(popup, ""))
print("post", status(page, "", "{method: 'POST', body: 'x'}"))
print("dotfile", status(page, ".git/config"))
print("origin", site.origin)
while not qa.fs.stat(qa.args[2]) do qa.sleep(50) end
print("title", page:evaluate "document.title")
