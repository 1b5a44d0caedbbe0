# shellcheck shell=bash disable=SC2034
# The few words that tests of the command line are written in. `run` keeps stdout, stderr, code and milliseconds.

CLICKER=$ROOT/examples/games/clicker

fail() { printf 'FAILED: %s\n--- stdout\n%s\n--- stderr\n%s\n' "$*" "$(tail -n 8 out 2> /dev/null | cut -c1-300)" "$(tail -n 8 err 2> /dev/null | cut -c1-300)"; exit 1; }

now_ms() { date +%s%3N; }

# run ARGS...: qa-host in the test's folder.
run() {
  local begin
  begin=$(now_ms)
  code=0
  "$QA_HOST" "$@" > out 2> err < /dev/null || code=$?
  ms=$(($(now_ms) - begin))
}

# start ARGS...: qa-host in the background; its process id in $host. `wait_host` collects it.
start() {
  "$QA_HOST" "$@" > out 2> err < /dev/null &
  host=$!
}

wait_host() {
  local begin
  begin=$(now_ms)
  code=0
  wait "$host" 2> /dev/null || code=$?
  ms=$(($(now_ms) - begin))
}

expect_code() { [ "$code" -eq "$1" ] || fail "exit code $code, expected $1"; }
expect_out() { grep -qE -- "$1" out || fail "stdout has no '$1'"; }
expect_err() { grep -qE -- "$1" err || fail "stderr has no '$1'"; }
expect_one_line() { [ "$(wc -l < err)" -eq 1 ] || fail "expected one line on stderr, got $(wc -l < err)"; }
expect_within() { [ "$ms" -le "$1" ] || fail "took $ms ms, expected at most $1"; }

# await SECONDS COMMAND...: until COMMAND succeeds.
await() {
  local end=$((SECONDS + $1))
  shift
  until "$@" > /dev/null 2>&1; do
    [ "$SECONDS" -le "$end" ] || fail "waited in vain for: $*"
    sleep 0.05
  done
}

# Browser processes of this test: they run below its folder, or have their profile or TMPDIR in it.
browsers() {
  local folder
  for folder in /proc/[0-9]*; do
    case $(readlink "$folder/exe") in */chromium*) ;; *) continue ;; esac
    if grep -qsa -- "$PWD" "$folder/cmdline" "$folder/environ" || [ "$(readlink "$folder/cwd")" = "$PWD" ]; then
      printf '%s\n' "${folder#/proc/}"
    fi
  done
}

# The browser process itself: the one that is of no --type.
browser_leader() {
  local pid
  for pid in $(browsers); do
    grep -qsa -- '--type=' "/proc/$pid/cmdline" || { printf '%s\n' "$pid"; return; }
  done
}

no_browsers() { [ -z "$(browsers)" ]; }

run_directory() { find "$PWD" -maxdepth 2 -path '*qa-runs/*' -type d | head -n 1; }
report() { printf '%s/report.json' "$(run_directory)"; }

# A report is valid when the product itself can read it; FIELD is a Lua expression over `r`.
report_value() { "$QA_HOST" -e "local r = qa.json.decode(assert(qa.fs.read(qa.args[1]))); print($1)" "$(report)"; }
expect_report() { [ "$(report_value "$1")" = "$2" ] || fail "report: $1 is '$(report_value "$1")', expected '$2'"; }
has_step() { grep -q '"name":"step"' "$(run_directory)/trace.jsonl"; }

# Called after each test: whatever it did, nothing may be left running.
finish() { await 3 no_browsers; }
