--- What strategies led by a model declare alike: the numbers of seed 002 (C-030), how such a run is proven afterwards,
-- and the actions that it is made of.
local shared = {
  goal = { default = "Continue playing and make progress", doc = "what the model is told to do" },
  max_duration_ms = { default = 240000, doc = "the model leads until reserve_ms before the end of this (C-030); the " ..
    "proof after it may take longer" },
  reserve_ms = { default = 60000, doc = "time kept for the proof and the final analysis, a third of the run at most" },
  analysis_usd = { default = 0.05, doc = "money kept for the final analysis, a tenth of the cap at most" },
  cost_rule = { default = "measured", doc = "stop at 90 % of limits.usd by what was spent (measured), or also by " ..
    "the formula of the seed (seed)" },
  probe_moves = { default = 0, doc = "blind moves before the model plays, to see whether input is alive: each is a " ..
    "move in its game" },
  settle_ms = { default = 2000, doc = "longest wait for an action to take effect (A-016, C-032); a scene that rests " ..
    "earlier is not waited for" },
  pace_ms = { default = 150, doc = "pause between the actions of a group where the scene moves by itself" },
  window_ms_moving = { default = 200, doc = "length of the windows in which a moving scene is compared with itself" },
  look_side = { default = 1024, doc = "longer side of the pictures that the model plays by, in pixels" },
  html_tokens = { default = 500,
    doc = "most tokens of the page's cleaned HTML that the model sees (C-032); 0 for none" },
  history = { default = 10, doc = "actions that the model is told of" },
  model_ms = { default = 60000, doc = "longest wait for one answer" },
  answer_tokens = { default = 1500, doc = "most tokens of one answer" },
  temperature = { default = 0.3, doc = "of the model that plays (A-022)" },
  -- The proof: what is measured after the model has played, where its own actions have not proven anything.
  interaction_ms = { default = 12000, doc = "how long the game is played after the model, where it is still open " ..
    "whether it answers" },
  overtime_ms = { default = 30000, doc = "how much longer, while that is undecided" },
}

local M = { action_names = { "click", "press", "hold", "drag", "type", "burst", "wait", "complete" } }

---The options of a strategy: its own, and the shared ones but for those left out.
---@param own table<string, table>
---@param left_out? string[]
function M.with(own, left_out)
  local options = {}
  for name, option in pairs(shared) do options[name] = option end
  for _, name in ipairs(left_out or {}) do options[name] = nil end
  for name, option in pairs(own) do options[name] = option end
  return options
end

return M
