# shellcheck shell=bash disable=SC2154
# The installed prefix, moved away from where it was installed.

# install: what `cmake --install` makes of the build under test, in ./moved.
install_and_move() {
  cmake --install "$(dirname "$(dirname "$QA_HOST")")" --prefix "$PWD/first" > install.log || fail "$(cat install.log)"
  mv first moved
  QA_HOST=$PWD/moved/bin/qa-host
}

# A picture of one pixel: reading text off it loads the library that reads.
DOT=iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==

test_a_moved_prefix_uses_its_own_scripts_and_libraries() {
  install_and_move
  base64 -d <<< "$DOT" > dot.png
  run -e 'print(qa.fs.share()); assert(assert(qa.image.load("dot.png")):text{})
    for line in assert(qa.fs.read("/proc/self/maps")):gmatch "[^\n]+" do print(line) end'
  expect_code 0
  expect_out "^$PWD/moved/share/qa-host$"
  expect_out " $PWD/moved/lib.*/qa-host/libqa_ocr.so$"
  ! grep -q "$ROOT/build" out || fail "uses the build tree"
  ln -s "$QA_HOST" link
  QA_HOST=$PWD/link run check standard
  expect_code 0
  expect_out "strategy standard"
  [ -z "$(find moved -type l ! -name 'libqa_host.so*')" ] || fail "links: $(find moved -type l)"
}

# offered WORDS...: what bash would complete the last of the words to, one a line.
offered() {
  # shellcheck disable=SC2016  # expanded by the inner shell
  bash -c '. "$1" && COMP_WORDS=("${@:2}") COMP_CWORD=$(($# - 2)) && _qa_host 2> /dev/null && printf "%s\n" "${COMPREPLY[@]}"' \
    _ moved/share/bash-completion/completions/qa-host qa-host "$@" | sort
}

expect_offers() {
  local got
  got=$(offered "${@:2}" | xargs)
  [ "$got" = "$1" ] || fail "completion of '${*:2}': '$got', expected '$1'"
}

# find_package and pkg-config, of a program that runs the scripts of the moved prefix.
test_a_moved_prefix_serves_programs() {
  install_and_move
  local answer="{\"answer\":42,\"share\":\"$PWD/moved/share/qa-host\"}" config
  cmake -S "$ROOT/tests/data/installed" -B found -DCMAKE_PREFIX_PATH="$PWD/moved" > cmake.log 2>&1
  cmake --build found >> cmake.log 2>&1 || fail "$(cat cmake.log)"
  [ "$(found/installed)" = "$answer" ] || fail "find_package: $(found/installed)"
  config=$(dirname "$(find moved -name qa_host.pc)")
  # shellcheck disable=SC2046  # words
  cc "$ROOT/tests/data/installed/main.c" -o piped $(PKG_CONFIG_PATH=$config pkg-config --cflags --libs qa_host)
  [ "$(LD_LIBRARY_PATH=$(dirname "$config") ./piped)" = "$answer" ] || fail "pkg-config: $(./piped)"
}

test_completion_offers_what_the_tables_have() {
  local command own
  install_and_move
  mkdir folder && touch script.lua other.txt
  # Every option of every place, as the parser's table has it, and which places a command reads.
  "$QA_HOST" help --tables | awk -F '\t' '$1 == "option" { gsub(/[{].*/, "", $3); gsub(",", "\n", $3); print $2, $3 }' |
    awk 'NF == 2 { place = $1; name = $2 } NF == 1 { name = $1 } { print place, name }' > options
  expect_offers "$(grep -E '^(top|shared) ' options | cut -d' ' -f2 | sort | xargs)" -
  "$QA_HOST" help --tables | awk -F '\t' '$1 == "command" && $5 != "" { print $2, $5 }' > places
  while read -r command own; do
    expect_offers "$( (grep -E "^(${own// /|}) " options | cut -d' ' -f2; [[ $own == *shared* ]] || echo --help) | sort | xargs)" \
      --headed --out folder "$command" -
  done < places
  [ "$(grep -cE '^(serve serve event shared|diff diff) ' places)" -eq 2 ] || fail "places: $(xargs < places)"
  expect_offers "$( ("$QA_HOST" help --tables | awk -F '\t' '$1 == "command" { print $2 }'; printf 'help\nscript.lua\n') | sort | xargs)" ''
  expect_offers "--cassette-mode" --cassette-
  expect_offers "record refresh replay" test game --cassette-mode ''
  expect_offers "json list" test --reporter ''
  expect_offers "folder moved" --out ''
  expect_offers "other.txt" test --metadata oth
  # Of command files, by their usage.
  expect_offers "export forget import show" memory ''
  expect_offers "day model purpose run suite" budget --by ''
  expect_offers "--game --goal --help" memory export --
}

test_the_manual_page_has_every_option_and_command() {
  local name
  install_and_move
  "$QA_HOST" help --tables | awk -F '\t' '$1 == "option" { gsub(/[{].*/, "", $3); gsub(",", "\n", $3); print $3 }' |
    sed 's/-/\\-/g' > names
  while read -r name; do grep -qF -- "$name" moved/share/man/man1/qa-host.1 || fail "the page lacks $name"; done < names
  grep -q '^\.SS memory$' moved/share/man/man1/qa-host.1 || fail "the page lacks the usage of a command file"
  grep -qF '"qa\-host '"$("$QA_HOST" --version | cut -d' ' -f2)"'"' moved/share/man/man1/qa-host.1 || fail "the page is of another version"
}
