# shellcheck shell=bash disable=SC2154
# qa-host clock: two worlds of one seed, compared.

# page SCRIPT: a canvas that the script draws on.
page() {
  mkdir -p game
  printf '<!doctype html><canvas id=c width=300 height=200></canvas><script>const g = c.getContext("2d"); %s</script>' "$1" > game/index.html
}

test_a_game_that_moves_repeats() {
  run clock "$ROOT/examples/games/brick_wall" --frames 120 --input ArrowLeft@30
  expect_code 0
  expect_out '^REPEATABLE +120 frames'
  expect_out 'simulated seconds a second'
}

test_a_page_that_shows_chance_does_not_repeat() {
  # The name of a blob is random, and not by the seed.
  page 'const name = URL.createObjectURL(new Blob(["x"])).slice(-12); let n = 0;
    const f = () => { if (++n > 90) [...name].forEach((digit, at) => g.fillRect(parseInt(digit, 16) * 18, at * 16, 8, 8));
      requestAnimationFrame(f); }; f();'
  run clock game --frames 240 --reporter json
  expect_code 1
  expect_out '"repeatable":false'
  # The batch of frames, where the same frames once more happen to agree.
  expect_out '"first_difference":\{"frame":(90|91|120),'
}

test_a_page_that_stands_still_proves_little() {
  page 'g.fillRect(10, 10, 50, 50);'
  run clock game --frames 60
  expect_code 0
  expect_out 'nothing moved'
  run clock game --frames 60 --reporter json
  expect_code 0
  expect_out '"coverage":\[\]'
  expect_out '"moved":false'
}

# serve FOLDER: by tests/support/game_server.pl; its address in $url.
serve() {
  mkfifo server.in
  "$ROOT/tests/support/game_server.pl" "$1" < server.in > server.port &
  exec 9> server.in  # It ends when this closes.
  await 5 test -s server.port
  url=http://127.0.0.1:$(cat server.port)/
}

test_time_that_comes_over_a_websocket_does_not_repeat() {
  page 'let count = 0; new WebSocket("ws://" + location.host).onmessage = ({data}) => { count = Number(data); };
    const f = () => { g.clearRect(0, 0, 300, 200); g.fillRect(count * 7 % 280, 90, 20, 20); requestAnimationFrame(f); }; f();'
  serve game
  run clock "$url" --frames 240
  expect_code 1
  expect_out '^NOT REPEATABLE'
  expect_out 'not controlled: WebSocket in the page \(.* real time: test a build that plays without it'
  run clock "$url" --frames 240 --reporter json
  expect_code 1
  expect_out '"what":"WebSocket","where":"the page"'
}

test_threads_that_wait_on_shared_memory_are_named() {
  serve "$ROOT/tests/data/engines/threads"
  run clock "$url" --frames 180 --input Enter@60
  expect_code 1
  expect_out 'not controlled: a thread that goes by real time in worker 001 \(.*build the game without threads'
}

test_what_cannot_be_stepped_is_2_and_wrong_words_are_3() {
  page '__qa_clock.step = async () => ({done: 5, frames: 5, now: 1});'
  run clock game --frames 60
  expect_code 2
  for words in '' 'nowhere' 'game --frames 0' 'game --frames x' 'game --input Space' 'game --input Space@900' 'game --reporter xml' 'a b'; do
    # shellcheck disable=SC2086
    run clock $words
    expect_code 3
  done
  run --browser /nowhere/chromium clock game
  expect_code 4
}
