#!/usr/bin/env bash
# Acceptance lines of "plays a real browser game and judges it honestly": `id: value (goal) ok|short`.
# usage: tests/accept/slice.sh [WORD]   only lines whose id contains WORD
# QA_HOST names the binary. GAMES_DIR names a folder with checkouts of tests/data/known_games.json; without it that line is short.
set -uo pipefail
ROOT=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd)
export ROOT QA_HOST=${QA_HOST:-$ROOT/build/bin/qa-host}
filter=${1:-}
# shellcheck source=tests/support/acceptance.sh
. "$ROOT/tests/support/acceptance.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# shellcheck source=tests/e2e/expect.sh
. "$ROOT/tests/e2e/expect.sh"

# fresh NAME: a folder of its own; false when NAME is not asked for.
fresh() {
  [[ $1 == *"$filter"* ]] || return 1
  mkdir -p "$scratch/$1" && cd "$scratch/$1" || exit 3
}

median() { sort -n | awk '{ v[NR] = $1 } END { print NR ? (NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2) : 9999 }'; }
playing() { start test "$CLICKER" --set interaction_ms=20000; await 40 has_step; }
gone_within() { local end=$(($(now_ms) + $1)); until no_browsers; do [ "$(now_ms)" -lt "$end" ] || return 1; sleep 0.05; done; }

fixtures() {
  fresh fixtures || return
  local expected all good broken wrong shard
  # Three at once: a run mostly waits.
  for shard in 1 2 3; do "$QA_HOST" "$ROOT/tests/commands/fixtures.lua" "$ROOT/examples/games" --shard "$shard/3" > "table.$shard" 2> "err.$shard" & done
  wait
  cat table.[123] > table
  all=$(find "$ROOT/examples/games" -name expected.json | wc -l)
  good=$(grep -l '"status": *"pass"' "$ROOT"/examples/games/*/expected.json | wc -l)
  broken=$(grep -l '"status": *"fail"' "$ROOT"/examples/games/*/expected.json | wc -l)
  wrong=$(grep -c '^FAILED' table)
  line fixtures "$(grep -c '^ok' table) as expected, $wrong not, $good good, $broken broken" "all as expected, at least 10 good and 15 broken" \
    test "$wrong" -eq 0 -a "$(grep -c '^ok' table)" -eq "$all" -a "$good" -ge 10 -a "$broken" -ge 15
  grep '^FAILED' table
  expected=$(awk '$1 == "ok" && / (blank_screen|crash|hang|load_timeout|load_failed|request_failed|webgl_unavailable|dialog_storm|reload_loop|redirect) / { for (i = 2; i < NF; i++) if ($(i + 1) == "s") print $i }' table | median)
  line decisive_seconds "$expected" "median at most 8" at_most "$expected" 8
}

kill_browser() {
  fresh kill_browser || return
  playing
  kill -9 "$(browser_leader)"
  wait_host
  line kill_browser "exit $code in $ms ms, report $(report_value r.status)" "exit 4 within 2000 ms" test "$code" -eq 4 -a "$ms" -le 2000
}

kill_host() {
  fresh kill_host || return
  local steps before partial
  playing
  kill -9 "$host"
  wait_host
  gone_within 2000
  line kill_host_browsers "$(browsers | wc -l)" "none after 2 s" no_browsers
  partial=$(report_value r.partial) steps=$(report_value '#r.steps')
  "$QA_HOST" recover "$(run_directory)" > /dev/null 2>&1
  line kill_host_report "partial $partial, $steps steps, recovered $(report_value '#r.steps')" "valid, at least as many" \
    test "$partial" = true -a "$(report_value '#r.steps')" -ge "$steps"
  rm -rf qa-runs
  "$QA_HOST" test "$CLICKER" --set interaction_ms=3000 > /dev/null 2>&1
  before=$(sha256sum < "$(report)")
  "$QA_HOST" recover "$(run_directory)" > /dev/null 2>&1
  line recover_same "$([ "$before" = "$(sha256sum < "$(report)")" ] && echo same || echo differs)" "same report" \
    test "$before" = "$(sha256sum < "$(report)")"
}

ctrl_c() {
  fresh ctrl_c || return
  playing
  kill -INT "$host"
  wait_host
  line ctrl_c "exit $code in $ms ms, partial $(report_value r.partial)" "130 within 2000 ms, valid partial report" \
    test "$code" -eq 130 -a "$ms" -le 2000 -a "$(report_value r.partial)" = true
}

endless() {
  local kind body
  for kind in plain pcall xpcall; do
    fresh "endless_$kind" || continue
    case $kind in
      plain) body='while true do end' ;;
      pcall) body='while true do pcall(function() while true do end end) end' ;;
      xpcall) body='local function f() while true do end end while true do xpcall(f, f) end' ;;
    esac
    printf 'return { name = "spin", step = function() %s end }\n' "$body" > spin.lua
    run test "$CLICKER" --strategy spin.lua
    line "endless_$kind" "exit $code, report $(report_value r.status)" "stopped, exit 3, report" \
      test "$code" -eq 3 -a -n "$(report_value r.status)"
  done
}

watch_strategy() {
  printf 'return { name = "watched", extends = "standard", limits = { steps = 60 },\n  step = function(ctx) ctx:wait(300) ctx:event("mark", { version = "%s" }) return true end }\n' "$1" > watched.tmp
  mv watched.tmp watched.lua
}
steps_now() { grep -c '"name":"step"' "$(run_directory)/trace.jsonl"; }
has_mark() { grep -q "\"version\":\"$1\"" "$(run_directory)/trace.jsonl"; }
refused() { grep -q 'watched.lua:[0-9]' err; }

watch() {
  fresh watch || return
  local at kept
  watch_strategy one
  start test "$CLICKER" --strategy watched.lua --watch
  await 40 has_mark one
  at=$(steps_now)
  watch_strategy two
  await 10 has_mark two
  line watch_edit "in force $(($(steps_now) - at)) steps later" "the next step" test $(($(steps_now) - at)) -le 2
  printf 'return { name = \n' > watched.lua
  await 10 refused
  at=$(grep -c '"version":"two"' "$(run_directory)/trace.jsonl")
  sleep 1.5
  kept=$(($(grep -c '"version":"two"' "$(run_directory)/trace.jsonl") - at))
  line watch_broken "$(grep -oE 'watched.lua:[0-9]+.*' err | head -n 1), $kept more steps" "old policy plays on, file and line" test "$kept" -ge 1
  kill -INT "$host"
  wait_host
}

overhead() {
  fresh overhead || return
  local peak rss begin extra
  begin=$(now_ms)
  start test "$CLICKER"
  peak=0
  while kill -0 "$host" 2> /dev/null; do
    rss=$(for pid in "$host" $(pgrep -P "$host" -f qa-host-worker); do grep -s VmHWM "/proc/$pid/status"; done | awk '{ sum += $2 } END { print sum + 0 }')
    [ "$rss" -gt "$peak" ] && peak=$rss
    sleep 0.2
  done
  wait_host
  ms=$(($(now_ms) - begin))
  extra=$(awk -v all="$ms" -v ready="$(report_value '(r.ready or {}).ms or 0')" 'BEGIN { printf "%.1f", (all - ready - 30000) / 1000 }')
  line overhead_seconds "$extra, exit $code" "at most 5 beyond loading and 30 s of interaction" at_most "$extra" 5
  line peak_rss_mib "$(awk -v k="$peak" 'BEGIN { printf "%.1f", k / 1024 }')" "under 24, supervisor and worker" test "$peak" -lt 24576
}

start_up() {
  fresh start_up || return
  local begin ignored i value
  printf 'print("first")\n' > first.lua
  "$QA_HOST" first.lua > /dev/null
  for ((i = 0; i < 20; i++)); do
    begin=${EPOCHREALTIME/[.,]/}
    # shellcheck disable=SC2238  # arithmetic, not a redirection of a command
    { read -r ignored && echo "$((${EPOCHREALTIME/[.,]/} - begin))" >> times; } < <(exec "$QA_HOST" first.lua)
  done
  : "$ignored"
  value=$(awk '{ printf "%.1f\n", $1 / 1000 }' times | median)
  line start_up_ms "$value" "median of 20 under 10" at_most "$value" 10
}

games() {
  fresh games || return
  if [ ! -d "${GAMES_DIR:-}" ]; then
    line games "no checkouts: set GAMES_DIR" "30 real games" false
    return
  fi
  "$QA_HOST" "$ROOT/tests/commands/games.lua" "$ROOT/tests/data/known_games.json" "$GAMES_DIR" 2> err | tee table
  # figure NAME PATTERN: the number that the pattern's first group catches in the summary.
  figure() { sed -nE "s/$1/\\1/p" table | tail -n 1; }
  local started types pass failed recall extra unexplained
  started=$(figure '^started ([0-9]+) of [0-9]+ that need it.*') types=$(figure '^type right .*\(([0-9.]+) %\)')
  pass=$(figure '^pass [0-9]+ \(([0-9.]+) %\).*') failed=$(figure '^pass .* fail ([0-9]+),.*')
  recall=$(figure '^controls recall .*\(([0-9.]+) %\).*') extra=$(figure '^controls recall .* at most ([0-9]+) extra.*')
  unexplained=$(grep -cE ' inconclusive +[0-9]+ +[0-9.]+ *$' table)
  line games_seen "$(figure '^type right [0-9]+ of ([0-9]+) .*')" "all 30" test "$(figure '^type right [0-9]+ of ([0-9]+) .*')" = 30
  line games_started "${started:-0}" "at least 12 of the 16 that need a start" at_least "$started" 12
  line games_type_percent "${types:-0}" "at least 95" at_least "$types" 95
  line games_failed "${failed:-?}" "none that is fine" test "${failed:-1}" -eq 0
  line games_pass_percent "${pass:-0}" "at least 80" at_least "$pass" 80
  line games_unexplained "$unexplained" "each inconclusive names its missing signal" test "$unexplained" -eq 0
  line games_recall_percent "${recall:-0}" "at least 85" at_least "$recall" 85
  line games_extra_keys "${extra:-?}" "at most 2 a game" test "${extra:-99}" -le 2
}

fixtures
kill_browser
kill_host
ctrl_c
endless
watch
overhead
start_up
games
conclude
