# shellcheck shell=bash disable=SC2154
# Targets that do not answer, browsers that do not start, and several targets at once.

FAST=(--set interaction_ms=1500 --set ready_ms=4000)

# The product's own static server in the background; its address in $url.
serve() {
  "$QA_HOST" -e 'local qa = require "qa" qa.fs.read("") print(assert(qa.serve(qa.args[1])).url) qa.sleep(100000)' "$1" > served 2>&1 &
  server=$!
  trap 'kill "$server"' EXIT
  await 5 grep -q '^http' served
  url=$(grep -m 1 '^http' served)
}

test_good_game_passes() {
  run test "$CLICKER" "${FAST[@]}"
  expect_code 0
  expect_out 'pass'
  expect_out 'report.json'
  expect_report 'r.status' pass
  expect_report 'r.partial' false
}

test_json_reporter_prints_nothing_but_the_report() {
  run test "$CLICKER" "${FAST[@]}" --reporter json
  expect_code 0
  "$QA_HOST" -e 'local r = qa.json.decode(assert(qa.fs.read("out"))) assert(r.status == "pass")' || fail "stdout is no report"
}

test_c001_url_and_metadata_give_json_and_exit_0_or_1() {
  serve "$CLICKER"
  printf '{"id": "clicker", "inputSchema": {"type": "semantic", "content": "Click the button."}}' > game.json
  run test "$url" --metadata game.json "${FAST[@]}" --reporter json
  expect_code 0
  "$QA_HOST" -e 'local r = qa.json.decode(assert(qa.fs.read("out"))) assert(r.status == "pass" and r.metadata.gameUrl == qa.args[1])' "$url" \
    || fail "stdout is no report of the URL"
  run test "$ROOT/examples/games/blank" "${FAST[@]}"
  expect_code 1
}

test_c004_c012_a_run_goes_through_the_phases_at_no_cost() {
  run test "$CLICKER" "${FAST[@]}"
  expect_report '(function() local n = {} for i, p in ipairs(r.phases) do n[i] = p.name end return table.concat(n, " ") end)()' \
    'initialization navigation game_detection start_button_detection gameplay_simulation analysis'
  expect_report 'r.ready.ok' true
  expect_report 'r.metadata.estimatedCost + r.budget.spent_usd' 0
  expect_report 'r.metadata.duration < 60000' true
}

test_c017_c018_screenshots_of_each_stage_are_in_the_run_folder() {
  run test "$CLICKER" "${FAST[@]}"
  expect_report '(function() local n = {} for i, s in ipairs(r.screenshots) do n[i] = s.stage end return table.concat(n, " ") end)()' \
    'initial_load post_start after_interaction final_state'
  expect_report 'r.screenshots[1].path' shots/001_initial_load.png
  [ "$(find "$(run_directory)/shots" -name '*.png' -size +0 | wc -l)" -eq 4 ] || fail "not four screenshots"
}

test_c023_cleanup_keeps_the_report_and_no_screenshot() {
  ENABLE_SCREENSHOT_CLEANUP=true run test "$CLICKER" "${FAST[@]}"
  expect_code 0
  no_browsers || fail "a browser is left"
  [ -z "$(find "$(run_directory)" -name '*.png')" ] || fail "a screenshot is left"
  [ ! -e "$(run_directory)/browser" ] || fail "the browser's files are left"
  expect_report '#r.screenshots' 0
}

test_recover_makes_the_same_report_of_a_finished_run() {
  run test "$CLICKER" "${FAST[@]}"
  cp "$(report)" before.json
  run recover "$(run_directory)"
  cmp before.json "$(report)" || fail "the report changed"
}

test_wrong_browser_is_4() {
  run test "$CLICKER" --browser /no/such/chromium
  expect_code 4
  expect_out '/no/such/chromium'
  run test "$CLICKER" --browser /bin/false
  expect_code 4
}

test_refused_connection_is_4() { run test http://127.0.0.1:9/ "${FAST[@]}"; expect_code 4; }

test_unknown_host_is_4() { run test http://no-such-host.invalid/ "${FAST[@]}"; expect_code 4; }

test_tls_error_is_4() { serve "$CLICKER"; run test "${url/http:/https:}" "${FAST[@]}"; expect_code 4; }

test_missing_page_is_a_failed_load() {
  serve "$CLICKER"
  run test "${url}no-such-page.html" "${FAST[@]}"
  expect_code 1
  expect_report 'r.issues[1].kind' load_failed
}

test_several_targets_end_with_a_summary_and_the_worst_code() {
  run test "$CLICKER" "$ROOT/examples/games/blank" -j 2 "${FAST[@]}"
  expect_code 1
  expect_out '^2 targets: 1 passed, 1 failed, 0 inconclusive, 0 errors'
}

test_max_duration_ends_a_run_with_a_verdict() {
  run test "$CLICKER" --max-duration 6s
  expect_within 12000
  expect_report 'r.completion_reason' max_duration
}

test_strategy_file_runs_as_a_script() {
  printf 'return { name = "mine", limits = { steps = 1 } }\n' > mine.lua
  run mine.lua "$CLICKER"
  expect_report 'r.strategy' mine
}

test_console_flood_and_lone_surrogates_do_no_harm() {
  mkdir flood
  cat > flood/index.html <<'HTML'
<!doctype html><title>Flood</title><button id="start">Start</button><p id="n">0</p><script>
const line = 'x'.repeat(10000) + '\ud800';
for (let i = 0; i < 10000; i++) console.log(line);
document.title = 'lone \udc00 half';
document.getElementById('start').onclick = () => { document.body.style.background = '#'+(Math.random()*0xffffff|0).toString(16).padStart(6,'0'); };
</script>
HTML
  run test flood "${FAST[@]}"
  [ "$code" -le 2 ] || fail "exit code $code"
  report_value 'r.status' > /dev/null || fail "no valid report"
}

# expect_json FILE...: each line is JSON, safe to print.
expect_json() { QA_STATE=$PWD/state "$QA_HOST" "$ROOT/tests/support/check_json.lua" "$@" > checked 2>&1 || fail "$(cat checked)"; }

test_all_outputs_are_json_whatever_a_page_prints() {
  run test "$ROOT/tests/data/hostile_page" "${FAST[@]}" --reporter json
  expect_json out "$(report)" "$(run_directory)/trace.jsonl"
  expect_report '#r.metadata.consoleErrors > 0 and #r.issues > 0' true
  run recover "$(run_directory)"
  expect_json "$(report)"
  rm -r qa-runs
  run test "$ROOT/tests/data/hostile_page" "$CLICKER" -j 2 "${FAST[@]}" --reporter json
  [ "$(wc -l < out)" -eq 2 ] || fail "not one line a target"
  expect_json out
}

# hostile_lines: what a script prints of the hostile page, in ./lines: each text as name and value, and each event.
hostile_lines() {
  cat > said.lua <<'LUA'
local page = assert(assert(qa.browser.launch{}):new_page{})
assert(page:navigate(qa.serve(qa.args[1]).url))
for _, text in ipairs(page:evaluate "said") do print(qa.json.encode{ [text] = text, title = page:evaluate "document.title" }) end
page:evaluate "errors()"
for _, event in ipairs(page:events(0)) do print(qa.json.encode(event)) end
LUA
  run said.lua "$ROOT/tests/data/hostile_page"
  cp out lines
}

test_json_lines_of_a_script_are_json_whatever_a_page_prints() {
  hostile_lines
  expect_code 0
  expect_json lines
  [ "$(cat checked)" -ge 450 ] || fail "$(cat checked) lines, expected 300 texts and as many events as are kept"
}
