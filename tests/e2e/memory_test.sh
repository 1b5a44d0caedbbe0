# shellcheck shell=bash disable=SC2154
# Memory from the command line: what a model found once is done again without it, from one process to the next.
# shellcheck source=tests/e2e/models_test.sh
. "$ROOT/tests/e2e/models_test.sh"
export QA_STATE=$PWD/state

RECALL=(--strategy recall --seed 7 "${FAST[@]}" --model openai/gpt-4o)

# A cassette without an answer: any question of a run ends it with 4.
nobody() {
  mkdir -p nobody
  : > nobody/index.jsonl
}

learn_hidden_start() {
  hidden_start
  run test game "${RECALL[@]}" --cassette "$CASSETTES/start"
  expect_code 0
  expect_report 'r.start.method' model
  expect_report '#r.budget.calls' 2
  expect_report 'r.memory.how' standard
  expect_report 'r.memory.learned.steps' 1
  nobody
}

recalled() {
  rm -rf qa-runs
  run test game "${RECALL[@]}" --cassette nobody
}

test_d006_the_second_run_asks_no_model() {
  learn_hidden_start
  recalled
  expect_code 0
  expect_report 'r.start.method' memory
  expect_report '#r.budget.calls' 0
  expect_report 'r.memory.replayed[1].ok' true
  run memory show game
  expect_out 'worked 2 times: click 1200,660'
}

test_d009_what_moved_is_healed_without_a_model() {
  learn_hidden_start
  sed -i 's/1150, 620, 100/1050, 620, 100/; s/clientX > 1150/clientX > 1050/' game/index.html
  recalled
  expect_code 0
  expect_report '#r.budget.calls' 0
  expect_report 'r.memory.healed[1].by' picture
  expect_report 'math.abs(r.memory.healed[1].px - 100) <= 3' true
  # Once healed, it is where it was.
  recalled
  expect_code 0
  expect_report '#r.memory.healed' 0
}

test_d012_what_is_gone_fails_the_run() {
  learn_hidden_start
  sed -i 's/else ctx.fillRect(1150, 620, 100, 80);/else ctx.fillRect(0, 0, 400, 20);/; s/if (!on \&\&/if (false \&\&/' game/index.html
  recalled
  expect_code 1
  expect_report '(function() for _, i in ipairs(r.issues) do if i.kind == "start_not_found" and i.severity == "critical" then return i.description:match("Step 1 of 1") end end end)()' 'Step 1 of 1'
  expect_report '#r.budget.calls' 0
  run memory show game
  expect_out 'failed 1 times'
}

test_d001_memory_is_exported_and_imported_by_the_command_line() {
  printf '{"action_rewards":{"tap":0.15},"failed_patterns":{},"successful_patterns":{"menu:go":[{"actions":[{"action":"tap","x":5,"y":6}],"count":2,"outcome":"ok","timestamp":"t"}]}}' > memory.json
  run memory import memory.json --game Notes
  expect_code 0
  run memory export notes
  expect_code 0
  [ "$(tr -d '\n' < out)" = "$(cat memory.json)" ] || fail "not the same"
  run memory forget notes
  expect_out '3 records of notes forgotten'
  run memory show
  expect_out 'nothing is remembered'
}

test_d011_an_imported_tap_replays() {
  local script='{"successful_patterns":{"title:find out whether the game can be played":[{"actions":[{"action":"tap","x":1200,"y":660}],"count":5,"outcome":"ok","timestamp":"t"}]}}'
  hidden_start
  nobody
  printf '%s' "$script" > memory.json
  run memory import memory.json --game game
  recalled
  expect_code 0
  expect_report 'r.start.method' memory
  # What was imported blind has been seen now.
  recalled
  expect_code 0
  expect_report 'r.memory.replayed[1].ok' true
}

test_a_damaged_memory_is_4_and_says_what_to_do() {
  mkdir state
  printf 'this is no database at all, only a long enough line of text, is it not?' > state/memory.sqlite
  run memory show
  expect_code 4
  expect_err "damaged"
  run test "$CLICKER" "${FAST[@]}" --strategy recall
  expect_code 4
  expect_report 'r.issues[1].description:match("memory.sqlite is damaged.*Move it away") ~= nil' true
}

test_memory_without_words_is_3() {
  run memory
  expect_code 3
  expect_err 'usage: qa-host memory show'
  run memory import nowhere.json --game x
  expect_code 3
}
