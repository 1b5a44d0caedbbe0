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

install
storm
surfaces
bodies
faults
[ "$short" -eq 0 ]
