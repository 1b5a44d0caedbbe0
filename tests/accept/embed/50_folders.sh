#!/usr/bin/env bash
# Acceptance lines of folders for a remote browser, and of credentials: `id: value (goal) ok|short`. Needs Node, and
# network namespaces: root, or a user who may make some.
# usage: tests/accept/embed/50_folders.sh [WORD]   only the parts whose name contains WORD: folders strangers credentials
# shellcheck source=tests/support/acceptance.sh
. "$(dirname "$(readlink -f "$0")")/../../support/acceptance.sh"
cd "$ROOT" || exit 3
PARTS=$ROOT/tests/accept/embed/folders
BROWSER=/usr/lib/chromium/chromium-headless-shell
FLAGS=(--headless --no-sandbox --disable-gpu --site-per-process --hide-scrollbars --mute-audio
  --autoplay-policy=no-user-gesture-required --disable-dev-shm-usage --remote-debugging-port=0)
FIXTURES=clicker,framed_snake,portal_pong,meteor_gl,missing_script,boot_exception
SHORT=(--set interaction_ms=3000 --set ready_ms=8000)
work=$(mktemp -d)
started=()
leave() { for pid in "${started[@]}"; do kill -KILL -- "-$pid" "$pid" 2> /dev/null; done; wait 2> /dev/null; rm -rf "$work"; }
trap leave EXIT
export QA_STATE=$work/state

# begin LOG COMMAND...: in the background, in a process group of its own.
begin() {
  local log=$1
  shift
  setsid "$@" > "$log" 2>&1 &
  started+=($!)
}

# A Chromium that has a loopback of its own and nothing else; our end of the line to it in $port.
isolated() {
  [ -z "${port:-}" ] || return 0
  local user=()
  [ "$(id -u)" -eq 0 ] || user=(--map-root-user)
  # shellcheck disable=SC2016  # expanded inside
  begin "$work/there.log" unshare --net "${user[@]}" bash -c 'ip link set lo up && "$@" --user-data-dir="$0/there" about:blank &
    until port=$(head -n 1 "$0/there/DevToolsActivePort" 2> /dev/null) && [ -n "$port" ]; do sleep 0.1; done
    exec node "$PARTS/relay.mjs" inside "$0/line" "$port"' "$work" "$BROWSER" "${FLAGS[@]}"
  await 30 test -S "$work/line" || exit 3
  begin "$work/port" node "$PARTS/relay.mjs" outside "$work/line"
  await 10 grep -q . "$work/port" || exit 3
  port=$(cat "$work/port")
}
export PARTS

# fixtures NAME OPTION...: verdict and first issue of each, a line each, into $work/NAME.
fixtures() {
  local name=$1
  shift
  "$QA_HOST" "$@" --out "$work/runs" tests/commands/fixtures.lua --only "$FIXTURES" "${SHORT[@]}" --seed 7 --reporter json 2> "$work/$name.err" |
    node -e 'for (const l of require("fs").readFileSync(0, "utf8").trim().split("\n")) { const r = JSON.parse(l);
      console.log(r.name, r.status, r.first_kind ?? "-"); }' | sort > "$work/$name"
}

# refusal URL: why the browser there cannot load it.
refusal() {
  "$QA_HOST" --cdp "http://127.0.0.1:$port" --out "$work/runs" -e 'local page = qa.browser.launch{}:new_page{}
    local none, err = page:navigate(qa.args[1]); print(err and err.detail.net_error)' "$1" 2>&1
}

folders() {
  part folders || return
  isolated
  # What the browser would meet without the host: nobody listens there.
  local there
  there=$(refusal "http://127.0.0.1:$port/json/version")
  line folders_unreachable "$there" "net::ERR_CONNECTION_REFUSED: our loopback is not the browser's" test "$there" = net::ERR_CONNECTION_REFUSED
  fixtures local
  fixtures isolated --cdp "http://127.0.0.1:$port"
  local differ
  differ=$(diff "$work/local" "$work/isolated" | grep '^[<>]' | tr '\n' ';')
  line folders_verdicts "$(wc -l < "$work/isolated") played${differ:+, other than locally: $differ}" "as local ones, all of $(wc -l < "$work/local")" \
    test -s "$work/isolated" -a -z "$differ"
}

strangers() {
  part strangers || return
  isolated
  begin "$work/asked" "$QA_HOST" --cdp "http://127.0.0.1:$port" --out "$work/runs" "$PARTS/strangers.lua" examples/games/clicker "$work/enough"
  await 30 grep -q '^origin' "$work/asked" || exit 3
  local asked title there
  asked=$(grep -v '^origin' "$work/asked" | tr '\t\n' ' ;')
  line folders_strangers "$asked" "page 200;popup 403 403;post 405;dotfile 404;" test "$asked" = "page 200;popup 403 403;post 405;dotfile 404;"
  # A page that is not the run's, here one of another run, asks the browser's own loopback.
  there=$(refusal "$(sed -n 's/^origin\t//p' "$work/asked")/")
  touch "$work/enough"
  await 20 grep -q '^title' "$work/asked" || exit 3
  title=$(sed -n 's/^title\t//p' "$work/asked")
  line folders_other_pages "$there, while the game is there: '$title'" "net::ERR_CONNECTION_REFUSED" test "$there" = net::ERR_CONNECTION_REFUSED -a -n "$title"
}

# files_with WORDS...: files below $work/kept that hold one of them.
files_with() {
  local word found=0
  for word in "$@"; do found=$((found + $(grep -rlaF -e "$word" "$work/kept" 2> /dev/null | wc -l))); done
  printf '%s' "$found"
}

# opened NAME OPTION...: the gate's game, played with credentials from files; what is written goes below $work/kept.
opened() {
  local name=$1 host cmdlines=0 words
  shift
  : > "$work/logs/gate.log"
  : > "$work/logs/other.log"
  QA_STATE=$work/kept/state "$QA_HOST" "$@" --header "@$work/secret/header" --cookie-file "$work/secret/jar" --basic-auth "@$work/secret/auth" \
    --out "$work/kept/runs" test "http://127.0.0.1:$gate/" "${SHORT[@]}" > "$work/kept/$name.out" 2> "$work/kept/$name.err" &
  host=$!
  while kill -0 "$host" 2> /dev/null; do
    cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2> /dev/null | grep -qa 'planted-[hcp]' && cmdlines=$((cmdlines + 1))
    sleep 0.5
  done
  wait "$host"
  line "credentials_${name}_verdict" "exit $?: $(head -n 1 "$work/kept/$name.out" | cut -c1-20)" "0: PASS" grep -q '^PASS' "$work/kept/$name.out"
  # shellcheck disable=SC2016  # JavaScript
  words=$(node -e 'for (const name of ["gate", "other"]) {
      const seen = require("fs").readFileSync(`${process.argv[1]}/${name}.log`, "utf8").trim().split("\n").map(JSON.parse);
      const with_ = seen.filter((r) => /planted|YW5uYT/.test(JSON.stringify(r.headers)) && !r.url.startsWith("/socket"));
      console.log(name, with_.length ? "some" : "none", [...new Set(seen.map((r) => r.url.split("?")[0]))].filter((u) => name === "other" && u !== "/").sort().join(" ")); }' "$work/logs" | tr '\n' ';')
  line "credentials_${name}_servers" "$words" "gate some, other none, asked in all six ways" \
    test "$words" = "gate some ;other none /fetched /frame /picture /redirected /socket /worker;"
  line "credentials_${name}_socket" "$(grep -cE '"/socket".*planted' "$work/logs/other.log")" "${socket:-0} handshakes with a cookie of the host" \
    test "$(grep -cE '"/socket".*planted' "$work/logs/other.log")" -eq "${socket:-0}"
  line "credentials_${name}_processes" "$cmdlines" "0 looks that found a value in a command line or environment" test "$cmdlines" -eq 0
}

credentials() {
  part credentials || return
  mkdir -p "$work/secret" "$work/logs" "$work/kept"
  printf 'X-Gate: planted-header-7f3a\n' > "$work/secret/header"
  printf '127.0.0.1\tFALSE\t/\tFALSE\t0\tsid\tplanted-cookie-91c2\n' > "$work/secret/jar"
  printf 'anna:planted-password-b4d0\n' > "$work/secret/auth"
  begin "$work/gate" node "$PARTS/gate.mjs" examples/games/clicker/index.html "$work/logs"
  await 10 grep -q . "$work/gate" || exit 3
  read -r gate _ < "$work/gate"
  opened local
  begin "$work/theirs.log" "$BROWSER" "${FLAGS[@]}" --user-data-dir="$work/theirs" about:blank
  await 30 grep -q 'DevTools listening' "$work/theirs.log" || exit 3
  port=$(grep -oE '127.0.0.1:[0-9]+' "$work/theirs.log" | head -n 1 | cut -d: -f2)
  # The browser was not started by us, so that its cookies know no ports; only requests can be relieved of them.
  socket=1 opened remote --cdp "http://127.0.0.1:$port"
  line credentials_kept "$(files_with planted-header planted-cookie planted-password YW5uYTpwbGFu) of $(find "$work/kept" -type f | wc -l) files" \
    "0 hold a value: runs, state, stdout, stderr" test "$(files_with planted-header planted-cookie planted-password YW5uYTpwbGFu)" -eq 0
  line credentials_seen "$(grep -rlaF '***' "$work/kept/runs" | wc -l) files" "at least 2 say where the page told one" \
    at_least "$(grep -rlaF '***' "$work/kept/runs" | wc -l)" 2
}

folders
strangers
credentials
conclude
