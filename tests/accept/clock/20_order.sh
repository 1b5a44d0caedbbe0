#!/usr/bin/env bash
# Acceptance line of the order of a frame: 200 pages that chance writes against an interpreter of docs/clock.md.
# shellcheck source=tests/support/acceptance.sh
. "$(dirname "$(readlink -f "$0")")/../../support/acceptance.sh"
cd "$ROOT" || exit 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export QA_STATE=$work/state
rows "$QA_HOST" --out "$work/runs" tests/accept/clock/order.lua
conclude
