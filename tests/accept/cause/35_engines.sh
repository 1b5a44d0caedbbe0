#!/usr/bin/env bash
# Acceptance lines of the tiny games on real engines by the standard strategy: fine, with dead input, and without a file.
# Needs what tests/accept/clock/engines/build does, or ENGINES=DIR, where that was built before.
# usage: tests/accept/cause/35_engines.sh   ONLY=NAME,...: these engines
# shellcheck source=tests/support/acceptance.sh
. "$(dirname "$(readlink -f "$0")")/../../support/acceptance.sh"
cd "$ROOT" || exit 3
GAMES=${ENGINES:-$ROOT/build/engines}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export QA_STATE=$work/state
DEAD='<script>for (const kind of ["keydown", "keyup", "mousedown", "mouseup", "click", "pointerdown", "pointerup", "touchstart", "touchend"])
  addEventListener(kind, (event) => event.stopImmediatePropagation(), true);</script>'

# judge FOLDER: status and seconds, in $status and $seconds.
judge() {
  "$QA_HOST" test "$1" --out "$work/runs" --reporter json > "$work/report" 2> "$work/err"
  read -r status seconds < <("$QA_HOST" tests/accept/cause/verdict.lua "$work/report")
}

engine() {
  local name=$1 status seconds file
  [ -z "${ONLY:-}" ] || [[ ",$ONLY," == *",$name,"* ]] || return
  judge "$GAMES/$name"
  line "engine_$name" "$status, ${seconds:-?} s" "pass, at most 15 s" test "$status" = pass -a "$(at_most "${seconds:-}" 15; echo $?)" -eq 0
  cp -r "$GAMES/$name" "$work/dead"
  printf '%s\n' "$DEAD" | sed -i '1r /dev/stdin' "$work/dead/index.html"
  judge "$work/dead"
  line "engine_${name}_dead_input" "$status, ${seconds:-?} s" "fail" test "$status" = fail
  file=$(cd "$GAMES/$name" && find . -name '*.wasm' -o -name '*.data' -o -name '*.min.js' -o -name '*.module.js' | sort | head -n 1)
  if [ -n "$file" ]; then
    cp -r "$GAMES/$name" "$work/short"
    rm "$work/short/$file"
    judge "$work/short"
    line "engine_${name}_without_file" "$status, ${seconds:-?} s, without ${file#./}" "fail" test "$status" = fail
  fi
  rm -rf "$work/dead" "$work/short"
}

[ -n "${ENGINES:-}" ] || "$ROOT/tests/accept/clock/engines/build" "$GAMES" > "$work/build" 2>&1 || { tail "$work/build"; exit 3; }
for game in $("$QA_HOST" tests/accept/clock/engines/play.lua "$ROOT/tests/lua/support" "$GAMES"); do engine "$game"; done
conclude
