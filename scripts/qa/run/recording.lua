-- A run on game time, kept so that anybody can play it again: seed, page and machine in the journal, all that was done
-- to the page with its frame (the host writes it), what the network answered on the tape, and a picture at each step.
-- qa-host replay reads it.
local qa = require "qa"
local failure = require "qa.text.failure"
local repeatable = require "qa.world.repeatable"
local time = require "qa.page.time"

local M = {}

---How long two worlds must show the same before a run is played on game time.
local CHECKED_FRAMES = 60
local PROBE_MS = 3000

---Where the network's answers are kept.
---@param dir string of the run
---@param kind "disk"|"memory"
---@return qa.Tape
function M.tape(dir, kind)
  local tape, err = qa.tape.open(kind ~= "memory" and dir .. "/tape" or nil)
  return tape or error(("the tape cannot be made: %s"):format(failure.text(err)), 0)
end

---Options of the page of a run, or of its replay.
function M.page_options(options, tape)
  local page = { clock = "game", tape = tape }
  for name, value in pairs(options) do page[name] = value end
  return page
end

---Is this game one for game time? Two worlds are compared for a second.
---@param options table of the page
---@return table? world where the game has run for CHECKED_FRAMES, with its twin, qa.Error? why_not
function M.world(browser, ctx, options)
  return repeatable.world_with_twin(browser, { url = ctx.url, seed = options.seed, width = options.width,
    height = options.height, tape = ctx.tape, page = options }, CHECKED_FRAMES)
end

---Widths of a text in common fonts: {family = width}; what another machine draws otherwise.
---@param page qa.Page
---@return table<string, number>
function M.fonts(page)
  local frames = page:probe("fonts", {}, { timeout_ms = PROBE_MS })
  return frames and frames[1] and frames[1].value or {}
end

---The number of a page in the journal.
---@param page qa.Page
local function number_of(page) return tonumber(tostring(page):match "%d+") end

---The page of a run is there, and nothing was done to it but to load the game.
---@param ctx table
---@param options table of the page
function M.begin(ctx, options)
  time.follow(ctx.page)
  ctx.recording = { pictures = 0 }
  ctx:event("recording", { page = number_of(ctx.page), options = options,
    browser = ctx.browser:info().product, fonts = M.fonts(ctx.page) })
end

---The run goes on in another page, to which all was done that was done to the first, with each frame drawn.
---@param ctx table
---@param page qa.Page
function M.move(ctx, page)
  ctx.page = page
  time.move(page)
  ctx:event("recording_moved", { page = number_of(page) })
end

---A page that hangs, or does nothing but open dialogs, would be waited for in vain.
local function is_silent(page)
  if page:is_closed() then return true end
  local health = page:health()
  return health.hung or health.crashed or (health.counts.dialog_storm or 0) > 0
end

---Keeps what the page shows now.
---@param ctx table
---@param stage string
function M.picture(ctx, stage)
  -- C-023: who cleans up screenshots wants none kept.
  if not ctx.recording or ctx.keep_shots == false or is_silent(ctx.page) then return end
  local picture = ctx.page:screenshot()
  if not picture then return end  -- A page that crashed shows nothing; the journal says so.
  local path = ("replay/%03d.png"):format(ctx.recording.pictures + 1)
  local saved = picture:save(path)
  local bytes = saved and qa.fs.read(ctx.dir .. "/" .. path)
  if bytes then
    ctx.recording.pictures = ctx.recording.pictures + 1
    ctx:event("picture", { stage = stage, frame = ctx.page:input_log().frame, path = path,
      sha256 = qa.fs.sha256(bytes) })
  end
  picture:close()
end

---What a reader needs to know that the recording is whole.
---@param ctx table
function M.finish(ctx)
  if not ctx.recording then return end
  local tape, at = ctx.tape:info(), nil
  if not ctx.page:is_closed() then at = ctx.page:input_log() end
  local coverage = not is_silent(ctx.page) and ctx.page:clock_coverage()
  ctx:event("recording_ended", { frame = at and at.frame, game_ms = at and ctx.page:game_time_ms(),
    coverage = qa.json.array(coverage or {}),
    tape = { entries = tape.entries, sum = tape.sum, files_sha256 = tape.files_sha256,
      gaps = qa.json.array(tape.gaps) } })
  time.follow(nil)
end

return M
