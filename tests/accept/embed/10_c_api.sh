#!/usr/bin/env bash
# Acceptance lines of the C API: the library as it is installed, alone and under sanitizers: `id: value (goal) ok|short`.
# usage: tests/accept/embed/10_c_api.sh [WORD]   only the parts whose name contains WORD: api installed measures address
# thread
# Needs root: the source tree with its builds is hidden by a mount. Builds the presets sanitize and thread.
# shellcheck source=tests/support/acceptance.sh
. "$(dirname "$(readlink -f "$0")")/../../support/acceptance.sh"
cd "$ROOT" || exit 3
[ "$(id -u)" -eq 0 ] || { echo "10_c_api.sh: run as root" >&2; exit 3; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export QA_STATE=$work/state
cp -r examples/games/clicker "$work"

# prefix BUILD NAME: installs the library of a build tree as $work/NAME.
prefix() {
  local component
  for component in library development; do
    cmake --install "$1" --component "$component" --prefix "$work/$2" || return
  done > "$work/install-$2.log" 2>&1
}

# examples NAME FLAGS...: builds the examples, and the measuring program, against $work/NAME.
examples() {
  local name=$1 flags=${*:2}
  cp -r examples/embed "$work/embed-$name"
  cp tests/accept/embed/c_api.cpp "$work"
  {
    hidden "$work" cmake -S "embed-$name" -B "built-$name" -DCMAKE_PREFIX_PATH="$work/$name" -DCMAKE_C_FLAGS="$flags -O1" \
      -DCMAKE_CXX_FLAGS="$flags -O1" && hidden "$work" cmake --build "built-$name" &&
      hidden "$work" c++ -std=c++17 -O1 ${flags:+$flags} c_api.cpp -o "built-$name/c_api" -I"$work/$name/include" \
        -L"$(dirname "$(find "$work/$name" -name libqa_host.so)")" -lqa_host \
        -Wl,-rpath,"$(dirname "$(find "$work/$name" -name libqa_host.so)")"
  } > "$work/built-$name.log" 2>&1 || tail -n 5 "$work/built-$name.log"
}

# runs NAME ID: the examples, and how many sanitizer reports they gave.
runs() {
  local name=$1 id=$2 built=$work/built-$1 said reports
  hidden "$work" "$built/minimal" > "$work/said" 2> "$work/$name.err"
  said="minimal $?"
  hidden "$work" "$built/primitive" "$work/embed-$name/honest_score.lua" "$work/clicker" > /dev/null 2>> "$work/$name.err"
  said+=" primitive $?"
  hidden "$work" "$built/game_test" "$work/clicker" > /dev/null 2>> "$work/$name.err"
  said+=" game_test $?"
  reports=$(grep -cE '^==[0-9]+==ERROR|WARNING: ThreadSanitizer|runtime error:' "$work/$name.err")
  line "$id" "exit codes: $said; $reports reports" "0 0 0; 0" \
    test "$said; $reports" = "minimal 0 primitive 0 game_test 0; 0"
}

api() {
  part api || return
  local library headers=0 flags=(-Wall -Wextra -pedantic -Werror -fsyntax-only -I bindings)
  library=$(find "$(dirname "$(dirname "$QA_HOST")")" -maxdepth 3 -name libqa_host.so.1)
  line api_exports "$(nm -D --defined-only "$library" | grep -c ' qa_host_'), $(nm -D --defined-only "$library" | grep -vc ' qa_host_') others" \
    "0 others" test "$(nm -D --defined-only "$library" | grep -vc ' qa_host_')" -eq 0
  for compiler in cc clang; do
    "$compiler" -std=c11 "${flags[@]}" -x c - <<< '#include <qa_host.h>' && headers=$((headers + 1))
  done
  for compiler in c++ clang++; do
    for header in qa_host.h qa_host.hpp; do
      "$compiler" -std=c++17 "${flags[@]}" -x c++ - <<< "#include <$header>" && headers=$((headers + 1))
    done
  done
  line api_headers "$headers of 6 compile as C11 and C++17" "6" test "$headers" -eq 6
}

installed() {
  part installed || part measures || return
  prefix "$(dirname "$(dirname "$QA_HOST")")" plain
  examples plain
}

plain() {
  part installed || return
  runs plain installed_examples
  local said
  said=$(hidden "$work" python3 embed-plain/embed.py "$(find "$work/plain" -name libqa_host.so.1)")
  line installed_python "$said" 6 test "$said" = 6
}

measures() {
  part measures || return
  local before after memory_before memory_after worst with without
  read -r before after memory_before memory_after <<< "$(hidden "$work" built-plain/c_api cycles 500)"
  line cycles_descriptors "$before after 100, $after after 500 hosts" "as many" test "$before" = "$after"
  line cycles_memory "$memory_before KiB after 100, $memory_after KiB after 500 hosts" "at most 1024 more" \
    at_most "$memory_after" "$((memory_before + 1024))"
  worst=$(hidden "$work" built-plain/c_api stop 40)
  line stop_worst "$worst ms" "at most 100" at_most "$worst" 100
  hidden "$work" cc -O1 -x c - -o "$work/empty" <<< 'int main(void) { return 0; }'
  read -r with without <<< "$(hidden "$work" built-plain/c_api start 100 built-plain/minimal ./empty)"
  line start_cost "$with ms, an empty program $without ms" "at most 10 more" \
    at_most "$with" "$(awk -v a="$without" 'BEGIN { print a + 10 }')"
}

# sanitized PRESET NAME: the examples on the installed library, then the tests of the API, hosts that are destroyed in
# the middle of calls of browser, model and program among them.
sanitized() {
  local preset=$1 name=$2 flag=$3 said
  part "$name" || return
  { [ -f "build-$preset/build.ninja" ] || cmake --preset "$preset"; } > "$work/$name.log" 2>&1
  nice ninja -C "build-$preset" qa_host_shared qa_ocr qa-embed-tests >> "$work/$name.log" 2>&1 || tail -n 5 "$work/$name.log"
  prefix "build-$preset" "$name"
  examples "$name" "$flag"
  runs "$name" "${name}_examples"
  "build-$preset/bin/qa-embed-tests" > "$work/$name.tests" 2>&1
  said=$?
  reports=$(grep -cE '^==[0-9]+==ERROR|WARNING: ThreadSanitizer|runtime error:' "$work/$name.tests")
  line "${name}_tests" "exit $said, $reports reports: $(tail -n 2 "$work/$name.tests" | head -n 1)" "0, 0" \
    test "$said $reports" = "0 0"
}

api
installed
plain
measures
sanitized sanitize address -fsanitize=address
sanitized thread thread -fsanitize=thread
conclude
