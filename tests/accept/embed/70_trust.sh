#!/usr/bin/env bash
# Acceptance lines of trust: a hostile folder runs nothing and gets no key, the user's own model answers, and what a page prints leaves
# every output JSON: `id: value (goal) ok|short`.
# usage: tests/accept/embed/70_trust.sh [WORD]   only the parts whose name contains WORD: folder own trusted page
# shellcheck disable=SC2154  # code is set by run and in_hostile
# shellcheck source=tests/support/acceptance.sh
. "$(dirname "$(readlink -f "$0")")/../../support/acceptance.sh"
# shellcheck source=tests/e2e/expect.sh
. "$ROOT/tests/e2e/expect.sh"
# shellcheck source=tests/e2e/trust_test.sh
. "$ROOT/tests/e2e/trust_test.sh"
work=$(mktemp -d)
catchers=''
trap 'kill $catchers 2> /dev/null; rm -rf "$work"' EXIT
unset OPENAI_API_KEY ANTHROPIC_API_KEY GEMINI_API_KEY OPENROUTER_API_KEY QA_MODEL QA_ENDPOINT QA_STATE

# part NAME: a folder of its own; false when NAME is not asked for.
part() {
  [[ $1 == *"$filter"* ]] || return 1
  own_url='' own_config=''
  mkdir -p "$work/$1" && cd "$work/$1" || exit 3
}

requests() { if [ -e "$1.requests" ]; then grep -c '^POST ' "$1.requests"; else echo 0; fi; }
# code_ran: how many of the outputs in ./said tell of code of the folder.
ran() { grep -lE 'CODE-RAN|PROMPT-USED' said/* 2> /dev/null | wc -l; }

folder() {
  part folder || return
  local i=0 words keys named=0
  mkdir said
  catch_requests evil
  hostile_folder
  while read -r -a words; do
    i=$((i + 1))
    in_hostile "${words[@]}"
    cat out err > "said/$i"
    [ "$(grep -c '^qa-host: .*not used: ./qa-host.lua, ./strategies, ./scripts/commands' err)" -eq 1 ] && named=$((named + 1))
  done << 'COMMANDS'
check standard
check mine
check games/clicker
mine
test . --set interaction_ms=1500 --set ready_ms=4000
test . --strategy agent --set interaction_ms=1500 --cassette cassette --model openai/gpt-4o
prompt find_target
prompt .
budget
memory show
plan show plan.json
plan status plan.json
plan run plan.json
check metadata.json
-e print(qa.llm.is_available("vision"))
spec .
COMMANDS
  keys=$(cat evil.requests said/* 2> /dev/null | cat - hostile/qa-runs/*/*.json* 2> /dev/null | grep -c 'canary-of')
  line hostile_code "$(ran) of $i commands, $(find . -name PROGRAM-RAN | wc -l) programs" "none runs code of the folder" \
    test "$(ran) $(find . -name PROGRAM-RAN | wc -l)" = "0 0"
  line hostile_secrets "$(requests evil) requests at its server, $keys lines with a key" "none" test "$(requests evil) $keys" = "0 0"
  line hostile_named "$named of $i" "one line names what is left out" test "$named" -eq "$i"
}

own() {
  part own || return
  catch_requests own "$ANSWER"
  own_url=http://127.0.0.1:$port/v1
  mkdir -p config/qa-host
  printf 'return { endpoints = { house = { base_url = "%s", model = "m", key_env = "SECRET_OF_CI", free = true } } }\n' "$own_url" > config/qa-host/config.lua
  catch_requests evil
  hostile_folder
  in_hostile test . "${FAST[@]}"
  line own_preset "exit $code, $(grep -c 'Bearer sk-canary-of-openai' own.requests) calls with the key, $(requests evil) elsewhere" "the same call works" \
    test "$code $(grep -c 'Bearer sk-canary-of-openai' own.requests) $(requests evil)" = "0 1 0"
  rm -f own.requests
  own_url='' own_config=$PWD/config
  in_hostile test . "${FAST[@]}" --endpoint house
  line own_endpoint "exit $code, $(grep -c 'Bearer canary-of-ci-secret' own.requests) calls with the key, $(requests evil) elsewhere" "the same call works" \
    test "$code $(grep -c 'Bearer canary-of-ci-secret' own.requests) $(requests evil)" = "0 1 0"
}

trusted() {
  part trusted || return
  local refused
  catch_requests evil
  hostile_folder
  in_hostile --trust . mine
  refused=$(grep -cE 'is not sent to|no endpoint of your configuration' out)
  line trusted_code "ran $(grep -c CODE-RAN out), $refused of 2 keys refused, $(requests evil) requests" "runs, and sends no key elsewhere" \
    test "$(grep -c CODE-RAN out) $refused $(requests evil)" = "1 2 0"
  in_hostile --trust . -e 'print(pcall(qa.llm.is_available, "vision"))'
  line trusted_configuration "$(grep -o 'endpoints is not for a project' out)" "endpoints of a project are refused" grep -q 'endpoints is not for a project' out
}

page() {
  part page || return
  local checked files
  # shellcheck source=tests/e2e/target_test.sh
  . "$ROOT/tests/e2e/target_test.sh"
  run test "$ROOT/tests/data/hostile_page" "${FAST[@]}" --reporter json
  files=(out "$(report)" "$(run_directory)/trace.jsonl")
  cp "$(report)" before.json
  "$QA_HOST" recover "$(run_directory)" > /dev/null 2>&1
  cp "${files[1]}" recovered.json
  hostile_lines
  checked=$("$QA_HOST" "$ROOT/tests/support/check_json.lua" "${files[@]}" recovered.json lines 2>&1)
  line json_lines "$checked lines of stdout, report, journal, recovered report and 300 texts with their events" "all parse, none has a raw control" \
    at_least "${checked//[!0-9]/x}" 700
}

folder
own
trusted
page
conclude
