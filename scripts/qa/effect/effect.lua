-- What does this input change in this world? A twin that waits beside it gets all but the input, for the same frames:
-- what differs then was caused by it. Nothing is estimated: the twins were equal just before.
--
--   world --pointer there--> world --input, step--> shows other pixels, or says something else?   changed
--   twin  --pointer there--> twin  --------step-->
--
-- An input without effect leaves the twins equal, and the next one is asked of the same pair. After one with an effect
-- the world goes on, its twin is let go, and a page for the next one is opened ahead.
local browser_looks = require "qa.page.browser_looks"
local failure = require "qa.text.failure"
local moves = require "qa.input.moves"
local native = require "qa.effect.native"
local qa = require "qa"
local worlds = require "qa.world.world"

local M = {}

---After so many frames of game time from the input on the twins are compared; then again each MORE_FRAMES. The first
---time is soon, but when nothing is pressed any more: what a key turns by one side of six, say, looks after six frames
---as it did before, and a button that was clicked looks pressed for some frames.
local LOOKS, FIRST_OF_KEYS, MORE_FRAMES = { 6, 20, 60 }, 4, 60
---An effect lasts that is still to be seen after so many frames more: the look of a button that was pressed does not.
local LASTS_FRAMES = 30
---Another view, of which so much has changed, does not go by itself.
local VIEW_SHARE = 0.5
---Frames in which what a pointer that rests does has come to its end.
local REST_FRAMES = 20
---How long the moves that are many inputs may take, in ms of game time.
local WINDOW_MS = 1000
---No game uses it.
M.PLACEBO = { action = "press", key = "F7", hold_ms = 100 }

---@class qa.Effect
---@field changed boolean
---@field frame integer where the input began
---@field held integer frames until it was done
---@field after_frames integer frames after which the difference was seen, or up to which there was none
---@field pixels integer
---@field regions qa.Rect[]
---@field lasts? boolean it was still to be seen half a second later
---@field is_native? boolean all that differed is what the browser shows by itself: the frame around what has the focus,
---text that is marked, another part of the page
---@field is_restored? boolean the world was made equal to its twin again
---@field threw? boolean an exception came with it that the twin did not have
---@field text? string[] what the world says, and its twin; so, too:
---@field inputs? string[]
---@field storage? string[]
---@field sounds? integer[]
---@field state? string[]
---@field pictures? {with: qa.Image, without: qa.Image} the caller closes them

---How long a twin that follows waits for more to follow.
local FOLLOW_MS = 30

---Plays on without a question: until the next one is asked, a twin is opened if there is none, and all that is done to
---the world is done to it, beside it.
function M.keep_up(world)
  if world.following then return end
  local following = {}
  world.following = following
  function following.stop()
    following.is_over, world.following = true, nil
    return pcall(following.task.join, following.task)
  end
  following.task = qa.spawn(function()
    local twin, err = world.twin, nil
    if not twin then twin, err = world:begin_fork() end
    world.twin = twin
    while twin and not following.is_over and not world.page:is_closed() do
      -- The world may be in the middle of an input: as far as the last one that ended.
      local log = world.page:input_log()
      log.frame = nil
      local ok, why = twin:follow(world, log)
      if not ok then return { err = why } end
      qa.sleep(FOLLOW_MS)
    end
    return { err = err }
  end)
end

---Ends what keep_up began; the twin is equal then, or gone.
---@return true? ok, qa.Error? err
local function stop_following(world)
  local following = world.following
  if not following then return true end
  local ok, result = following.stop()
  if not ok and failure.is_loss(result) then error(result, 0) end
  local done, err = ok and not result.err, ok and result.err or result
  if done then done, err = world.twin:follow(world) end
  if done then done, err = worlds.are_equal(world, world.twin) end
  if done then return true end
  world:let_go()
  world.past = nil  -- What seemed to do nothing may have done something later.
  return nil, err
end

---The twin of a world: the one that waits, else a new one, to which all was done that was done to the world.
---@return table? twin, qa.Error? err trace_mismatch: the game does not repeat
function M.twin(world)
  stop_following(world)
  local twin = world.twin
  -- Something was done to the world that was not asked for: the page was scrolled, say.
  if twin and twin:is_behind(world) and not (twin:follow(world) and worlds.are_equal(world, twin)) then
    world:let_go()
  end
  if world.twin then return world.twin end
  local err
  world.twin, err = world:fork()
  if world.twin then world:prepare() end
  return world.twin, err
end

---Brings the twin to the frame of the world.
local function follow(world, twin)
  local behind = world:frame() - twin:frame()
  if behind == 0 then return true end
  return twin:step(behind)
end

---Frames after which is looked: those of LOOKS, then each MORE_FRAMES, up to the last; none before the input is over.
---@param last integer
---@param held integer
---@param is_many? boolean what is asked for is many inputs: that they show at once is not likely
---@param is_key boolean
local function looks_up_to(last, held, is_many, is_key)
  local list = {}
  local function add(frames)
    frames = math.max(frames, held)
    if frames ~= list[#list] then list[#list + 1] = frames end
  end
  for i, frames in ipairs(is_many and { LOOKS[2] } or LOOKS) do
    if frames < last then add(is_key and i == 1 and FIRST_OF_KEYS or frames) end
  end
  for frames = LOOKS[#LOOKS] + MORE_FRAMES, is_many and 0 or last - 1, MORE_FRAMES do add(frames) end
  add(last)
  return list
end

---Both are stepped to a frame and compared.
local function look(world, twin, frame)
  local ahead = frame - world:frame()
  if ahead > 0 then
    local ok, err = worlds.step({ world, twin }, ahead)
    if not ok then return nil, err end
  end
  local found, picture, err = worlds.difference(world, twin)
  if picture then
    local width, height = picture:size()
    if found then found.share = found.pixels / (width * height) end
    picture:close()
  end
  return found, err
end

---Moves the pointer of both to a place, side by side: each waits for its browser.
---@param at qa.Point
local function point_at(both, at)
  local jobs = {}
  for i, each in ipairs(both) do
    jobs[i] = function()
      local ok, err = each.page:move({ x = at.x, y = at.y }, {})
      return { ok = ok, err = err }
    end
  end
  for _, result in ipairs{ qa.all(unpack(jobs)) } do if not result.ok then return nil, result.err end end
  return true
end

---After many inputs the pointer rests at one place in both, so that what hovering does is no difference.
local function rest_pointer(both, move)
  local at
  for _, part in ipairs(move.action == "sequence" and move.moves or {}) do at = part.x and part or at end
  if not at then return true end
  local ok, err = point_at(both, at)
  if not ok then return nil, err end
  return worlds.step(both, REST_FRAMES)
end

local function exceptions(world) return world.page:health().counts.exception or 0 end

---@param act? fun(): true?, qa.Error? plays the move
local function play(world, twin, move, act)
  if move.x and move.action ~= "hover" then
    local ok, err = point_at({ world, twin }, move)
    if not ok then return nil, err end
  end
  local began = world:frame()
  local ok, err
  if act then ok, err = act() else ok, err = moves.act(world.page, move, { window_ms = WINDOW_MS }) end
  if ok then ok, err = follow(world, twin) end
  if ok then ok, err = rest_pointer({ world, twin }, move) end
  return ok and began, err
end

---What was seen of an effect: is it the game's, does it last, and how do the two look now?
---@param share number of the view that differs
---@param move table
local function tell(world, twin, move, result, share, options)
  if options.pictures then
    result.pictures = { with = world.page:screenshot(), without = twin.page:screenshot() }
  end
  local is_focused = native.is_focus(world, twin, result.regions, move)
  result.is_restored = is_focused and native.is_same_unfocused(world, twin) or native.is_selection(world, twin)
    or native.is_scrolling(world, twin) or native.is_focus_look(world, twin) or nil
  result.is_native = is_focused or result.is_restored or nil
  if result.is_restored or options.is_brief then return result end
  if share >= VIEW_SHARE then
    result.lasts = true
    return result
  end
  local found, err = look(world, twin, world:frame() + LASTS_FRAMES)
  result.lasts = found ~= nil
  return not err and result or nil, err
end

---@param world table a world, or nothing was done to it but through the primitives of its page
---@param move table of qa.input.moves
---@param options? {frames?: integer, pictures?: boolean, is_brief?: boolean, is_seen?: boolean, is_many?: boolean,
---act?: function}
---frames: up to where an effect is waited for (60); is_brief: whether it lasts is not asked, for which half a second of
---the game would pass; is_seen: what is kept in the browser, or heard, is no effect; is_many: the move is many
---inputs; act: plays the move: true, or nil and an error
---@return qa.Effect? effect, qa.Error? err nothing can be said: the game does not repeat, or the page is lost
function M.of(world, move, options)
  options = options or {}
  local twin, err = M.twin(world)
  if not twin then return nil, err end
  local thrown = { exceptions(world), exceptions(twin) }
  local began
  began, err = play(world, twin, move, options.act)
  if not began then
    world:let_go()
    return nil, err
  end
  local result = { changed = false, frame = began, held = world:frame() - began, pixels = 0, regions = {} }
  for _, frames in ipairs(looks_up_to(options.frames or LOOKS[#LOOKS], result.held, options.is_many,
      move.action == "press")) do
    local found
    found, err = look(world, twin, began + frames)
    if err then break end
    result.after_frames = frames
    if found then
      result.changed, result.pixels, result.regions = true, found.pixels, found.regions
      result.threw = exceptions(world) - thrown[1] > exceptions(twin) - thrown[2] or nil
      result, err = tell(world, twin, move, result, found.share, options)
      break
    end
  end
  local words
  if not err and (not result.changed or result.lasts == false) then words, err = worlds.other_words(world, twin) end
  if words and options.is_seen then
    words.storage, words.sounds = nil, nil
    words = next(words) and words
  end
  for field, values in pairs(words or {}) do result[field], result.changed, result.lasts = values, true, true end
  if words and words.inputs and next(words, next(words)) == nil and browser_looks.native_looks(world.page).writes then
    result.is_native = true  -- Blanks in a field, say.
  end
  -- Twins that are equal again can be asked again.
  local are_equal = not err and (not result.changed or result.lasts == false or result.is_restored)
  if are_equal then twin:is_equal_to(world) else world:let_go() end
  return not err and result or nil, err
end

---Lets frames pass in both.
---@return true?, qa.Error?
function M.wait(world, frames)
  local twin, err = M.twin(world)
  if not twin then return nil, err end
  return worlds.step({ world, twin }, frames)
end

---Asks many inputs, one after the other.
---@param world table
---@param list table[] moves
---@param options? {frames?: integer, enough?: integer, is_over?: fun(): boolean} frames: of each (20); enough: effects
---after which no more are asked
---@return qa.Effect[] effects in the order of the list, as far as it was asked
---@return qa.Error? err why the rest was not asked
function M.scan(world, list, options)
  options = options or {}
  local found, changed = {}, 0
  for i, move in ipairs(list) do
    if options.is_over and options.is_over() then break end
    local effect, err = M.of(world, move, { frames = options.frames or LOOKS[2] })
    if not effect then return found, err end
    found[i] = effect
    changed = changed + (effect.changed and 1 or 0)
    if changed >= (options.enough or math.huge) then break end
  end
  return found
end

---Does anything of all this change anything? One comparison for many inputs.
---@param list table[] moves
---@return qa.Effect?, qa.Error?
function M.of_all(world, list, options)
  return M.of(world, { action = "sequence", moves = list },
    setmetatable({ is_many = true, is_brief = true }, { __index = options or {} }))
end

local function number(value) return (tostring(value):reverse():gsub("(%d%d%d)", "%1,"):reverse():gsub("^,", "")) end

---An effect as a sentence that a tester can check.
---@param move table
---@param effect qa.Effect
function M.sentence(move, effect)
  local what = ("%s %s, %d frames from frame %d,"):format(move.action, moves.describe(move), effect.held, effect.frame)
  if not effect.changed then return ("%s changed nothing in %d frames"):format(what, effect.after_frames) end
  local at = effect.regions[1]
  if at then
    return ("%s changed %s pixels in %d,%d-%d,%d after %d frames; without it nothing changed"):format(what,
      number(effect.pixels), at.x, at.y, at.x + at.width, at.y + at.height, effect.after_frames)
  end
  local fields = {}
  for _, field in ipairs{ "text", "inputs", "storage", "sounds", "state" } do
    if effect[field] then fields[#fields + 1] = field end
  end
  return ("%s changed no pixel, but %s; without it nothing changed"):format(what, table.concat(fields, ", "))
end

return M
