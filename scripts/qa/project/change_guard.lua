-- What somebody who mends or makes a task may change. A snapshot of the folder before, another after: what the task
-- names is kept, what belongs to a test is taken back together with everything else of that attempt (a separate
-- verdict, never a fix), and the rest is taken back alone.
local qa = require "qa"
local failure = require "qa.text.failure"
local internal = require "qa.internal"
local line_diff = require "qa.text.line_diff"

local M = {}

---Does a path fall under an entry of `files`: the path itself, a folder "src/", or a pattern with "*"?
function M.covers(pattern, path)
  if pattern == path then return true end
  if pattern:sub(-1) == "/" then return path:sub(1, #pattern) == pattern end
  if not pattern:find("*", 1, true) then return false end
  local escaped = pattern:gsub("[%^$().%[%]+%-?%%]", "%%%0"):gsub("%*", "[^/]*")
  return path:match("^" .. escaped .. "$") ~= nil
end

local function check(value, err)
  if not value then error(failure.text(err), 0) end
  return value
end

local function objects(store) return store.folder .. "/objects" end

---What the folder is now; the bytes are kept beside the plan's state.
---@return table snapshot {path = {sha256, mode, is_link}}
function M.snapshot(store, root, ignore)
  return check(internal.tree_snapshot(root, objects(store), ignore))
end

---Paths in which two snapshots differ, sorted.
---@return string[]
function M.changed(before, after)
  local paths = {}
  for path, entry in pairs(before) do
    local now = after[path]
    if not now or now.sha256 ~= entry.sha256 or now.mode ~= entry.mode or now.is_link ~= entry.is_link then
      paths[#paths + 1] = path
    end
  end
  for path in pairs(after) do
    if not before[path] then paths[#paths + 1] = path end
  end
  table.sort(paths)
  return paths
end

---Makes files what they were. New ones go first: a link may stand where a folder was.
function M.take_back(store, root, before, paths)
  for _, path in ipairs(paths) do
    if not before[path] then check(internal.folder_remove(root, path)) end
  end
  for _, path in ipairs(paths) do
    if before[path] then check(internal.tree_restore(root, objects(store), path, before[path])) end
  end
end

local function bytes_of(store, entry)
  if not entry then return nil end
  if entry.is_link then return "link to " .. (qa.fs.read(objects(store) .. "/" .. entry.sha256) or "?") end
  return (qa.fs.read(objects(store) .. "/" .. entry.sha256))
end

---The change of each path as text.
function M.diff(store, before, after, paths)
  local parts = {}
  for _, path in ipairs(paths) do
    local diff = line_diff.unified(bytes_of(store, before[path]), bytes_of(store, after[path]), path)
    if diff == "" and before[path] and after[path] then
      diff = ("%s: mode %o, was %o\n"):format(path, after[path].mode, before[path].mode)
    end
    parts[#parts + 1] = diff
  end
  return table.concat(parts)
end

---Sorts out what has happened since a snapshot, and takes back what may not stand.
---@param store table
---@param root string
---@param before table
---@param rule {ignore: string[], is_allowed: fun(path: string): boolean, is_test: fun(path: string): boolean}
---@param also? string[] what else was tampered with, put back already
---@return {verdict: "changed"|"nothing"|"tampered"|"outside", kept: string[], undone: string[], tests: string[], diff:
---string}
function M.settle(store, root, before, rule, also)
  local after = M.snapshot(store, root, rule.ignore)
  local paths = M.changed(before, after)
  local result = { kept = {}, undone = {}, tests = also or {} }
  for _, path in ipairs(paths) do
    local list = rule.is_test(path) and result.tests or rule.is_allowed(path) and result.kept or result.undone
    list[#list + 1] = path
  end
  if #result.tests > 0 then
    result.verdict, result.diff = "tampered", M.diff(store, before, after, paths)
    M.take_back(store, root, before, paths)
    result.undone, result.kept = paths, {}
    return result
  end
  M.take_back(store, root, before, result.undone)
  result.verdict = #result.kept > 0 and "changed" or #result.undone > 0 and "outside" or "nothing"
  result.diff = M.diff(store, before, after, result.verdict == "outside" and result.undone or result.kept)
  return result
end

return M
