-- What processes have cost: Linux, /proc (man 5 proc).
local qa = require "qa"

local M = {}

local TICKS_A_SECOND = 100  -- USER_HZ, on all Linux systems of today.

local function add_tree(pid, seen)
  if seen[pid] then return 0 end
  seen[pid] = true
  local stat = qa.fs.read(("/proc/%d/stat"):format(pid))
  if not stat then return 0 end
  local fields = {}
  for field in (stat:match ".*%)%s(.*)" or ""):gmatch "%S+" do fields[#fields + 1] = tonumber(field) or 0 end
  -- utime, stime, and those of children that have ended: fields 14 to 17.
  local ticks = (fields[12] or 0) + (fields[13] or 0) + (fields[14] or 0) + (fields[15] or 0)
  for child in (qa.fs.read(("/proc/%d/task/%d/children"):format(pid, pid)) or ""):gmatch "%d+" do
    ticks = ticks + add_tree(tonumber(child), seen)
  end
  return ticks
end

---CPU seconds of a process and all below it; nil for a process of another machine.
---@param pid integer
---@return number?
function M.tree_seconds(pid)
  if pid <= 0 then return nil end
  return add_tree(pid, {}) / TICKS_A_SECOND
end

return M
