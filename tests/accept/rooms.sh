#!/usr/bin/env bash
# Acceptance lines of the order of modules, and of reports that stay as they were: `id: value (goal) ok|short`.
# usage: tests/accept/rooms.sh [WORD]   only the parts whose name contains WORD: reports folders rules lint mutations map size;
#        report_GAME is one game of reports
# BEFORE=/path/of/another/qa-host: the build whose reports are the measure. MUTATIONS=0 leaves the sample of mutations out.
set -uo pipefail
ROOT=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd)
export ROOT QA_HOST=${QA_HOST:-$ROOT/build/bin/qa-host}
PARTS=$ROOT/tests/accept/rooms
filter=${1:-}
# shellcheck source=tests/support/acceptance.sh
. "$ROOT/tests/support/acceptance.sh"
work=$(mktemp -d)
trap 'kill $(jobs -p) 2> /dev/null; rm -rf "$work"' EXIT
cd "$ROOT" || exit 3
part() { [[ $1 == *"$filter"* ]]; }

# play BINARY FOLDER GAME: one run, short of play, that remembers nothing. Not in this folder: each build is to use its own strategies.
play() (
  cd "$work" || exit 3
  QA_STATE=$2.state "$1" test "$ROOT/examples/games/$3" --seed 7 --reporter json --set interaction_ms=3000 --set ready_ms=8000 \
    --out "$2" > "$2.out" 2> "$2.err"
)

# differs FOLDER FOLDER: the facts in which two runs differ, sorted, one a line.
differs() { "$QA_HOST" "$PARTS/report_facts.lua" "$1" "$2"; }

# compare GAME: a difference counts when a second pair of runs shows it again, and when it is none between two runs of BEFORE.
compare() {
  local now=$work/$1.now old=$work/$1.old first volatile
  play "$BEFORE" "$old.1" "$1"
  play "$QA_HOST" "$now.1" "$1"
  first=$(differs "$old.1" "$now.1") changed='' volatile=''
  if [ -n "$first" ]; then
    play "$BEFORE" "$old.2" "$1"
    play "$QA_HOST" "$now.2" "$1"
    changed=$(comm -12 <(echo "$first") <(differs "$old.2" "$now.2") | comm -23 - <(differs "$old.1" "$old.2"))
    volatile=$(comm -23 <(echo "$first") <(echo "$changed"))
  fi
  value="equal"
  [ -z "$volatile" ] || value+=" but for what is volatile: ${volatile//$'\n'/ }"
  [ -z "$changed" ] || value="other: ${changed//$'\n'/ }${volatile:+; volatile: ${volatile//$'\n'/ }}"
}

reports() {
  [[ $filter == report_* ]] || part reports || return
  local game value changed
  if [ ! -x "${BEFORE:-}" ]; then
    line reports "skipped: BEFORE names no other qa-host" "ten reports as before" false
    return
  fi
  for game in clicker brick_wall ice_slide letter_guess meteor_gl dead_keyboard_still frozen soft_lock missing_script crash_in_play; do
    [[ $filter != report_* || report_$game == "$filter" ]] || continue
    compare "$game"
    line "report_$game" "$value" "status, checks, issues, start and controls as before" test -z "$changed"
  done
}

folders() {
  part folders || return
  local files
  files=$(find scripts/qa -maxdepth 1 -type f -printf '%f ')
  line folders "files: ${files:-none}" "scripts/qa holds init.lua and folders" test "$files" = "init.lua "
}

# Each rule is broken once. The two that compile the whole tree are described in tests/lint/red.
rules() {
  part rules || return
  local name reds
  tests/lint/red > "$work/red"
  sed -nE 's/^check "([^"]+)".*/\1/p' tests/lint/run | grep -vxE 'clang|fuzz targets' > "$work/rules"
  while read -r name; do
    reds=$(grep -cxF "$name: red ok" "$work/red")
    line "rule_${name// /_}" "red $reds times, $(grep -c "^$name: red NOT SEEN" "$work/red") not seen" "seen red" \
      test "$reds" -gt 0 -a "$(grep -c "^$name: red NOT SEEN" "$work/red")" -eq 0
  done < "$work/rules"
}

lint() {
  part lint || return
  tests/lint/run > "$work/lint"
  grep '^FAILED' "$work/lint"
  line lint "$(tail -n 1 "$work/lint")" "0 findings" test "$(tail -n 1 "$work/lint")" = "0 findings"
}

mutations() {
  part mutations || return
  local gone
  gone=$(tests/lint/run --only "mutations match" | grep -cE '^ +(tests/mutations|no entry)')
  line mutations_match "$("$QA_HOST" tests/soak/mutations.lua | wc -l) entries, $gone without their text" "all match" test "$gone" -eq 0
  [ "${MUTATIONS:-1}" != 0 ] || return
  tests/soak/mutations --sample 60 > "$work/mutations"
  grep '^FAILED' "$work/mutations"
  line mutations_red "$(tail -n 1 "$work/mutations")" "60 chosen by chance turn red" test "$(tail -n 1 "$work/mutations")" = "60 passed, 0 failed"
}

map() {
  part map || return
  local findings said
  findings=$("$QA_HOST" tests/lint/module_map.lua findings) said=$(tests/lint/run --only "module map" | tail -n 1)
  line map_order "$(grep -c . <<< "$findings") findings" "no arrow upwards, no circle" test -z "$findings"
  line map_of_docs "$said" "docs/architecture.md has it: 0 findings" test "$said" = "0 findings"
}

# Before: tests/accept/rooms/size.lua over the tree of commit 09e3827.
declare -A measured=([lua_lines]=20639 [native_lines]=27992 [lua_file_median]=109 [lua_file_worst]=380 [lua_function_median]=6
  [lua_function_worst]=83 [cpp_file_median]=72 [cpp_file_worst]=498 [cpp_function_median]=7 [cpp_function_worst]=71)

size() {
  part size || return
  local name value where both=0
  while read -r name value where; do
    [[ $name != *_lines ]] || both=$((both + value))
    line "$name" "$value${where:+ ($where)}, before ${measured[$name]}" "for the record" test "$value" -gt 0
  done < <("$QA_HOST" "$PARTS/size.lua" "$ROOT" | tr '\t' ' ')
  line lines "$both, before $((measured[lua_lines] + measured[native_lines]))" "no more than before, a line over 120 columns counted twice" \
    test "$both" -gt 0 -a "$both" -le $((measured[lua_lines] + measured[native_lines]))
}

for each in reports folders rules lint mutations map size; do "$each"; done
conclude
