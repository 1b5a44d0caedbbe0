# shellcheck shell=bash disable=SC2034,SC2154
# Programs that host qa-host: the examples, as they are built in the tree against the shared library.

EMBED=$(dirname "$QA_HOST")/../examples/embed
LIBRARY=$(find "$(dirname "$QA_HOST")/.." -maxdepth 3 -name libqa_host.so.1)

# program NAME ARGS...: as `run`, for a program other than qa-host.
program() {
  code=0
  "$@" > out 2> err < /dev/null || code=$?
}

test_the_least_program_hosts_lua() {
  program "$EMBED/minimal"
  expect_code 0
  expect_out '^\{"sum":3,"version":"[0-9.]+"\}$'
  [ ! -s err ] || fail "stderr is not empty"
  [ ! -e qa-runs ] || fail "a run directory was made for nothing"
}

test_a_primitive_of_the_program_is_used_by_a_strategy() {
  program "$EMBED/primitive" "$ROOT/examples/embed/honest_score.lua" "$CLICKER"
  expect_code 0
  expect_out '^pass$'
  grep -q 'score [0-9]* after' "$(run_directory)/trace.jsonl" || fail "the strategy noted no score"
  program "$EMBED/primitive" "$ROOT/examples/embed/honest_score.lua"
  expect_code 3
}

test_a_test_program_of_a_game_plays_its_web_build() {
  program "$EMBED/game_test" "$CLICKER"
  expect_code 0
  expect_out '^web build: pass$'
  program "$EMBED/game_test" "$ROOT/examples/games/boot_exception"
  expect_code 1
  expect_out '^web build: fail$'
  program "$EMBED/game_test" nowhere
  expect_code 3
  expect_err 'nowhere'
}

test_python_hosts_it_by_ctypes() {
  program python3 "$ROOT/examples/embed/embed.py" "$LIBRARY"
  expect_code 0
  expect_out '^6$'
}

test_the_library_shows_its_api_alone_and_its_headers_compile() {
  nm -D --defined-only "$LIBRARY" | awk '{ print $3 }' > symbols
  [ "$(wc -l < symbols)" -eq "$(grep -c '^QA_HOST_API' "$ROOT/bindings/qa_host.h")" ] || fail "not every function is exported"
  ! grep -v '^qa_host_' symbols || fail "something else is exported"
  readelf -d "$LIBRARY" | grep -q 'SONAME.*\[libqa_host.so.1\]' || fail "another SONAME"
  local flags=(-Wall -Wextra -pedantic -Werror -fsyntax-only -I "$ROOT/bindings")
  cc -std=c11 "${flags[@]}" -x c - <<< '#include <qa_host.h>' || fail "qa_host.h is no C11"
  c++ -std=c++17 "${flags[@]}" -x c++ - <<< '#include <qa_host.h>' || fail "qa_host.h is no C++17"
  c++ -std=c++17 "${flags[@]}" -x c++ - <<< '#include <qa_host.hpp>' || fail "qa_host.hpp is no C++17"
}
