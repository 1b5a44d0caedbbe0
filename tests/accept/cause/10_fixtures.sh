#!/usr/bin/env bash
# Acceptance lines of the fixtures on game time: the verdicts, and how long they take.
# usage: tests/accept/cause/10_fixtures.sh
# shellcheck source=tests/support/acceptance.sh
. "$(dirname "$(readlink -f "$0")")/../../support/acceptance.sh"
cd "$ROOT" || exit 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export QA_STATE=$work/state
"$QA_HOST" tests/commands/fixtures.lua --clock auto --set interaction_ms=6000 --out "$work/runs" > "$work/table"
cat "$work/table" >&2
# With proof, these two may be called broken.
wrong=$(awk '$1 == "FAILED" && $2 !~ /^dead_(buttons|keys_scroll)$/ { print $2 }' "$work/table")
line fixtures_as_expected "${wrong:-all}" "all" test -z "$wrong"
# median STATUS: of the seconds of the fixtures with that verdict.
median() {
  awk -v status="$1" '$3 == status { for (i = 4; i < NF; i++) if ($(i + 1) == "s") { print $i; next } }' "$work/table" | sort -n |
    awk '{ list[NR] = $1 } END { print list[int((NR + 1) / 2)] }'
}
good=$(median pass) failed=$(median fail)
line fixtures_good_seconds "$good s" "median at most 6" at_most "$good" 6
line fixtures_failed_seconds "$failed s" "median at most 10" at_most "$failed" 10
conclude
