#!/usr/bin/env bash
# Acceptance lines of models and money: `id: value (goal) ok|short`. Needs Node >= 20.19, openssl and strace; the peers are those
# of tests/package.json.
# usage: tests/accept/models.sh [WORD]   only parts whose name contains WORD
# STORM_CALLS and LADDER_ANSWERS (10000 each) make two parts shorter while they are worked on.
set -uo pipefail
ROOT=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd)
export QA_HOST=${QA_HOST:-$ROOT/build/bin/qa-host}
PEERS=$ROOT/build/test-peers
PARTS=$ROOT/tests/accept/models
export QA_PEER_KEY=sk-peer-canary-7d1f
filter=${1:-}
# shellcheck source=tests/support/acceptance.sh
. "$ROOT/tests/support/acceptance.sh"
work=$(mktemp -d)
export QA_STATE=$work/state
trap 'kill $(jobs -p) 2> /dev/null; wait; rm -rf "$work"' EXIT

# part NAME: a folder of its own; false when NAME is not asked for.
part() {
  [[ $1 == *"$filter"* ]] || return 1
  mkdir -p "$work/$1" && cd "$work/$1" || exit 3
  unset XDG_CONFIG_HOME
}

# host NAME ARGS...: qa-host, run by the command in `under`; what it says is kept in NAME.out and NAME.err.
under=()
host() {
  local name=$1
  shift
  "${under[@]}" "$QA_HOST" "$@" > "$name.out" 2> "$name.err"
}

# peer NAME ARGS...: starts a server of tests/peers; its ready line is in $work/NAME.json.
peer() {
  local name=$1 keep
  shift
  mkfifo "$work/$name.in"
  (cd "$PEERS/peers" && exec node "$@") < "$work/$name.in" > "$work/$name.json" &
  # Kept open while this script lives: the peer ends when it closes.
  # shellcheck disable=SC2034
  exec {keep}> "$work/$name.in"
  for _ in $(seq 300); do [ -s "$work/$name.json" ] && own_configuration && return; sleep 0.1; done
  echo "$name did not get ready"
  exit 3
}
port_of() { node -p 'JSON.parse(require("fs").readFileSync(process.argv[1])).port' "$work/$1.json"; }
# call NAME PATH [JSON]: what the peer says there; JSON is put.
call() {
  node -e 'const [url, body] = process.argv.slice(1); fetch(url, body ? { method: "PUT", body } : {}).then((r) => r.text()).then((t) => process.stdout.write(t))' \
    "http://127.0.0.1:$(port_of "$1")$2" ${3:+"$3"}
}
# picture FILE [WIDTH HEIGHT]: a page's screenshot.
picture() {
  "$QA_HOST" -e 'local path, w, h = unpack(qa.args) local b = assert(qa.browser.launch{}) local p = assert(b:new_page{ width = tonumber(w), height = tonumber(h) })
    assert(p:screenshot()):save(path) b:close()' "$1" "${2:-1280}" "${3:-720}"
}

surfaces() {
  part surfaces || return
  peer aimock aimock/start.mjs
  peer tiny tiny_model/serve.mjs
  host aimock "$PARTS/surfaces.lua" "$work/aimock.json"
  host tiny "$PARTS/surfaces.lua" "$work/tiny.json"
  call tiny /__answers > answers.json
  node "$PARTS/surfaces.mjs" aimock.out "$PEERS/peers/aimock/fixtures/answers.json" > aimock.said
  node "$PARTS/surfaces.mjs" tiny.out answers.json > tiny.said
  cat aimock.said tiny.said
  line surfaces "$(tail -n 1 aimock.said) of aimock's seven, $(tail -n 1 tiny.said) of the tiny model's one" "a text and a value each: text, usage, cost" \
    test "$(tail -qn 1 aimock.said tiny.said | tr '\n' ' ')" = "14 of 14 right 2 of 2 right "
}

bodies() {
  part bodies || return
  local said
  peer scripted scripted_model.mjs
  call scripted /__script '[{"say":"ok"}]' > /dev/null
  picture "$PWD/shot.png"
  host asked "$PARTS/bodies.lua" "$(port_of scripted)" shot.png
  cat asked.out
  call scripted /__bodies > all.json
  node -e 'for (const { dialect, body } of JSON.parse(require("fs").readFileSync("all.json"))) console.log(JSON.stringify({ dialect, body }))' > bodies.jsonl
  said=$(node "$PEERS/peers/validate_bodies.mjs" bodies.jsonl)
  cut -c1-900 <<< "$said"
  line bodies "$(tail -n 1 asked.out), $(wc -l < bodies.jsonl) bodies" "none failed, no violation by schemas or types" \
    grep -q '"violations":\[\].* 0 failed' <<< "$said $(tail -n 1 asked.out)"
  node "$PARTS/misspell.mjs" bodies.jsonl > misspelt.jsonl
  node "$PEERS/peers/validate_bodies.mjs" misspelt.jsonl > misspelt.json
  said=$(node -p 'new Set(JSON.parse(require("fs").readFileSync("misspelt.json")).violations.map((each) => each.line)).size')
  line bodies_misspelt "$said of $(wc -l < misspelt.jsonl) misspelt keys" "each one is caught" test "$said" -eq "$(wc -l < misspelt.jsonl)"
}

faults() {
  part faults || return
  local ca redirected
  node "$PEERS/peers/openai_client.mjs" > baseline.json 2> baseline.err
  peer fault fault_server.mjs
  peer tls tls_servers.mjs
  ca=$(node -p 'JSON.parse(require("fs").readFileSync(process.argv[1])).ca_file' "$work/tls.json")
  host faults --ca-file "$ca" "$PARTS/faults.lua" baseline.json "$(port_of fault)" "$work/tls.json"
  cat faults.out faults.err
  redirected=$(call fault /__journal | grep -c '"redirected":')
  line faults "$(tail -n 1 faults.out), $redirected redirects followed" "none worse, none later than 250 ms after its deadline, none followed" \
    test "$(sed -nE 's/.*declined, (.*)/\1/p' faults.out) $redirected" = "0 worse, 0 late 0"
}

ladder() {
  part ladder || return
  local count=${LADDER_ANSWERS:-10000} began=$SECONDS said
  peer tiny1 tiny_model/serve.mjs
  peer tiny2 tiny_model/serve.mjs
  picture "$PWD/dot.png" 64 64
  host ladder "$PARTS/ladder.lua" "$count" dot.png "$(port_of tiny1)" "$(port_of tiny2)"
  cat ladder.err
  call tiny1 /__answers > 1.json
  call tiny2 /__answers > 2.json
  node "$PEERS/peers/ladder_judge.mjs" ladder.out 1.json 2.json > judged
  tail -n 4 judged | cut -c1-300
  said=$(tail -n 1 judged)
  line ladder "$said in $((SECONDS - began)) s" "$count answers, no crash, none accepted wrongly" \
    grep -qE "^$count answers, [1-9].* accepted, [1-9].* partial, 0 wrongly, 0 refused wrongly, 0 lost$" <<< "$said"
}

# watch_day FILE: the most that the day's ledger had spent and held together, looked at until FILE.end is there.
watch_day() {
  while [ ! -e "$1.end" ]; do
    "$QA_HOST" budget --by day | awk '/^20/ { sum += $3 + $5 } END { printf "%.6f\n", sum }' >> "$1"
    sleep 0.2
  done
}

# Two processes and four that are killed, one day's cap: what the server billed is never more than what is entered, and what is
# spent and held never more than the cap.
storm() {
  part storm || return
  local calls=${STORM_CALLS:-10000} cap=${STORM_CAP:-4} port seed two=() killed=() watch most ledger held billed
  peer storm fault_server.mjs
  port=$(port_of storm)
  export QA_STATE=$PWD/state QA_DAY_BUDGET=$cap
  watch_day seen &
  watch=$!
  for seed in 1 2 3 4; do
    timeout -s KILL "$((2 + seed))" "$QA_HOST" --budget 5 --no-supervisor "$PARTS/storm.lua" "$port" 5000 "$seed" > "killed.$seed" 2>&1 &
    killed+=($!)
  done
  for seed in 11 12; do
    host "storm.$seed" --budget 5 "$PARTS/storm.lua" "$port" "$((calls / 2))" "$seed" &
    two+=($!)
  done
  wait "${two[@]}" "${killed[@]}" 2> /dev/null
  touch seen.end
  wait "$watch"
  cat storm.11.out storm.12.out storm.11.err storm.12.err
  most=$(sort -n seen | tail -n 1)
  ledger=$("$QA_HOST" budget --by day | awk '/^total/ { print $2 }')
  held=$("$QA_HOST" budget --by day | awk '/^20/ { sum += $5 } END { print sum + 0 }')
  billed=$(call storm /__journal | node -e 'let nano = 0; for (const { billed } of Object.values(JSON.parse(require("fs").readFileSync(0)).modes)) nano += billed.prompt_tokens * 2500 + billed.completion_tokens * 10000; console.log((nano / 1e9).toFixed(6))')
  unset QA_DAY_BUDGET
  export QA_STATE=$work/state
  line storm_calls "$(awk '/^asked/ { asked += $2; refused += $4; answered += $6 } END { printf "%d asked, %d answered, %d refused", asked, answered, refused }' storm.1?.out)" \
    "$calls asked, some refused" test "$(awk '/^asked/ { asked += $2; refused += $4 > 0 } END { print asked, refused }' storm.1?.out)" = "$calls 2"
  line storm_cap "at most $most of $(wc -l < seen) looks" "spent and held never above $cap" at_most "$most" "$cap"
  line storm_held "$held, both processes $(awk '/^asked/ { sum += $10 } END { printf "%.9f", sum }' storm.1?.out)" "nothing held at the end" \
    test "$held $(grep -c 'held 0.000000000$' storm.11.out storm.12.out | tr '\n' ' ')" = "0 storm.11.out:1 storm.12.out:1 "
  line storm_billed "entered $ledger, billed $billed" "never less than billed" at_most "$billed" "$ledger"
}

# What a refused call sends, what calls cost by another reckoning, and the run that came to 61 cents of 45.
money() {
  part money || return
  local sent
  peer refusing fault_server.mjs
  picture "$PWD/shot.png" 64 64
  host refused --budget 0.001 "$PARTS/refused.lua" "$(port_of refusing)" shot.png
  cat refused.err
  sent=$(call refusing /__journal)
  line refused_bytes "$(cat refused.out), the server saw $sent" "no connection, no byte" test "$sent $(cat refused.out)" = '{"modes":{},"connections":[]} 200 refused of 200'

  node "$PEERS/peers/price_oracle.mjs" "$ROOT/scripts/data/prices.json" > corpus.jsonl
  peer priced scripted_model.mjs
  node -e 'const rules = require("fs").readFileSync("corpus.jsonl", "utf8").trim().split("\n").map((line) => JSON.parse(line)).filter((row) => row.usage)
    .map(({ model, usage: { cached_input, ...rest } }) => ({ model, times: 1, say: "ok", usage: { cached: cached_input, ...rest } })); console.log(JSON.stringify(rules))' > rules.json
  node -e 'fetch(process.argv[1], { method: "PUT", body: require("fs").readFileSync("rules.json") }).then((r) => r.text())' "http://127.0.0.1:$(port_of priced)/__script"
  host usages --budget 1000000 "$PARTS/usages.lua" "$(port_of priced)" corpus.jsonl
  tail -n 5 usages.out usages.err
  line oracle "$(tail -n 1 usages.out)" "at least 200 usages, all as the price oracle says, no call beyond its reservation" \
    test "$(awk '{ print ($1 == $4 + 0 && $1 >= 200), $5 }' <<< "$(tail -n 1 usages.out)")" = "1 0"

  peer cents scripted_model.mjs
  call cents /__script "[$(for n in 9 13 8 14 17; do printf '{"when":"costs %s cents","say":"ok","usage":{"input":0,"output":%s000}},' $n $n; done | sed 's/,$//')]" > /dev/null
  host sequence --budget 0.45 "$PARTS/sequence.lua" "$(port_of cents)"
  line sequence_61_cents "$(cat sequence.out sequence.err), $(call cents /__bodies | grep -o '"path"' | wc -l) asked of the server" "at or below 0.45" \
    at_most "$(awk '{ print $NF }' sequence.out)" 0.45
}

# An endpoint named `peer` in the user's configuration: the scripted model, which sees a good game and knows where it starts.
opinion='{"what_is_seen":"First a title, then the board with its score at 0; in the later pictures the score has gone up and the pieces stand elsewhere. Nothing is cut off.","has_loaded":true,"reacts_to_play":"yes","issues":[{"kind":"popup","severity":"minor","description":"A line of help text lies over the lower edge of the board.","picture":2},{"kind":"popup","severity":"minor","description":"The box that asks for cookies hides the score while it is open; it does not come back once it is closed.","picture":1},{"kind":"frozen","severity":"minor","description":"Between the second and the third picture nothing moves but the counter, though the text says that pieces fall.","picture":3}],"playability_score":90}'
start='{"reasoning":"A lighter box in the lower right corner is all that looks like a control.","action":"click","key":null,"places":[{"what":"the box","point":{"x":960,"y":528},"confidence":0.9}]}'
scripted_endpoint() {
  peer "$1" scripted_model.mjs
  printf '[{"when":"has not started yet","say":%s,"usage":{"input":900,"output":60}},{"say":%s,"usage":{"input":1500,"output":90}}]' "$start" "$opinion" > rules.json
  call "$1" /__script "$(cat rules.json)" > /dev/null
  own_configuration "peer = { base_url = 'http://127.0.0.1:$(port_of "$1")/v1', model = 'gpt-4o', key_env = 'QA_PEER_KEY', price = { input = '2.50', output = '10' } }" \
    "roles = { vision = 'peer' }"
}
asked_of() { call "$1" /__bodies | grep -o '"path"' | wc -l; }

# games: a still DOM game, an animated one, and one whose start only a model finds, as ./still ./animated ./hidden.
games() {
  # shellcheck source=tests/e2e/models_test.sh
  . "$ROOT/tests/e2e/models_test.sh"
  hidden_start
  mv game hidden
  mkdir still  # The same word in each run: what the page draws at random is no business of the host's.
  sed 's/Math\.random()/0/' "$ROOT/examples/games/letter_guess/index.html" > still/index.html
  ln -s "$ROOT/examples/games/brick_wall" animated
}

# play NAME GAME ARGS...: a standard run; its report is NAME/*/report.json.
play() {
  local name=$1 game=$2
  shift 2
  host "$name" test "$game" --seed 7 --set interaction_ms=4000 --out "$name" "$@"
}

# traced FILE: what the host does from here on runs under strace, which notes who connects where.
traced() { under=(strace -f --seccomp-bpf --decode-pids=comm -e trace=connect -o "$1"); }
# sockets FILE...: network connections of the host's own processes; the worker is started as /proc/self/exe.
sockets() { cat "$@" | grep -E '<(qa-host|exe)>' | grep -c 'sa_family=AF_INET'; }

# same GAME [verdict]: recorded, then replayed twice, without the key and without a socket of the host's.
same() {
  local game=$1 said asked before again cost i
  asked=$(asked_of opinion)
  traced "$game.0.connects"
  play "$game.recorded" "$game" --cassette "$game.tape" --cassette-mode record
  before=$(asked_of opinion)
  for i in 1 2; do
    traced "$game.$i.connects"
    under=(env -u QA_PEER_KEY "${under[@]}")
    play "$game.$i" "$game" --cassette "$game.tape"
  done
  under=()
  again=$(($(asked_of opinion) - before))
  said=$("$QA_HOST" "$PARTS/same_reports.lua" "$game.1"/*/report.json "$game.2"/*/report.json "$ROOT/docs/report.md" ${2:+"$2"})
  line "replay_${game}" "$said" "the two replays' ${2:-report} is the same" test "$said" = same
  line "replay_${game}_sockets" "$(sockets "$game".[12].connects) by the host and $again questions to the server; $(sockets "$game.0.connects") and $((before - asked)) when it was recorded" \
    "none; some" test "$(sockets "$game".[12].connects) $again $(($(sockets "$game.0.connects") > 0))" = "0 0 1"
  cost=$("$QA_HOST" -e 'local r = qa.json.decode(assert(qa.fs.read(qa.args[1]))) local replayed = {} for i, call in ipairs(r.budget.calls) do replayed[i] = call.purpose .. " " .. tostring(call.replayed) end
    print(("%s $%.2f %s"):format(r.status, r.budget.spent_usd, table.concat(replayed, ", ")))' "$game.2"/*/report.json)
  line "replay_${game}_cost" "$cost" "a verdict at no cost, with the model's calls" grep -qE '^(pass|fail|inconclusive) [$]0[.]00 .*analysis (exact|similar|sequence)$' <<< "$cost"
}

replay() {
  part replay || return
  scripted_endpoint opinion
  games
  same still
  same hidden
  same animated verdict
}

cost() {
  part cost || return
  local game
  scripted_endpoint advisor
  games
  for game in still animated hidden; do
    play "$game.run" "$game"
    call advisor /__bodies > "$game.json"
    node -e 'fetch(process.argv[1], { method: "DELETE" }).then((r) => r.text())' "http://127.0.0.1:$(port_of advisor)/__bodies"
    node "$PEERS/peers/price_bodies.mjs" "$game.json" rules.json "$ROOT/scripts/data/prices.json" > "$game.priced"
    cat "$game.priced"
    # The final analysis alone has to be within the goal however long its answer; one that was also asked for the start, as it came.
    if [ "$(grep -c ^text "$game.priced")" -eq 1 ]; then
      line "cost_$game" "$(tail -n 1 "$game.priced"), analysis alone" "0.012 at most, at gpt-4o's price" at_most "$(sed -nE 's/^usd .*, ([0-9.]+) at most/\1/p' "$game.priced")" 0.012
    else
      line "cost_$game" "$(tail -n 1 "$game.priced"), start and analysis" "0.012 as answered, at gpt-4o's price" at_most "$(sed -nE 's/^usd ([0-9.]+) .*/\1/p' "$game.priced")" 0.012
    fi
  done
}

# cpu_ms COMMAND...: user and system time of one run.
cpu_ms() {
  local TIMEFORMAT='%U %S' took
  took=$({ time "$@" > /dev/null 2>&1; } 2>&1)
  awk '{ printf "%.0f", ($1 + $2) * 1000 }' <<< "$took"
}

# per_call COMMAND...: microseconds of CPU of one call more, by 400 calls against one.
per_call() { echo $((($(cpu_ms "$@" 401) - $(cpu_ms "$@" 1)) * 1000 / 400)); }

bench() {
  part bench || return
  local port own node
  peer speed fault_server.mjs
  port=$(port_of speed)
  host pair "$PARTS/parallel.lua" "$port"
  line bench_pair_ms "$(cat pair.out)" "two calls of 300 ms at once under 450" at_most "$(cat pair.out)" 449
  own=$(per_call "$QA_HOST" "$PARTS/calls.lua" "$port")
  node=$(per_call node "$PEERS/peers/openai_calls.mjs" "$port")
  line bench_call_cpu_us "$own to $node of the official client" "at most a fifth" test $((own * 5)) -le "$node"
  host calls "$PARTS/calls.lua" "$port" 400
  node "$PEERS/peers/openai_calls.mjs" "$port" 400 > node.out
  own=$(sed -nE 's/.* ([0-9]+) us .*/\1/p' calls.out) node=$(sed -nE 's/.* ([0-9]+) us .*/\1/p' node.out)
  line bench_call_wall_us "$own to $node, of which the bare server takes $(node "$PEERS/peers/bare_calls.mjs" "$port" 400)" "no more than the official client" test "${own:-999999}" -le "$node"
  own=$(sed -nE 's/.* ([0-9]+) MiB/\1/p' calls.out) node=$(sed -nE 's/.* ([0-9]+) MiB/\1/p' node.out)
  line bench_rss_mib "$own to $node of the official client" "at most a half" test $((${own:-999} * 2)) -le "$node"
}

# In all that the parts above have left behind; and in twelve files made for it, so that the search is known to find.
key() {
  part key || return
  local said
  node "$PARTS/find_key.mjs" "$QA_PEER_KEY" --plant "$PWD/planted"
  said=$(node "$PARTS/find_key.mjs" "$QA_PEER_KEY" "$PWD/planted")
  rm -r "$PWD/planted"
  line key_search "$said" "12 of 12 that were put there" grep -q '^12 files, 12 spellings, 12 found' <<< "$said"
  said=$(node "$PARTS/find_key.mjs" "$QA_PEER_KEY" "$work")
  line key "$said" "found nowhere" grep -qE '^[1-9][0-9]+ files, 12 spellings, 0 found' <<< "$said"
}

for command in strace openssl; do
  command -v "$command" > /dev/null || { echo "models: $command is missing" >&2; exit 3; }
done
"$ROOT/tests/peers/install" "$PEERS" || exit
for each in bench surfaces bodies money faults replay cost storm ladder key; do "$each"; done
conclude
