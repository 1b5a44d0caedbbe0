# shellcheck shell=bash disable=SC2154
# qa-host test --clock game, and qa-host replay.

# record OPTION...: a short run of a game, whose directory is in $dir.
record() {
  cat > tiny.lua <<'END'
return { name = "tiny",
  prepare = function(ctx) return ctx.page:navigate(ctx.url) and true end,
  start = function() return true end,
  step = function(ctx)
    assert(ctx.page:press(ctx.state.actions == 0 and "Enter" or "ArrowRight", { hold_ms = 200 }))
    ctx:wait(500)
    ctx.state.actions = ctx.state.actions + 1
    return ctx.state.actions < 3, "done"
  end,
  conclude = function(_, report) report.status, report.playability_score = "pass", 100 return report end }
END
  [ -d game ] || cp -r "$ROOT/examples/games/portal_pong" game
  run test game --strategy ./tiny.lua --clock game --seed 4 --out runs --reporter json "$@"
}

test_eg2_a_recording_is_the_same_again_without_its_server() {
  record
  expect_code 0
  expect_out '"clock":\{"build":"[0-9a-f]{64}","coverage":\[\],"frames":[0-9]+,"game_ms":[0-9.]+,"gaps":\[\],"kind":"game"'
  mv game gone
  run replay runs/*
  expect_code 0
  expect_out '^SAME  5 pictures, [0-9]+ frames'
  run replay runs/* --until 1
  expect_code 0
  expect_out '^SAME  3 pictures'
  # Another build, which draws something otherwise.
  cp -r gone other
  sed -i 's/#[0-9a-f]\{6\}/#123456/g' other/index.html
  run replay runs/* --target other
  expect_code 1
  expect_out '^DIFFERS  first at step 0 \(prepare\), frame 60: [0-9]+ pixels in '
  [ "$(find qa-runs -name '*.png' | wc -l)" -eq 2 ] || fail "both pictures are kept"
}

test_a_game_that_stops_drawing_is_the_same_again() {
  run test "$ROOT/examples/games/frozen" --clock game --seed 4 --set interaction_ms=6000 --out runs
  expect_code 1
  expect_out 'critical frozen: '
  run replay runs/*
  expect_code 0
  expect_out '^SAME  [0-9]+ pictures'
}

test_a_changed_byte_is_named() {
  record
  perl -pi -e 's/"Enter"/"Entes"/' runs/*/trace.jsonl
  run replay runs/*
  expect_code 3
  expect_err 'trace_mismatch: line [0-9]+ at offset [0-9]+ of .*trace\.jsonl was changed'
}

test_what_cannot_be_replayed_is_3() {
  record --tape memory
  expect_code 0
  run replay runs/*
  expect_code 3
  expect_err 'it was kept in memory; record it with --tape disk'
  rm -rf runs
  run test game --strategy ./tiny.lua --clock real --out runs
  run replay runs/*
  expect_code 3
  expect_err 'its run was not on game time'
  run replay
  expect_code 3
  run replay runs/* --until x
  expect_code 3
  run test game --clock slow
  expect_code 3
  expect_err "'real', 'game' or 'auto'"
}

test_a_game_that_does_not_repeat() {
  mkdir game
  # The name of a blob is random, and not by the seed.
  printf '<!doctype html><canvas id=c width=300 height=200></canvas><script>const g = c.getContext("2d");
    [...URL.createObjectURL(new Blob(["x"])).slice(-12)].forEach((digit, at) => g.fillRect(parseInt(digit, 16) * 18, at * 16, 8, 8));
    </script>' > game/index.html
  record
  expect_code 3
  expect_out 'cannot be played on game time'
  run test game --strategy ./tiny.lua --clock auto --out more --reporter json
  expect_code 0
  expect_out '"kind":"real"'
  expect_out 'played in real time: clock_unavailable'
}
