-- What became of a plan's tasks: a journal beside the plan, PLAN.state/journal.jsonl, appended and on the disk before a
-- change counts. Each line carries a checksum of itself; records are made from the lines, so that a run that was killed
-- goes on where it was. One process at a time writes; any may read.
local qa = require "qa"
local failure = require "qa.text.failure"
local internal = require "qa.internal"

local M = {}
M.__index = M

local name = "journal.jsonl"

---The states of a task; `failed` and `blocked` are where a task ends that is not complete.
M.states = { "pending", "in_progress", "testing", "test_failed", "completed", "blocked", "failed" }

---From each state, where a task may go. What is not here is a mistake of the runner.
local ways = {
  pending = { in_progress = true, blocked = true, failed = true },
  in_progress = { testing = true, completed = true, failed = true, test_failed = true, in_progress = true },
  testing = { completed = true, test_failed = true, failed = true, testing = true },
  test_failed = { in_progress = true, failed = true },
  completed = { testing = true },
  failed = { pending = true },
  blocked = { pending = true },
}

---Where the state of a plan is kept.
function M.folder_of(plan_path) return (plan_path:gsub("%.json$", "")) .. ".state" end

local function new_record()
  return { state = "pending", attempts = 0, hunts = {}, tests = 0, test_ms = 0, work_ms = 0 }
end

local function checksum(text) return qa.fs.sha256(text):sub(1, 16) end

local folds = {}

function folds.state(store, record, event)
  record.state, record.note, record.output = event.state, event.note, event.output
  if event.state == "pending" then
    store.records[event.id] = new_record()
  end
end
function folds.test(store, record, event)
  record.tests, record.test_ms = record.tests + 1, record.test_ms + (event.ms or 0)
  record.last, record.needs_test = event, false
  if event.passed then record.passed_after = store.changes end
  if event.cases and event.cases > (record.most_cases or 0) then record.most_cases = event.cases end
end
function folds.attempt(_, record, event) record.open = event end
function folds.attempted(store, record, event)
  record.open = nil
  record.work_ms = record.work_ms + (event.ms or 0)
  if event.verdict == "interrupted" then return end
  if event.role == "executor" then
    record.is_executed = true
  else
    record.attempts = event.number
    record.hunts[#record.hunts + 1] = event
  end
  if #event.kept == 0 then return end
  record.needs_test = true
  store.changes = store.changes + 1
  store.last_change[event.dir] = store.changes
  for path, hash in pairs(event.baseline or {}) do store.baseline[path] = hash end
end
function folds.baseline(store, _, event)
  for path, hash in pairs(event.tests) do store.baseline[path] = hash end
end
function folds.run(store, _, event)
  store.runs = store.runs + 1
  store.plan_sha256 = event.plan_sha256
end
function folds.planned(store, record, event)
  store.planned = store.planned + 1
  record.work_ms = record.work_ms + (event.ms or 0)
end
function folds.too_large(store) store.context_limits = store.context_limits + 1 end

function M:record(path)
  self.records[path] = self.records[path] or new_record()
  return self.records[path]
end

local function fold(store, event)
  local apply = folds[event.op]
  if apply then apply(store, event.id and store:record(event.id), event) end
end

---The events of a journal's text, and how many bytes of it hold good.
local function events_of(text)
  local events, good = {}, 0
  for line, after in text:gmatch "([^\n]*)\n()" do
    local sum, body = line:match "^(%x+) (.*)$"
    local ok, event = false, nil
    if sum and sum == checksum(body) then ok, event = pcall(qa.json.decode, body) end
    if not ok then break end
    events[#events + 1], good = event, after - 1
  end
  return events, good
end

---Reads what is there, without keeping others out.
---@param plan_path string
---@return table store
function M.read(plan_path)
  local store = setmetatable({ folder = M.folder_of(plan_path), records = {}, baseline = {}, changes = 0,
    last_change = {}, runs = 0, planned = 0,
    context_limits = 0 }, M)
  local path = store.folder .. "/" .. name
  local text = qa.fs.stat(path) and qa.fs.read(path) or ""
  local events, good = events_of(text)
  store.bytes, store.good = #text, good
  -- An end that a crash tore off is no damage: it was never acknowledged.
  store.is_damaged = text:sub(good + 1):find("\n", 1, true) ~= nil
  for _, event in ipairs(events) do fold(store, event) end
  return store
end

---Opens the state for writing, alone. Raises when another process runs the plan.
---@param plan_path string
---@param patience_ms? integer how long to wait for one that is on its way out (0)
---@return table store
function M.open(plan_path, patience_ms)
  local folder, began = M.folder_of(plan_path), qa.now_ms()
  local lock, err = internal.folder_lock(folder, "lock")
  while not lock and err.kind == "store_locked" and qa.now_ms() - began < (patience_ms or 0) do
    qa.sleep(50)
    lock, err = internal.folder_lock(folder, "lock")
  end
  if not lock then
    if err.kind == "store_locked" then error(("%s: another qa-host runs this plan"):format(plan_path), 0) end
    error(failure.text(err), 0)
  end
  local store = M.read(plan_path)
  store.lock = lock
  if store.good < store.bytes then
    local text = assert(qa.fs.read(folder .. "/" .. name))
    if store.is_damaged then
      local kept = ("journal.corrupt-%d"):format(os.time())
      assert(internal.folder_write(folder, kept, text))
      qa.log.warn(("%s/%s is damaged: what comes after byte %d is kept in %s and not used"):format(folder, name,
        store.good, kept))
    end
    assert(internal.folder_write(folder, name, text:sub(1, store.good)))
  end
  return store
end

function M:close()
  if self.lock then internal.folder_unlock(self.lock) end
  self.lock = nil
end

---Writes an event down, then lets it count. Raises when it cannot be written: nothing may happen that is not known.
function M:append(event)
  local body = qa.json.encode(event)
  local ok, err = internal.folder_append(self.folder, name, checksum(body) .. " " .. body .. "\n")
  if not ok then error(("the state of the plan cannot be written: %s"):format(failure.text(err)), 0) end
  fold(self, event)
end

---A task's next state. Raises on a way that there is not.
---@param path string
---@param state string
---@param more? {note?: string, output?: string}
function M:move(path, state, more)
  local from = self:record(path).state
  if not (ways[from] or {})[state] then error(("task %s cannot go from %s to %s"):format(path, from, state), 0) end
  self:append{ op = "state", id = path, state = state, note = more and more.note, output = more and more.output,
    utc = qa.utc() }
end

---A file of the state folder, written whole.
function M:write(file, bytes)
  local ok, err = internal.folder_write(self.folder, file, bytes)
  if not ok then error(failure.text(err), 0) end
end

return M
