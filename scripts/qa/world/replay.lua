-- Plays a recorded run again: the same page, what was done to it at the same frames, what the network answered from the
-- tape, and the pictures compared. Nothing is decided again: the strategy does not run.
local qa = require "qa"
local failure = require "qa.text.failure"
local input_log = require "qa.world.input_log"
local loading = require "qa.world.loading"
local pictures = require "qa.world.pictures"

local M = {}

---@class qa.Recording
---@field dir string
---@field started table of the run_started event
---@field page table of the recording event
---@field ended? table of the recording_ended event: not there in a run that died
---@field items table[] in order: inputs {frame, op, args, failed}, and pictures {picture = true, stage, step, frame,
---sha256, path}
---@field draws_all? boolean its frames build on others: none may be left out
---@field stops? string why the rest cannot be played again

local function unusable(message) return nil, failure.new("trace_mismatch", message, "qa-host replay") end

local function input_of(line)
  return { frame = line.frame, op = line.op, args = line.args, failed = not line.ok, seq = line.seq }
end

---What of a line cannot be done again.
local function end_of(line)
  if line.op == "page:thaw" then return "from then on it was played in real time" end
  if type(line.err) == "table" and line.err.kind == "cancelled" then return line.op .. " was cut short" end
end

local function take_event(recording, args, step)
  local name, data = args.name, args.data or {}
  if name == "run_started" then recording.started = data end
  if name == "recording" then recording.page = data end
  if name == "recording_ended" then recording.ended = data end
  if name ~= "picture" or recording.stops then return end
  recording.items[#recording.items + 1] = { picture = true, stage = data.stage, step = step, frame = data.frame,
    sha256 = data.sha256, path = data.path }
end

---The page of the run, by its number in the journal: it was loaded before the recording says so.
local function page_of(lines)
  for _, line in ipairs(lines) do
    if line.op == "event" and line.args.name == "recording" then return (line.args.data or {}).page end
  end
end

---Reads the journal of a run; every line of it is checked.
---@param dir string
---@return qa.Recording?, qa.Error?
function M.read(dir)
  local opened, err = qa.run.open{ reopen = dir }
  if not opened then return nil, err end
  local lines
  lines, err = qa.run.journal{ checked = true }
  if not lines then return nil, err end
  local recording, page = { dir = opened, items = {} }, page_of(lines)
  for _, line in ipairs(lines) do
    if line.op == "event" then
      take_event(recording, line.args, line.step)
      if line.args.name == "recording_moved" then page, recording.draws_all = line.args.data.page, true end
    elseif (line.input or line.op == "page:thaw") and line.page == page and not recording.stops then
      recording.stops = end_of(line)
      if not recording.stops then recording.items[#recording.items + 1] = input_of(line) end
    end
  end
  if not (recording.started and recording.page) then
    return unusable(dir .. " is no recording: its run was not on game time (qa-host test --clock game makes one)")
  end
  return recording
end

---The tape of the run, which must be the one that was there at its end.
---@param recording qa.Recording
---@param on_miss "refuse"|"network"
---@return qa.Tape?, qa.Error?
function M.tape(recording, on_miss)
  local folder = recording.dir .. "/tape"
  if not qa.fs.stat(folder) then
    return unusable(recording.dir .. " has no tape: it was kept in memory; record it with --tape disk")
  end
  local tape, err = qa.tape.open(folder, { on_miss = on_miss })
  if not tape then return nil, err end
  local info, known = tape:info(), (recording.ended or {}).tape
  if known and (info.sum ~= known.sum or info.entries ~= known.entries) then
    return unusable(("%s/tape.jsonl has %d entries that end in %s, and the run ended with %d that end in %s: entries "
      .. "are missing, or it is the tape of another run"):format(folder, info.entries, info.sum, known.entries,
        known.sum))
  end
  return tape
end

---What of this machine is not as where the run was recorded: sentences.
---@param recording qa.Recording
---@param product string of the browser
---@param fonts table<string, number>
---@return string[]
function M.strangeness(recording, product, fonts)
  local list, page = {}, recording.page
  if product ~= page.browser then
    list[1] = ("it was recorded with %s, and this is %s: install that version, or name it with --browser"):format(
      tostring(page.browser), product)
  end
  local other = {}
  for family, width in pairs(type(page.fonts) == "table" and page.fonts or {}) do
    if fonts[family] ~= width then other[#other + 1] = family end
  end
  table.sort(other)
  if #other > 0 then
    list[#list + 1] = ("fonts are not as there (%s): install the fonts of that machine"):format(
      table.concat(other, ", "))
  end
  return list
end

---An address of the recorded game as one of the game that is played now.
local function moved(url, from, to)
  if type(url) ~= "string" or not to then return url end
  if url == from.url then return to.url end
  if from.origin and url:sub(1, #from.origin + 1) == from.origin .. "/" then
    return (to.origin or to.url:match "^%a+://[^/]+") .. url:sub(#from.origin + 1)
  end
  return url
end

---@param recording qa.Recording
local function input(recording, page, item, to)
  if item.op ~= "page:navigate" then return input_log.again(page, item) end
  local args = { moved(item.args[1], recording.started, to), unpack(item.args, 2) }
  local ok, err = input_log.again(page, setmetatable({ args = args }, { __index = item }))
  if ok then loading.draw_all(recording, page) end
  return ok, err
end

---@return {pixels: integer, region?: qa.Rect, size?: string, recorded: qa.Image, now: qa.Image}? difference
local function compare(page, item, dir)
  local known = qa.fs.read(dir .. "/" .. item.path)
  if not known or qa.fs.sha256(known) ~= item.sha256 then
    return nil, failure.new("trace_mismatch", ("%s/%s is damaged or missing"):format(dir, item.path), "qa-host replay")
  end
  local recorded, err = qa.image.decode(known)
  if not recorded then return nil, err end
  local difference
  for _ = 1, 2 do  -- A picture may be taken while the browser still draws.
    local now
    now, err = page:screenshot()
    if not now then return nil, err end
    local found
    found, err = pictures.diff(now, recorded)
    if found and found.identical then return nil end
    difference = { pixels = found and found.changed_pixels or 0, region = found and found.regions[1],
      size = not found and failure.text(err) or nil, recorded = recorded, now = now }
  end
  return difference
end

---@class qa.Replayed
---@field pictures integer that were the same
---@field moved boolean did any of them differ from the one before?
---@field frame integer where it ended
---@field stopped_at? table the first picture that differs: the item, with difference and failed

---Plays all of it, or up to the pictures of step `last`.
---@param recording qa.Recording
---@param page qa.Page a new one
---@param target? {url: string, origin?: string} another copy of the game
---@param last? integer
---@return qa.Replayed?, qa.Error?
function M.play(recording, page, target, last)
  local result, before = { pictures = 0, moved = false, frame = 0 }, nil
  for _, item in ipairs(recording.items) do
    if last and item.picture and item.step > last then break end
    local ok, err
    if item.picture then ok, err = input_log.step_to(page, item.frame)
    else ok, err = input(recording, page, item, target) end
    result.frame = page:input_log().frame
    if not ok then
      if failure.is_loss(err) then return nil, err end
      result.stopped_at = { item = item, failed = failure.text(err) }
      return result
    end
    if item.picture then
      local difference
      difference, err = compare(page, item, recording.dir)
      if err then return nil, err end
      if difference then
        result.stopped_at = { item = item, difference = difference }
        return result
      end
      result.pictures = result.pictures + 1
      result.moved = result.moved or before ~= nil and before ~= item.sha256
      before = item.sha256
    end
  end
  return result
end

return M
