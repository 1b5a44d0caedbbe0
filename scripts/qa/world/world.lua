-- A world: a page on game time, its seed, its tape and all that was done to it. Worlds of one seed and tape that got
-- the same inputs at the same frames are twins: they show the same pictures, or the game is not repeatable.
--
--   open --> world --input, step--> world            differs(other): what is not the same
--              `--fork--> another page, to which the same was done, checked by picture
local qa = require "qa"
local failure = require "qa.text.failure"
local input_log = require "qa.world.input_log"
local loading = require "qa.world.loading"
local pictures = require "qa.world.pictures"
local words = require "qa.world.words"

local World = {}
World.__index = World

local M = {}

---How long a difference must last while a game loads.
local AGAIN_FRAMES = 2
---How long the page may take to describe itself.
local STATE_MS = 2000

---@class qa.WorldOptions
---@field url string
---@field seed? integer 1
---@field width? integer
---@field height? integer
---@field frame_ms? number 1000 / 60
---@field tape? qa.Tape what the network answers; one in memory, where none is given
---@field twin? boolean it sends nothing that may change a server: its requests wait for those of the other world
---@field page? table more options of the page
---@field draws_all? boolean no frame is left out: the drawing of later ones is known to build on them

---Its fields: page, game, options; loaded: what page:navigate gave; covered: entries of another world's log after
---which that one was equal to this one, at first those that loaded the game; twin: a world that is equal to this one
---and waits (qa.effect), and following: what keeps it so; past: {entries, until_frame}: a shorter log that leads to
---where this one stood at that frame; is_followed: World:follow was called; on_new_page: called where another page has
---taken the place of its page, before that one is closed.
local function world_of(game, page, loaded)
  game.open = game.open + 1
  return setmetatable({ page = page, game = game, options = game.options, loaded = loaded,
    covered = #page:input_log().entries }, World)
end

---Opens a page on game time and loads the address; no time has passed then.
---@param browser qa.Browser started with clock = "game"
---@param options qa.WorldOptions
---@return table? world, qa.Error? err
function M.open(browser, options)
  local tape, err = options.tape, nil
  if not tape then tape, err = qa.tape.open() end
  if not tape then return nil, err end
  local game = { browser = browser, options = options, tape = tape, open = 0, draws_all = options.draws_all }
  local page, loaded
  page, err, loaded = loading.page(game, options.twin)
  game.first = page
  return page and world_of(game, page, loaded), err
end

---Opens a page ahead for the next fork, which then does not wait for the game to load; not where opens_none_ahead says
---that there is no processor for it.
function World:prepare()
  local game = self.game
  if game.opens_none_ahead then return end
  game.spare = game.spare or qa.spawn(function()
    local page, err = loading.page(game, true)
    return page or { err = err }
  end)
end

---The page that was opened ahead, where there is one that can be used.
local function take_spare(game)
  local spare = game.spare
  game.spare = nil
  if not spare then return nil end
  local ok, page = pcall(spare.join, spare)
  if not ok and failure.is_loss(page) then error(page, 0) end
  if not ok or type(page) ~= "userdata" or page:is_closed() then return nil end
  if not page:health().crashed then return page end
  page:close()
end

---Where the world stands: frames since it was opened.
---@return integer
function World:frame() return self.page:input_log().frame end

---What was done to a page, done to another one that stood where the first one did after `covered` entries of its log.
---@return true?, qa.Error?
local function play_log(game, log, page, covered)
  local entries = {}
  for i = covered + 1, #log.entries do entries[#entries + 1] = log.entries[i] end
  local draw = game.draws_replays and "last" or nil
  return input_log.play(page, { frame = log.frame, entries = entries }, draw)
end

---Canvases that draw themselves anew in each frame are left out of the frames that nobody looks at. It takes a page a
---while to find out which; another one with the same past knows.
local STEADY, KNOWN = "__qa_clock.clock.drawing?.steady_now() ?? []", [[(() => {
  const {drawing} = __qa_clock.clock, steady = %s;
  if (drawing) drawing.known = steady && new Set(steady);
})()]]

local function know_steady(page, numbers)
  page:evaluate(KNOWN:format(numbers and qa.json.encode(numbers) or "null"), { read_only = true,
    timeout_ms = STATE_MS })
end

---What has changed nothing for so many frames did nothing.
local NO_EFFECT_FRAMES = 60

---The shortest way known to where another world stands: what did nothing there was not done to its twin.
---@param log table of page:input_log() of the other
---@param past? {entries: table[], until_frame: integer} of the other
local function shortest(log, past)
  if not past then return log end
  local entries = {}
  for _, entry in ipairs(past.entries) do if entry.frame < past.until_frame then entries[#entries + 1] = entry end end
  for _, entry in ipairs(log.entries) do if entry.frame >= past.until_frame then entries[#entries + 1] = entry end end
  return { frame = log.frame, entries = entries }
end

---All that was done to a world since this one was equal to it, done to this one: it is equal again, if the game
---repeats.
---@param other table
---@param log? table as of page:input_log(), which is that of the other where none is given
---@return true?, qa.Error?
function World:follow(other, log)
  log = log or other.page:input_log()
  local all, is_new = #log.entries, not self.is_followed
  local steady = is_new and not self.game.draws_replays
    and other.page:evaluate(STEADY, { read_only = true, timeout_ms = STATE_MS })
  local knows = type(steady) == "table" and #steady > 0
  self.is_followed = true
  if knows then know_steady(self.page, steady) end
  local done, err = play_log(self.game, is_new and shortest(log, other.past) or log, self.page, self.covered)
  if not done then return nil, err end
  if knows then know_steady(self.page, nil) end
  self.covered = all
  return true
end

---@return boolean was something done to another world that this one, which was equal to it, has not got?
function World:is_behind(other) return #other.page:input_log().entries > self.covered end

---This one is equal to another world, to which more was done that changed nothing.
function World:is_equal_to(other)
  local log = other.page:input_log()
  self.covered = #log.entries
  other.past = { entries = self.page:input_log().entries, until_frame = log.frame - NO_EFFECT_FRAMES }
end

---Frames were left out that later ones build on, or after which none came: from now on this game draws all, and this
---world is made anew.
local function draw_anew(self)
  self.game.draws_all = true
  local page, err = loading.page(self.game, self.options.twin)
  if not page then return nil, err end
  local done
  done, err = play_log(self.game, self.page:input_log(), page, #page:input_log().entries)
  if not done then
    page:close()
    return nil, err
  end
  local before = self.page
  self.page, self.past = page, nil
  if self.on_new_page then self.on_new_page(page) end
  before:close()
  return true
end

---@param frames integer
---@param options? {draw?: "last"|"all"|"none"}
---@return qa.Stepped?, qa.Error?
function World:step(frames, options)
  local stepped, err = self.page:step(frames, options)
  if not (stepped and stepped.skipping_lost) or self.is_drawn_anew then return stepped, err end
  self.is_drawn_anew = true
  local done, why = draw_anew(self)
  return done and stepped, why
end

---Plays one input: {key = NAME}, {click = {x, y}} or {click = SELECTOR}; frames pass while it is held.
---@param action {key?: string|string[], click?: qa.Point|string, hold_ms?: integer}
---@return true?, qa.Error?
function World:input(action)
  local options = { hold_ms = action.hold_ms }
  if action.key then return self.page:press(action.key, options) end
  local done, err = self.page:click(action.click, options)
  return done and true, err
end

---@class qa.WorldLook
---@field picture qa.Image the frame that the world stands at; the caller closes it
---@field text string what the page says
---@field painted string what it has written on canvases, for a page with tap_text
---@field inputs string[] values of form fields
---@field storage string what it keeps in the browser
---@field sounds integer how many it has begun to play
---@field state? string what its own render_game_to_text() says; untrusted

---@return qa.WorldLook?, qa.Error?
function World:look()
  local refused
  local picture, look = qa.all(function()
    local taken, err = self.page:screenshot()
    refused = err
    return taken
  end, function() return words.of(self.page) end)
  if not picture then return nil, refused end
  look.picture = picture
  return look
end

---A contact sheet: the next `count` frames, or one every `apart` frames, from left to right and from the top down.
---@param count integer
---@param apart? integer 1
---@return qa.Image?, qa.Error?
function World:sheet(count, apart)
  local shown = {}
  for i = 1, count do
    local stepped, err = self:step(apart or 1)
    if stepped then shown[i], err = self.page:screenshot() end
    if not shown[i] then return nil, err end
  end
  local sheet, err = qa.image.sheet(shown)
  for _, picture in ipairs(shown) do picture:close() end
  return sheet, err
end

---@return {picture: qa.Image, same: boolean}? seen, qa.Error? err
local function compare(a, b)
  local first, second, errs = qa.all(function() return a:screenshot() end, function() return b:screenshot() end)
  if not (first and second) then
    if first then first:close() end
    if second then second:close() end
    return nil, errs and (errs[1] or errs[2])
  end
  local found, err = pictures.diff(first, second)
  second:close()
  if found then return { picture = first, found = found } end
  first:close()
  return nil, err
end

---Do two worlds that stand at the same frame show the same?
---@return true?, qa.Error? err trace_mismatch
function M.are_equal(world, other)
  local err
  for _ = 1, 2 do  -- A picture may be taken while the browser still draws.
    local seen
    seen, err = compare(world.page, other.page)
    if seen then
      seen.picture:close()
      if seen.found.identical then return true end
      err = failure.new("trace_mismatch", ("the fork shows %d other pixels at frame %d: the game is not repeatable")
        :format(seen.found.changed_pixels, world:frame()), "world:fork")
    end
  end
  return nil, err
end

---A world in which the game was loaded and nothing else was done; World:follow makes it equal to this one.
---@return table? world, qa.Error?
function World:begin_fork()
  local page, err = take_spare(self.game), nil
  if page then loading.draw_all(self.game, page) else page, err = loading.page(self.game, true) end
  return page and world_of(self.game, page), err
end

---Another world with the same past: a new page, to which all was done that was done to this one. `trace_mismatch` where
---it does not show the same picture: the game is not repeatable.
---@return table? world, qa.Error? err
function World:fork()
  local log = self.page:input_log()
  local fork, err = self:begin_fork()
  if not fork then return nil, err end
  local played, is_equal
  played, err = fork:follow(self, log)
  if played then is_equal, err = M.are_equal(self, fork) end
  if is_equal then return fork end
  fork:close()
  -- What seemed to do nothing did something later.
  if self.past then
    self.past = nil
    return self:fork()
  end
  if not played or self.game.draws_replays then return nil, err end
  -- What was left out was not drawn anew later: an input ended the drawing, say.
  self.game.draws_replays = true
  return self:fork()
end

---Closes the twin that waits beside this world, or follows it (qa.effect).
function World:let_go()
  if self.following then self.following.stop() end
  if self.twin then self.twin:close() end
  self.twin = nil
end

---Closing the last one of its game leaves nothing.
function World:close()
  self:let_go()
  if not self.page:is_closed() then self.page:close() end
  local game = self.game
  if self.is_closed then return end
  self.is_closed, game.open = true, game.open - 1
  if game.open > 0 or not game.spare then return end
  local page = take_spare(game)
  if page then page:close() end
end

---So many pixels are no part of the page that was drawn late.
local LARGE_PIXELS = 4096

---What two worlds show differently: nil, or {pixels, regions}; and the first one's picture. A difference must be there
---in two pictures. Both are of the same frame, for what an input does may have passed in the next one; with `step`,
---which takes both worlds on, a small difference must still be there two frames later: while a game loads, what one
---browser has drawn the other may not have yet.
---@param a table
---@param b table
---@param step? fun(worlds: table[], frames: integer): true?, qa.Error?
---@return {pixels: integer, regions: qa.Rect[]}? found, qa.Image? picture, qa.Error? err
function M.difference(a, b, step)
  local seen, err = compare(a.page, b.page)
  if not seen then return nil, nil, err end
  if seen.found.identical then return nil, seen.picture end
  local stepped, again = not step or seen.found.changed_pixels >= LARGE_PIXELS, nil
  if not stepped then stepped, err = step({ a, b }, AGAIN_FRAMES) end
  if stepped then again, err = compare(a.page, b.page) end
  if not again then return nil, seen.picture, err end
  again.picture:close()
  if again.found.identical then return nil, seen.picture end
  return { pixels = seen.found.changed_pixels, regions = seen.found.regions }, seen.picture
end

local function pair_of(a, b)
  local function text(value) return type(value) == "table" and table.concat(value, "\n") or value or "" end
  return text(a) ~= text(b) and { text(a), text(b) } or nil
end

---@class qa.WorldDifference
---@field pixels integer 0 where the pictures are the same
---@field regions qa.Rect[]
---@field text? string[] what this one says and the other one, where that differs; so, too:
---@field inputs? string[]
---@field storage? string[]
---@field sounds? integer[]
---@field state? string[]

---What two worlds at the same frame say differently, whatever they show: the fields of a difference but for pixels and
---regions; nil where all is the same.
---@return {text?: string[], inputs?: string[], storage?: string[], sounds?: integer[], state?: string[]}?, qa.Error?
function M.other_words(a, b)
  local mine, theirs = qa.all(function() return words.of(a.page) end, function() return words.of(b.page) end)
  if not (mine and theirs) then return nil, failure.new("page_hung", "a world does not answer", "world:differs") end
  local result = { text = pair_of(mine.text .. "\n" .. mine.painted, theirs.text .. "\n" .. theirs.painted),
    inputs = pair_of(mine.inputs, theirs.inputs), storage = pair_of(mine.storage, theirs.storage),
    sounds = mine.sounds ~= theirs.sounds and { mine.sounds, theirs.sounds } or nil,
    state = pair_of(mine.state, theirs.state) }
  return next(result) and result or nil
end

---What is not the same in another world that stands at the same frame: nil where all is. On other pictures both are
---stepped two frames and must still differ.
---@param other table
---@return qa.WorldDifference?, qa.Error?
function World:differs(other)
  local found, picture, err = M.difference(self, other, M.step)
  if picture then picture:close() end
  if err then return nil, err end
  local result
  result, err = M.other_words(self, other)
  if err or not (found or result) then return nil, err end
  result = result or {}
  result.pixels, result.regions = found and found.pixels or 0, found and found.regions or {}
  return result
end

---Steps worlds side by side.
---@param worlds table[]
---@param frames integer
---@param options? {draw?: "last"|"all"|"none"}
---@return true?, qa.Error?
function M.step(worlds, frames, options)
  local jobs = {}
  for i, world in ipairs(worlds) do
    jobs[i] = function()
      local stepped, err = world:step(frames, options)
      return { stepped = stepped, err = err }
    end
  end
  for _, result in ipairs{ qa.all(unpack(jobs)) } do if not result.stepped then return nil, result.err end end
  return true
end

return M
