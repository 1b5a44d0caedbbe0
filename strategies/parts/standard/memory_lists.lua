--- What is learned from runs, and how much it counts: every number of the memory. Change some in a strategy of your
-- own: `lists = { memory_policy = qa.inherit{ avoid_after = 5 } }`.
local M = {}

M.memory_policy = {
  -- Rewards as seed 003 has them (D-003 .. D-005): r = keep x r + learn x reward, beginning at 0.
  keep = 0.9, learn = 0.1,
  passed = 0.2,            -- reward of each action of a run that passed
  failed = -0.5,           -- reward of the action that failed
  avoid_after = 3,         -- failures in one context from which on an action is avoided (D-007)

  -- What counts as the same (D-G2, D-G3).
  scene_distance = 10,     -- bits of 64 by which perceptual hashes of one scene differ at most
  moving_scene_distance = 20, -- the same where the scene moves by itself
  columns = 8, rows = 8,   -- cells of the view: clicks into one cell are one kind of action

  -- Memories grow old (D-G7).
  build_decay = 0.5,       -- what was learned of another build of the game counts so much
  forget = 0.98,           -- what all ways had taught counts so much after one more lesson
  -- the same where one of the ways is a remembered pattern: it goes stale from one day to the next
  forget_replay = 0.7,

  -- How ways are chosen: confidence x a draw of Beta(wins, losses), less the price (D-G1, D-G4).
  prior = { wins = 1, losses = 1 },           -- of a way that nothing is known of
  memory_prior = { wins = 3, losses = 0.25 }, -- of a pattern that has led to the goal
  fresh_price = 0.3,       -- what playing without memory costs: time, and calls of models
  model_price = 0.5,       -- what asking a model for the start costs
  start_prior = 8,          -- so many attempts is the order of the start cascade worth

  -- How much is kept for one scene and goal; what was not used for longest goes first.
  most_patterns = 5, most_failures = 30, most_actions = 200, most_scenes = 200,
}

-- Guards of a replay.
M.replay_policy = {
  same_px = 8,             -- a target so close to where it was has not moved
  moving_distance = 22,    -- bits by which a scene that moves by itself may differ, where nothing else tells
  match = 0.9,             -- least score of a picture of the target
  guard_ms = 3000,         -- longest wait for the recorded screen or its target
  effect_ms = 2500,        -- longest wait for the effect of a step
  effect_share = 0.2,      -- least part of the recorded change that counts as the same effect
}

return M
