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

reading
printf '%d short\n' "$short"
[ "$short" -eq 0 ]
