# shellcheck shell=bash disable=SC2154
# qa-host serve, qa-host test --event: real runs that are asked for over HTTP.

QUICK='"config":{"options":{"ready_ms":1500,"interaction_ms":1500}}'

# The folder of games, served by the product itself; its origin in $games.
serve_games() {
  "$QA_HOST" -e 'local qa = require "qa" print(assert(qa.serve(qa.args[1])).url) qa.sleep(1000000)' "$ROOT/examples/games" > served 2>&1 &
  trap 'kill $(jobs -p)' EXIT
  await 5 grep -q '^http' served
  games=$(grep -m 1 '^http' served)
  games=${games%/}
}

# Its process in $host, its port in $port.
start_service() {
  printf 'a-token-of-the-tests\n' > token
  chmod 600 token
  start serve --port 0 --token-file token --out runs --allow-origin "$games"
  await 5 grep -q '^listening' out
  port=$(sed -n 's/^listening on .*://p' out)
}

# request METHOD TARGET [BODY [TOKEN]]: the whole answer.
request() {
  local body=${3:-} connection
  exec {connection}<> "/dev/tcp/127.0.0.1/$port"
  printf '%s %s HTTP/1.1\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s' \
    "$1" "$2" "${4:-a-token-of-the-tests}" "${#body}" "$body" >&"$connection"
  cat <&"$connection"
  exec {connection}>&-
}

# post GAME [FIELDS]: the id of an accepted run.
post() {
  request POST /runs "{\"gameUrl\":\"$games/$1/\",${2:-$QUICK}}" > answer
  grep -q '^HTTP/1.1 202 ' answer || fail "not accepted: $(cat answer)"
  sed -n 's/.*"id":"\([0-9a-f]*\)".*/\1/p' answer
}

record() { request GET "/runs/$1" | tail -n 1; }
is_state() { record "$1" | grep -q "\"state\":\"$2\""; }
plays() { is_state "$1" running && [ -n "$(browsers)" ]; }
expect_record() { record "$1" | grep -qE -- "$2" || fail "the record has no '$2': $(record "$1")"; }

test_a_run_is_played_and_its_report_and_pictures_are_served() {
  local id
  serve_games
  start_service
  id=$(post blank)
  request GET "/runs/$id/events" > events
  grep -q '"line":"\[ .*navigation' events || fail "no progress: $(cat events)"
  grep -q '^id: end' events || fail "no end: $(cat events)"
  expect_record "$id" '"state":"done"'
  expect_record "$id" '"exit_code":1,.*"status":"fail"'
  request GET "/runs/$id/report" | tail -n 1 > report.json
  "$QA_HOST" -e 'local r = qa.json.decode(assert(qa.fs.read("report.json"))) assert(r.status == "fail" and not r.partial)' || fail "no report"
  request GET "/runs/$id/files/shots/002_final_state.png" | grep -qa '^Content-Type: image/png' || fail "no picture"
  request GET "/runs/$id/files/trace.jsonl" | grep -q '^HTTP/1.1 404 ' || fail "the journal is served"
  request GET "/runs/$id" '' another-token-of-tests | grep -q '^HTTP/1.1 401 ' || fail "another token is let in"
  kill -TERM "$host"
  wait_host
  expect_code 0
}

test_a_run_that_is_cancelled_ends_its_browser_and_has_a_report() {
  local id
  serve_games
  start_service
  id=$(post frozen '"config":{}')
  await 10 plays "$id"
  request DELETE "/runs/$id" | grep -q '^HTTP/1.1 202 ' || fail "not cancelled"
  request GET "/runs/$id/events" > events
  expect_record "$id" '"state":"cancelled"'
  request GET "/runs/$id/report" | grep -q '"completion_reason":"cancelled"' || fail "the report says nothing of it"
  await 3 no_browsers
}

test_the_service_drains_on_term() {
  local running waiting
  serve_games
  start_service
  running=$(post blank)
  waiting=$(post blank)
  await 10 is_state "$running" running
  kill -TERM "$host"
  await 5 is_state "$waiting" not_run
  request POST /runs "{\"gameUrl\":\"$games/blank/\"}" | grep -q '^HTTP/1.1 503 ' || fail "a run was accepted"
  wait_host
  expect_code 0
  grep -q '"state":"done"' "runs/$running/run.json" || fail "what ran did not end: $(cat "runs/$running/run.json")"
}

test_a_service_that_is_killed_takes_its_runs_along_and_says_so_afterwards() {
  local id
  serve_games
  start_service
  id=$(post frozen '"config":{}')
  await 10 plays "$id"
  kill -KILL "$host"
  wait_host
  await 15 no_browsers
  start_service
  expect_record "$id" '"state":"not_run"'
  expect_record "$id" 'the service ended before the run did'
}

test_nothing_of_the_folder_is_read_by_runs() {
  local id
  mkdir -p strategies
  printf 'error("read")\n' > qa-host.lua
  cp qa-host.lua strategies/standard.lua
  serve_games
  start_service
  id=$(post blank)
  request GET "/runs/$id/events" > events
  expect_record "$id" '"status":"fail"'
}

test_c002_an_event_gives_status_code_and_body() {
  serve_games
  printf '{"gameUrl":"%s/blank/","metadata":{"id":"nothing","inputSchema":{"type":"semantic","content":"None."}},%s}' "$games" "$QUICK" > event.json
  run test --event event.json --allow-origin "$games"
  expect_code 1
  "$QA_HOST" -e 'local answer = qa.json.decode(assert(qa.fs.read("out"))) local r = qa.json.decode(answer.body)
    assert(answer.statusCode == 200 and r.status == "fail" and r.metadata.gameUrl == qa.args[1])' "$games/blank/" || fail "no result: $(cut -c1-300 out)"
  [ -z "$(find qa-runs -name 'metadata-*')" ] || fail "the metadata are left"
  run test --event event.json
  expect_code 3
  expect_out '"statusCode":400,.*--allow-origin'
  printf '{"gameUrl":"%s/blank/","config":{"strategy":"nonesuch"}}' "$games" > event.json
  run test --event event.json --allow-origin "$games"
  expect_code 3
  expect_out '"statusCode":400,.*nonesuch'
  printf '{"gameUrl":"http://127.0.0.1:9/"}' > event.json
  run test --event event.json --allow-origin http://127.0.0.1:9
  expect_code 4
  expect_out '"statusCode":500,'
}

test_secrets_that_others_can_read_are_refused() {
  printf 'a-token-of-the-tests\n' > token
  chmod 644 token
  run serve --port 0 --token-file token
  expect_code 3
  expect_err 'chmod 600'
}

test_lambda_outside_of_lambda_says_so() {
  AWS_LAMBDA_RUNTIME_API='' run lambda
  expect_code 3
  expect_err 'AWS_LAMBDA_RUNTIME_API'
  AWS_LAMBDA_RUNTIME_API=127.0.0.1:9 run lambda
  expect_code 4
  expect_err '127.0.0.1:9'
}
