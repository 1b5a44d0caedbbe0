# shellcheck shell=bash disable=SC2154
# qa-host diff: native, no worker.

# Two one-pixel pictures, red and blue.
pictures() {
  base64 -d > red.png <<< 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC'
  base64 -d > blue.png <<< 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNgYPgPAAEDAQAIicLsAAAAAElFTkSuQmCC'
}

test_same_pictures_are_0() { pictures; run diff red.png red.png; expect_code 0; expect_out '^same: 1x1'; }

test_different_pictures_are_1_with_the_count() { pictures; run diff red.png blue.png; expect_code 1; expect_out '1 of 1 pixels'; expect_out 'region x=0 y=0 width=1 height=1'; }

test_missing_and_broken_pictures_are_3() {
  pictures
  run diff red.png nothing.png
  expect_code 3
  expect_one_line
  printf 'no picture' > text.png
  run diff red.png text.png
  expect_code 3
  expect_one_line
  run diff red.png .
  expect_code 3
  run diff red.png
  expect_code 3
}
