--- Options of the batched strategy.

return {
  max_actions = { default = 200, doc = "actions of the model at most" },
  answer_tokens = { default = 2000, doc = "most tokens of one answer" },
  begin_with = { default = "explore", doc = "question of the first turn: explore, plan, revision or query; the " ..
    "others are for qa-host prompt" },
  max_turns = { default = 40, doc = "turns at most" },
  max_revisions = { default = 3, doc = "revisions in a row before the play ends (B-011)" },
  max_queries = { default = 3, doc = "questions in a row that the orchestrator may ask before it plans" },
  stuck_after = { default = 3, doc = "batches in a row without any effect that call for a revision" },
  explore_actions = { default = 3, doc = "actions of the first turn at most (B-008)" },
  plan_actions = { default = 12, doc = "actions of a plan at most" },
  batch_size = { default = 4,
    doc = "weight of the first batches; it grows with success and shrinks with errors (B-017)" },
  least_batch = { default = 1, doc = "the least that it shrinks to" },
  most_batch = { default = 10, doc = "the most that it grows to" },
  screenshot_policy = { default = "on_change", doc = "on_change, on_navigation, per_group or per_action (B-X1)" },
  scene_share = { default = 0.35, doc = "share of the board that changes where the scene is another one" },
  glance_ms = { default = 100, doc = "how long a scene that moves by itself is looked at after each action" },
  shot_attempts = { default = 3, doc = "tries of a screenshot (B-015)" },
  action_retries = { default = 2, doc = "new tries of an action that timed out (B-017)" },
  retry_ms = { default = 200, doc = "first pause before that; each is twice the last" },
  cache_size = { default = 20, doc = "analyses of screens that are kept" },
  cache_bits = { default = 2, doc = "bits in which the hash of a screen may differ from a known one" },
  history_lines = { default = 8, doc = "lines of what went before that the orchestrator is told" },
}
