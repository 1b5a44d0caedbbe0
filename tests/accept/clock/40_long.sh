#!/usr/bin/env bash
# Acceptance lines of long play and of many worlds: `id: value (goal) ok|short`.
# usage: tests/accept/clock/40_long.sh [WORD]   only the parts whose name contains WORD: bakery forks
# shellcheck source=tests/support/acceptance.sh
. "$(dirname "$(readlink -f "$0")")/../../support/acceptance.sh"
cd "$ROOT" || exit 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export QA_STATE=$work/state
for each in bakery forks; do
  part "$each" && rows "$QA_HOST" --out "$work/runs" "tests/accept/clock/$each.lua"
done
conclude
