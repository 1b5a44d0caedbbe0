#!/usr/bin/env bash
# Acceptance lines of game time on real engines: `id: value (goal) ok|short`. Needs what tests/accept/clock/engines/build does.
# usage: tests/accept/clock/60_engines.sh [WORD]   only the games whose line contains WORD: engine_NAME
# shellcheck source=tests/support/acceptance.sh
. "$(dirname "$(readlink -f "$0")")/../../support/acceptance.sh"
cd "$ROOT" || exit 3
PARTS=$ROOT/tests/accept/clock/engines
GAMES=$ROOT/build/engines
work=$(mktemp -d)
trap 'exec 9>&-; rm -rf "$work"' EXIT
export QA_STATE=$work/state

play() { "$QA_HOST" "$PARTS/play.lua" "$ROOT/tests/lua/support" "$GAMES" "$@" 2> "$work/err"; }
# fact NAME: of the JSON that qa-host clock has printed.
fact() { grep -oE "\"$1\":[a-z0-9.]+" "$work/clock" | head -n 1 | cut -d: -f2; }

# Threads need a server that isolates the page; it ends when its input closes.
threads() {
  part engine_threads || return
  mkfifo "$work/in"
  tests/support/game_server.pl "$GAMES/threads" < "$work/in" > "$work/port" &
  exec 9> "$work/in"
  await 5 test -s "$work/port" || exit 3
  local repeats why
  "$QA_HOST" clock "http://127.0.0.1:$(cat "$work/port")/" --frames 600 --input Enter@60 --reporter json > "$work/clock" 2> "$work/err"
  repeats=$(fact repeatable) why=$(grep -oE '"reason":"[^"]*threads[^"]*' "$work/clock" | head -n 1 | cut -d'"' -f4)
  line engine_threads "repeatable ${repeats:-?}, moved $(fact moved); ${why:-no reason}" "repeats, or says why not" \
    test -n "$repeats" -a \( "$repeats" = true -o -n "$why" \)
}

# engine NAME: two lines.
engine() {
  part "engine_$1" || return
  local input load started before effect
  read -r input load started before effect < <(play "$1")
  line "engine_$1" "loads in ${load:-?} ms; the start changes ${started:-?} pixels, the control ${effect:-?}, before it ${before:-?} differ" \
    "at most 5000 ms; some, some, 0" test "${load:-9999}" -le 5000 -a "${started:-0}" -gt 0 -a "${effect:-0}" -gt 0 -a "${before:-1}" -eq 0
  "$QA_HOST" clock "$GAMES/$1" --frames 600 --input "$input@60" --reporter json > "$work/clock" 2> "$work/err"
  line "engine_$1_repeats" "repeatable $(fact repeatable), moved $(fact moved), $(fact sim_seconds_per_wall_second) simulated seconds a second" \
    "600 frames repeat, and move" test "$(fact repeatable) $(fact moved)" = "true true"
}

"$PARTS/build" "$GAMES" > "$work/build" 2>&1 || { tail "$work/build"; exit 3; }
for game in $(play); do engine "$game"; done
threads
conclude
