#!/usr/bin/env bash
# Acceptance lines of models and money: `id: value (goal) ok|short`. Needs Node; the peers are in tests/package.json.
# usage: tests/accept/models.sh [WORD]   only lines whose id contains WORD
set -uo pipefail
ROOT=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd)
QA_HOST=${QA_HOST:-$ROOT/build/bin/qa-host}
PEERS=$ROOT/build/test-peers
PARTS=$ROOT/tests/accept/models
export QA_PEER_KEY=sk-peer-canary-7d1f
filter=${1:-}
short=0
work=$(mktemp -d)
trap 'rm -rf "$work"; kill $(jobs -p) 2> /dev/null' EXIT

# line ID VALUE GOAL TEST...: prints one line; TEST decides between ok and short.
line() {
  local id=$1 value=$2 goal=$3 word=ok
  shift 3
  "$@" || { word=short; short=$((short + 1)); }
  printf '%s: %s (%s) %s\n' "$id" "$value" "$goal" "$word"
}
wanted() { [[ $1 == *"$filter"* ]]; }

install() {
  mkdir -p "$PEERS"
  cp -r "$ROOT/tests/package.json" "$ROOT/tests/peers" "$ROOT/tests/data" "$PEERS/"
  [ "$PEERS/node_modules" -nt "$ROOT/tests/package.json" ] ||
    npm install --prefix "$PEERS" --ignore-scripts --omit=optional --no-package-lock --no-audit --no-fund >&2
}

# peer NAME ARGS...: starts a server of tests/peers; its ready line is in $work/NAME.json.
peer() {
  local name=$1
  shift
  mkfifo "$work/$name.in"
  (cd "$PEERS/peers" && exec node "$@") < "$work/$name.in" > "$work/$name.json" &
  # Kept open while this script lives: the peer ends when it closes.
  # shellcheck disable=SC2034
  exec {keep}> "$work/$name.in"
  for _ in $(seq 100); do [ -s "$work/$name.json" ] && return; sleep 0.1; done
  echo "$name did not get ready"
  exit 3
}
port_of() { "$QA_HOST" -e 'print(qa.json.decode(assert(qa.fs.read(qa.args[1]))).port)' "$work/$1.json"; }

surfaces() {
  wanted surfaces || return
  peer aimock aimock/start.mjs
  (cd "$work" && "$QA_HOST" "$PARTS/surfaces.lua" "$work/aimock.json" "say hello") > "$work/surfaces"
  cat "$work/surfaces"
  local right
  right=$(grep -c '"hello" input 1200 output 55 usd 0.003550' "$work/surfaces")
  line surfaces "$right of $(wc -l < "$work/surfaces") right" "all seven: text, usage, cost" test "$right" -eq 7
}

bodies() {
  wanted bodies || return
  peer scripted scripted_model.mjs
  local port said
  port=$(port_of scripted)
  (cd "$work" && "$QA_HOST" -e 'local b = assert(qa.browser.launch{}) local p = assert(b:new_page{width=1280,height=720}) assert(p:screenshot()):save("/"..qa.args[1]) b:close()' "$work/shot.png")
  (cd "$work" && "$QA_HOST" "$PARTS/bodies.lua" "$port" "$work/shot.png") | tail -n 5
  (cd "$PEERS/peers" && node -e 'fetch(process.argv[1]).then((r) => r.json()).then((all) => { for (const { dialect, body } of all) console.log(JSON.stringify({ dialect, body })) })' "http://127.0.0.1:$port/__bodies") > "$work/bodies.jsonl"
  said=$(cd "$PEERS/peers" && node validate_bodies.mjs "$work/bodies.jsonl")
  printf '%s\n' "$said" | cut -c1-600
  line bodies "$(wc -l < "$work/bodies.jsonl") bodies" "no violation by schemas or types" grep -q '"violations":\[\]' <<< "$said"
}

faults() {
  wanted faults || return
  (cd "$PEERS/peers" && node openai_client.mjs) > "$work/baseline.json" 2> /dev/null
  peer fault fault_server.mjs
  (cd "$work" && "$QA_HOST" "$PARTS/faults.lua" "$work/baseline.json" "$(port_of fault)") > "$work/faults"
  cat "$work/faults"
  line faults "$(tail -n 1 "$work/faults")" "none worse, none late" grep -q ', 0 worse, 0 late' "$work/faults"
}

# Two processes and four that are killed, one day's cap: what the server billed is never more than what is entered, and both
# never more than the cap.
storm() {
  wanted storm || return
  local calls=${STORM_CALLS:-10000} cap=1.50 port i ledger billed
  peer storm fault_server.mjs
  port=$(port_of storm)
  export QA_STATE=$work/state QA_DAY_BUDGET=$cap
  for i in 1 2 3 4; do
    (cd "$work" && timeout -s KILL "$((2 + i))" "$QA_HOST" --budget 5 --no-supervisor "$PARTS/storm.lua" "$port" 5000 "$i" all > /dev/null 2>&1) &
  done
  (cd "$work" && "$QA_HOST" --budget 5 "$PARTS/storm.lua" "$port" "$((calls / 2))" 11 all > storm.1 2>&1) &
  (cd "$work" && "$QA_HOST" --budget 5 "$PARTS/storm.lua" "$port" "$((calls / 2))" 12 all > storm.2 2>&1)
  wait %2 %3 %4 %5 %6 2> /dev/null || true
  while ! grep -q asked "$work/storm.1"; do sleep 0.5; done
  cat "$work/storm.1" "$work/storm.2"
  ledger=$("$QA_HOST" budget --by day | awk '/^total/ { print $2 }')
  held=$("$QA_HOST" budget --by day | awk '/^20/ { sum += $5 } END { print sum + 0 }')
  billed=$(node -e 'fetch(process.argv[1]).then((r) => r.json()).then(({ modes }) => { let usd = 0; for (const { billed } of Object.values(modes)) usd += billed.prompt_tokens * 2.5e-6 + billed.completion_tokens * 1e-5; console.log(usd.toFixed(6)) })' "http://127.0.0.1:$port/__journal")
  unset QA_STATE QA_DAY_BUDGET
  line storm_cap "entered $ledger, held $held" "at most $cap, nothing held" awk -v a="$ledger" -v b="$cap" -v h="$held" 'BEGIN { exit !(a <= b + 1e-9 && h == 0) }'
  line storm_billed "entered $ledger, billed $billed" "never less than billed" awk -v a="$ledger" -v b="$billed" 'BEGIN { exit !(a >= b) }'
}

# cpu_ms COMMAND...: user and system time of one run.
cpu_ms() {
  local TIMEFORMAT='%U %S' took
  took=$({ time "$@" > /dev/null 2>&1; } 2>&1)
  awk '{ printf "%.0f", ($1 + $2) * 1000 }' <<< "$took"
}

bench() {
  wanted bench || return
  local port pair own node calls=400
  peer speed fault_server.mjs
  port=$(port_of speed)
  pair=$(cd "$work" && "$QA_HOST" "$PARTS/parallel.lua" "$port")
  line bench_pair_ms "$pair" "two calls of 300 ms under 450" test "$pair" -lt 450
  own=$((($(cpu_ms "$QA_HOST" "$PARTS/calls.lua" "$port" $((calls + 1))) - $(cpu_ms "$QA_HOST" "$PARTS/calls.lua" "$port" 1)) * 1000 / calls))
  node=$((($(cpu_ms node "$PEERS/peers/openai_calls.mjs" "$port" $((calls + 1))) - $(cpu_ms node "$PEERS/peers/openai_calls.mjs" "$port" 1)) * 1000 / calls))
  line bench_call_cpu_us "$own to $node of the official client" "at most a fifth" test $((own * 5)) -le "$node"
}

# An endpoint named `peer` for runs in $work: the scripted model, which sees a good game.
scripted_endpoint() {
  peer opinion scripted_model.mjs
  node -e 'fetch(process.argv[1], { method: "PUT", body: JSON.stringify([{ say: { what_is_seen: "A counter that goes up.", has_loaded: true, reacts_to_play: "yes", issues: [], playability_score: 90 }, usage: { input: 1500, output: 90 } }]) }).then((r) => r.text())' "http://127.0.0.1:$(port_of opinion)/__script"
  printf 'return { endpoints = { peer = { base_url = "http://127.0.0.1:%s/v1", model = "gpt-4o", key_env = "QA_PEER_KEY", price = { input = "2.50", output = "10" } } }, roles = { vision = "peer" } }\n' "$(port_of opinion)" > "$work/qa-host.lua"
}

# A run that is recorded and replayed twice without a server; and no key in anything that was written.
replay() {
  wanted replay || return
  local i said
  scripted_endpoint
  cd "$work" || exit 3
  "$QA_HOST" test "$ROOT/examples/games/letter_guess" --seed 7 --set interaction_ms=4000 --cassette tape --cassette-mode record --out recorded > recorded.out 2> recorded.err
  for i in 1 2; do
    env -u QA_PEER_KEY "$QA_HOST" test "$ROOT/examples/games/letter_guess" --seed 7 --set interaction_ms=4000 --cassette tape --out "replay$i" > "replay$i.out" 2> "replay$i.err"
  done
  said=$("$QA_HOST" "$PARTS/same_reports.lua" replay1/*/report.json replay2/*/report.json "$ROOT/docs/report.md")
  line replay_same "$said" "the two replays' reports are the same" test "$said" = same
  said=$("$QA_HOST" -e 'local r = qa.json.decode(assert(qa.fs.read(qa.args[1]))) print(("%s $%.2f %s"):format(r.status, r.budget.spent_usd, tostring(r.budget.calls[1] and r.budget.calls[1].replayed)))' replay2/*/report.json)
  line replay_cost "$said" "the verdict at no cost" test "${said#* }" = "\$0.00 exact"
  said=$(node "$PARTS/find_key.mjs" "$QA_PEER_KEY" tape recorded replay1 replay2 recorded.out recorded.err)
  line key_scan "$said" "found nowhere" grep -q ' 0 found' <<< "$said"
  cd "$ROOT" || exit 3
}

install
bench
replay
storm
surfaces
bodies
faults
[ "$short" -eq 0 ]
