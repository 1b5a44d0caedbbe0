# shellcheck shell=bash disable=SC2154
# Acceptance lines of verified projects: sourced by tests/accept/memory.sh, whose `part` and `line` they use.
# KILLS is how often a plan is killed (200).

SAMPLE=$ROOT/tests/accept/plan

plan_run() { "$QA_HOST" plan run project/plan.json --allow-process "$@" > out 2> err; }
# state_of WORD: how many tasks that are no parents have this state.
state_of() {
  "$QA_HOST" -e 'local state = require("qa.project.plan_state").read("project/plan.json") local n = 0
    for _, node in ipairs(require("qa.project.plan_file").tree(require("qa.project.plan_file").load("project/plan.json")).leaves) do
      if state:record(node.path).state == qa.args[1] then n = n + 1 end end print(n)' "$1"
}
hashes() { (cd project && find . \( -path '*/tests/*' -o -name Makefile -o -name plan.json \) -not -path './plan.state/*' -type f -print0 | sort -z | xargs -0 sha256sum); }

# independent: how many of the 17 shell tests pass when nobody but a shell runs them.
independent() {
  local phase test passed=0
  for phase in numbers words game; do
    for test in "project/$phase/tests"/*.sh; do
      [ "$test" = project/game/tests/play.sh ] && continue
      (cd "project/$phase" && sh "tests/$(basename "$test")" > /dev/null 2>&1) && passed=$((passed + 1))
    done
  done
  echo "$passed"
}

plan_sample() {
  part plan_sample || return
  local before failing code=0 pass
  "$SAMPLE/sample" project fixes
  before=$(hashes)
  failing=$((17 - $(independent) + 1))
  plan_run --bug-hunter "$SAMPLE/hunter $PWD/fixes" || code=$?
  pass=$(sed -nE 's/^([0-9]+ of [0-9]+ tasks completed, [0-9]+ of [0-9]+ tests pass).*/\1/p' out)
  line plan_sample "$failing of 18 failed at first; $pass, exit $code" "15; 18 of 18 pass" \
    test "$failing" -eq 15 -a "$code" -eq 0 -a "$pass" = "18 of 18 tasks completed, 18 of 18 tests pass"
  line plan_sample_independent "$(independent) of 17 tests pass outside of qa-host" "all of those that are no game" test "$(independent)" -eq 17
  line plan_sample_tests_kept "$([ "$before" = "$(hashes)" ] && echo same || echo changed)" "tests and plan as they were" test "$before" = "$(hashes)"
  line plan_mended "$(sed -nE 's/^([0-9]+ tasks failed at first, .*)/\1/p' out)" "more than 80 % of failures mended" grep -qE '^15 tasks failed at first, 15 mended' out
  line plan_review "$(grep -c '^review ' out) triggers; $(sed -nE 's/^review (retry success|test time share|missed tests) +([0-9]+ %).*/\1 \2/p' out | paste -sd, -)" \
    "computed and printed" grep -qE '^review retry success +100 %' out
}

plan_cheats() {
  part plan_cheats || return
  local kind completed failed code before
  for kind in edit delete runner link plan nothing; do
    rm -rf project fixes
    "$SAMPLE/sample" project fixes without-game
    # Each failing task is hunted, also where a phase before it failed.
    sed -i 's/, "dependencies": \["phase-1", "phase-2"\]//' project/plan.json
    before=$(hashes)
    code=0
    plan_run --bug-hunter "$SAMPLE/cheat $kind" || code=$?
    completed=$(state_of completed) failed=$(($(state_of failed) + $(state_of blocked)))
    line "plan_cheat_$kind" "$completed completed, $failed failed or blocked, exit $code, tests $([ "$before" = "$(hashes)" ] && echo same || echo changed), $(sed -nE 's/.* ([0-9]+ attempts changed a test)/\1/p' out)" \
      "none of the failing ones completed, tests as they were" test "$completed" -le 3 -a "$code" -eq 1 -a "$((completed + failed))" -eq 18 -a "$before" = "$(hashes)"
  done
}

# finished_in FILE: tasks whose completion a run has told, by their id.
finished_in() { sed -nE 's/.* > ([a-z_]+): completed.*/\1/p' "$1"; }

plan_kills() {
  part plan_kills || return
  local kills=0 lost=0 corrupt=0 plans=0 wrong=0 unfinished=0 id host target begin pause
  RANDOM=7
  while [ "$kills" -lt "${KILLS:-200}" ]; do
    rm -rf project fixes
    "$SAMPLE/sample" project fixes without-game
    begin=$(hashes)
    plans=$((plans + 1))
    : > told
    while :; do
      "$QA_HOST" plan run project/plan.json --allow-process --bug-hunter "$SAMPLE/hunter $PWD/fixes" > out 2> err &
      host=$!
      pause=$((RANDOM % 400))
      sleep "0.$(printf %03d "$pause")"
      # Half of the kills hit the worker, half its supervisor.
      target=$host
      [ $((RANDOM % 2)) -eq 0 ] && target=$(pgrep -P "$host" -f qa-host-worker | head -n 1)
      if kill -9 "${target:-$host}" 2> /dev/null; then killed=yes; else killed=no; fi
      code=0
      wait "$host" 2> /dev/null || code=$?
      finished_in err >> told
      [ $killed = yes ] && [ "$code" -ne 0 ] && kills=$((kills + 1))
      "$QA_HOST" plan status project/plan.json > seen || corrupt=$((corrupt + 1))
      ls project/plan.state/journal.corrupt-* > /dev/null 2>&1 && corrupt=$((corrupt + 1))
      while read -r id; do
        grep -qE "$id +(completed|testing)" seen || lost=$((lost + 1))
      done < <(sort -u told)
      [ "$code" -eq 0 ] && break
      [ "$code" -eq 1 ] && { unfinished=$((unfinished + 1)); break; }
      [ "$kills" -ge "${KILLS:-200}" ] && { plan_run --bug-hunter "$SAMPLE/hunter $PWD/fixes" || unfinished=$((unfinished + 1)); break; }
    done
    [ "$begin" = "$(hashes)" ] || wrong=$((wrong + 1))
    [ "$(state_of completed)" -eq 18 ] || wrong=$((wrong + 1))
    [ "$(independent)" -eq 17 ] || wrong=$((wrong + 1))
  done
  line plan_kills "$kills kills in $plans plans: $corrupt corrupt states, $lost completions lost, $unfinished not finished, $wrong wrong at the end" \
    "200 kills, all else 0" test "$kills" -ge "${KILLS:-200}" -a $((corrupt + lost + unfinished + wrong)) -eq 0
}
