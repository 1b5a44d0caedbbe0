# shellcheck shell=bash disable=SC2154
# Strategies that ask models, over games that need decisions, from cassettes: no socket is opened and nothing is spent.
# A cassette holds what tests/peers/player.mjs answered; how to record them anew: tests/data/cassettes/README.md.

CASSETTES=$ROOT/tests/data/cassettes
# A round of a test need not wait as long as one of a game that nobody knows.
QUICK=(--set ready_ms=8000 --set interaction_ms=3000)

# played_by STRATEGY: a strategy that plays as STRATEGY does, and says at its end how far the game is.
played_by() {
  cat << LUA
local qa = require "qa"
local function cpu_ms()
  local sum = 0
  for _, task in ipairs(qa.fs.list("/proc/self/task") or {}) do
    local said = qa.fs.read("/proc/self/task/" .. task:gsub("/\$", "") .. "/schedstat")
    sum = sum + (said and tonumber(said:match "^%d+") or 0) / 1e6
  end
  return sum
end
return {
  name = "played", extends = "$1", clock = "auto",
  step = function(ctx, base)
    -- The model's part of the play; the proof and the last analysis follow it.
    local is_led = not ctx.state.led_until
    ctx.state.played_since = ctx.state.played_since or { ms = qa.now_ms(), cpu_ms = cpu_ms() }
    local going, reason = base(ctx)
    -- The proof may begin another round.
    if is_led and (ctx.state.led_until or not going) then
      ctx.state.played_until = { ms = qa.now_ms(), cpu_ms = cpu_ms(), won = ctx.page:evaluate("game.won") == true }
    end
    return going, reason
  end,
  conclude = function(ctx, report, base)
    local first, last = ctx.state.played_since or {}, ctx.state.played_until or {}
    local made = base(ctx, report)
    made.played = { won = last.won or ctx.page:evaluate("game.won") == true, progress = tostring(ctx.page:evaluate("$2")), url = ctx.page:evaluate("location.protocol"),
      ms = (last.ms or 0) - (first.ms or 0), cpu_ms = (last.cpu_ms or 0) - (first.cpu_ms or 0) }
    return made
  end,
}
LUA
}

# field GAME NAME: of its expected.json.
field() { "$QA_HOST" -e 'print(qa.json.decode(assert(qa.fs.read(qa.args[1])))[qa.args[2]])' "$ROOT/examples/games/$1/expected.json" "$2"; }

# play STRATEGY GAME ARGS...: one run of a decision game.
play() {
  local strategy=$1 game=$2
  shift 2
  played_by "$strategy" "$(field "$game" progress_js)" > played.lua
  run test "$ROOT/examples/games/$game" --strategy ./played.lua --metadata "$ROOT/examples/games/$game/metadata.json" --seed 7 "$@"
}

# A game is played to its end by what a cassette says, judged a pass, and its report tells what that took.
plays_from_cassette() {
  play "$1" "$2" --model openai/gpt-4o --cassette "$CASSETTES/$1/$2" "${QUICK[@]}"
  expect_code 0
  expect_report 'r.played.won' true
  expect_report 'r.budget.spent_usd' 0
  expect_report 'type(r.metadata.estimatedCost)' number
  expect_report 'r.metrics.model_calls >= 2 and r.metrics.model_calls == #r.budget.calls' true
  expect_report 'r.metrics.actions_per_screenshot > 0' true
  expect_report 'r.completion_reason ~= nil and #r.metadata.actionHistory > 0' true
  expect_report '#r.prompts[1].sha256' 64
}

test_adaptive_plays_night_ferry_to_its_end() { plays_from_cassette adaptive night_ferry; }
test_adaptive_plays_ledge_jumper_to_its_end() { plays_from_cassette adaptive ledge_jumper; }
test_adaptive_plays_rune_pairs_to_its_end() { plays_from_cassette adaptive rune_pairs; }
test_adaptive_plays_beacon_works_to_its_end() { plays_from_cassette adaptive beacon_works; }
test_action_groups_play_night_ferry_to_its_end() { plays_from_cassette action_groups night_ferry; }
test_action_groups_play_ledge_jumper_to_its_end() { plays_from_cassette action_groups ledge_jumper; }
test_action_groups_play_rune_pairs_to_its_end() { plays_from_cassette action_groups rune_pairs; }
test_action_groups_play_beacon_works_to_its_end() { plays_from_cassette action_groups beacon_works; }
test_batched_plays_night_ferry_to_its_end() { plays_from_cassette batched night_ferry; }
test_batched_plays_ledge_jumper_to_its_end() { plays_from_cassette batched ledge_jumper; }
test_batched_plays_rune_pairs_to_its_end() { plays_from_cassette batched rune_pairs; }
test_batched_plays_beacon_works_to_its_end() { plays_from_cassette batched beacon_works; }
test_agent_plays_night_ferry_to_its_end() { plays_from_cassette agent night_ferry; }
test_agent_plays_ledge_jumper_to_its_end() { plays_from_cassette agent ledge_jumper; }
test_agent_plays_rune_pairs_to_its_end() { plays_from_cassette agent rune_pairs; }
test_agent_plays_beacon_works_to_its_end() { plays_from_cassette agent beacon_works; }

test_a_model_without_a_price_ends_the_run_before_the_game_is_opened() {
  local strategy
  for strategy in adaptive action_groups batched agent; do
    OPENAI_API_KEY=sk-none run test "$CLICKER" --strategy "$strategy" --model openai/never-heard-of --out "$strategy"
    expect_code 4
    expect_out 'no price is known for "never-heard-of" at openai'
    expect_out ' 0 steps'
  done
}

# What decides is the model: blind input does not get to the end of these games.
test_blind_input_ends_no_game_of_decisions() {
  local game
  for game in night_ferry ledge_jumper rune_pairs beacon_works; do
    play standard "$game" "${QUICK[@]}" --out "$game"
    expect_code 0
    [ "$("$QA_HOST" -e 'print(qa.json.decode(assert(qa.fs.read(qa.args[1]))).played.won)' "$game"/*/report.json)" = false ] || fail "$game was won"
  done
}
