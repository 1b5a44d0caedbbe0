--- Records of the memory: pure functions from what is remembered of one scene and goal, and a lesson, to what is
-- remembered then. Plain data in, plain data out, so that they may run again when another process was faster.
local qa = require "qa"
local utf8 = require "qa.text.utf8"

local M = {}

---Words from elsewhere, fit to be kept and shown.
local function said(text, limit)
  return utf8.shorten(utf8.printable(tostring(text or "")):gsub("%s+", " "), limit or 300)
end

---What an entry counts in a build of the game.
---@param entry {build?: string}
---@param build string "" where it is not known
function M.weight(entry, build, policy)
  if build == "" or not entry.build or entry.build == "" or entry.build == build then return 1 end
  return policy.build_decay
end

---The kind of an action that credit is given to (D-G6): what is done, and with which key or in which cell of the view.
---@param action table
---@param view? {width: number, height: number}
---@return string
function M.bucket(action, policy, view)
  local name, target = action.action or "unknown", action.target
  local key = action.key
  if type(key) == "table" then key = table.concat(key, "+") end
  if key then return ("%s:%s"):format(name, key) end
  if type(target) == "string" then return ("%s:%s"):format(name, target) end
  if type(target) ~= "table" then return name end
  if type(target.text) == "string" then return ("%s:%q"):format(name, target.text) end
  if type(target.x) ~= "number" then return name end
  local width, height = view and view.width or 1280, view and view.height or 720
  local column = math.min(policy.columns - 1, math.floor(target.x / width * policy.columns))
  local row = math.min(policy.rows - 1, math.floor(target.y / height * policy.rows))
  return ("%s@%d,%d"):format(name, column, row)
end

---What makes two patterns the same: what is done, where, with what; not how it looked.
---@param steps table[]
function M.signature(steps)
  local parts = {}
  for i, step in ipairs(steps) do
    local action, target = step.action, step.action.target
    local anchor = step.anchor or {}
    if type(target) == "table" and target.x then
      target = anchor.id or anchor.text or ("%.0f,%.0f"):format(target.x / 16, target.y / 16)
    end
    parts[i] = qa.json.encode{ action.action, target or "", action.key or "", action.text or "", action.to or "" }
  end
  return qa.fs.sha256(table.concat(parts, "\n")):sub(1, 16)
end

local function empty(context)
  return { game = context.game, goal = context.goal, scene = context.scene, hash = context.hash, moves = context.moves,
    patterns = {}, failures = {}, credit = {} }
end

---Drops what was not used for longest until `most` are left.
local function keep_newest(list, most)
  table.sort(list, function(a, b) return tostring(a.timestamp) > tostring(b.timestamp) end)
  while #list > most do table.remove(list) end
end

---D-003: the exponential moving average, and wins and losses for sampling.
---@param old? {value: number, wins: number, losses: number, build?: string}
function M.credited(old, reward, build, policy)
  local entry = old or { value = 0, wins = 0, losses = 0 }
  local weight = M.weight(entry, build, policy)
  return {
    value = entry.value * weight * policy.keep + reward * policy.learn,
    wins = entry.wins * weight + (reward > 0 and 1 or 0), losses = entry.losses * weight + (reward < 0 and 1 or 0),
    build = build,
  }
end

---@return table record with fields that a stored one may lack
function M.filled(record, context)
  local made = empty(context)
  for key, value in pairs(record or {}) do made[key] = value end
  return made
end

---D-004, D-008: a sequence led to the goal. An action that has worked is avoided no longer.
---@param steps {action: table}[]
function M.with_success(record, context, steps, outcome, extra, policy, now)
  record = M.filled(record, context)
  local signature, found = M.signature(steps), nil
  for _, pattern in ipairs(record.patterns) do
    if pattern.signature == signature then found = pattern end
  end
  if not found then
    found = { signature = signature, count = 0, first = now }
    table.insert(record.patterns, found)
  end
  -- What was seen last is what the next replay is compared with.
  found.actions, found.outcome, found.timestamp, found.build, found.stale = qa.json.array(steps), said(outcome), now,
    context.build, nil
  found.count = found.count + 1
  for key, value in pairs(extra or {}) do found[key] = value end
  local worked = {}
  for _, step in ipairs(steps) do
    local bucket = M.bucket(step.action, policy, step.view)
    worked[bucket] = true
    record.credit[bucket] = M.credited(record.credit[bucket], policy.passed, context.build, policy)
  end
  local kept = {}
  for _, failure in ipairs(record.failures) do
    if not worked[failure.bucket] then kept[#kept + 1] = failure end
  end
  record.failures = kept
  keep_newest(record.patterns, policy.most_patterns)
  return record
end

---D-005, D-X1: an action failed after what had been done. It counts for that step, not for the steps before it.
---@param steps {action: table}[] what was done, the failed one last
function M.with_failure(record, context, steps, reason, signature, policy, now)
  record = M.filled(record, context)
  local step = steps[#steps]
  local bucket, found = M.bucket(step.action, policy, step.view), nil
  for _, failure in ipairs(record.failures) do
    if failure.bucket == bucket then found = failure end
  end
  if not found then
    found = { bucket = bucket, count = 0 }
    table.insert(record.failures, found)
  end
  local actions = {}
  for i, each in ipairs(steps) do actions[i] = { action = each.action } end
  found.count = found.count * M.weight(found, context.build, policy) + 1
  found.actions, found.reason, found.timestamp, found.build = qa.json.array(actions), said(reason), now, context.build
  record.credit[bucket] = M.credited(record.credit[bucket], policy.failed, context.build, policy)
  for _, pattern in ipairs(record.patterns) do
    if signature and pattern.signature == signature then pattern.stale = (pattern.stale or 0) + 1 end
  end
  keep_newest(record.failures, policy.most_failures)
  return record
end

---D-006: the pattern to replay: the one that has led to the goal most often, those of this build first. One that failed
---too often in a row is none.
---@return table? pattern with `weight`
function M.best_pattern(record, build, policy)
  local best, best_weight
  for _, pattern in ipairs(record and record.patterns or {}) do
    local weight = pattern.count * M.weight(pattern, build, policy) / (1 + (pattern.stale or 0))
    if (pattern.stale or 0) < policy.avoid_after and (not best or weight > best_weight) then
      best, best_weight = pattern, weight
    end
  end
  return best
end

---D-007.
---@return boolean avoid, string? reason
function M.should_avoid(record, bucket, build, policy)
  for _, failure in ipairs(record and record.failures or {}) do
    local count = failure.count * M.weight(failure, build, policy)
    if failure.bucket == bucket and count >= policy.avoid_after then
      return true, ("failed %d times here: %s"):format(math.floor(count), failure.reason)
    end
  end
  return false
end

return M
