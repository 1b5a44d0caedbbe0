-- Reads painted strings off their pixels and prints recall, precision, centre error and time.
-- usage, from the project's folder: qa-host tests/accept/eyes/reading.lua [verbose]
local qa = require "qa"
local reader = require "qa.page.reader"

local fonts = { "DejaVu Sans", "Liberation Serif", "Roboto", "Comfortaa", "Lobster Two", "DotGothic16" }
local styles = { "plain", "gradient", "outlined", "tilted" }
local sizes = { 14, 18, 24, 32, 44, 64 }
local texts = { "START", "PLAY", "TAP TO START", "NEW GAME", "CONTINUE", "Press Space", "GAME OVER", "LEVEL 3",
  "Click to play", "OPTIONS",
  "High Score 980", "Begin", "Resume", "YOU WIN", "SCORE 1250", "Next level" }

---72 strings on nine sheets of eight: every font in every style, sizes and grounds in turn.
local function sheets()
  local list, n = {}, 0
  for round = 1, 3 do
    for f, font in ipairs(fonts) do
      for _, style in ipairs(styles) do
        local at = n % 8
        if at == 0 then list[#list + 1] = { dark = #list % 2 == 0, strings = {} } end
        local sheet = list[#list]
        sheet.strings[at + 1] = { text = texts[(n + 5 * round) % #texts + 1], font = font, style = style,
          size = sizes[(n + f + 2 * round) % #sizes + 1],
          dark = sheet.dark, x = at % 2 == 0 and 330 or 950, y = 90 + math.floor(at / 2) * 175 }
        n = n + 1
      end
    end
  end
  return list, n
end

local function plain(text) return (text:lower():gsub("[^%w]", "")) end

local server = assert(qa.serve("tests/accept/eyes"))
local browser = assert(qa.browser.launch{})
local page = assert(browser:new_page{})
assert(page:navigate(server.url .. "reading.html", { wait = "load" }))

local list, total = sheets()
local found, wrong, worst, far, times = 0, 0, 0, 0, {}
for _, sheet in ipairs(list) do
  local painted = assert(page:evaluate("paint", { args = { sheet } }))
  local image = assert(page:screenshot())
  local began = qa.now_ms()
  local words = assert(image:text())
  times[#times + 1] = qa.now_ms() - began
  image:close()
  local lines, used = reader.join_words(words), {}
  for _, item in ipairs(painted) do
    -- The nearest reading of it; another one is wrong.
    local hit, error_px = nil, 60
    for i, line in ipairs(lines) do
      local dx, dy = line.x + line.width / 2 - item.x, line.y + line.height / 2 - item.y
      local off = math.sqrt(dx * dx + dy * dy)
      if not used[i] and plain(line.text) == plain(item.text) and off < error_px then hit, error_px = i, off end
    end
    if hit then
      found, used[hit] = found + 1, true
      worst = math.max(worst, error_px)
      if error_px > 5 then far = far + 1 end
    end
    if not hit and qa.args[1] then
      print(("missed  %-16s %-16s %2d px %-9s %s"):format(item.text, item.font, item.size, item.style,
        item.dark and "light on dark" or "dark on light"))
    end
  end
  for i, line in ipairs(lines) do
    if not used[i] then
      wrong = wrong + 1
      if qa.args[1] then
        print(("wrong   %q at %d,%d confidence %d"):format(line.text, line.x, line.y, line.confidence))
      end
    end
  end
end
browser:close()
table.sort(times)
print(("recall %.1f %% (%d of %d), precision %.1f %%, centre off by more than 5 px: %d (worst %.1f), median %.0f ms " ..
  "a frame"):format(
  found * 100 / total, found, total, found * 100 / math.max(1, found + wrong), far, worst,
  times[math.ceil(#times / 2)]))
