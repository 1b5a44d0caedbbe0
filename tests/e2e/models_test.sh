# shellcheck shell=bash disable=SC2154
# Models in the standard strategy, from cassettes: no socket is opened and nothing is spent.

FAST=(--set interaction_ms=1500 --set ready_ms=4000)
CASSETTES=$ROOT/tests/data/cassettes

with_model() { run test "$CLICKER" "${FAST[@]}" --model openai/gpt-4o --cassette "$CASSETTES/$1" "${@:2}"; }

test_c020_a_good_second_opinion_leaves_the_verdict() {
  with_model good
  expect_code 0
  expect_report 'r.opinion.score' 90
  expect_report 'r.metadata.visionAnalysisTokens' 1620
  expect_report 'r.budget.spent_usd' 0
  expect_report 'r.budget.calls[1].replayed' sequence
  expect_report 'r.budget.calls[1].purpose' analysis
}

test_a_low_second_opinion_makes_a_pass_inconclusive() {
  with_model low
  expect_code 2
  expect_report 'r.playability_score' 20
  expect_report 'r.missing[1]:match("gives 20 of 100") ~= nil' true
  expect_report '(function() for _, i in ipairs(r.issues) do if i.kind == "frozen" then return i.severity end end end)()' major
}

test_an_answer_that_repeats_its_prompt_counts_for_nothing() {
  with_model quoting
  expect_code 0
  expect_report '(function() for _, i in ipairs(r.issues) do if i.kind == "analysis_unavailable" then return i.description:match("repeats") end end end)()' repeats
}

test_a_model_never_makes_a_broken_game_pass() {
  run test "$ROOT/examples/games/blank" "${FAST[@]}" --model openai/gpt-4o --cassette "$CASSETTES/good"
  expect_code 1
}

test_a_cassette_without_the_answer_is_4() {
  mkdir empty
  : > empty/index.jsonl
  run test "$CLICKER" "${FAST[@]}" --model openai/gpt-4o --cassette empty
  expect_code 4
  expect_report 'r.status' error
}

test_use_models_false_asks_nobody() {
  run test "$CLICKER" "${FAST[@]}" --model openai/gpt-4o --set use_models=false
  expect_code 0
  expect_report '#r.budget.calls' 0
}

test_a_budget_that_is_no_amount_is_3() {
  run test "$CLICKER" --budget plenty
  expect_code 3
  expect_err "budget: expected dollars such as 0.50, got 'plenty'"
}

test_a_budget_of_nothing_asks_nobody_and_says_so() {
  OPENAI_API_KEY=sk-canary run test "$CLICKER" "${FAST[@]}" --model openai/gpt-4o --budget 0
  expect_code 0
  expect_report '(function() for _, i in ipairs(r.issues) do if i.kind == "analysis_unavailable" then return i.description:match("budget_exceeded") end end end)()' budget_exceeded
  ! grep -rqs sk-canary qa-runs out err || fail "the key was written"
}

test_prompt_prints_what_would_be_sent() {
  run prompt find_target --set phrase='click start'
  expect_code 0
  expect_out 'click start'
  expect_out 'sha256'
  run prompt no_such_prompt
  expect_code 3
}

test_prompt_of_a_target_is_what_its_run_would_send() {
  run --model openai/gpt-4o prompt "$CLICKER" "${FAST[@]}"
  expect_code 0
  expect_out '== question 1: analysis, role vision'
  expect_out '1 initial_load, 2 post_start'
  expect_out '"playability_score"'
  expect_out 'picture 1: 1280x720'
  expect_out 'openai gpt-4o: at most'
  expect_out 'questions: 1; at most'
}

test_prompt_of_a_target_needs_neither_key_nor_model() {
  hidden_start '<button style="position:absolute;left:600px;top:10px">Mute</button>'
  run prompt ./game "${FAST[@]}"
  expect_code 0
  expect_out 'nobody is configured'
  expect_out '1 button "Mute"'
  expect_out '1280x720, sent as 1024x576; numbered boxes: 1'
  run prompt ./nowhere
  expect_code 3
  expect_err "'./nowhere' is no prompt of strategies/prompts, and no target"
}

# A game whose only start is a corner of its canvas, without a word: nothing that is free finds it.
# hidden_start [ELEMENT]: with an element more.
hidden_start() {
  mkdir -p game
  cat > game/index.html <<HTML
<!doctype html><title>hidden start</title><style>body{margin:0;background:#234}</style><canvas id=c width=1280 height=720></canvas>${1:-}
<script>
const ctx = c.getContext('2d');
let on = false, x = 600;
const draw = () => {
  ctx.fillStyle = on ? '#fed' : '#234';
  ctx.fillRect(0, 0, 1280, 720);
  ctx.fillStyle = on ? '#a22' : '#345';
  if (on) ctx.fillRect(x, 300, 120, 120); else ctx.fillRect(1150, 620, 100, 80);
};
c.addEventListener('mousedown', (e) => { if (!on && e.clientX > 1150 && e.clientY > 620) { on = true; draw(); } });
addEventListener('keydown', (e) => { if (on && e.code === 'ArrowLeft') x = Math.max(0, x - 90); if (on && e.code === 'ArrowRight') x = Math.min(1160, x + 90); draw(); });
draw();
</script>
HTML
}

test_c053_a_model_finds_a_start_that_nothing_free_does() {
  hidden_start
  run test game "${FAST[@]}" --model openai/gpt-4o --cassette "$CASSETTES/start"
  expect_code 0
  expect_report 'r.start.method' model
  expect_report 'r.start.attempts[#r.start.attempts].target' 1200,660
  expect_report 'r.budget.calls[1].purpose' start
}

test_c031_adaptive_plays_a_cassette_and_reports_history_cost_and_metrics() {
  with_model adaptive --strategy adaptive
  expect_code 0
  expect_report 'r.completion_reason' llm_complete
  expect_report 'r.strategy' adaptive
  expect_report 'r.metrics.model_calls_by_purpose.action' 3
  expect_report 'r.metrics.counters.quoting_answers == nil and r.metrics.success_rate > 0' true
  expect_report '(function() for _, a in ipairs(r.metadata.actionHistory) do if a.action == "burst" then return a.snapped_to:match("coin") .. tostring(a.stateProgressed) end end end)()' cointrue
  expect_report 'r.metadata.estimatedCost' 0
  expect_report 'r.seed_cost.state_checks' 3
  expect_report '#r.prompts >= 2' true
}

test_a051_action_groups_play_a_cassette() {
  with_model action_groups --strategy action_groups
  expect_code 0
  expect_report 'r.completion_reason' llm_complete
  expect_report 'r.metrics.model_calls_by_purpose.action' 3
  expect_report '(function() local n = 0 for _, s in ipairs(r.steps) do if s.success then n = n + 1 end end return n end)()' 2
}

test_a_strategy_of_a_few_lines_extends_one_that_a_model_leads() {
  cat > mine.lua <<'LUA'
return { extends = "adaptive", options = { max_actions = { default = 1 } } }
LUA
  with_model adaptive --strategy mine.lua
  expect_code 0
  expect_report 'r.completion_reason' max_actions
  expect_report 'r.strategy' mine
}

test_prompt_prints_the_questions_of_each_iteration() {
  run --model openai/gpt-4o prompt "$CLICKER" "${FAST[@]}" --strategy adaptive
  expect_code 0
  expect_out '== question 1: action, role vision'
  expect_out 'Recommend the one action that makes most progress'
  run --model openai/gpt-4o prompt "$CLICKER" "${FAST[@]}" --strategy action_groups
  expect_code 0
  expect_out 'Propose 1 to 3 action groups'
  run --model openai/gpt-4o prompt "$CLICKER" "${FAST[@]}" --strategy action_groups --set first_iteration=3
  expect_code 0
  expect_out '1 to 10 actions'
}
