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
  run check standard
  expect_code 0
  expect_out "strategy standard"
  [ -z "$(find moved -type l ! -name 'libqa_host.so*')" ] || fail "links: $(find moved -type l)"
}
