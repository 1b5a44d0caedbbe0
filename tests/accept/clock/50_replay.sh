#!/usr/bin/env bash
# Acceptance lines of recordings: `id: value (goal) ok|short`.
# usage: tests/accept/clock/50_replay.sh [WORD]   only the parts whose name contains WORD: again damage build unplugged
# shellcheck source=tests/support/acceptance.sh
. "$(dirname "$(readlink -f "$0")")/../../support/acceptance.sh"
cd "$ROOT" || exit 3
readonly TIMES=20
work=$(mktemp -d)
loads=()
trap 'kill "${loads[@]}" 2> /dev/null; rm -rf "$work"' EXIT
export QA_STATE=$work/state

# record TARGET FOLDER: a run of TARGET, whose directory is in $run.
record() {
  "$QA_HOST" test "$1" --clock game --seed 7 --set interaction_ms=6000 --out "$work/$2" > "$work/log" 2>&1
  run=$(find "$work/$2" -mindepth 1 -maxdepth 1)
}

# replay ARGUMENTS...: its exit code is in $code, what it says in $work/said.
replay() {
  "$QA_HOST" --out "$work/shown" replay "$@" > "$work/said" 2>&1
  code=$?
}

if part again; then
  for game in brick_wall clicker merge_tiles maze_walk meteor_gl; do
    record "examples/games/$game" "again_$game"
    same=0 moved=0
    for n in $(seq "$TIMES"); do
      if [ "$n" -eq $((TIMES / 2 + 1)) ]; then
        for _ in 1 2; do sh -c 'while :; do :; done' & loads+=($!); done
      fi
      replay "$run"
      [ "$code" -eq 0 ] && same=$((same + 1))
      grep -q '^SAME' "$work/said" && ! grep -q 'never changed' "$work/said" && moved=$((moved + 1))
    done
    kill "${loads[@]}" 2> /dev/null
    wait "${loads[@]}" 2> /dev/null
    loads=()
    line "again_$game" "$same of $TIMES the same, $moved moved: $(head -1 "$work/said")" "all, half of them with both cores busy" \
      test "$same" -eq "$TIMES" -a "$moved" -eq "$TIMES"
  done
fi

if part damage; then
  record examples/games/brick_wall damage
  # change FILE OFFSET: one byte of a copy of the run.
  change() {
    rm -rf "$work/copy"
    cp -r "$run" "$work/copy"
    perl -e 'open my $f, "+<", $ARGV[0] or die; binmode $f; seek $f, $ARGV[1], 0; read $f, my $c, 1; seek $f, $ARGV[1], 0; print $f chr(ord($c) ^ 1)' \
      "$work/copy/$1" "$2"
    replay "$work/copy"
  }
  change trace.jsonl 9000
  line damage_trace "exit code $code: $(tail -1 "$work/said" | sed "s|$work|WORK|")" "3, the line and its offset" \
    test "$code" -eq 3 -a -n "$(grep -E 'line [0-9]+ at offset [0-9]+' "$work/said")"
  change tape/tape.jsonl 100
  line damage_tape "exit code $code: $(tail -1 "$work/said" | sed "s|$work|WORK|")" "3, the entry and its offset" \
    test "$code" -eq 3 -a -n "$(grep -E 'entry [0-9]+ at offset [0-9]+' "$work/said")"
  change "tape/bodies/$(basename "$(find "$run/tape/bodies" -type f | head -1)")" 40
  line damage_body "exit code $code: $(tail -1 "$work/said" | sed "s|$work|WORK|")" "3, the entry and its offset" \
    test "$code" -eq 3 -a -n "$(grep -E 'entry [0-9]+ at offset [0-9]+' "$work/said")"
fi

if part build; then
  record examples/games/brick_wall build
  cp -r examples/games/brick_wall "$work/same"
  replay "$run" --target "$work/same"
  line build_same "exit code $code: $(head -1 "$work/said")" "0 with a copy of the game" test "$code" -eq 0
  cp -r examples/games/brick_wall "$work/other"
  # What is drawn once the game runs.
  sed -i 's/75%, 58%/75%, 40%/' "$work/other/index.html"
  replay "$run" --target "$work/other"
  line build_other "exit code $code: $(head -1 "$work/said"), $(find "$work/shown" -name '*.png' | wc -l) pictures" \
    "1, the first step that differs, two pictures" test "$code" -eq 1 -a "$(find "$work/shown" -name '*.png' | wc -l)" -eq 2
fi

if part unplugged; then
  mkdir -p "$work/site"
  cp examples/games/brick_wall/index.html "$work/site/"
  mkfifo "$work/input"
  perl tests/support/game_server.pl "$work/site" < "$work/input" > "$work/port" &
  server=$!
  exec 8> "$work/input"
  await 10 test -s "$work/port"
  record "http://127.0.0.1:$(cat "$work/port")/" unplugged
  exec 8>&-
  wait "$server" 2> /dev/null
  unshare --net "$QA_HOST" --out "$work/shown" replay "$run" > "$work/said" 2>&1
  code=$?
  line unplugged "exit code $code: $(head -1 "$work/said")" "0 without its server and without any network" test "$code" -eq 0
fi
conclude
