#!/usr/bin/env bash
# Acceptance lines of frozen pages and steps, here and in a browser behind a WebSocket: `id: value (goal) ok|short`.
# usage: tests/accept/clock/10_steps.sh [WORD]   only the parts whose name contains WORD: local remote repeatable
# shellcheck source=tests/support/acceptance.sh
. "$(dirname "$(readlink -f "$0")")/../../support/acceptance.sh"
cd "$ROOT" || exit 3
work=$(mktemp -d)
leave() { local pid; for pid in $(jobs -p); do kill "$pid" 2> /dev/null; done; wait 2> /dev/null; rm -rf "$work"; }
trap leave EXIT
export QA_STATE=$work/state

steps_here() { part local && rows "$QA_HOST" --out "$work/runs" tests/accept/clock/steps.lua; }

steps_there() {
  part remote || return
  [ -n "${port:-}" ] || somebody
  rows "$QA_HOST" --cdp "http://127.0.0.1:$port" --out "$work/runs" tests/accept/clock/steps.lua _behind_cdp \
    2d,webgl,timers,messages,css,worker
}

# judged OPTION...: what qa-host clock says of a fixture, but for how fast it was.
judged() { "$QA_HOST" "$@" --reporter json 2> "$work/judged.err" | sed -E 's/"sim_seconds_per_[a-z]+_second":[^,}]*,?//g'; }

repeatable() {
  part repeatable || return
  [ -n "${port:-}" ] || somebody
  local game here there
  for game in brick_wall framed_snake meteor_gl; do
    here=$(judged clock "examples/games/$game" --frames 300 --input Space@30 --input click:640,360@60)
    there=$(judged --cdp "http://127.0.0.1:$port" clock "examples/games/$game" --frames 300 --input Space@30 --input click:640,360@60)
    line "${game}_behind_cdp" "$([ "$here" = "$there" ] && echo "$there" || echo "$there, here $here")" "as here" \
      test -n "$here" -a "$here" = "$there"
  done
}

steps_here
steps_there
repeatable
conclude
