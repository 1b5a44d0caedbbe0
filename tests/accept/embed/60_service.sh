#!/usr/bin/env bash
# Acceptance lines of `qa-host serve` and `qa-host lambda`: `id: value (goal) ok|short`. Needs node for the clients.
# usage: tests/accept/embed/60_service.sh [WORD]   only the parts whose name contains WORD: abuse load lambda
# shellcheck source=tests/support/acceptance.sh
. "$(dirname "$(readlink -f "$0")")/../../support/acceptance.sh"
cd "$ROOT" || exit 3
PARTS=$ROOT/tests/accept/embed/service
work=$(mktemp -d)
trap 'kill $(jobs -p) 2> /dev/null; rm -rf "$work"' EXIT
export QA_STATE=$work/state

# value FILE EXPRESSION: of the JSON object `r` in the last line of FILE.
value() { node -p "const r = JSON.parse(require('fs').readFileSync('$1', 'utf8').trim().split('\n').at(-1)); $2"; }

# Processes that hold a folder of ours in their command line or environment.
left_over() (
  unset QA_STATE  # So that these commands are none of them.
  grep -lsaf /dev/stdin /proc/[0-9]*/cmdline /proc/[0-9]*/environ <<< "$work" | cut -d/ -f3 | sort -u | grep -vcx -e "$games_host"
)
nothing_left() { [ "$(left_over)" -eq 0 ]; }

"$QA_HOST" -e 'local qa = require "qa" print(assert(qa.serve(qa.args[1])).url) qa.sleep(100000000)' "$ROOT/examples/games" > "$work/served" 2> /dev/null &
games_host=$!
await 10 grep -q '^http' "$work/served"
games=$(sed 's|/$||' "$work/served")

# start_service NAME ARGS...: its process in $service, its port in $port.
start_service() {
  local name=$1
  shift
  head -c 24 /dev/urandom | base64 > "$work/token"
  chmod 600 "$work/token"
  "$QA_HOST" serve --port 0 --token-file "$work/token" --out "$work/$name" --allow-origin "$games" "$@" > "$work/$name.out" 2> "$work/$name.err" &
  service=$!
  await 10 grep -q '^listening' "$work/$name.out"
  port=$(sed -n 's/^listening on .*://p' "$work/$name.out")
}

clients() { node "$PARTS/clients.mjs" "$1" "$port" "$(cat "$work/token")" "$games" "$service" "${2:-0}" > "$work/$1.json"; }

abuse() {
  part abuse || return
  local file=$work/abuse.json
  start_service abuse
  clients abuse
  line body_of_1_gb "$(value "$file" 'r.gigabyte + ", " + r.sent_mb + " MB taken"')" "413 before it is sent" \
    test "$(value "$file" 'r.gigabyte === 413 && r.sent_mb < 1024')" = true
  line slow_clients "let go after $(value "$file" r.slow_ms) ms, $(value "$file" r.slow_answers) answers" "at most 21000 ms, 0" \
    test "$(value "$file" 'r.slow_ms <= 21000 && r.slow_answers === 0')" = true
  line pipelined_requests "$(value "$file" r.pipelined) answers" "51" test "$(value "$file" r.pipelined)" = 51
  line flood_of_headers "$(value "$file" r.flood)" "431" test "$(value "$file" r.flood)" = 431
  line idle_connections "400 open: health $(value "$file" r.beside), $(value "$file" r.most) descriptors" "200, at most 300" \
    test "$(value "$file" 'r.beside === 200 && r.most <= 300')" = true
  line deep_json "$(value "$file" r.deep)" "400" test "$(value "$file" r.deep)" = 400
  line bad_requests "$(value "$file" r.others)" "400 400 415 405 404 404 400 400 400" \
    test "$(value "$file" r.others)" = "400 400 415 405 404 404 400 400 400"
  line service_descriptors "$(value "$file" 'r.before + " before, " + r.after + " after"')" "no more" \
    test "$(value "$file" 'r.after <= r.before')" = true
  kill -TERM "$service"
  wait "$service"
}

# outcomes FOLDER FILE: how many accepted runs ended with one report, in not_run without one, and in any other way.
outcomes() {
  # shellcheck disable=SC2016  # It is JavaScript.
  node -e '
    const fs = require("fs"), [folder, file] = process.argv.slice(1);
    const { accepted } = JSON.parse(fs.readFileSync(file));
    const count = { report: 0, not_run: 0, other: 0 };
    for (const id of accepted) {
      const record = JSON.parse(fs.readFileSync(`${folder}/${id}/run.json`));
      const reports = fs.readdirSync(`${folder}/${id}`).filter((name) => fs.existsSync(`${folder}/${id}/${name}/report.json`)).length;
      const reported = ["done", "cancelled"].includes(record.state) && reports === 1;
      if (reported) JSON.parse(fs.readFileSync(`${folder}/${id}/${record.folder}/report.json`));
      count[reported ? "report" : record.state === "not_run" && reports === 0 ? "not_run" : "other"]++;
    }
    console.log(JSON.stringify({ ...count, accepted: accepted.length, twice: accepted.length - new Set(accepted).size }));
  ' "$1" "$2"
}

load() {
  part load || return
  local file=$work/load.json code=0 begin
  start_service load --jobs 3 --queue 3
  clients load 200
  begin=$SECONDS
  wait "$service" || code=$?
  outcomes "$work/load" "$file" > "$work/outcomes.json"
  line accepted_runs "$(value "$work/outcomes.json" 'r.accepted + ": " + r.report + " reports, " + r.not_run + " not run, " + r.other + " other"')" \
    "at least 60, 0 other" test "$(value "$work/outcomes.json" 'r.accepted >= 60 && r.other === 0 && r.twice === 0')" = true
  line malformed_runs "$(value "$file" 'r.malformed_refused + " of " + r.malformed') refused" "all" \
    test "$(value "$file" 'r.malformed === 20 && r.malformed_refused === 20')" = true
  line other_answers "$(value "$file" 'r.busy + " busy, " + r.cancelled + " cancelled, " + r.stopped + " after TERM, " + r.unknown + " unknown"')" \
    "some of each, 0 unknown" test "$(value "$file" 'r.busy > 0 && r.cancelled > 5 && r.stopped > 0 && r.unknown === 0')" = true
  line drain "exit $code, $((SECONDS - begin)) s after the clients" "0, at most 35 s" test "$code" -eq 0 -a $((SECONDS - begin)) -le 35
  await 5 nothing_left
  line service_processes "$(left_over) left" 0 nothing_left
}

lambda() {
  part lambda || return
  local file=$work/lambda.json api api_port host code=0
  cat > "$work/events.json" << EVENTS
[{"name": "pass", "left_ms": 120000, "event": {"gameUrl": "$games/clicker/", "config": {"options": {"interaction_ms": 3000, "ready_ms": 4000}}}},
 {"name": "fail", "left_ms": 120000, "event": {"body": "{\"gameUrl\": \"$games/blank/\", \"config\": {\"options\": {\"ready_ms\": 1500}}}"}},
 {"name": "bad", "left_ms": 120000, "event": {"gameUrl": "../games/blank"}},
 {"name": "crash", "left_ms": 120000, "event": {"gameUrl": "$games/frozen/"}},
 {"name": "deadline", "left_ms": 16000, "event": {"gameUrl": "$games/clicker/"}},
 {"name": "late", "left_ms": 3000, "event": {"gameUrl": "$games/blank/"}}]
EVENTS
  node "$PARTS/lambda_api.mjs" "$work/events.json" > "$file" &
  api=$!
  await 5 grep -q port "$file"
  api_port=$(sed -n 's/.*"port":\([0-9]*\).*/\1/p' "$file")
  AWS_LAMBDA_RUNTIME_API=127.0.0.1:$api_port "$QA_HOST" lambda --allow-origin "$games" > "$work/lambda.out" 2> "$work/lambda.err" &
  host=$!
  # The run of that event, and nothing else, is the child of the loop.
  await 90 grep -q '"handed":"crash"' "$file" && await 5 pgrep -P "$host"
  kill -SEGV "$(pgrep -P "$host")"
  await 60 grep -q '"name":"late"' "$file"
  kill -TERM "$host"
  wait "$host" || code=$?
  kill "$api"
  answer() { node -p "const r = require('fs').readFileSync('$file', 'utf8').trim().split('\n').map(JSON.parse).find((r) => r.name === '$1') ?? {}; const report = r.answer?.body && JSON.parse(r.answer.body); $2"; }
  line lambda_pass "$(answer pass 'r.answer.statusCode + " " + report.status')" "200 pass" test "$(answer pass 'r.answer.statusCode + " " + report.status')" = "200 pass"
  line lambda_fail "$(answer fail 'r.answer.statusCode + " " + report.status')" "200 fail" test "$(answer fail 'r.answer.statusCode + " " + report.status')" = "200 fail"
  line lambda_bad_request "$(answer bad 'r.answer.statusCode + " " + report.error')" "400, says gameUrl" \
    test "$(answer bad 'r.answer.statusCode === 400 && report.error.startsWith("gameUrl")')" = true
  line lambda_crash "$(answer crash 'r.path.split("/").pop() + " " + r.type')" "error QaHost.Crash" test "$(answer crash 'r.path.split("/").pop() + " " + r.type')" = "error QaHost.Crash"
  line lambda_deadline "$(answer deadline 'r.answer.statusCode + " " + report.completion_reason')" "200 max_duration" \
    test "$(answer deadline 'r.answer.statusCode + " " + report.completion_reason')" = "200 max_duration"
  line lambda_too_late "$(answer late 'r.path.split("/").pop() + " " + r.type')" "error QaHost.Deadline" test "$(answer late 'r.path.split("/").pop() + " " + r.type')" = "error QaHost.Deadline"
  rm -rf /tmp/qa-host-lambda-"$host" /tmp/qa-host-lambda-"$host"-state
  await 5 nothing_left
  line lambda_end "exit $code, $(left_over) processes left" "0, 0" test "$code" -eq 0 -a "$(left_over)" -eq 0
}

abuse
load
lambda
conclude
