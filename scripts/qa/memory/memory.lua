--- Memory: what runs have taught about a game, by scene and goal, kept in qa.store "memory". A strategy has it as
-- ctx.memory. The numbers are policy: lists.memory_policy (strategies/parts/standard/memory_lists.lua). Nothing is
-- opened before it is first used.
--
--   <game>/scene/<hash of scene and goal>   patterns, failures, credit       see qa.memory.record
--   <game>/rewards                          D-001's action_rewards, by type of action
--   <game>/choice/<hash of the question>    wins and losses of each way that can be chosen
--
-- A context is plain data {game, build, scene, goal, hash?}; its key is D-002's "scene:goal".
local qa = require "qa"
local records = require "qa.memory.record"
local sampler = require "qa.memory.sampler"
local utf8 = require "qa.text.utf8"

local M = {}

---@class qa.Memory
---@field here? table the context of the run that uses it
local Memory = {}
Memory.__index = Memory

M.namespace = "memory"

---@param fields {game: string, goal?: string, policy: table, seed?: number, build?: string}
---@return qa.Memory
function M.new(fields)
  return setmetatable({ game = fields.game, goal = fields.goal or "", policy = fields.policy, build = fields.build
    or "", sampler = sampler.new(fields.seed or 1), choices = 0, explored = 0 }, Memory)
end

function M.store() return require("qa.memory.store").open(M.namespace) end

local function store_of(self)
  self.opened = self.opened or M.store()
  return self.opened
end

local function or_raise(value, err)
  if value == nil and type(err) == "table" then error(err, 0) end
  return value
end

local function short_hash(...) return qa.fs.sha256(qa.json.encode{ ... }):sub(1, 24) end

function M.scene_key(context) return ("%s/scene/%s"):format(context.game, short_hash(context.scene, context.goal)) end

---D-002.
function M.context_key(context) return ("%s:%s"):format(context.scene, context.goal) end

---Bits in which two hashes of image:hash differ; 64 where one is none.
function M.distance(a, b)
  if type(a) ~= "string" or type(b) ~= "string"
    or not (a:match "^%x+$" and #a == 16 and b:match "^%x+$" and #b == 16) then
    return 64
  end
  local bits = 0
  for i = 1, 16, 4 do
    local x = bit.bxor(tonumber(a:sub(i, i + 3), 16), tonumber(b:sub(i, i + 3), 16))
    while x ~= 0 do
      x = bit.band(x, x - 1)
      bits = bits + 1
    end
  end
  return bits
end

---- Where we are
------------------------------------------------------------------------------------------------------------

---The context of a scene that looks like this: that of the nearest one known for the goal, else a new one. Imported
---scenes have a name and no look: they are offered where nothing else is known of the goal.
---@param hash string of image:hash
---@param goal? string
---@param moves? boolean it moves by itself: it never looks the same twice
---@return table context `is_known`: something is remembered of it
function Memory:context(hash, goal, moves)
  goal = goal or self.goal
  local nearest, least, named
  for _, record in store_of(self):each{ prefix = self.game .. "/scene/" } do
    if record.goal == goal then
      local away = M.distance(record.hash, hash)
      local limit = (moves or record.moves) and self.policy.moving_scene_distance or self.policy.scene_distance
      if away <= limit and (not nearest or away < least) then nearest, least = record, away end
      if not record.hash and (not named or tostring(record.used) > tostring(named.used)) then named = record end
    end
  end
  local found = nearest or named
  return { game = self.game, build = self.build, goal = goal, scene = found and found.scene or hash,
    hash = found and found.hash or not found and hash or nil,
    is_known = found ~= nil, moves = moves or found and found.moves or nil }
end

local function record_of(self, context) return or_raise(store_of(self):get(M.scene_key(context))) end

---Scenes of a game beyond the most that are kept: those that were not used for longest go.
local function prune(self)
  local scenes = {}
  for key, record in store_of(self):each{ prefix = self.game .. "/scene/" } do
    scenes[#scenes + 1] = { key = key, used = tostring(record.used) }
  end
  table.sort(scenes, function(a, b) return a.used > b.used end)
  for i = self.policy.most_scenes + 1, #scenes do or_raise(store_of(self):delete(scenes[i].key)) end
end

local function change(self, context, fn)
  local is_new = false
  local now = qa.utc()
  local record = or_raise(store_of(self):update(M.scene_key(context), function(old)
    is_new = old == nil
    local made = fn(old, now)
    made.used = now
    return made
  end))
  if is_new then prune(self) end
  return record
end

---- The six calls of seed 003 (D-010)
---------------------------------------------------------------------------------------

---The remembered way to the goal from here, nil where there is none that is worth a try.
---@return {actions: table[], outcome: string, count: integer, timestamp: string, signature: string}?
function Memory:get_successful_pattern(context)
  return records.best_pattern(record_of(self, context), self.build, self.policy)
end

---D-004. `steps` is what was done, each {action = {...}, ...}; further fields of a step are kept with it.
---@param steps {action: table}[]
---@param outcome string "Test 1 passed"
---@param extra? table fields of the pattern
function Memory:record_success(context, steps, outcome, extra)
  if #steps > self.policy.most_actions then return nil end
  change(self, context,
    function(old, now) return records.with_success(old, context, steps, outcome, extra, self.policy, now) end)
  for _, step in ipairs(steps) do self:update_reward(step.action.action, self.policy.passed) end
  return true
end

---D-005. `steps` is what was done, the action that failed last.
---@param signature? string of the pattern that was replayed
function Memory:record_failure(context, steps, reason, signature)
  change(self, context,
    function(old, now) return records.with_failure(old, context, steps, reason, signature, self.policy, now) end)
  self:update_reward(steps[#steps].action.action, self.policy.failed)
  return true
end

---D-003: r = 0.9 r + 0.1 reward, by type of action.
function Memory:update_reward(action_type, reward)
  or_raise(store_of(self):update(self.game .. "/rewards", function(old)
    local rewards = old or {}
    rewards[action_type] = (tonumber(rewards[action_type]) or 0) * self.policy.keep + reward * self.policy.learn
    return rewards
  end))
end

---@return number 0 where nothing is known
function Memory:get_action_reward(action_type)
  local rewards = or_raise(store_of(self):get(self.game .. "/rewards")) or {}
  return tonumber(rewards[action_type]) or 0
end

---D-007.
---@param action table
---@return boolean avoid, string? reason
function Memory:should_avoid_action(context, action, view)
  return records.should_avoid(record_of(self, context), records.bucket(action, self.policy, view), self.build,
    self.policy)
end

---What a planner is told (D-007, D-012): what has failed too often here, and why. Its reasons may hold words of the
---page: fence it.
---@return string "" where there is nothing to say
function Memory:hint(context)
  local record, lines = record_of(self, context), {}
  for _, failure in ipairs(record and record.failures or {}) do
    local avoid, reason = records.should_avoid(record, failure.bucket, self.build, self.policy)
    if avoid then lines[#lines + 1] = ("Avoid %s: %s"):format(failure.bucket, reason) end
  end
  table.sort(lines)
  return utf8.shorten(table.concat(lines, "\n"), 1500)
end

---- Choosing
----------------------------------------------------------------------------------------------------------------

local function choice_key(self, question) return ("%s/choice/%s"):format(self.game, short_hash(question)) end

---@param question string what is chosen: "start", "how:<scene>:<goal>"
---@param options {name: string, confidence?: number, price?: number, prior?: {wins: number, losses: number}, is_fixed?:
---boolean}[] is_fixed: worth its mean as long as nothing was learned of it
---@return string name, boolean explored, table[] ranked
function Memory:choose(question, options)
  local known, arms = or_raise(store_of(self):get(choice_key(self, question))) or {}, {}
  for i, option in ipairs(options) do
    local learned, prior = (known.arms or {})[option.name], option.prior or self.policy.prior
    local weight = learned and records.weight(learned, self.build, self.policy) or 0
    arms[i] = { name = option.name, confidence = option.confidence, price = option.price, is_fixed = option.is_fixed
      and not learned, wins = prior.wins + (learned and learned.wins * weight or 0),
      losses = prior.losses + (learned and learned.losses * weight or 0) }
  end
  local arm, explored, ranked = self.sampler:choose(arms)
  self.choices, self.explored = self.choices + 1, self.explored + (explored and 1 or 0)
  return arm.name, explored, ranked
end

---How a way that was chosen went: 1 reached what was wanted, 0 did not.
---@param forget? number what earlier lessons count from now on, the policy's `forget` else
function Memory:learn(question, name, reward, forget)
  or_raise(store_of(self):update(choice_key(self, question), function(old)
    local made = old or { question = question, arms = {} }
    made.arms[name] = made.arms[name] or { wins = 0, losses = 0 }
    for other, arm in pairs(made.arms) do
      local weight = records.weight(arm, self.build, self.policy) * (forget or self.policy.forget)
      arm.wins, arm.losses, arm.build = arm.wins * weight, arm.losses * weight, self.build
      if other == name then arm.wins, arm.losses = arm.wins + reward, arm.losses + 1 - reward end
    end
    made.used = qa.utc()
    return made
  end))
end

---Puts groups of actions in the order of confidence x what their actions have earned here (D-G1).
---@param groups {confidence?: number, actions: table[]}[]
---@return table[] the same groups, best first
function Memory:rank(context, groups, view)
  local record, arms = record_of(self, context) or {}, {}
  for i, group in ipairs(groups) do
    local prior = self.policy.prior
    local wins, losses = prior.wins, prior.losses
    for _, action in ipairs(group.actions or {}) do
      local credit = (record.credit or {})[records.bucket(action, self.policy, view)]
      local weight = credit and records.weight(credit, self.build, self.policy) or 0
      wins, losses = wins + (credit and credit.wins * weight or 0), losses + (credit and credit.losses * weight or 0)
    end
    arms[i] = { name = tostring(i), group = group, wins = wins, losses = losses, confidence = group.confidence,
      is_fixed = not next(record) }
  end
  if #arms < 2 then return groups end
  local _, explored, ranked = self.sampler:choose(arms)
  self.choices, self.explored = self.choices + 1, self.explored + (explored and 1 or 0)
  local ordered = {}
  for i, item in ipairs(ranked) do ordered[i] = item.arm.group end
  return ordered
end

---Share of choices that did not take what looked best; 0 before the first.
function Memory:exploration_rate() return self.choices > 0 and self.explored / self.choices or 0 end

return M
