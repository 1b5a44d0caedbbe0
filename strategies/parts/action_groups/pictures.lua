--- What the action_groups strategy shows a model: the page now, and the groups that succeeded before and after. The
-- scene after one group is the one before the next, so a picture is taken, made smaller and encoded once, and kept from
-- one question to the next: {image, scale?, path?, hash}.
local qa = require "qa"
local question = require "parts.model_led.question"

local M = {}

---Where a picture that has no file is kept.
local unsaved = "now"

---Looks at the page as it is.
---@param stage string
---@return table? seen of question.look; its picture is kept, and closed here
---@return qa.Error? err
function M.look(ctx, stage)
  local seen, err = question.look(ctx, stage)
  if not seen then return nil, err end
  ctx.seen = ctx.seen or {}
  ctx.seen[seen.path or unsaved] = seen
  return seen
end

---What was seen at a path of the run: kept, or read from its file.
local function seen_at(ctx, path)
  if not path then return nil end
  local kept = ctx.seen and ctx.seen[path]
  if kept then return kept end
  local image, err = qa.image.load(ctx.dir .. "/" .. path)
  if not image then return nil, err end
  return { image = image, path = path, hash = image:hash() }
end

---The page as it is now, with the picture that the last group ended with, where there is one (A-015).
---@return table? seen as of look
---@return qa.Error? err
function M.now(ctx)
  local seen, rows = qa.all(function() return seen_at(ctx, ctx.state.after_path) end,
    function() return ctx.page:clickables{ limit = 60 } end)
  if seen then
    seen.rows = rows or {}
    return seen
  end
  local err
  seen, err = M.look(ctx, "before_groups")
  if seen then ctx.state.after_path = seen.path end
  return seen, err
end

---Makes a picture as large as it is sent.
local function fit(ctx, seen)
  if seen.is_fitted then return end
  local image, space = question.fit(ctx, seen.image, { role = "vision" })
  seen.image, seen.scale, seen.is_fitted = image or seen.image, space and space.scale, true
end

---The pictures of a question: the page now, then each earlier group before and after. Those that it does not show are
---not kept any longer.
---@param seen table of M.now
---@param parents table[] groups that succeeded
---@return qa.Image[] images, table<integer, integer[]> shown numbers of a parent's two pictures
function M.of_question(ctx, seen, parents)
  local list, shown, used = { seen }, {}, { [seen.path or unsaved] = seen }
  for i, parent in ipairs(parents) do
    local before, after = used[parent.before] or seen_at(ctx, parent.before), used[parent.after]
      or seen_at(ctx, parent.after)
    if before and after then
      shown[i] = { #list + 1, #list + 2 }
      list[#list + 1], list[#list + 2] = before, after
      used[parent.before], used[parent.after] = before, after
    end
  end
  for path, kept in pairs(ctx.seen or {}) do
    if not used[path] then kept.image:close() end
  end
  ctx.seen = used
  local images, jobs = {}, {}
  for _, each in pairs(used) do jobs[#jobs + 1] = function() fit(ctx, each) end end
  qa.all(unpack(jobs))
  for i, each in ipairs(list) do images[i] = each.image end
  return images, shown
end

return M
