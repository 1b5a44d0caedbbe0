#!/usr/bin/env bash
# Acceptance lines of the known games on game time. usage: GAMES=DIR tests/accept/cause/30_known.sh
# DIR: checkouts by id, as tests/data/known_games.json says. ONLY=ID,...: these games
# shellcheck source=tests/support/acceptance.sh
. "$(dirname "$(readlink -f "$0")")/../../support/acceptance.sh"
cd "$ROOT" || exit 3
[ -d "${GAMES:-}" ] || { line known_games "GAMES names no folder" "known games, checked out" false; conclude; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export QA_STATE=$work/state
"$QA_HOST" tests/commands/games.lua tests/data/known_games.json "$GAMES" --clock auto --out "$work/runs" ${ONLY:+--only "$ONLY"} > "$work/table"
cat "$work/table" >&2
read -r passed failed < <(sed -nE 's/^pass ([0-9]+) .*fail ([0-9]+),.*/\1 \2/p' "$work/table")
started=$(sed -nE 's/^started ([0-9]+) of ([0-9]+) that need it.*/\1 of \2/p' "$work/table")
line known_started "$started" "16 of 16" test "$started" = "16 of 16"
line known_pass "$passed, fail $failed" "at least 29, fail 0" test "${passed:-0}" -ge 29 -a "${failed:-1}" -eq 0
seconds=$(awk '$5 ~ /^(yes|no)$/ && $6 ~ /\// { print $10 }' "$work/table" | sort -n)
median=$(awk '{ list[NR] = $1 } END { print list[int((NR + 1) / 2)] }' <<< "$seconds") most=$(tail -n 1 <<< "$seconds")
line known_seconds "median $median, most $most" "median at most 12, most at most 60" test "$(at_most "$median" 12 && at_most "$most" 60; echo $?)" -eq 0
conclude
