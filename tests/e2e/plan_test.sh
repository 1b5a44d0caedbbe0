# shellcheck shell=bash disable=SC2154
# qa-host plan from the command line, with a real game as a test.

GAME=$ROOT/tests/accept/plan/game.html

test_eg2_a_game_is_the_test_of_a_task_and_is_played_again_after_the_fix() {
  mkdir -p project/game
  cp "$GAME" project/game/index.html
  printf 'return function(ctx) local n = ctx.page:evaluate("count") if n > 3 then return true end return false, "only " .. n .. " squares" end\n' > project/oracle.lua
  printf '{"name": "G", "tasks": [{"id": "play", "files": ["game/"], "test_game": {"target": "game", "oracle": "oracle.lua", "set": {"interaction_ms": 2500, "ready_ms": 8000}}}]}\n' > project/plan.json
  sed 's/\/\* planted: nothing is bound \*\//addEventListener("click", press); addEventListener("keydown", press);/' "$GAME" > fixed.html
  run plan run project/plan.json --allow-process --bug-hunter "cp $PWD/fixed.html game/index.html"
  expect_code 0
  expect_out 'play +completed, 1 attempt: Fixed after 1 attempts'
  grep -q '+  addEventListener("click", press)' project/plan.state/report.md || fail "the report has no diff"
  grep -q 'the oracle says' project/plan.state/journal.jsonl || fail "the oracle was not asked"
}

test_eg2_a_mended_strategy_is_in_force_in_the_next_run() {
  mkdir -p project/game
  sed 's/\/\* planted: nothing is bound \*\//addEventListener("keydown", (e) => { if (e.code === "KeyQ") press(); });/' "$GAME" > project/game/index.html
  printf 'return function(ctx) return ctx.page:evaluate("count") > 0, "no square" end\n' > project/oracle.lua
  printf 'return { name = "mine", limits = { steps = 3 }, start = function() return true end, step = function(ctx) ctx.page:press("KeyA") return true end,\n  conclude = function(_, r) r.status, r.missing = "inconclusive", { "the oracle decides" } return r end }\n' > project/mine.lua
  sed 's/KeyA/KeyQ/' project/mine.lua > fixed.lua
  printf '{"name": "G", "tasks": [{"id": "play", "files": ["mine.lua"], "test_game": {"target": "game", "strategy": "./mine.lua", "oracle": "oracle.lua"}}]}\n' > project/plan.json
  run plan run project/plan.json --allow-process --bug-hunter "cp $PWD/fixed.lua mine.lua"
  expect_code 0
  expect_out 'Fixed after 1 attempts'
}

test_plan_wants_allow_process_and_tells_what_is_wrong() {
  mkdir project
  printf '{"tasks": [{"id": "a", "test_command": "true"}]}\n' > project/plan.json
  run plan run project/plan.json
  expect_code 3
  expect_err 'run it with --allow-process'
  expect_one_line
  run plan run project/plan.json --allow-process
  expect_code 0
  expect_out '1 of 1 tasks completed'
  run plan status project/plan.json b
  expect_code 3
  expect_err "has no task 'b'"
  run plan frobnicate
  expect_code 3
  expect_err "unknown action 'frobnicate'"
  printf '{"tasks": [{"id": "a", "dependencies": ["a"]}]}\n' > project/round.json
  run plan run project/round.json --allow-process
  expect_code 3
  expect_err 'go round: a -> a'
  [ ! -e project/round.state ] || fail "a wrong plan left a state"
}

test_plan_create_asks_a_person() {
  printf '{"phases": [{"id": "one", "title": "One", "estimated_tasks": 6, "tasks": [{"id": "a", "test_command": "true"}]}, {"id": "two", "title": "Two", "estimated_tasks": 6, "depends_on": ["one"]}]}\n' > phases.json
  # shellcheck disable=SC2034
  code=0
  # shellcheck disable=SC2034
  echo yes | "$QA_HOST" plan create "a large thing" --from phases.json --to made.json > out 2> err || code=$?
  expect_code 0
  expect_out 'yes / no / numbers'
  expect_out 'two: Two \(not planned yet\)'
  run plan create "a large thing" --from phases.json --to other.json
  expect_code 3
  expect_err 'nobody answers: give --yes, --no or --customize'
  run plan create "a large thing" --from phases.json --to other.json --yes
  expect_code 0
  run plan create "a large thing" --from phases.json --to other.json --yes
  expect_code 3
  expect_err 'is there already'
  run plan show other.json --depth 1
  expect_code 0
  [ "$(wc -l < out)" -eq 3 ] || fail "show --depth 1 has $(wc -l < out) lines"
}

test_killed_plan_goes_on() {
  mkdir project
  printf '{"tasks": [{"id": "a", "test_command": ["sh", "-c", "sleep 0.3; test -f a"], "files": ["a"]}, {"id": "b", "test_command": ["sh", "-c", "sleep 0.3; test -f b"], "files": ["b"], "dependencies": ["a"]}]}\n' > project/plan.json
  start plan run project/plan.json --allow-process --bug-hunter "touch a b"
  await 10 grep -q 'a: completed' err
  kill -9 "$host"
  wait_host
  run plan run project/plan.json --allow-process --bug-hunter "touch a b"
  expect_code 0
  expect_out '2 of 2 tasks completed'
  ! grep -q 'a: in progress' err || fail "a was done twice"
}
