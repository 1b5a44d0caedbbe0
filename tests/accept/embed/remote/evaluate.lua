-- The mean of N calls of page:evaluate in milliseconds. usage: qa-host --cdp URL evaluate.lua N
local qa = require "qa"
local page = assert(assert(qa.browser.launch{}):new_page{})
local count = tonumber(qa.args[1])
for _ = 1, 20 do assert(page:evaluate("1")) end
local began = qa.now_ms()
for _ = 1, count do page:evaluate("1") end
print((qa.now_ms() - began) / count)
