-- usage: qa-host clock TARGET [--frames 600] [--input ACTION@FRAME ...] [--seed N] [--reporter json]
--
-- Is a game repeatable? Opens it in two worlds of one seed on game time, steps both and compares their pictures. TARGET
-- is a URL, a folder or an .html file; ACTION a key, click:X,Y or click:SELECTOR. Says the first frame and region that
-- differ, what goes by real time, how fast the game can be stepped, and whether it behaves differently in real time.
-- Exit: 0 repeatable, 1 not, 2 it could not be stepped, 3 wrong arguments, 4 no browser.
local qa = require "qa"
local failure = require "qa.text.failure"
local repeatable = require "qa.world.repeatable"
local target = require "qa.game.target"
local words = require "qa.run.command_words"

local MOST_FRAMES = 1000000

local function input_of(text)
  local action, frame = text:match "^(.+)@(%d+)$"
  if not action then
    error(("--input takes ACTION@FRAME, such as Space@60 or click:100,200@60, not '%s'"):format(text), 0)
  end
  local place = action:match "^click:(.+)$"
  if not place then return { key = action, frame = tonumber(frame) } end
  local x, y = place:match "^(%d+),(%d+)$"
  return { click = x and { x = tonumber(x), y = tonumber(y) } or place, frame = tonumber(frame) }
end

---Several --input become a list before the rest is read.
local function take_inputs(command)
  local inputs, rest, given = {}, {}, command.args or qa.args or {}
  local index = 1
  while index <= #given do
    local value = given[index]:match "^%-%-input=(.*)$"
    if given[index] == "--input" then
      index = index + 1
      value = given[index] or error("--input needs a value: ACTION@FRAME", 0)
    end
    if value then inputs[#inputs + 1] = input_of(value) else rest[#rest + 1] = given[index] end
    index = index + 1
  end
  table.sort(inputs, function(a, b) return a.frame < b.frame end)
  return inputs, rest
end

local function say(result)
  local difference = result.first_difference
  if result.repeatable then
    print(("REPEATABLE  %d frames, the same pictures in both worlds"):format(result.frames))
    if not result.moved then
      print "  nothing moved: standing still proves little; start the game with --input"
    end
  else
    local region = difference.region
    print(("NOT REPEATABLE  first difference at frame %d: %d pixels in %d,%d-%d,%d"):format(difference.frame,
      difference.pixels, region.x, region.y, region.x + region.width, region.y + region.height))
  end
  local function rate(value) return value == qa.json.null and "?" or ("%g"):format(value) end
  print(("  one world: %s simulated seconds a second, %s a CPU second"):format(rate(result.sim_seconds_per_wall_second),
    rate(result.sim_seconds_per_cpu_second)))
  for _, gap in ipairs(result.coverage) do
    print(("  not controlled: %s in %s (%s)"):format(gap.what, gap.where, gap.reason))
  end
  local real = result.real_time
  if real.differs then
    print(("  in real time it behaves differently: %s, %s, %d exceptions"):format(
      real.ready and "loads" or "does not load", real.moved and "moves" or "stands still", real.exceptions))
  end
end

---A browser that does not start is the machine's fault.
local function launch()
  local browser, err = qa.browser.launch{ clock = "game" }
  if browser then return browser end
  qa.log.error("qa-host clock: " .. failure.text(err))
  return nil
end

return words.command(function(command)
  if words.asks_for_help(command.args or qa.args or {}) then error(words.misuse, 0) end
  local inputs, rest = take_inputs(command)
  local options, arguments = words.parse("clock", { args = rest }, { "frames", "seed", "reporter" })
  local frames = tonumber(options.frames or 600)
  if #arguments ~= 1 then error("qa-host clock: give one URL, folder or .html file", 0) end
  if not frames or frames < 1 or frames > MOST_FRAMES or frames % 1 ~= 0 then
    error(("qa-host clock: --frames takes a number from 1 to %d"):format(MOST_FRAMES), 0)
  end
  if options.reporter and options.reporter ~= "json" then error("qa-host clock: --reporter takes json", 0) end
  for _, input in ipairs(inputs) do
    if input.frame >= frames then error(("--input at frame %d: there are %d frames"):format(input.frame, frames), 0) end
  end
  local tape = assert(qa.tape.open())
  local opened = target.open(target.classify(arguments[1]), tape)
  local browser = launch()
  if not browser then return { exit_code = 4 } end
  local world = { url = opened.url, seed = options.seed or 1, tape = tape }
  local result, err = repeatable.examine(browser, world, frames, inputs)
  browser:close()
  if not result then
    if failure.is_loss(err) then error(err, 0) end
    qa.log.error("qa-host clock: the page could not be stepped: " .. failure.text(err))
    return { exit_code = 2 }
  end
  if options.reporter then print(qa.json.encode(result)) else say(result) end
  return { exit_code = result.repeatable and 0 or 1 }
end)
