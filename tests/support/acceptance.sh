# shellcheck shell=bash disable=SC2034
# What the scripts of tests/accept share: lines `id: value (goal) ok|short`, and how many were short.
short=0

# line ID VALUE GOAL TEST...: prints one line; TEST decides between ok and short.
line() {
  local id=$1 value=$2 goal=$3 word=ok
  shift 3
  "$@" || { word=short; short=$((short + 1)); }
  printf '%s: %s (%s) %s\n' "$id" "$value" "$goal" "$word"
}

# A value that is missing meets no goal.
at_most() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && a <= b) }'; }
at_least() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && a >= b) }'; }
