-- Hot swap: between two steps, the files of the running strategy are compared
-- with what was loaded; a changed one that keeps the contract replaces the policy.
local qa = require "qa"
local failure = require "qa.text.failure"
local strategy_files = require "qa.run.strategy_file"

local M = {}

---Hash of a file that differs from its record by size or time; nil when it is unchanged.
local function changed_hash(file)
  local stat = qa.fs.stat(file.file)
  if stat and stat.size == file.size and stat.mtime_ms == file.mtime_ms then return nil end
  local bytes = stat and qa.fs.read(file.file)
  local hash = bytes and qa.fs.sha256(bytes) or "gone"
  if hash == file.sha256 then
    file.size, file.mtime_ms = stat.size, stat.mtime_ms  -- touched, same content
    return nil
  end
  return hash
end

---The merged strategy to go on with: a new one when a file changed and loads, else the old one.
---@param ctx table with ctx.strategy
---@param watch table {set, refused: string?} refused: why what the files say now is not played; it is loaded anew at
---each step, for what it lacks may come in a file that nobody has read yet
---@param step integer the step that comes next
---@return boolean swapped
function M.check(ctx, watch, step)
  local old = ctx.strategy
  local changed, hash
  for _, file in ipairs(old.files) do
    hash = changed_hash(file)
    if hash then
      changed = file.file
      break
    end
  end
  if not changed then
    watch.refused = nil
    return false
  end
  local ok, loaded = pcall(strategy_files.load, old.path)
  if ok then
    local options, limits
    ok, options, limits = pcall(require("qa.run.options").resolve, loaded, watch.set)
    if ok then
      ctx.options, ctx.limits = options, limits
      ctx.strategy, ctx.lists = loaded, loaded.lists
    else
      loaded = options
    end
  end
  if not ok then
    local message = failure.text(loaded)
    if message == watch.refused then return false end
    watch.refused = message
    ctx:event("swap_refused", { message = message, file = changed, step = step })
    qa.log.warn("the old policy plays on: " .. message)
    return false
  end
  watch.refused = nil
  ctx:event("swap", { file = changed, sha256 = hash, step = step, files = M.identities(loaded) })
  qa.log.info(("step %d uses the new %s"):format(step, changed))
  return true
end

---{file, sha256} of everything a strategy was made of.
function M.identities(strategy)
  local files = {}
  for index, file in ipairs(strategy.files) do files[index] = { file = file.file, sha256 = file.sha256 } end
  return files
end

return M
