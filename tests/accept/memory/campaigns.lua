-- Campaigns of simulated sessions over the real memory and the shipped policy. A session asks the memory who is to
-- play, is won or lost by chance, and is learned from, as strategies/parts/recall/lessons.lua does it. Prints one line
-- a figure.
--   campaigns.lua better|stale CAMPAIGNS SESSIONS
local memory = require "qa.memory.memory"
local qa = require "qa"
local sampler = require "qa.memory.sampler"
local policy = require("qa.run.strategy_file").part("standard.memory_lists").memory_policy

local what, campaigns, sessions = qa.args[1], tonumber(qa.args[2]), tonumber(qa.args[3])

---Two strategies of which one wins more often: which one does the sampler come to?
local function better(good, poor)
  local reached, taken, won, explored = 0, 0, 0, 0
  for campaign = 1, campaigns do
    local m = memory.new{ game = ("better-%g-%d"):format(good, campaign), policy = policy, seed = campaign,
      build = "b" }
    local dice, late = sampler.new(campaign + 1000), 0
    -- Which of them is the better one is no matter of its place.
    local names = campaign % 2 == 0 and { "a", "b" } or { "b", "a" }
    for session = 1, sessions do
      local name = m:choose("how", { { name = names[1] }, { name = names[2] } })
      local is_won = dice:uniform() < (name == "a" and good or poor)
      m:learn("how", name, is_won and 1 or 0)
      taken, won = taken + (name == "a" and 1 or 0), won + (is_won and 1 or 0)
      if session > sessions - 10 and name == "a" then late = late + 1 end
    end
    -- Reached: the better one in most of the last ten sessions.
    if late > 5 then reached = reached + 1 end
    explored = explored + m:exploration_rate()
  end
  local all = campaigns * sessions
  print(("better %.2f against %.2f: reached in %d of %d campaigns, taken in %.1f %% of sessions, won %.3f (always " ..
    "the better %.3f, "
    .. "at random %.3f), explored %.1f %%"):format(good, poor, reached, campaigns, 100 * taken / all, won / all, good,
    (good + poor) / 2,
    100 * explored / campaigns))
end

---A pattern that always led to the goal leads nowhere from the middle of the campaign on. Playing anew wins at 0.7,
---costs two calls, and leaves a pattern for the world as it is. `always`: memory wins whenever it has something (D-G4).
local function play_stale(always)
  local won, late_won, calls = 0, 0, 0
  for campaign = 1, campaigns do
    local game = ("stale-%s-%d"):format(tostring(always), campaign)
    local m = memory.new{ game = game, policy = policy, seed = campaign, build = "b" }
    local dice = sampler.new(campaign + 2000)
    local context = { game = game, build = "b", goal = "g", scene = "s" }
    for session = 1, sessions do
      local world = session <= sessions / 2 and "KeyA" or "KeyB"
      local pattern = m:get_successful_pattern(context)
      if always then
        -- As the seed: the first pattern of the context, whatever became of it since.
        local record = memory.store():get(memory.scene_key(context))
        pattern = record and record.patterns[#record.patterns]
      end
      local how = pattern and "memory" or "fresh"
      if pattern and not always then
        how = m:choose("how",
          { { name = "memory", prior = policy.memory_prior }, { name = "fresh", price = policy.fresh_price } })
      end
      local is_won
      if how == "memory" then
        is_won = pattern.actions[1].action.key == world
        if is_won then m:record_success(context, pattern.actions, "passed") end
        if not is_won then m:record_failure(context, pattern.actions, "gone", pattern.signature) end
      else
        calls = calls + 2
        is_won = dice:uniform() < 0.7
        if is_won then m:record_success(context, { { action = { action = "press", key = world } } }, "passed") end
      end
      if not always then m:learn("how", how, is_won and 1 or 0, pattern and policy.forget_replay or nil) end
      won = won + (is_won and 1 or 0)
      if session > sessions / 2 then late_won = late_won + (is_won and 1 or 0) end
    end
  end
  local all = campaigns * sessions
  return won / all, late_won / (all / 2), calls / campaigns
end

if what == "better" then
  better(0.8, 0.4)
  better(0.7, 0.4)
  better(0.6, 0.4)
elseif what == "stale" then
  local won, late, calls = play_stale(false)
  local always_won, always_late, always_calls = play_stale(true)
  print(("stale: sampler won %.3f, after the change %.3f, %.1f calls a campaign; memory always %.3f, after the " ..
    "change %.3f, %.1f calls"):format(
    won, late, calls, always_won, always_late, always_calls))
else
  error("better or stale")
end
