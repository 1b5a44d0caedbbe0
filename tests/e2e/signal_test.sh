# shellcheck shell=bash disable=SC2154
# What is left after a signal: an exit code, a report, and no process.

SLOW=(--set interaction_ms=120000)

worker() { pgrep -P "$host" -f 'qa-host-worker' | head -n 1; }
start_playing() { start test "$CLICKER" "${SLOW[@]}"; await 30 has_step; }

test_c061_ctrl_c_ends_a_run_with_130_no_browser_and_a_partial_report() {
  start_playing
  kill -INT "$host"
  wait_host
  expect_code 130
  expect_within 2000
  no_browsers || fail "a browser is left"
  expect_report 'r.partial' true
}

test_term_ends_a_run_with_143() {
  start_playing
  kill -TERM "$host"
  wait_host
  expect_code 143
  expect_within 2000
}

test_second_signal_ends_at_once() {
  printf 'require("qa").sleep(1) while true do end\n' > spin.lua
  start spin.lua
  await 5 worker
  sleep 0.3
  kill -INT "$host"
  sleep 0.1
  kill -INT "$host"
  wait_host
  expect_code 130
  expect_within 800
}

test_ctrl_c_without_a_supervisor_ends_a_run() {
  start --no-supervisor test "$CLICKER" "${SLOW[@]}"
  await 30 has_step
  kill -INT "$host"
  wait_host
  expect_code 130
  expect_within 2500
}

test_ctrl_c_during_code_ends_with_130() {
  start -e 'require("qa").sleep(60000)'
  sleep 0.5
  kill -INT "$host"
  wait_host
  expect_code 130
  expect_within 1000
}

test_killed_host_leaves_no_browser_and_a_report() {
  start_playing
  kill -9 "$host"
  wait_host
  await 2 no_browsers
  expect_report 'r.partial' true
}

test_c063_killed_worker_is_70_and_the_report_is_recovered() {
  start_playing
  kill -9 "$(worker)"
  wait_host
  expect_code 70
  expect_err 'worker crashed'
  expect_report 'r.partial' true
  expect_report '#r.steps > 0' true
}

test_killed_browser_is_4_within_2_seconds() {
  start_playing
  kill -9 "$(browser_leader)"
  wait_host
  expect_code 4
  expect_within 2000
  expect_report 'r.status' error
}

test_endless_loop_in_a_strategy_ends_with_a_report() {
  printf 'return { name = "spin", step = function() while true do pcall(function() while true do end end) end end }\n' > spin.lua
  run test "$CLICKER" --strategy spin.lua
  expect_code 3
  expect_report 'r.status' error
}

test_native_hang_in_a_strategy_is_killed_and_recovered() {
  printf 'return { name = "hang", step = function() local s = ("a"):rep(4000) return s:find((".-"):rep(40) .. "b") end }\n' > hang.lua
  run test "$CLICKER" --strategy hang.lua
  expect_code 3
  expect_err 'did not give control back'
  expect_report 'r.partial' true
}
