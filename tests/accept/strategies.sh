#!/usr/bin/env bash
# Acceptance lines of the strategies that ask models, and of those for one game: `id: value (goal) ok|short`. Needs Node >= 20.19; the
# peers are those of tests/package.json. GAMES_DIR names a folder with checkouts of tests/data/known_games.json; without it two lines are short.
# usage: tests/accept/strategies.sh [WORD]   only parts whose name contains WORD; per_game_ID is that game's line alone
# KEEP_CASSETTES=DIR keeps slim cassettes of the recorded games there: tests/data/cassettes is made so.
set -uo pipefail
ROOT=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd)
export ROOT QA_HOST=${QA_HOST:-$ROOT/build/bin/qa-host}
PEERS=$ROOT/build/test-peers
PARTS=$ROOT/tests/accept/strategies
STRATEGIES=(adaptive action_groups batched agent)
GAMES=(night_ferry ledge_jumper rune_pairs beacon_works)
filter=${1:-}
# Parts run in folders of their own.
[ -z "${GAMES_DIR:-}" ] || GAMES_DIR=$(realpath "$GAMES_DIR")
[ -z "${KEEP_CASSETTES:-}" ] || KEEP_CASSETTES=$(realpath "$KEEP_CASSETTES")
# shellcheck source=tests/support/acceptance.sh
. "$ROOT/tests/support/acceptance.sh"
work=$(mktemp -d)
export QA_STATE=$work/state QA_PEER_KEY=sk-peer-canary-7d1f
unset OPENAI_API_KEY ANTHROPIC_API_KEY GEMINI_API_KEY OPENROUTER_API_KEY QA_MODEL QA_ENDPOINT
trap 'kill $(jobs -p) 2> /dev/null; wait; rm -rf "$work"' EXIT
# shellcheck source=tests/e2e/expect.sh
. "$ROOT/tests/e2e/expect.sh"
# shellcheck source=tests/e2e/strategies_test.sh
. "$ROOT/tests/e2e/strategies_test.sh"

# part NAME: a folder of its own; false when NAME is not asked for.
part() {
  [[ $1 == *"$filter"* || $filter == "$1"_* ]] || return 1
  mkdir -p "$work/$1" && cd "$work/$1" || exit 3
  unset XDG_CONFIG_HOME
}

# peer NAME ARGS...: starts a server of tests/peers in the place of the last one; its ready line is in $work/NAME.json, its port in $port.
held=''
peer() {
  local name=$1
  shift
  # A peer ends when its input closes.
  [ -z "$held" ] || exec {held}>&-
  rm -f "$work/$name.in" "$work/$name.json"
  mkfifo "$work/$name.in"
  (cd "$PEERS/peers" && exec node "$@") < "$work/$name.in" > "$work/$name.json" 2> "$work/$name.err" &
  exec {held}> "$work/$name.in"
  for _ in $(seq 300); do [ -s "$work/$name.json" ] && break; sleep 0.1; done
  [ -s "$work/$name.json" ] || { echo "$name did not get ready"; exit 3; }
  own_configuration
  port=$(sed -E 's/.*"port":([0-9]+).*/\1/' "$work/$name.json")
}

# put_script PORT RULES: what scripted_model.mjs answers from.
put_script() { node -e 'fetch(process.argv[1], { method: "PUT", body: process.argv[2] }).then((r) => r.text())' "http://127.0.0.1:$1/__script" "$2"; }

# asked PORT: how many questions the player on that port was asked.
asked() { node -e 'fetch(process.argv[1]).then((r) => r.json()).then((all) => console.log((all.entries ?? all).length))' "http://127.0.0.1:$1/__aimock/journal"; }
report_of() { find "$1" -maxdepth 2 -name report.json 2> /dev/null | head -n 1; }
said() { "$QA_HOST" "$PARTS/said.lua" "$(report_of "$1")" "${@:2}"; }

# with_player PORT NAME STRATEGY GAME ARGS...: one run whose model is the player on PORT.
with_player() {
  local at=$1 name=$2
  shift 2
  OPENAI_BASE_URL=http://127.0.0.1:$at/v1 OPENAI_API_KEY=$QA_PEER_KEY play "$1" "$2" --model openai/gpt-4o --out "$name" "${@:3}"
  mv out "$name.out" && mv err "$name.err"
}

# games: each strategy plays each game to its end, recorded; then again from the cassette, without a key and without a question.
games() {
  part games || return
  local strategy game at again=0 questions=0 name
  for strategy in "${STRATEGIES[@]}"; do
    for game in "${GAMES[@]}"; do
      name=$strategy.$game
      peer "$name" aimock/play.mjs "$game"
      at=$port
      with_player "$at" "$name" "$strategy" "$game" --cassette "$name.tape" --cassette-mode record
      line "play_${strategy}_$game" "$(said "$name")" "won and a pass, with cost, calls, actions a screenshot, stop reason" \
        test "$(said "$name" r.played.won r.status 'r.budget.spent_usd > 0' 'r.metrics.model_calls > 0' 'r.metrics.actions_per_screenshot > 0')" = "true pass true true true"
      node "$PEERS/peers/slim_cassette.mjs" "$name.tape" "${KEEP_CASSETTES:-$PWD/kept}/$strategy/$game"
      questions=$((questions - $(asked "$at")))
      play "$strategy" "$game" --model openai/gpt-4o --cassette "$name.tape" --out "$name.again"
      questions=$((questions + $(asked "$at")))
      if [ "$(said "$name.again" r.played.won r.status r.budget.spent_usd)" = "true pass 0" ]; then again=$((again + 1)); else said "$name.again"; fi
    done
  done
  line cassettes "$again of $((${#STRATEGIES[@]} * ${#GAMES[@]})) won again, $questions questions to the players" "all, none" \
    test "$again $questions" = "$((${#STRATEGIES[@]} * ${#GAMES[@]})) 0"
}

# blind: the standard strategy's input does not end these games, in its full time.
blind() {
  part blind || return
  local game
  for game in "${GAMES[@]}"; do
    play standard "$game" --out "$game"
    line "blind_$game" "$(said "$game" r.played.won r.status r.played.progress)" "a pass that is not won" \
      test "$(said "$game" r.played.won r.status)" = "false pass"
  done
}

# computer: the agent by each vendor's own computer tool, which aimock does not know.
computer() {
  part computer || return
  local form dialect model game path
  while read -r form dialect model path; do
    for game in ledge_jumper beacon_works; do
      peer "$form.$game" scripted_model.mjs
      put_script "$port" "[{ \"player\": { \"game\": \"$game\" }, \"usage\": { \"input\": 900, \"output\": 60 } }]"
      own_configuration "peer = { dialect = '$dialect', base_url = 'http://127.0.0.1:$port${path#-}', model = '$model', key_env = 'QA_PEER_KEY', price = { input = '3.00', output = '12.00' } }" \
        "roles = { vision = 'peer', orchestrator = 'peer', agent = 'peer' }"
      play agent "$game" --out "$form.$game"
      line "computer_${form}_$game" "$(said "$form.$game")" "won and a pass" test "$(said "$form.$game" r.played.won r.status)" = "true pass"
    done
  done << 'FORMS'
openai_preview openai-responses computer-use-preview /v1
openai openai-responses gpt-5.4 /v1
anthropic_toolset anthropic-messages claude-sonnet-5 -
anthropic_dated anthropic-messages claude-sonnet-4-6 -
FORMS
}

# lie STRATEGY LIE GAME: one run in a folder of its own; prints "bounded honest", a word each that is true or false, and what the run came to.
lie() {
  local game=$3 bounded=false honest=false began=$SECONDS evidence
  peer "$1.$2.$3" scripted_model.mjs
  put_script "$port" "[{ \"player\": { \"lie\": \"$2\" }, \"usage\": { \"input\": 900, \"output\": 60 } }]"
  OPENAI_BASE_URL=http://127.0.0.1:$port/v1 OPENAI_API_KEY=$QA_PEER_KEY run test "$ROOT/examples/games/$game" --strategy "$1" --model openai/gpt-4o --out runs \
    --set limits.duration_ms=20000 --seed 7
  [ $((SECONDS - began)) -le 45 ] && ! grep -qs 'root:' runs/*/trace.jsonl &&
    [ "$(said runs '#r.budget.calls <= 40 and #r.metadata.actionHistory <= 40' 'r.budget.spent_usd <= 0.5')" = "true true" ] && bounded=true
  # A pass rests on input that was seen to have an effect; the broken game never gets one.
  evidence=$(said runs '(function() for _, c in ipairs(r.checks) do if c.id == "responsive" then return c.outcome .. " " .. #c.evidence end end end)()')
  if [ "$code" -ne 70 ] && [ "$code" -ne 3 ]; then
    case "$code $game" in 0\ dead_*) ;; 0\ *) [[ $evidence == pass\ [1-9]* ]] && honest=true ;; *) honest=true ;; esac
  fi
  printf '%s %s %s: %s\n' "$bounded" "$honest" "$1 $2 $3" "$(said runs r.status r.completion_reason '#r.budget.calls' '#r.metadata.actionHistory'), responsive $evidence, exit $code"
}

# lies: a model that hallucinates. The run ends by itself within its limits, and passes only on measured evidence.
lies() {
  part lies || return
  local strategy what game
  for strategy in "${STRATEGIES[@]}"; do
    for what in off_screen unknown_keys endless file_url quote refuse other_game; do
      for game in ledge_jumper dead_keyboard_still; do
        # The broken game for three kinds of lies: each is a run of twenty seconds.
        [[ $game == ledge_jumper || $what =~ ^(off_screen|quote|other_game)$ ]] || continue
        mkdir -p "$work/lies/$strategy.$what.$game"
        cd "$work/lies/$strategy.$what.$game" || exit 3
        lie "$strategy" "$what" "$game"
      done
    done
  done | tee "$work/lies/all"
  line lies_bounded "$(grep -c '^true' "$work/lies/all") of $(wc -l < "$work/lies/all")" "all end by themselves within 45 s, 40 calls, 40 actions and 50 cents, and read no file" \
    test "$(grep -c '^true' "$work/lies/all")" -eq "$(wc -l < "$work/lies/all")"
  line lies_honest "$(grep -cE '^[a-z]+ true' "$work/lies/all") of $(wc -l < "$work/lies/all")" "no broken game passes, no pass without evidence" \
    test "$(grep -cE '^[a-z]+ true' "$work/lies/all")" -eq "$(wc -l < "$work/lies/all")"
}

# joined: two independent calls of 1 s, as a script and inside the batched strategy.
joined() {
  part joined || return
  peer slow scripted_model.mjs
  put_script "$port" '[{ "say": "ok", "delay_ms": 1000 }]'
  "$QA_HOST" "$PARTS/joined.lua" "$port" > pair.out 2> pair.err
  line joined_ms "$(cat pair.out pair.err)" "two calls of 1000 ms in at most 1150" at_most "$(cat pair.out)" 1150
  put_script "$port" '[{ "player": { "game": "ledge_jumper" }, "delay_ms": 1000 }]'
  with_player "$port" batched batched ledge_jumper
  "$QA_HOST" "$PARTS/overlap.lua" batched/*/trace.jsonl > turn.out 2>&1
  line joined_turn_ms "$(cat turn.out)" "vision and plan of a turn of the batched strategy, 1000 ms each and what the machine adds: at most 150 more than the slower one" \
    at_most "$(awk '{ print $1 - ($3 > $5 ? $3 : $5) }' turn.out)" 150
}

# thought PORT N: for how many ms the player on that port was busy with the first N questions; two at once count once.
thought() {
  node -e 'fetch(process.argv[1]).then((r) => r.json()).then((spans) => {
    let ms = 0, until = -Infinity;
    for (const { from, to } of spans.sort((a, b) => a.from - b.from).slice(0, +process.argv[2])) {
      ms += Math.max(0, to - Math.max(from, until));
      until = Math.max(until, to);
    }
    console.log(Math.round(ms));
  })' "http://127.0.0.1:$1/__spans" "$2"
}

# beside: the same game and the same answers, by Stagehand's agent and by two strategies, in browsers of one kind. The player takes a second for
# each answer, as a model would, and what it was busy is taken off: the rest is outside the model.
beside() {
  part beside || return
  local game strategy mode ours theirs=() calls
  for game in rune_pairs night_ferry; do
    theirs=()
    for mode in cua hybrid; do
      peer "stagehand.$mode.$game" scripted_model.mjs
      put_script "$port" "[{ \"player\": { \"game\": \"$game\" }, \"delay_ms\": 1000 }]"
      node "$PEERS/peers/stagehand_loop.mjs" "$QA_HOST" "$ROOT/examples/games/$game" "$port" "$mode" > "$mode.$game" 2> "$mode.$game.err" || tail -n 5 "$mode.$game.err"
      theirs+=("$(node -e 'const r = JSON.parse(require("fs").readFileSync(process.argv[1], "utf8")); console.log(r.won, r.actions, r.model_calls, r.ms - (process.argv[2] || NaN), r.cpu_ms)' \
        "$mode.$game" "$(thought "$port" 1000)")")
    done
    for strategy in batched action_groups; do
      peer "$strategy.$game" scripted_model.mjs
      put_script "$port" "[{ \"player\": { \"game\": \"$game\" }, \"delay_ms\": 1000, \"usage\": { \"input\": 900, \"output\": 60 } }]"
      with_player "$port" "$strategy.$game" "$strategy" "$game"
      # The last look at the run comes after the play, and is none of its calls.
      calls=$(said "$strategy.$game" '(function() local n = 0 for _, c in ipairs(r.budget.calls) do n = n + (c.purpose == "analysis" and 0 or 1) end return n end)()')
      ours=$(said "$strategy.$game" r.played.won r.metrics.actions "$calls" "math.floor(r.played.ms) - $(thought "$port" "$calls")" 'math.floor(r.played.cpu_ms)')
      # shellcheck disable=SC2086  # five words each
      line "beside_${strategy}_$game" "$(compared $ours ${theirs[0]} ${theirs[1]})" \
        "won, 5 times less an action than the computer-use loop of the seed, no more calls than either" beats $ours ${theirs[0]} ${theirs[1]}
    done
  done
}
# compared OURS CUA HYBRID: five words each: won, actions, calls, ms outside the model, ms of CPU.
compared() {
  awk '{ o = $4 / $2; c = $9 / $7; h = $14 / $12
    printf "%.0f ms an action, Stagehand %.0f by computer use (%.1f times), %.0f by functions (%.1f times); calls %d, %d, %d; CPU ms %d, %d, %d", o, c, c / o, h, h / o, $3, $8, $13, $5, $10, $15 }' <<< "$*"
}
beats() { awk '{ exit !($1 $6 $11 == "truetruetrue" && $9 / $7 >= 5 * $4 / $2 && $3 <= $8 && $3 <= $13) }' <<< "$*"; }

# prompts: what each strategy would ask, and the hashes of the files in a report.
prompts() {
  part prompts || return
  local strategy count
  for strategy in "${STRATEGIES[@]}"; do
    "$QA_HOST" --model openai/gpt-4o prompt "$ROOT/examples/games/night_ferry" --strategy "$strategy" > "$strategy.prompt" 2> "$strategy.err"
    count=$(grep -c '^== question' "$strategy.prompt")
    line "prompt_$strategy" "$count questions: $(sed -nE 's/^== question [0-9]+: ([^,]+),.*/\1/p' "$strategy.prompt" | sort -u | tr '\n' ' ')" "at least one, with its price" \
      test "$count" -ge 1 -a "$(grep -c 'at most \$' "$strategy.prompt")" -ge 1
  done
}

# played OUT STRATEGY GAME ARGS...: one run of a checked-out game that tells how far it came.
played() {
  local out=$1 strategy=$2 game=$3
  shift 3
  "$QA_HOST" "$PARTS/played.lua" "$ROOT" "$game" "$strategy" > played.lua
  run "$ROOT/tests/commands/games.lua" "$ROOT/tests/data/known_games.json" "$GAMES_DIR" --only "$game" --strategy ./played.lua --out "$out" "$@"
}

# per_game: what strategies/games reach in public games, each passing, and standard does not.
per_game() {
  part per_game || return
  if [ ! -d "${GAMES_DIR:-}" ]; then
    line per_game "no checkouts: set GAMES_DIR" "ten real games" false
    return
  fi
  local game file
  for game in $("$QA_HOST" "$PARTS/played.lua" "$ROOT"); do
    [[ $filter != per_game_* || per_game_$game == "$filter" ]] || continue
    file=$ROOT/strategies/games/${game//-/_}.lua
    played "$game.standard" standard "$game"
    played "$game.own" "$file" "$game"
    line "per_game_$game" "$(said "$game.standard" r.status r.played.best r.played.progress), by $(wc -l < "$file") lines $(said "$game.own" r.status r.played.best r.played.progress r.played.shot)" \
      "a pass that reaches in at most 2250 characters what standard does not" \
      test "$(said "$game.standard" r.played.reached) $(said "$game.own" r.played.reached r.status)" = "false true pass" -a "$(wc -c < "$file")" -le 2250
  done
}

mid_play() { [ "$(grep -c '"name":"step"' swapped/*/trace.jsonl)" -ge 3 ]; }

# swapped: standard plays until its file becomes that of a game, in the middle of the play.
swapped() {
  part swapped || return
  if [ ! -d "${GAMES_DIR:-}" ]; then
    line swapped "no checkouts: set GAMES_DIR" "a strategy for one game takes over" false
    return
  fi
  printf 'return { extends = "standard" }\n' > leads.lua
  "$QA_HOST" "$PARTS/played.lua" "$ROOT" g2048 ./leads.lua > played.lua
  start test "$GAMES_DIR/g2048" --strategy ./played.lua --watch --out swapped
  await 60 mid_play
  cp "$ROOT/strategies/games/g2048.lua" leads.new && mv leads.new leads.lua
  wait_host
  line swapped "$(said swapped r.status r.played.best), new file from step $(said swapped 'r.swaps[1].step'), reached in step $(said swapped r.played.step)" \
    "a pass; swapped after 3 steps or more, reached after that" \
    test "$(said swapped r.status '#r.swaps' 'r.swaps[1].step > 3' 'r.played.step >= r.swaps[1].step')" = "pass 1 true true"
}

per_game
swapped
"$ROOT/tests/peers/install" "$PEERS" || exit
for each in prompts joined games blind computer beside lies; do "$each"; done
conclude
