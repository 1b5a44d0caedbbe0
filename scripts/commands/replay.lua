-- usage: qa-host replay RUN_DIR [--until STEP] [--target OTHER] [--online]
--
-- Plays a run of `qa-host test --clock game` again, without a server and a network: the same page, the same inputs at
-- the same frames, and compares its pictures. It stops at the first that differs and shows both. --until STEP ends
-- after a step; --target OTHER plays it on another copy or build of the game (URL, folder or .html file); --online lets
-- the network answer what is not on the tape. `qa-host --headed replay RUN_DIR` shows the browser.
-- Exit: 0 the same, 1 it differs, 3 no usable recording or wrong arguments, 4 no browser, or another browser or fonts.
local qa = require "qa"
local failure = require "qa.text.failure"
local recordings = require "qa.run.recording"
local replay = require "qa.world.replay"
local target_of = require "qa.game.target"
local words = require "qa.run.command_words"

local SAME, DIFFERS, UNUSABLE, ENVIRONMENT = 0, 1, 3, 4

local function region_text(region)
  return region and (" in %d,%d-%d,%d"):format(region.x, region.y, region.x + region.width, region.y + region.height)
    or ""
end

---Keeps both pictures where a run would be kept.
local function show(stopped, command)
  local dir = qa.run.open{ slug = "replay", out = command.out }
  local difference = stopped.difference
  if not (dir and difference) then return end
  if difference.recorded:save("recorded.png") then print(("  recorded: %s/recorded.png"):format(dir)) end
  if difference.now:save("now.png") then print(("  now:      %s/now.png"):format(dir)) end
end

local function say(result, recording)
  local stopped = result.stopped_at
  if stopped then
    local item = stopped.item
    local what = item.picture and ("step %d (%s), frame %d"):format(item.step, tostring(item.stage), item.frame)
      or ("%s at frame %d"):format(item.op, item.frame)
    local difference = stopped.difference
    print(("DIFFERS  first at %s: %s"):format(what, difference and (difference.size or ("%d pixels%s"):format(
      difference.pixels, region_text(difference.region))) or stopped.failed))
  else
    print(("SAME  %d pictures, %d frames"):format(result.pictures, result.frame))
    if not result.moved then print "  its pictures never changed: standing still proves little" end
  end
  print(("  recorded %s with %s, build %s"):format(tostring(recording.started.utc), tostring(recording.page.browser),
    recording.ended and recording.ended.tape and recording.ended.tape.files_sha256:sub(1, 12) or "unknown"))
  if recording.stops then print("  the rest is not played again: " .. recording.stops) end
  if not recording.ended then print "  the run that was recorded did not end" end
end

local function play(recording, tape, target, last, command)
  local browser, err = qa.browser.launch{ clock = "game", path = command.browser, headed = command.headed }
  if not browser then
    qa.log.error("qa-host replay: " .. failure.text(err))
    return ENVIRONMENT
  end
  local page
  page, err = browser:new_page(recordings.page_options(recording.page.options, tape))
  local strange, result = {}, nil
  if page then
    strange = replay.strangeness(recording, browser:info().product, recordings.fonts(page))
    result, err = replay.play(recording, page, target, last)
  end
  browser:close()
  for _, sentence in ipairs(strange) do qa.log.warn(sentence) end
  if not result then
    if failure.is_loss(err) then error(err, 0) end
    qa.log.error("qa-host replay: " .. failure.text(err))
    return err.kind == "trace_mismatch" and UNUSABLE or ENVIRONMENT
  end
  say(result, recording)
  for _, gap in ipairs(tape:info().gaps) do print(("  network: %s (%s)"):format(gap.url, gap.reason)) end
  if not result.stopped_at then return SAME end
  show(result.stopped_at, command)
  return #strange > 0 and ENVIRONMENT or DIFFERS
end

---Options that stand alone.
local function take_flag(command, name)
  local args, found = {}, false
  for _, word in ipairs(command.args or qa.args or {}) do
    if word == "--" .. name then found = true else args[#args + 1] = word end
  end
  return { args = args, out = command.out, browser = command.browser }, found
end

return words.command(function(command)
  if words.asks_for_help(command.args or qa.args or {}) then error(words.misuse, 0) end
  local rest, is_online = take_flag(command, "online")
  local options, arguments = words.parse("replay", rest, { "until", "target" })
  if #arguments ~= 1 then error("qa-host replay: give the directory of one run", 0) end
  local last = options["until"] and tonumber(options["until"])
  if options["until"] and not (last and last >= 0 and last % 1 == 0) then
    error("qa-host replay: --until takes the number of a step", 0)
  end
  local recording, err = replay.read((arguments[1]:gsub("(.)/+$", "%1")))
  if not recording then error(err, 0) end
  local found = options.target and target_of.classify(options.target)
  local tape
  tape, err = replay.tape(recording, (is_online or found and found.kind == "url") and "network" or "refuse")
  if not tape then error(err, 0) end
  local target = found and target_of.open(found)
  return { exit_code = play(recording, tape, target, last, { browser = command.browser, headed = command.headed,
    out = command.out }) }
end)
