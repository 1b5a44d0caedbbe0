#!/usr/bin/env bash
# Acceptance lines of memory and verified plans: `id: value (goal) ok|short`. The series of runs needs Node >= 20.19; its peer is the scripted
# model of tests/peers.
# usage: tests/accept/memory.sh [WORD]   only parts whose name contains WORD
# SERIES_RUNS (10), SERIES_GAMES (all five) and KILLS (200) make two parts shorter while they are worked on.
set -uo pipefail
ROOT=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd)
export ROOT QA_HOST=${QA_HOST:-$ROOT/build/bin/qa-host}
PARTS=$ROOT/tests/accept/memory
export QA_PEER_KEY=sk-peer-canary-7d1f
filter=${1:-}
# shellcheck source=tests/support/acceptance.sh
. "$ROOT/tests/support/acceptance.sh"
work=$(mktemp -d)
trap 'kill $(jobs -p) 2> /dev/null; wait; rm -rf "$work"' EXIT

# part NAME: a folder and a state of its own; false when NAME is not asked for.
part() {
  [[ $1 == *"$filter"* ]] || return 1
  mkdir -p "$work/$1" && cd "$work/$1" || exit 3
  unset XDG_CONFIG_HOME
  export QA_STATE=$work/$1/state
}

# peer NAME: the scripted model, which sees a good game and knows where the hidden start is; the user's configuration names it.
opinion='{"what_is_seen":"First a title, then the board with its score at 0; later the score has gone up and the pieces stand elsewhere.","has_loaded":true,"reacts_to_play":"yes","issues":[],"playability_score":90}'
start='{"reasoning":"A lighter box in the lower right corner is all that looks like a control.","action":"click","key":null,"places":[{"what":"the box","point":{"x":960,"y":528},"confidence":0.9}]}'
peer() {
  local keep
  mkfifo "$work/$1.in"
  printf '[{"when":"has not started yet","say":%s,"usage":{"input":900,"output":60}},{"say":%s,"usage":{"input":1500,"output":90}}]' "$start" "$opinion" > "$work/$1.rules"
  node "$ROOT/tests/peers/scripted_model.mjs" "$work/$1.rules" < "$work/$1.in" > "$work/$1.json" &
  # Kept open while this script lives: the peer ends when it closes.
  # shellcheck disable=SC2034
  exec {keep}> "$work/$1.in"
  for _ in $(seq 100); do [ -s "$work/$1.json" ] && break; sleep 0.1; done
  port=$(sed -E 's/.*"port":([0-9]+).*/\1/' "$work/$1.json")
  own_configuration "peer = { base_url = 'http://127.0.0.1:$port/v1', model = 'gpt-4o', key_env = 'QA_PEER_KEY', price = { input = '2.50', output = '10' } }" \
    "roles = { vision = 'peer' }"
}

# report NAME EXPRESSION: of the last run below ./NAME; `r` is its report.
report() {
  "$QA_HOST" -e 'local r = qa.json.decode(assert(qa.fs.read(qa.args[1]))) print('"$2"')' "$(find "$1" -name report.json | sort | tail -n 1)"
}
calls_of() { report "$1" '#r.budget.calls'; }

# play NAME GAME ARGS...: a run with short play; its reports are below ./NAME.
play() {
  local name=$1 game=$2
  shift 2
  "$QA_HOST" test "$game" --set interaction_ms=1500 --set ready_ms=4000 --out "$name" "$@" > "$name.out" 2> "$name.err"
}

# shellcheck source=tests/e2e/models_test.sh
. "$ROOT/tests/e2e/models_test.sh"

# button LEFT: a still game that its Start button starts; without LEFT there is none.
button() {
  mkdir -p button
  cat > button/index.html << HTML
<!doctype html><title>button</title><style>body{margin:0;background:#234;color:#eee;font:20px sans-serif}
#board{position:absolute;left:340px;top:300px;width:600px;height:300px;background:#345}
#piece{position:absolute;left:200px;top:100px;width:90px;height:90px;background:#ea5}
button{position:absolute;top:200px;width:140px;height:50px;font-size:22px}</style>
<div id=board hidden><div id=piece></div></div>${1:+<button id=begin style="left:${1}px">Start</button>}
<script>
let x = 200;
const begin = document.getElementById('begin');
if (begin) begin.onclick = () => { begin.remove(); board.hidden = false; document.body.style.background = '#132'; };
addEventListener('keydown', (e) => {
  if (board.hidden) return;
  x += e.code === 'ArrowLeft' ? -60 : e.code === 'ArrowRight' ? 60 : 0;
  x = Math.max(0, Math.min(510, x));
  piece.style.left = x + 'px';
});
</script>
HTML
}

# The same goal twice, then with its start elsewhere, then without it; on a page with a button, and on a canvas without a word.
healing() {
  part healing || return
  local game first second moved removed
  peer healing
  button 300
  hidden_start
  mv game hidden
  for game in button hidden; do
    play "$game.1" "$game" --strategy recall --seed 7
    first="exit $?, $(calls_of "$game.1") calls"
    play "$game.2" "$game" --strategy recall --seed 7
    second="exit $?, $(calls_of "$game.2") calls"
    line "second_run_$game" "$second; the first: $first" "0 model calls" test "$second" = "exit 0, 0 calls"
    if [ "$game" = button ]; then button 400; else sed -i 's/1150, 620, 100/1050, 620, 100/; s/clientX > 1150/clientX > 1050/' hidden/index.html; fi
    play "$game.3" "$game" --strategy recall --seed 7
    moved="exit $?, $(calls_of "$game.3") calls, $(report "$game.3" 'r.memory.healed[1] and ("healed by its %s, %d px"):format(r.memory.healed[1].by, r.memory.healed[1].px)')"
    line "moved_100_px_$game" "$moved" "healed with at most 1 call, logged" grep -qE '^exit 0, [01] calls, healed by its [a-z ]+, (99|100|101) px$' <<< "$moved"
    if [ "$game" = button ]; then button ""; else sed -i 's/else ctx.fillRect(1050, 620, 100, 80);/else ctx.fillRect(0, 0, 400, 20);/; s/if (!on \&\&/if (false \&\&/' hidden/index.html; fi
    play "$game.4" "$game" --strategy recall --seed 7
    removed="exit $?, $(calls_of "$game.4") calls, $(report "$game.4" 'r.issues[#r.issues].kind')"
    line "removed_$game" "$removed" "fails" grep -q '^exit 1, .*start_not_found' <<< "$removed"
  done
}

# Ten runs of five games with memory, and as many of the same games without.
series() {
  part series || return
  local runs=${SERIES_RUNS:-10} game run with=0 without=0 bad=0 row two games
  read -ra games <<< "${SERIES_GAMES:-button hidden clicker brick_wall maze_walk}"
  peer series
  button 300
  hidden_start
  mv game hidden
  for game in clicker brick_wall maze_walk; do ln -s "$ROOT/examples/games/$game" "$game"; done
  # Two at once: a run mostly waits.
  for game in "${games[@]}"; do
    for run in $(seq "$runs"); do
      play "with.$game.$run" "$game" --strategy recall --seed "$run" || echo "$game $run" >> bad.with &
      two=$!
      play "without.$game.$run" "$game" --seed "$run" || echo "$game $run" >> bad.without
      wait "$two"
    done
    row="$game:"
    for run in $(seq "$runs"); do row+=" $(calls_of "with.$game.$run")/$(calls_of "without.$game.$run")"; done
    echo "$row"
    with=$((with + $(for run in $(seq "$runs"); do calls_of "with.$game.$run"; done | paste -sd+ | bc)))
    without=$((without + $(for run in $(seq "$runs"); do calls_of "without.$game.$run"; done | paste -sd+ | bc)))
  done
  touch bad.with bad.without
  bad=$(wc -l < bad.with)
  line calls_saved "$(awk -v a="$with" -v b="$without" 'BEGIN { printf "%.0f %%", 100 * (1 - a / b) }'): $with calls instead of $without, $bad runs with memory did not pass, $(wc -l < bad.without) without" \
    "at least the seed's 50 to 80 %, all pass" test "$((with * 2)) $bad" = "$((with * 2 < without ? with * 2 : -1)) 0"
}

campaigns() {
  part campaigns || return
  "$QA_HOST" "$PARTS/campaigns.lua" better 50 50 > better.said
  "$QA_HOST" "$PARTS/campaigns.lua" stale 50 40 > stale.said
  cat better.said stale.said
  line better_strategy "$(sed -nE '1s/.*reached in ([0-9]+) of 50.*/\1/p' better.said) of 50" "at least 45 of 50 campaigns" \
    at_least "$(sed -nE '1s/.*reached in ([0-9]+) of 50.*/\1/p' better.said)" 45
  line stale_pattern "after the change $(sed -E 's/.*sampler won [0-9.]+, after the change ([0-9.]+).*always [0-9.]+, after the change ([0-9.]+).*/\1 against \2/' stale.said)" \
    "beats memory always" at_least "$(sed -E 's/.*sampler won ([0-9.]+).*/\1/' stale.said)" "$(sed -E 's/.*always ([0-9.]+).*/\1/' stale.said)1"
}

# A run that writes its memory is killed at a random moment, again and again: the store is whole, and holds all that was told.
kills() {
  part kills || return
  local count=${KILLS:-200} i pid told kept lost=0 corrupt=0 whole=0
  for ((i = 0; i < count; i++)); do
    : > told
    "$QA_HOST" --no-supervisor "$PARTS/writer.lua" > told 2> err &
    pid=$!
    # Random from the first write on: before it there is nothing to lose.
    for _ in $(seq 1000); do [ ! -s told ] || break; sleep 0.005; done
    sleep "0.$(printf %04d $((RANDOM % 800)))"
    kill -9 "$pid" 2> /dev/null
    wait "$pid" 2> /dev/null
    told=$(grep -cE '^[0-9]+$' told)
    [ "$told" -gt 0 ] && whole=$((whole + 1)) && told=$(grep -E '^[0-9]+$' told | tail -n 1)
    kept=$("$QA_HOST" --no-supervisor "$PARTS/kept.lua" 2>> corrupt.err) || corrupt=$((corrupt + 1))
    [ "$kept" != differs ] || corrupt=$((corrupt + 1))
    [ "${kept:-0}" -ge "$told" ] 2> /dev/null || lost=$((lost + 1))
  done
  cat corrupt.err
  line kills "$count kills, $whole of a run that was writing, $kept lessons kept: $corrupt stores corrupt, $lost lost" \
    "0 corrupt, no acknowledged write lost" test "$corrupt $lost $whole" = "0 0 $count"
}

processes() {
  part processes || return
  local first kept
  "$QA_HOST" "$PARTS/count.lua" 500 &
  first=$!
  "$QA_HOST" "$PARTS/count.lua" 500
  wait "$first"
  kept=$("$QA_HOST" "$PARTS/count.lua" 0)
  line two_processes "$kept of 1000 updates" "1000 kept" test "$kept" = 1000
}

# shellcheck source=tests/accept/memory/plans.sh
. "$ROOT/tests/accept/memory/plans.sh"

for each in healing series campaigns kills processes plan_sample plan_cheats plan_kills; do "$each"; done
conclude
