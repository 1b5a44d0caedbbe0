# shellcheck shell=bash disable=SC2154
# What a wrong or plain command line gets: one line, the right exit code, nothing started.

test_no_words_print_the_help_and_exit_3() { run; expect_code 3; expect_err '^usage: qa-host'; }

test_help_goes_to_stdout_with_examples() { run --help; expect_code 0; expect_out 'examples:'; expect_out 'exit codes:'; }

test_help_of_test_lists_its_options() { run test --help; expect_code 0; expect_out '--strategy'; expect_out '--max-duration'; }

# The help of a command file is the comment that it begins with.
test_every_command_has_help() {
  local name
  for name in check clock recover diff doctor prompt budget memory plan spec; do
    run "$name" --help
    expect_code 0
    expect_out "^usage: qa-host $name"
    run help "$name"
    expect_code 0
    expect_out "^usage: qa-host $name"
  done
}

test_version_is_one_line() { run --version; expect_code 0; expect_out '^qa-host [0-9]+\.[0-9]+\.[0-9]+$'; }

test_unknown_command_is_met_with_a_guess() { run tets x; expect_code 3; expect_one_line; expect_err "did you mean 'test'"; }

test_unknown_option_is_met_with_a_guess() { run test "$CLICKER" --stratgy x; expect_code 3; expect_one_line; expect_err "did you mean '--strategy'"; }

test_unknown_option_before_the_script_is_refused() { run --hedaed x.lua; expect_code 3; expect_one_line; expect_err "did you mean '--headed'"; }

test_missing_script_is_named() { run nothing.lua; expect_code 3; expect_one_line; expect_err 'nothing.lua: no such file'; }

test_target_without_a_command_is_explained() { run "$CLICKER"; expect_code 3; expect_one_line; expect_err 'qa-host test'; }

test_test_without_a_target_is_refused() { run test; expect_code 3; expect_one_line; expect_err 'name a target'; }

test_bad_values_of_options_are_refused() {
  local words
  for words in '--set novalue' '-j 0' '-j many' '--seed -1' '--max-duration 90' '--max-duration 0s' '--reporter xml'; do
    # shellcheck disable=SC2086
    run test "$CLICKER" $words
    expect_code 3
    expect_one_line
  done
}

test_credentials_need_a_url_and_are_never_quoted() {
  local words
  printf 'sesame-opens\n' > file
  for words in '--header sesame-opens' '--header Cookie:sesame-opens' '--header @file' '--header @none' '--basic-auth sesame-opens' \
    '--basic-auth @file' '--cookie-file file' '--cookie-file none' '--header X:sesame-opens'; do
    # shellcheck disable=SC2086
    run test $words "$([ "$words" = '--header X:sesame-opens' ] && echo "$CLICKER" || echo http://127.0.0.1:1/)"
    expect_code 3
    expect_one_line
    expect_err "^qa-host: ${words%% *}"
    ! grep -q sesame err out || fail "the value is on the terminal: $words"
  done
  expect_err 'for an http or https URL'
  [ ! -e qa-runs ] || fail 'a run has begun'
}

test_c003_the_environment_names_the_strategy_and_the_command_line_is_stronger() {
  run test "$CLICKER" --set none=1
  expect_err '--set none: standard has no such option'
  ENABLE_ADAPTIVE_QA=true run test "$CLICKER" --set none=1
  expect_code 3
  expect_err '--set none: adaptive has no such option'
  ENABLE_ADAPTIVE_QA=true run test "$CLICKER" --set none=1 --strategy action_groups
  expect_err '--set none: action_groups has no such option'
}

test_c003_a_mode_that_needs_a_model_says_so() {
  ENABLE_ADAPTIVE_QA=true run test "$CLICKER"
  expect_code 4
  expect_report 'r.status' error
  expect_report 'r.issues[1].description:match("strategy adaptive asks a model") ~= nil' true
}

test_forbidden_targets_are_refused() {
  local target
  for target in "file://$CLICKER/index.html" chrome://version about:blank ftp://example.org/ javascript:1; do
    run test "$target"
    expect_code 3
  done
  [ -z "$(run_directory)" ] || fail "a run had begun"
}

test_missing_folder_is_refused() { run test ./no/such/folder; expect_code 3; }

test_unknown_strategy_is_met_with_a_guess() { run test "$CLICKER" --strategy standrad; expect_code 3; expect_err "standard"; }

test_unknown_strategy_option_is_met_with_a_guess() {
  run test "$CLICKER" --set interaction_mss=5
  expect_code 3
  expect_err "interaction_ms"
}

test_c010_malformed_metadata_is_refused_before_a_run() {
  printf '{"inputSchema": 5' > bad.json
  run test "$CLICKER" --metadata bad.json
  expect_code 3
  expect_err 'bad.json'
  [ -z "$(run_directory)" ] || fail "a run had begun"
}

test_unwritable_output_folder_is_refused() {
  touch plain-file
  run test "$CLICKER" --out plain-file/below
  expect_code 3
}

test_check_lists_the_options_of_a_strategy() {
  run check standard --reporter json
  expect_code 0
  grep -q '"name":"interaction_ms"' out || fail "an option is missing"
  [ "$(grep -o '"default":' out | wc -l)" -le 30 ] || fail "more than 30 options"
}

test_check_accepts_a_good_strategy_and_names_a_bad_field() {
  printf 'return { name = "mine", limits = { actions = 3 } }\n' > good.lua
  run check good.lua
  expect_code 0
  printf 'return { name = "mine", stepp = 3 }\n' > bad.lua
  run check bad.lua
  expect_code 3
  cat out err > both
  grep -q "stepp" both || fail "the field is not named"
}

test_doctor_names_what_is_missing() {
  run doctor
  expect_code 0
  expect_out '^ok +browser'
  expect_out '^ok +reading'
  # Without data for reading runs go on.
  TESSDATA_PREFIX=/nowhere run doctor
  expect_code 0
  expect_out '^MISSING reading +ocr_unavailable: .*tesseract-ocr-eng'
  [ ! -s err ] || fail "stderr is not empty"
  run --browser /nowhere/chromium doctor
  expect_code 4
  expect_out '^MISSING browser +.*/nowhere/chromium'
}
