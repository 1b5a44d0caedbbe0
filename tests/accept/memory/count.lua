-- Adds one to a record, N times; prints what it holds when N is 0.
local qa = require "qa"
local store = require("qa.memory.store").open "count"

for _ = 1, tonumber(qa.args[1]) do assert(store:update("n", function(n) return (n or 0) + 1 end)) end
if qa.args[1] == "0" then print((store:get "n")) end
