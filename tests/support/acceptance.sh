# shellcheck shell=bash disable=SC2034
# What the scripts of tests/accept share: lines `id: value (goal) ok|short`, and how many were short.

set -uo pipefail
short=0 lines=0
ROOT=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd)
export ROOT QA_HOST=${QA_HOST:-$ROOT/build/bin/qa-host}
# The one argument of a script: only its parts whose name contains it.
filter=${1:-}

# part NAME: is it asked for?
part() { [[ $1 == *"$filter"* ]]; }

# await SECONDS COMMAND...: until it succeeds.
await() {
  local end=$((SECONDS + $1))
  shift
  until "$@" > /dev/null 2>&1; do
    [ "$SECONDS" -le "$end" ] || { echo "waited in vain for: $*" >&2; return 1; }
    sleep 0.05
  done
}

# hidden FOLDER COMMAND...: runs it in FOLDER, where the source tree with its builds cannot be seen. Needs root.
hidden() {
  # shellcheck disable=SC2016  # expanded by the inner shell
  (cd "$1" && unshare --mount bash -c 'mount -t tmpfs tmpfs "$1" && exec "${@:2}"' _ "$ROOT" "${@:2}")
}

# line ID VALUE GOAL TEST...: prints one line; TEST decides between ok and short.
line() {
  local id=$1 value=$2 goal=$3 word=ok
  shift 3
  lines=$((lines + 1))
  "$@" || { word=short; short=$((short + 1)); }
  printf '%s: %s (%s) %s\n' "$id" "$value" "$goal" "$word"
}

# rows COMMAND...: a line for each row `id TAB value TAB goal TAB ok|short` that COMMAND prints, and one where it fails.
rows() {
  local id value goal word code
  while IFS=$'\t' read -r id value goal word; do
    if [ "$id" = exit ]; then code=$value; else line "$id" "$value" "$goal" test "$word" = ok; fi
  done < <("$@"; printf 'exit\t%s\n' $?)
  [ "$code" -eq 0 ] || line "$(basename "$0" .sh)" "exit code $code" 0 false
}

# A value that is missing meets no goal.
at_most() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && a <= b) }'; }
at_least() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && a >= b) }'; }
more_than() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && b != "" && a > b) }'; }

# The end: 0 when all lines are ok, 1 when some are short, 3 when none was asked for.
conclude() {
  printf '%d short\n' "$short"
  [ "$lines" -gt 0 ] || { echo "no line has the word '${filter:-}'" >&2; exit 3; }
  [ "$short" -eq 0 ]
}

# somebody: a Chromium that is not ours, on a debugging port, in $port; it is a job of the script and writes below $work.
somebody() {
  mkdir -p "${work:?}/theirs"
  /usr/lib/chromium/chromium-headless-shell --headless --no-sandbox --disable-gpu --remote-debugging-port=0 --site-per-process \
    --hide-scrollbars --mute-audio --autoplay-policy=no-user-gesture-required --user-data-dir="$work/theirs" about:blank > "$work/theirs.log" 2>&1 &
  await 20 grep -q 'DevTools listening' "$work/theirs.log"
  port=$(grep -oE '127.0.0.1:[0-9]+' "$work/theirs.log" | head -n 1 | cut -d: -f2)
}

# own_configuration [ENDPOINTS [FIELDS]]: makes the user's own configuration below $work, where the key QA_PEER_KEY belongs to every
# server that the ready lines $work/*.json name; rows of more endpoints, and more fields, as Lua.
own_configuration() {
  local at
  export XDG_CONFIG_HOME=${work:?}/config
  mkdir -p "$XDG_CONFIG_HOME/qa-host"
  {
    echo 'return { endpoints = {'
    while read -r at; do
      printf '  p%s = { key_env = "QA_PEER_KEY", base_url = "http://127.0.0.1:%s" },\n' "$at" "$at"
      printf '  l%s = { key_env = "QA_PEER_KEY", base_url = "https://localhost:%s" },\n' "$at" "$at"
    done < <(grep -hoE '[0-9]{4,5}' "$work"/*.json | sort -u)
    printf '%s }, %s }\n' "${1:-}" "${2:-}"
  } > "$XDG_CONFIG_HOME/qa-host/config.lua"
}
