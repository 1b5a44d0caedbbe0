#!/usr/bin/env bash
# Acceptance lines of the eyes: `id: value (goal) ok|short`.
# usage: tests/accept/eyes.sh [WORD]   only lines whose id contains WORD
set -uo pipefail
ROOT=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd)
QA_HOST=${QA_HOST:-$ROOT/build/bin/qa-host}
filter=${1:-}
short=0

# line ID VALUE GOAL TEST...: prints one line; TEST decides between ok and short.
line() {
  local id=$1 value=$2 goal=$3 word=ok
  shift 3
  "$@" || { word=short; short=$((short + 1)); }
  printf '%s: %s (%s) %s\n' "$id" "$value" "$goal" "$word"
}
at_most() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a <= b) }'; }
at_least() { at_most "$2" "$1"; }

reading() {
  [[ reading == *"$filter"* ]] || return
  local said recall precision far ms
  said=$(cd "$ROOT" && "$QA_HOST" tests/accept/eyes/reading.lua | tail -n 1)
  recall=$(sed -nE 's/^recall ([0-9.]+) %.*/\1/p' <<< "$said") precision=$(sed -nE 's/.*precision ([0-9.]+) %.*/\1/p' <<< "$said")
  far=$(sed -nE 's/.*more than 5 px: ([0-9]+) .*/\1/p' <<< "$said") ms=$(sed -nE 's/.*median ([0-9]+) ms.*/\1/p' <<< "$said")
  line reading_recall "${recall:-0}" "at least 90 %" at_least "${recall:-0}" 90
  line reading_precision "${precision:-0}" "at least 95 %" at_least "${precision:-0}" 95
  line reading_centre "${far:-?}" "none further off than 5 px" test "${far:-1}" -eq 0
  line reading_ms "${ms:-9999}" "median at most 150" at_most "${ms:-9999}" 150
}

progress() {
  [[ progress == *"$filter"* ]] || return
  local said accuracy fixed
  said=$(cd "$ROOT" && "$QA_HOST" tests/accept/eyes/progress.lua | tail -n 18)
  printf '%s\n' "$said"
  accuracy=$(sed -nE 's/^accuracy ([0-9.]+) %.*/\1/p' <<< "$said") fixed=$(sed -nE 's/.*best fixed threshold ([0-9.]+) %.*/\1/p' <<< "$said")
  line progress_accuracy "${accuracy:-0}" "at least 97 %" at_least "${accuracy:-0}" 97
  line progress_against_threshold "${accuracy:-0} to ${fixed:-100}" "better than the best fixed threshold" at_least "${accuracy:-0}" "${fixed:-100}"
}

# Two busy loops beside it.
settle() {
  [[ settle == *"$filter"* ]] || return
  local said early lag busy=()
  for _ in 1 2; do
    (while :; do :; done) &
    busy+=($!)
  done
  said=$(cd "$ROOT" && "$QA_HOST" tests/accept/eyes/settle.lua)
  kill "${busy[@]}"
  wait "${busy[@]}" 2> /dev/null
  printf '%s\n' "$said"
  early=$(sed -nE 's/^early ([0-9]+) of.*/\1/p' <<< "$said") lag=$(sed -nE 's/.*median ([0-9]+) ms after the end$/\1/p' <<< "$said" | tail -n 1)
  line settle_early "${early:-?}" "none, under load" test "${early:-1}" -eq 0
  line settle_lag_ms "${lag:-9999}" "median at most 400 after the true end" at_most "${lag:-9999}" 400
}

fuzz() {
  [[ fuzz == *"$filter"* ]] || return
  local said
  said=$("$ROOT/tests/soak/fuzz" 2> /dev/null)
  printf '%s\n' "$said"
  line fuzz "$(tail -n 1 <<< "$said")" "1 M inputs each, no crash" test "$(tail -n 1 <<< "$said")" = "2 passed, 0 failed"
}

reading
progress
settle
fuzz
printf '%d short\n' "$short"
[ "$short" -eq 0 ]
