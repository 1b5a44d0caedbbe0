-- Is a game repeatable? Two worlds of one seed are stepped side by side and compared by picture, and a third page shows
-- the game in real time.
local qa = require "qa"
local cpu = require "qa.world.cpu"
local failure = require "qa.text.failure"
local worlds = require "qa.world.world"

local M = {}

local BATCH = 60         -- Frames between two pictures: a picture costs as much as 20 to 60 of them.
local APART_MS = 200     -- Of real time.
local REAL_TIME_MS = BATCH * 1000 / 60  -- What the first batch is compared with.

---@class qa.Repeatable
---@field repeatable boolean
---@field moved boolean did any picture differ from the one before?
---@field frames integer
---@field first_difference? {frame: integer, pixels: integer, region: qa.Rect}
---@field coverage {what: string, where: string, reason: string}[]

local function open_twins(browser, options)
  local second = setmetatable({ twin = true }, { __index = options })
  local twins = { qa.all(function() return { worlds.open(browser, options) } end,
    function() return { worlds.open(browser, second) } end) }
  for i, opened in ipairs(twins) do
    if not opened[1] then return nil, opened[2] end
    twins[i] = opened[1]
  end
  return twins
end

local function close_all(twins) for _, world in ipairs(twins) do world:close() end end

---Frames from where the worlds stand to the next picture or input.
local function next_stop(frame, frames, inputs)
  local stop = math.min(frames, (math.floor(frame / BATCH) + 1) * BATCH)
  for _, input in ipairs(inputs) do if input.frame > frame and input.frame < stop then stop = input.frame end end
  return stop
end

local function play_inputs(twins, inputs, from)
  for _, input in ipairs(inputs) do
    if input.frame == from then
      for _, world in ipairs(twins) do
        local ok, err = world:input(input)
        if not ok then return nil, err end
      end
    end
  end
  return true
end

---Side by side; where something goes by real time, some of it passes between the two, so that it shows.
local function step(twins, count, costs)
  local is_apart = #(twins[1].page:clock_coverage() or {}) > 0
  for i, group in ipairs(is_apart and { { twins[1] }, { twins[2] } } or { twins }) do
    if i > 1 then qa.sleep(APART_MS) end
    local began, cpu_began = qa.now_ms(), costs.seconds()
    local ok, err = worlds.step(group, count)
    if not ok then return nil, err end
    costs.wall_ms = costs.wall_ms + qa.now_ms() - began
    costs.cpu = costs.cpu and costs.cpu + (costs.seconds() or 0) - (cpu_began or 0)
  end
  costs.frames = costs.frames + count
  return true
end

local function uncounted() return { wall_ms = 0, frames = 0, seconds = function() end } end
local function difference(twins)
  return worlds.difference(twins[1], twins[2], function(pair, count) return step(pair, count, uncounted()) end)
end

---Steps both worlds to `frames`; look(twins) after each batch ends it by giving a true value.
local function play(twins, frames, inputs, costs, look)
  while twins[1]:frame() < frames do
    local from = twins[1]:frame()
    local ok, err = play_inputs(twins, inputs, from)
    if not ok then return nil, err end
    local count = next_stop(twins[1]:frame(), frames, inputs) - twins[1]:frame()
    if count > 0 then ok, err = step(twins, count, costs) end
    if not ok then return nil, err end
    local found, look_err = look(from)
    if found or look_err then return found, look_err end
  end
end

---The first frame of a batch after which the pictures differ: the batch is played again, frame by frame.
local function first_frame(browser, options, inputs, from, to)
  local twins = open_twins(browser, options)
  if not twins then return to end
  play(twins, from, inputs, uncounted(), function() end)
  local frame = to
  while twins[1]:frame() < to do
    if not play_inputs(twins, inputs, twins[1]:frame()) or not step(twins, 1, uncounted()) then break end
    local at = twins[1]:frame()
    local found, picture = difference(twins)
    if picture then picture:close() end
    if found then
      frame = at
      break
    end
  end
  close_all(twins)
  return frame
end

---What the same page does in real time.
local function in_real_time(browser, options)
  local page, err = browser:new_page{ width = options.width, height = options.height }
  if not page then return nil, err end
  local loaded = page:navigate(options.url)
  local before = loaded and page:screenshot()
  qa.sleep(REAL_TIME_MS)
  local after = before and page:screenshot()
  local result = { ready = loaded ~= nil, moved = false, exceptions = page:health().counts.exception or 0 }
  if after then result.moved = not assert(before:diff(after)).identical end
  page:close()
  return result
end

local function coverage_of(world)
  local list = world.page:clock_coverage() or {}
  for _, gap in ipairs(world.game.tape:info().gaps) do
    list[#list + 1] = { what = "network", where = gap.url, reason = gap.reason }
  end
  return qa.json.array(list)
end

local function rates(result, costs)
  local simulated = costs.frames / 60
  local function rate(seconds)
    return seconds and seconds > 0 and math.floor(simulated / seconds * 10 + 0.5) / 10 or qa.json.null
  end
  result.sim_seconds_per_wall_second = rate(costs.wall_ms / 1000)
  result.sim_seconds_per_cpu_second = rate(costs.cpu)
end

---Two worlds of one seed that show the same after some frames; the first one is the judged one, the other its twin.
---@param browser qa.Browser started with clock = "game"
---@param options qa.WorldOptions with a tape
---@param frames integer
---@return table? world with its `twin`, qa.Error? why_not
function M.world_with_twin(browser, options, frames)
  local twins, err = open_twins(browser, options)
  if not twins then return nil, err end
  local found, picture
  local ok
  ok, err = worlds.step(twins, frames)
  if ok then found, picture, err = worlds.difference(twins[1], twins[2], worlds.step) end
  if picture then picture:close() end
  if not found and not err then
    twins[1].twin = twins[2]
    return twins[1]
  end
  close_all(twins)
  if err then return nil, err end
  local at = found.regions[1]
  return nil, failure.new("clock_unavailable",
    ("two pages of one seed show other pixels after %d frames, in %d,%d-%d,%d"):format(frames, at.x, at.y,
      at.x + at.width, at.y + at.height), "qa-host test")
end

---@param browser qa.Browser started with clock = "game"
---@param options qa.WorldOptions
---@param frames integer
---@param inputs table[] actions of world:input with the frame after which they come
---@return qa.Repeatable? result, qa.Error? err err: the page could not be opened, or not be stepped
function M.examine(browser, options, frames, inputs)
  if not options.tape then options = setmetatable({ tape = assert(qa.tape.open()) }, { __index = options }) end
  local twins, err = open_twins(browser, options)
  if not twins then return nil, err end
  local pid = browser:info().pid
  local costs = { wall_ms = 0, cpu = pid > 0 and 0 or nil, frames = 0 }
  function costs.seconds() return cpu.tree_seconds(pid) end
  local result = { repeatable = true, moved = false, frames = frames, first_difference = qa.json.null }
  local last, first_look_err = twins[1].page:screenshot()
  local early, batch
  local _, failed = play(twins, first_look_err and 0 or frames, inputs, costs, function(from)
    local to = twins[1]:frame()
    local found, picture, look_err = difference(twins)
    if look_err then return nil, look_err end
    result.moved = result.moved or not assert(last:diff(picture)).identical
    last:close()
    last = picture
    early = early or { moved = result.moved, exceptions = twins[1].page:health().counts.exception or 0 }
    if not found then return end
    result.repeatable = false
    result.first_difference = { frame = to, pixels = found.pixels, region = found.regions[1] }
    batch = { from = from, to = to }
    return true
  end)
  failed = failed or first_look_err
  if failed then
    close_all(twins)
    return nil, failed
  end
  result.coverage = coverage_of(twins[1])
  rates(result, costs)
  close_all(twins)
  if batch then
    result.first_difference.frame = first_frame(browser, options, inputs, batch.from, batch.to)
    result.moved = true
  end
  local real = in_real_time(browser, options) or { ready = false, moved = false, exceptions = 0 }
  -- An input of the first second is one that the page in real time does not get.
  local is_played = inputs[1] and inputs[1].frame < BATCH
  real.differs = not real.ready or not is_played and early ~= nil
    and (real.moved ~= early.moved or (real.exceptions > 0) ~= (early.exceptions > 0))
  result.real_time = real
  return result
end

return M
