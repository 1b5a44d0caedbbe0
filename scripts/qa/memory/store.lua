-- Store: plain data by key, kept in memory.sqlite of the state folder and shared by all processes of a user. A write is
-- on the disk when it returns. Outcomes: store_locked (others hold the file for seconds), store_error (its message says
-- what to do).
--
--   get -> value, revision;  put(key, value, {revision = revision}) -> new revision, or false: somebody was faster
local qa = require "qa"
local internal = require "qa.internal"
local spelling = require "qa.text.spelling"

local M = {}

---@class qa.Store a namespace of the store
local Store = {}
Store.__index = Store

local PAGE = 100
-- Longest pause after losing a race; random, so that two that write the same record do not stay in step.
local MOST_PAUSE_MS = 4

---@param namespace string at most 1024 bytes
---@return qa.Store
function M.open(namespace)
  if type(namespace) ~= "string" or namespace == "" then
    error("qa.store.open(): expected the name of a namespace", 2)
  end
  return setmetatable({ namespace = namespace }, Store)
end

---@param key string at most 1024 bytes
---@return any value nil where there is none
---@return number|qa.Error revision_or_err 0 where there is none
function Store:get(key) return internal.store_get(self.namespace, key) end

---@param key string
---@param value any plain data, at most 4 MiB of JSON
---@param opts? {revision?: number} written only if the record has this revision now; 0: only if there is none
---@return number|false|nil revision false: the record has another revision now
---@return qa.Error?
function Store:put(key, value, opts)
  opts = spelling.check_options("store:put", opts, { revision = "number" })
  if value == nil then error("store:put(): expected a value; store:delete(key) takes one away", 2) end
  return internal.store_put(self.namespace, key, value, opts.revision)
end

---@param key string
---@return boolean? was_there, qa.Error?
function Store:delete(key) return internal.store_delete(self.namespace, key) end

---Goes through the records in the order of their keys: `for key, value, revision in store:each{ prefix = "a/" } do`.
---What others write meanwhile may or may not be met. A store that cannot be read raises its error.
---@param opts? {prefix?: string}
---@return fun(): string?, any, number?
function Store:each(opts)
  opts = spelling.check_options("store:each", opts, { prefix = "string" })
  local page, at, after, is_last = {}, 0, "", false
  return function()
    at = at + 1
    if not page[at] and not is_last then
      local err
      page, err = internal.store_list(self.namespace, opts.prefix or "", after, PAGE)
      if not page then error(err, 0) end
      at, is_last = 1, #page < PAGE
    end
    local record = page[at]
    if not record then return nil end
    after = record.key
    return record.key, record.value, record.revision
  end
end

---Changes one record so that no update of others is lost: reads it, calls fn, writes what fn returns if nobody was
---faster, else begins again. fn is called once or more, must only compute, and returns nil for no change.
---@param key string
---@param fn fun(value: any): any gets nil where there is no record
---@return any value what is there now, qa.Error?
function Store:update(key, fn)
  while true do
    local value, revision = self:get(key)
    if value == nil and type(revision) == "table" then return nil, revision end
    local changed = fn(value)
    if changed == nil then return value end
    local written, err = self:put(key, changed, { revision = revision })
    if written then return changed end
    if written == nil then return nil, err end
    qa.sleep(math.random(0, MOST_PAUSE_MS))
  end
end

return M
