-- Looks at several games at once. qa.all waits for all of them; calls that look blocking only block their own task.
-- From the project's folder: qa-host examples/03_side_by_side.lua [folder ...]

local qa = require "qa"

local folders = #qa.args > 0 and qa.args or {
  "examples/games/clicker", "examples/games/brick_wall", "examples/games/falling_blocks",
  "examples/games/boot_exception",
}
local browser = assert(qa.browser.launch{})

---What a game does when nobody plays it: outcome values of the page calls are passed on as nil, err.
local function look(folder)
  local server, err = qa.serve(folder)
  if not server then return nil, err end
  local page = assert(browser:new_page{ width = 1280, height = 720 })
  local loaded
  loaded, err = page:navigate(server.url)
  if not loaded then return nil, err end
  -- The first paint is no movement of the game.
  page:settle{ quiet_ms = 200, max_ms = 1500 }
  local seen
  seen, err = page:watch(1500)
  if not seen then return nil, err end
  local counts = page:health().counts
  page:close()

  local moving = 0
  for i = 1, #seen.activity do
    if seen.activity:byte(i) > 0 then moving = moving + 1 end
  end
  return { moving = moving / #seen.activity, frames = seen.frames, exceptions = counts.exception or 0, ms = loaded.ms }
end

local tasks = {}
for i, folder in ipairs(folders) do
  tasks[i] = function() return look(folder) end
end

local began = qa.now_ms()
local results = { qa.all(unpack(tasks)) }
local errors = results[#folders + 1] or {}

for i, folder in ipairs(folders) do
  local result = results[i]
  if result then
    print(("%-32s loaded in %4d ms, %4.1f %% moves, %d exceptions")
      :format(folder, result.ms, result.moving * 100, result.exceptions))
  else
    print(("%-32s %s"):format(folder, tostring(errors[i])))
  end
end
print(("%d games in %.1f s"):format(#folders, (qa.now_ms() - began) / 1000))
