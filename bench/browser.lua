-- qa-host's part of bench/browser.mjs: performs what the file TURN asks for, one batch at a time, and prints what it
-- took. usage: qa-host bench/browser.lua TURN URL
--   TURN is Lua text: return { turn = 3, op = "evaluate", count = 20 }
local qa = require "qa"

local turn_file, url = assert(qa.args[1]), assert(qa.args[2])
local browser = assert(qa.browser.launch{})
local page = assert(browser:new_page{ width = 1280, height = 720 })
assert(page:navigate(url))

local ops = {
  evaluate = function() return page:evaluate("1 + 1") end,
  click = function() return page:mouse_click(320, 200) end,
  key = function() return page:press("a") end,
  click_selector = function() return page:click("#button") end,
  content = function() return page:content() end,
  screenshot = function() return page:screenshot() end,
}
---What an operation gives, where it gives anything.
local is_right = {
  evaluate = function(value) return value == 2 end,
  content = function(value) return value:find("</html>", 1, true) ~= nil end,
  screenshot = function(image) return image:size() == 1280 end,
}

local function report(line) print(qa.json.encode(line)) end

report{ ready = true, browser = browser:info().pid }
local last = 0
while true do
  local chunk = qa.load_chunk(turn_file)
  local ok, wanted = pcall(chunk or error)
  if not ok or type(wanted) ~= "table" or wanted.turn == last then
    qa.sleep(5)
  elseif wanted.op == "quit" then
    break
  else
    last = wanted.turn
    local run, wall = ops[wanted.op], {}
    for i = 1, wanted.count do
      local began = qa.now_ms()
      local value, err = run()
      wall[i] = qa.now_ms() - began
      if value == nil then error(err and err.message or wanted.op, 0) end
      if is_right[wanted.op] and not is_right[wanted.op](value) then error(wanted.op .. " gave something else", 0) end
    end
    report{ turn = last, wall = wall }
  end
end
report{ counts = assert(page:evaluate("counts")) }
browser:close()
