#!/usr/bin/env bash
# Acceptance lines of qa.effect: scenes of which the answer is known, and inputs that no game uses.
# usage: GAMES=DIR tests/accept/cause/40_scenes.sh   DIR: checkouts by id, as tests/data/known_games.json says
# shellcheck source=tests/support/acceptance.sh
. "$(dirname "$(readlink -f "$0")")/../../support/acceptance.sh"
cd "$ROOT" || exit 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export QA_STATE=$work/state
rows "$QA_HOST" --out "$work/runs" tests/accept/cause/scenes.lua
if [ -d "${GAMES:-}" ]; then
  rows "$QA_HOST" --out "$work/runs" tests/accept/cause/placebo.lua "$GAMES" ${ONLY:+"$ONLY"}
else
  line placebo_effects "GAMES names no folder" "known games, checked out" false
fi
conclude
