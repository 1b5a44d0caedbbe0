#!/usr/bin/env bash
# Acceptance lines of the known games under load: are they repeatable, untouched and in play; does an unused key change
# anything? usage: GAMES=DIR tests/accept/clock/30_known.sh   DIR: checkouts by id, as tests/data/known_games.json says
# ONLY=ID,...: these games. LOAD=no: without the load of both cores.
# shellcheck source=tests/support/acceptance.sh
. "$(dirname "$(readlink -f "$0")")/../../support/acceptance.sh"
cd "$ROOT" || exit 3
[ -d "${GAMES:-}" ] || { line known_games "GAMES names no folder" "known games, checked out" false; conclude; exit 1; }
work=$(mktemp -d)
busy=()
leave() { [ ${#busy[@]} -eq 0 ] || kill "${busy[@]}"; wait 2> /dev/null; rm -rf "$work"; }
trap leave EXIT
export QA_STATE=$work/state
if [ "${LOAD:-}" != no ]; then
  for ((core = 0; core < $(nproc); core++)); do
    (while :; do :; done) &
    busy+=($!)
  done
fi
rows "$QA_HOST" --out "$work/runs" tests/accept/clock/known.lua "$GAMES" ${ONLY:+"$ONLY"}
rows "$QA_HOST" --out "$work/runs" tests/accept/clock/real_clock.lua "$GAMES" ${ONLY:+"$ONLY"}
conclude
