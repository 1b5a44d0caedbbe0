-- Modules that had no folder once: what to require instead, for the message of a require that finds nothing.
local M = {}

-- By folder; "old=new" where the file has another name, too.
local modules = {
  text = "failure spelling utf8 line_diff json_text keys=key_names",
  model = [[
    schema schema_reader structured point_space prompt config endpoints budget llm conversation tools computer_use
    scripted_model backoff page_text plan=batch_plan ]],
  game = "target metadata input_schema build=version",
  page = "page_actions=methods scene eyes=reader evidence=cell_grid page_scripts=scripts words ready advice",
  input = "actions action_check action_player controls key_scan moves=candidates",
  effect = [[
    measures play response response_tests=block_design series=block_design trials=block_design progress groups ]],
  start = "cascade rungs=attempts",
  memory = "memory memory_record=record memory_file=file store anchor=target_match recorder replay sampler",
  run = [[
    loop context contract strategy=strategy_file inherit options swap ending report reporter metrics
    test_run=test_command command_words ]],
  project = [[
    plan_file plan_state plan_context plan_run plan_text plan_review planner verify=complete_task mending
    change_guard task_test game_test test_report roles ]],
}

local parts = {
  standard = [[
    standard_options=options control_lists ready_lists start_lists memory_lists decisive entrance facts findings judge
    leaving observe rounds second_opinion seed_cost turns ]],
  model_led = "model_options=options model_play=play question measured_play words_option=word_options",
  action_groups = "group_pictures=pictures group_play=play",
  batched = [[
    batch_executor=executor batched_models=schemas batched_options=options page_vision=vision orchestrator plan_errors
    plan_keeper ]],
  agent = "agent_options=options agent_question=question agent_tools=tools agent_turn=turn",
  recall = "lessons start_order",
}

local gone = { ["qa.touch"] = "page:touch, a primitive" }

local folders_of = { qa = modules, parts = parts }

---@param prefix "qa"|"parts"
---@return string[] former names, "qa.ready"
function M.known(prefix)
  local names = {}
  for _, list in pairs(folders_of[prefix]) do
    for old in list:gmatch "([%w_]+)=?[%w_]*" do names[#names + 1] = prefix .. "." .. old end
  end
  return names
end

---@param name string "qa.ready", "parts.judge"
---@return string? sentence nil: it never was a module's name
function M.sentence(name)
  local prefix, short = name:match "^(%a+)%.([%w_]+)$"
  local now = gone[name]
  for folder, list in pairs(folders_of[prefix] or {}) do
    for old, new in list:gmatch "([%w_]+)=?([%w_]*)" do
      if old == short then now = ('"%s.%s.%s"'):format(prefix, folder, new ~= "" and new or old) end
    end
  end
  return now and ("'%s' is now %s"):format(name, now)
end

return M
