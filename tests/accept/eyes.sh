#!/usr/bin/env bash
# Acceptance lines of the eyes: `id: value (goal) ok|short`.
# usage: tests/accept/eyes.sh [WORD]   only the parts whose name contains WORD: reading progress settle images browser fuzz
set -uo pipefail
ROOT=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd)
QA_HOST=${QA_HOST:-$ROOT/build/bin/qa-host}
filter=${1:-}
# shellcheck source=tests/support/acceptance.sh
. "$ROOT/tests/support/acceptance.sh"

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
  line progress_against_threshold "${accuracy:-0} to ${fixed:-100}" "better than the best fixed threshold" more_than "${accuracy:-0}" "${fixed:-100}"
}

# Two busy loops beside it.
settle() {
  [[ settle == *"$filter"* ]] || return
  local said early undecided lag busy=()
  for _ in 1 2; do
    (while :; do :; done) &
    busy+=($!)
  done
  said=$(cd "$ROOT" && "$QA_HOST" tests/accept/eyes/settle.lua)
  kill "${busy[@]}"
  wait "${busy[@]}" 2> /dev/null
  printf '%s\n' "$said"
  early=$(sed -nE 's/^early ([0-9]+) of.*/\1/p' <<< "$said") undecided=$(sed -nE 's/.*undecided ([0-9]+),.*/\1/p' <<< "$said")
  lag=$(sed -nE 's/.*settled, ([0-9]+) ms after the end \(median\).*/\1/p' <<< "$said" | sort -n | tail -n 1)
  line settle_early "${early:-?}" "none, under load" test "${early:-1}" -eq 0
  line settle_undecided "${undecided:-?}" "none" test "${undecided:-1}" -eq 0
  line settle_lag_ms "${lag:-9999}" "each motion's median at most 400 after the true end" at_most "${lag:-9999}" 400
}

fuzz() {
  [[ fuzz == *"$filter"* ]] || return
  local said
  said=$("$ROOT/dev" soak fuzz)
  printf '%s\n' "$said"
  line fuzz "$(tail -n 1 <<< "$said")" "1 M inputs each, no crash" grep -qE '^[1-9][0-9]* passed, 0 failed$' <<< "$(tail -n 1 <<< "$said")"
}

# Against odiff, blazediff and pixelmatch; the worst of all pairs counts.
images() {
  [[ images == *"$filter"* ]] || return
  local said least code
  said=$("$ROOT/dev" bench images) && code=0 || code=$?
  printf '%s\n' "$said"
  line images_same_work "exit $code" "each pair is what it is called, and every tool ran" test "$code" -eq 0
  least=$(grep '^least ratios' <<< "$said")
  # ratio ID WORDS GOAL: one figure of that line.
  ratio() {
    local value
    value=$(sed -nE "s/.*$2 ([0-9.]+).*/\1/p" <<< "$least")
    line "$1" "${value:-0}" "at least $3" at_least "${value:-0}" "$3"
  }
  ratio images_cpu_different "cpu different" 2
  ratio images_cpu_identical "cpu same bytes" 20
  ratio images_cpu_same_pixels "cpu same pixels" 2
  ratio images_cpu_pixelmatch "cpu pixelmatch" 25
  ratio images_wall "wall native" 1
  line images_rss "$(sed -nE 's/.*rss at most ([0-9.]+).*/\1/p' <<< "$least")" "at most 1.5 of odiff's" \
    at_most "$(sed -nE 's/.*rss at most ([0-9.]+).*/\1/p' <<< "$least" | grep . || echo 99)" 1.5
  line images_counts "$(sed -nE 's/.*(counts unlike.*)/\1/p' <<< "$least")" "none" grep -q 'counts unlike pixelmatch in 0, blazediff in 0, odiff in 0 pairs' <<< "$least"
  # In the process: the worst of the three sizes.
  local yiq whole png look
  yiq=$(sed -nE 's/.*YIQ \/ plain read: again ([0-9.]+), slight ([0-9.]+), whole ([0-9.]+);.*/\1 \2 \3/p' <<< "$said" | wc -w)
  line process_sizes "$yiq" "three pairs of three sizes" test "$yiq" -eq 9
  yiq=$(sed -nE 's/.*YIQ \/ plain read: again ([0-9.]+), slight ([0-9.]+),.*/\1\n\2/p' <<< "$said" | sort -g | tail -n 1)
  whole=$(sed -nE 's/.*YIQ \/ plain read:.* whole ([0-9.]+);.*/\1/p' <<< "$said" | sort -g | tail -n 1)
  png=$(sed -nE 's/.*stb_image \/ fast PNG ([0-9.]+).*/\1/p' <<< "$said" | sort -g | head -n 1)
  look=$(awk '/one look [0-9.]+ ms$/ { look[$1] = $(NF - 1) } /PNG decode \+ pixelmatch/ { r = $(NF - 2) / look[$1]; if (!n++ || r < worst) worst = r }
    END { printf "%.1f", worst }' <<< "$said")
  line process_yiq "${yiq:-9}" "YIQ count of pictures that are mostly alike within 1.2 of a plain read" at_most "${yiq:-9}" 1.2
  line process_yiq_whole "${whole:-9}" "of pictures that differ everywhere within 1.2, too" at_most "${whole:-9}" 1.2
  line process_png "${png:-0}" "at least 2.5 less CPU than stb_image" at_least "${png:-0}" 2.5
  line process_look "${look:-0}" "a look at least 10 times less CPU than PNG decode and pixelmatch" at_least "${look:-0}" 10
}

# Against the drivers in Node.
browser() {
  [[ browser == *"$filter"* ]] || return
  local said op
  said=$("$ROOT/dev" bench browser) && op=0 || op=$?
  printf '%s\n' "$said"
  line browser_same_work "exit $op" "each tool's clicks, keys and results were right" test "$op" -eq 0
  # row OP TOOL COLUMN
  row() { awk -v op="$1" -v tool="$2" -v column="$3" '$1 == op && $2 == tool { print $column }' <<< "$said" | grep . || echo 0; }
  # beside OP TOOL COLUMN: the ratio of TOOL to qa-host, and to the bare pipe, which nothing can do better than.
  beside() { printf '%s, a bare pipe %s' "$(awk -v a="$(row "$1" "$2" "$3")" -v b="$(row "$1" qa-host "$3")" 'BEGIN { printf "%.2f", b ? a / b : 0 }')" \
    "$(awk -v a="$(row "$1" "$2" "$3")" -v b="$(row "$1" bare "$3")" 'BEGIN { printf "%.2f", b ? a / b : 0 }')"; }
  for op in evaluate key; do line "browser_cpu_$op" "$(beside "$op" playwright 4)" "at least 20 times less CPU than playwright" at_least "$(row "$op" playwright 6)" 20; done
  line browser_cpu_click "$(beside click playwright 4)" "at least 10 times less" at_least "$(row click playwright 6)" 10
  line browser_wall "$(beside evaluate playwright 3)" "evaluate in a third of playwright's time" at_least "$(row evaluate playwright 5)" 3
  op=$(awk '$1 == "evaluate" && $2 !~ /^(qa-host|bare)$/ { print $5, $2 }' <<< "$said" | sort -g | head -n 1 | cut -d' ' -f2)
  line browser_wall_fastest "$(beside evaluate "${op:-none}" 3)" "evaluate in half of the fastest peer's time" at_least "$(row evaluate "${op:-none}" 5)" 2
}

reading
progress
settle
images
browser
fuzz
conclude
