# shellcheck shell=bash disable=SC2154
# A browser that the host did not start: what is left in it, and what is told of it.

# A Chromium with a debugging port of its own choice; its process id in $somebody, its port and address beside it.
somebody() {
  mkdir -p theirs
  /usr/lib/chromium/chromium-headless-shell --headless --no-sandbox --disable-gpu --remote-debugging-port=0 \
    --user-data-dir="$PWD/theirs" about:blank > theirs.log 2>&1 &
  somebody=$!
  trap leave EXIT
  await 20 grep -q 'DevTools listening' theirs.log
  port=$(grep -oE '127.0.0.1:[0-9]+' theirs.log | head -n 1 | cut -d: -f2)
  address=http://127.0.0.1:$port
}
leave() { kill -KILL "$somebody" 2> /dev/null; wait "$somebody" 2> /dev/null; true; }

# How many pages that browser has.
pages() {
  local length=0 line body
  exec 3<> "/dev/tcp/127.0.0.1/$port"
  printf 'GET /json/list HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n' >&3
  while read -r line <&3 && [ "$line" != $'\r' ]; do
    case $line in Content-Length:*) length=${line//[!0-9]/} ;; esac
  done
  LC_ALL=C read -r -N "$length" body <&3
  exec 3>&-
  grep -c '"type": "page"' <<< "$body"
}
has_pages() { [ "$(pages)" -eq "$1" ]; }

test_bp10_a_host_that_is_killed_leaves_no_page_in_somebodys_browser() {
  somebody
  has_pages 1 || fail "a new browser has $(pages) pages"
  start --cdp "$address" test "$CLICKER" --set interaction_ms=120000
  await 30 has_step
  # Its own, and that of a twin, which is opened as the game goes on.
  [ "$(pages)" -ge 2 ] || fail "the run has no page of its own"
  local worker
  worker=$(pgrep -P "$host" -f qa-host-worker | head -n 1)
  kill -KILL "$host" "$worker"
  wait_host
  await 10 has_pages 1
  kill -0 "$somebody" || fail "somebody's browser is gone"
  leave
}

test_c066_a_game_in_somebodys_browser_has_the_verdict_of_one_of_our_own_and_a_session() {
  somebody
  run --cdp "$address/?token=sesame" test "$CLICKER" --set interaction_ms=3000 --set ready_ms=8000
  expect_code 0
  has_pages 1 || fail "a page is left"
  expect_report 'r.environment.browser.remote.service' cdp
  expect_report 'r.environment.browser.remote.address' "$address"
  expect_report 'r.metadata.session.wsEndpoint' "$address"
  ! grep -rqa sesame qa-runs out err || fail "the token is told: $(grep -rla sesame qa-runs out err)"
  leave
}

test_a_signal_ends_a_run_in_somebodys_browser_in_time() {
  somebody
  start --cdp "$address" test "$CLICKER" --set interaction_ms=120000
  await 30 has_step
  kill -TERM "$host"
  wait_host
  expect_code 143
  expect_within 2000
  await 5 has_pages 1
  leave
}

test_a_run_has_one_browser() {
  run --cdp ws://127.0.0.1:1 --grid http://127.0.0.1:1 test "$CLICKER"
  expect_code 3
  expect_err '--cdp and --grid: a run has one browser'
  run --headed --browserbase test "$CLICKER"
  expect_code 3
}

test_a_browser_that_is_not_there_is_an_error_of_the_environment() {
  run --cdp ws://127.0.0.1:1/?token=sesame test "$CLICKER"
  expect_code 4
  expect_report 'r.status' error
  ! grep -rqa sesame qa-runs out err || fail "the token is told"
  run --cdp 'file:///etc/passwd' test "$CLICKER"
  expect_code 4
}

test_arguments_for_a_browser_of_this_machine_are_refused_with_one_elsewhere() {
  run --cdp ws://127.0.0.1:1 -e 'local _, err = qa.browser.launch{ arguments = { "--x" } } print(err.kind, err.message)'
  expect_out 'browser_launch_failed.*leave them out'
}
