# shellcheck shell=bash disable=SC2154,SC2016,SC2034
# Scripts: arguments, exit codes, errors, and Lua that does not end.

test_script_sees_its_arguments() {
  printf '#!/usr/bin/env qa-host\nlocal qa = require "qa"\nprint(qa.args[1], qa.args[2], #qa.args)\n' > show.lua
  run show.lua one --two
  expect_code 0
  expect_out '^one.--two.2$'
}

test_code_on_the_command_line_runs() { run -e 'print(6 * 7)'; expect_code 0; expect_out '^42$'; }

test_what_a_script_returns_is_the_exit_code() {
  run -e 'return true'; expect_code 0
  run -e 'return false'; expect_code 1
  run -e 'return { status = "inconclusive" }'; expect_code 2
  run -e 'return { status = "fail" }'; expect_code 1
  run -e 'error("x")'; expect_code 3
}

test_a_script_requires_modules_beside_it() {
  mkdir parts
  printf 'return { word = "beside" }\n' > parts/said.lua
  printf 'print(require("parts.said").word, require "parts.said" == require "parts.said")\n' > says.lua
  run says.lua
  expect_code 0
  expect_out '^beside.true$'
}

test_check_runs_what_returns_a_table_and_no_script() {
  printf 'local function made()\n  return { 1 }\nend\nprint("ran", made()[1])\n' > script.lua
  run check script.lua
  expect_code 0
  expect_out '^script.lua: ok .script.$'
  for name in standard "$ROOT/strategies/agent.lua"; do
    run check "$name"
    expect_code 0
    expect_out 'ok .strategy '
  done
}

test_syntax_error_names_file_and_line() {
  printf 'local x =\nlocal y = 1\n' > broken.lua
  run broken.lua
  expect_code 3
  expect_err 'broken.lua:2'
}

test_error_names_file_and_line() {
  printf 'local x\n\nx.y = 1\n' > wrong.lua
  run wrong.lua
  expect_code 3
  expect_err 'wrong.lua:3'
}

test_binary_chunks_are_refused() {
  printf '\033LJ\002\n' > chunk.lua
  run chunk.lua
  expect_code 3
}

test_endless_loop_is_stopped() { run -e 'while true do end'; expect_code 3; expect_within 8000; }

test_endless_loop_in_pcall_is_stopped() { run -e 'while true do pcall(function() while true do end end) end'; expect_code 3; expect_within 8000; }

test_endless_loop_in_xpcall_is_stopped() {
  run -e 'local function loop() while true do end end while true do xpcall(loop, loop) end'
  expect_code 3
  expect_within 8000
}

test_native_hang_is_killed_by_the_supervisor() {
  printf 'local s = ("a"):rep(4000) print(s:find((".-"):rep(40) .. "b"))\n' > hang.lua
  run hang.lua
  expect_code 3
  expect_within 12000
  expect_err 'did not give control back'
}

test_memory_limit_ends_a_script() { run -e 'local t = {} for i = 1, 1e9 do t[i] = ("x"):rep(1e6) .. i end'; expect_code 3; }

test_closed_standard_descriptors_do_no_harm() {
  code=0
  "$QA_HOST" -e 'print("x") return false' <&- >&- 2>&- || code=$?
  expect_code 1
}

test_reader_that_goes_away_does_not_kill() {
  printf 'for i = 1, 20000 do print(i, ("x"):rep(50)) end return false\n' > talk.lua
  "$QA_HOST" talk.lua 2> err | head -n 1 > out
  code=${PIPESTATUS[0]}
  expect_code 1
}

test_slow_reader_is_no_hang() {
  printf 'for i = 1, 20000 do print(i, ("x"):rep(50)) end\n' > talk.lua
  "$QA_HOST" talk.lua 2> err | (sleep 10; cat > out)
  code=${PIPESTATUS[0]}
  expect_code 0
  [ "$(wc -l < out)" -eq 20000 ] || fail "lines were lost"
}

test_page_text_cannot_drive_the_terminal() {
  run -e 'print("\27[31mred\7")'
  expect_code 0
  ! grep -q "$(printf '\033')" out || fail "an escape reached stdout"
}

test_command_files_of_a_trusted_folder_are_commands() {
  mkdir -p scripts/commands
  printf 'return function(command) print("mine", command.name, command.arguments[1]) end\n' > scripts/commands/mine.lua
  run mine first
  expect_code 3
  expect_err "unknown command 'mine'.*not used: ./scripts/commands"
  run --trust . mine first
  expect_code 0
  expect_out '^mine.mine.first$'
}

test_specs_stop_after_as_many_failures_as_wanted() {
  echo 'return { a = function(t) t.fail() end, b = function(t) t.fail() end, c = function() end }' > a_spec.lua
  cp a_spec.lua b_spec.lua
  run spec .
  expect_code 1
  expect_out '^2 passed, 4 failed$'
  run spec --max-failures 1 .
  expect_code 1
  expect_out '^0 passed, 1 failed$'
  run spec --max-failures none .
  expect_code 3
  expect_one_line
}

test_specs_as_json_are_one_line_a_sentence() {
  echo 'return { a = function(t) t.equal(1, 2) end, b = function() end }' > a_spec.lua
  run spec --reporter json a_spec.lua
  expect_code 1
  [ "$(wc -l < out)" -eq 2 ] || fail "expected two lines"
  expect_out '"message":"[^"]*expected 2, got 1","name":"a","ok":false'
  expect_out '"name":"b","ok":true'
}
