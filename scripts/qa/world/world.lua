-- A world: a page on game time, its seed and its inputs. Worlds of one seed that got the same inputs at the same frames
-- are twins: they show the same pictures, or the game is not repeatable.
local qa = require "qa"

local World = {}
World.__index = World

local M = {}

---How long a difference must last: a picture may have been taken between two parts of a frame.
local AGAIN_FRAMES = 2

---@class qa.WorldOptions: {url: string, seed?: integer, width?: integer, height?: integer, frame_ms?: number}

---Opens a page on game time and loads the address; no time has passed then.
---@param browser qa.Browser started with clock = "game"
---@param options qa.WorldOptions
---@return table? world, qa.Error? err
function M.open(browser, options)
  local page, err = browser:new_page{ clock = "game", seed = options.seed, width = options.width,
    height = options.height, frame_ms = options.frame_ms }
  if not page then return nil, err end
  local loaded, why = page:navigate(options.url)
  if not loaded then
    page:close()
    return nil, why
  end
  return setmetatable({ page = page, frame = 0, options = options }, World)
end

---@param frames integer
---@param options? {draw?: "last"|"all"|"none"}
---@return qa.Stepped?, qa.Error?
function World:step(frames, options)
  local stepped, err = self.page:step(frames, options)
  if stepped then self.frame = self.frame + stepped.frames end
  return stepped, err
end

---Plays one input: {key = NAME}, {click = {x, y}} or {click = SELECTOR}; frames pass while it is held.
---@param action {key?: string, click?: qa.Point|string}
---@return true?, qa.Error?
function World:input(action)
  local before = self.page:game_time_ms()
  local ok, err
  if action.key then ok, err = self.page:press(action.key) else ok, err = self.page:click(action.click) end
  local frame_ms = self.options.frame_ms or 1000 / 60
  self.frame = self.frame + math.floor((self.page:game_time_ms() - before) / frame_ms + 0.5)
  return ok, err
end

---The picture of the frame that the world stands at.
---@return qa.Image?, qa.Error?
function World:look() return self.page:screenshot() end

function World:close() self.page:close() end

local function difference(a, b)
  local pictures = { qa.all(function() return a:look() end, function() return b:look() end) }
  local first, second = pictures[1], pictures[2]
  if not (first and second) then return nil, nil, { kind = "image_decode", message = "a world gave no picture" } end
  local found = assert(first:diff(second))
  second:close()
  return not found.identical and { pixels = found.changed_pixels, regions = found.regions } or nil, first
end

---What two worlds show differently: nil, or {pixels, regions}; and the first one's picture. A difference must still be
---there two frames later.
---@param a table
---@param b table
---@return {pixels: integer, regions: qa.Rect[]}? found, qa.Image? picture, qa.Error? err
function M.difference(a, b)
  local found, picture, err = difference(a, b)
  if not found or err then return nil, picture, err end
  M.step({ a, b }, AGAIN_FRAMES)
  local again, later, later_err = difference(a, b)
  if later then later:close() end
  if later_err then return nil, picture, later_err end
  return again and found, picture
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
