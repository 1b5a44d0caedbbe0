# shellcheck shell=bash disable=SC2154
# Programs that a script starts: nothing of them may be left, whoever dies first.

LONG='local qa = require "qa" qa.all(function() return qa.process.run{ argv = { "sh", "-c", "echo $$ > leader; sh -c \"echo \\$\\$ > child; sleep 300\" & sleep 300" } } end)'

worker() { pgrep -P "$host" -f 'qa-host-worker' | head -n 1; }
runs_on() { [ -s "$1" ] && kill -0 "$(cat "$1")" 2> /dev/null && ! grep -qs '^State:.Z' "/proc/$(cat "$1")/status"; }
is_over() { ! runs_on "$1"; }

start_program() {
  printf '%s\n' "$LONG" > long.lua
  start --allow-process long.lua
  await 10 runs_on leader
  await 10 runs_on child
}

expect_nothing_left() {
  await 3 is_over leader
  await 3 is_over child
}

test_program_needs_allow_process() {
  printf 'require("qa").process.run{ argv = { "true" } }\n' > run.lua
  run run.lua
  expect_code 3
  expect_err 'run.lua:1: .*give --allow-process'
  run --allow-process run.lua
  expect_code 0
}

test_killed_worker_leaves_no_program() {
  start_program
  kill -9 "$(worker)"
  wait_host
  expect_code 70
  expect_nothing_left
}

test_killed_supervisor_leaves_no_program() {
  start_program
  kill -9 "$host"
  wait_host
  expect_nothing_left
}

test_ctrl_c_leaves_no_program() {
  start_program
  kill -INT "$host"
  wait_host
  expect_code 130
  expect_nothing_left
}

test_program_that_left_its_group_is_killed_when_the_run_ends() {
  printf 'require("qa").process.run{ argv = { "sh", "-c", "setsid sh -c \\"echo \\\\$\\\\$ > leader; sleep 300\\" & while [ ! -s leader ]; do :; done" } }\n' > daemon.lua
  run --allow-process daemon.lua
  expect_code 0
  [ -s leader ] || fail "the daemon did not start"
  await 3 is_over leader
}
