#!/usr/bin/env bash
# Acceptance lines of the cases after public bug reports (tests/data/cases), fine and broken.
# usage: tests/accept/cause/20_cases.sh   ONLY=NN,...: these cases
# shellcheck source=tests/support/acceptance.sh
. "$(dirname "$(readlink -f "$0")")/../../support/acceptance.sh"
cd "$ROOT" || exit 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export QA_STATE=$work/state
rows "$QA_HOST" --out "$work/runs" tests/accept/cause/cases.lua ${ONLY:+"$ONLY"}
conclude
