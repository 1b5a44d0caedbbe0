#!/usr/bin/env qa-host
-- Opens a game, looks at it, starts it, and measures what the click changed.
-- From the project's folder: qa-host examples/01_open_and_look.lua [URL or folder]

local qa = require "qa"

local target = qa.args[1] or "examples/games/clicker"
local url = target:match("^https?://") and target or assert(qa.serve(target)).url

local browser = assert(qa.browser.launch{})
local page = assert(browser:new_page{ width = 1280, height = 720 })
local loaded = assert(page:navigate(url))
print(("%s answered %d in %d ms"):format(target, loaded.status, loaded.ms))

local before = assert(page:screenshot())

-- Failure of a kind that can be expected is nil and an error, never a raise: the script decides what it means.
local found, err = page:click("#start", { timeout_ms = 2000 })
if not found then
  if err.kind ~= "element_not_found" then error(err) end
  print("no #start here, so Enter is tried: " .. err.message)
  assert(page:press("Enter"))
end

local settled = assert(page:settle{ quiet_ms = 200, max_ms = 6000 })
local after = assert(page:screenshot())
local diff = assert(before:diff(after))
print(("%s after %d ms; %.1f %% of the pixels changed"):format(settled.verdict, settled.ms, diff.changed_ratio * 100))

for _, event in ipairs(page:events()) do print("health: " .. event.kind .. ": " .. event.message) end

-- The script's own verdict: true is exit code 0, false is 1.
return diff.changed_ratio > 0.01
