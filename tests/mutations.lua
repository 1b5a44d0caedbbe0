--- One-line changes that a test must notice: at least one for each check of the judge, rung of the cascade, class of error, and gate.
-- `./dev soak mutations` applies each in a copy, runs its test, and expects red. `find` occurs in the file as it is here.
local judge, evidence, response = "strategies/parts/judge.lua", "scripts/qa/evidence.lua", "scripts/qa/response.lua"
local cascade = "strategies/parts/start_lists.lua"
local json_text, reader = "scripts/qa/json_text.lua", "scripts/qa/schema_reader.lua"
local json_text_spec, structured_spec = "spec tests/lua/json_text_spec.lua", "spec tests/lua/structured_spec.lua"
local fuzz_spec = "spec tests/lua/structured_fuzz_spec.lua"
local judge_spec, cascade_spec = "spec tests/strategies/judge_spec.lua", "spec tests/strategies/cascade_spec.lua"

return {
  -- Checks of the judge.
  { judge, "if f.load_error then", "if false then", judge_spec },
  { judge, "if f.refusal and", "if false and", judge_spec },
  { judge, "if f.ready.blank and", "if false and", judge_spec },
  { judge, "if f.ready.stalled and", "if false and", judge_spec },
  { judge, [[for _, kind in ipairs{ "crash", "hang",]], [[for _, kind in ipairs{ "hang",]], judge_spec },
  { judge, [["crash", "hang", "dialog_storm", "reload_loop", "redirect" } do]], [["crash", "dialog_storm", "reload_loop", "redirect" } do]], judge_spec },
  { judge, [["hang", "dialog_storm", "reload_loop", "redirect" } do]], [["hang", "reload_loop", "redirect" } do]], judge_spec },
  { judge, [["dialog_storm", "reload_loop", "redirect" } do]], [["dialog_storm", "redirect" } do]], judge_spec },
  { judge, [["reload_loop", "redirect" } do]], [["reload_loop" } do]], judge_spec },
  { judge, [[and not (kind == "hang" and f.recovered)]], "", judge_spec },
  { judge, [[if not f.declared and f.failed_before_ready then return "fail" end]], "", judge_spec },
  { judge, [[add("critical", "unresponsive"]], [[add("minor", "console_error"]], judge_spec },
  { judge, "  if not f.declared then", "  if false then", judge_spec },
  { judge, "  if not f.started then", "  if false then", judge_spec },
  { judge, [[if f.game_over then return]], [[if false then return]], judge_spec },
  { judge, [[local kind = f.still_at_end and "frozen" or "soft_lock"]], [[local kind = "soft_lock"]], judge_spec },
  { judge, "if f.still_at_end and f.loop_alive and f.was_animated then", "if false then", judge_spec },
  { judge, "if f.fps and f.fps < M.too_slow_fps", "if false", judge_spec },
  { judge, "if f.game_over and not", "if false and not", judge_spec },
  { judge, "if f.was_hung and not", "if false and not", judge_spec },
  { judge, "if (f.revived or f.restart_worked) and not", "if false and not", judge_spec },
  { judge, "if not f.start_is_certain then", "if false then", judge_spec },
  { judge, [[f.alive and "pass" or "fail"]], [["pass"]], judge_spec },
  { judge, [[f.ready.ok and "pass" or "fail"]], [["pass"]], judge_spec },
  { judge, [[local started = f.started and "pass"]], [[local started = true and "pass"]], judge_spec },
  { judge, [[if status == "pass" then score = math.max]], [[if false then score = math.max]], judge_spec },
  { "strategies/parts/findings.lua", [[if f.fps and f.fps < M.slow_fps then]], "if false then", judge_spec },

  -- Evidence.
  { response, "if beats >= rule.repeats then", "if beats >= 1 then", "spec tests/strategies/evidence_spec.lua" },
  { response, "if result.p <= rule.alpha then", "if false then", "spec tests/strategies/evidence_spec.lua" },
  { response, "or noise_share > rule.noisy_share then", "then", "spec tests/strategies/evidence_spec.lua" },
  { response, "if hits < 2 then return 1 end", "do return 1 end", "spec tests/strategies/evidence_spec.lua" },
  { response, "if #tested == 0 then return 1 end", "do return 1 end", "spec tests/strategies/evidence_spec.lua" },
  { response, "noisiest > rule.quiet_noise and 2 * rule.factor or", "", "spec tests/strategies/evidence_spec.lua" },
  { response, "and not touches(burst.control, burst.spot)", "", "spec tests/strategies/evidence_spec.lua" },
  { evidence, "byte(window.low, i) > byte(band.high, i) + margin", "byte(window.high, i) > byte(band.high, i) + margin",
    "spec tests/strategies/evidence_spec.lua" },
  { evidence, "byte(ch, i) + margin", "byte(ch, i)", "spec tests/strategies/evidence_spec.lua" },

  -- Rungs of the cascade.
  { cascade, [[  { id = "dom_exact", kind = "selectors", list = "exact_selectors" },]], "", cascade_spec },
  { cascade, [[  { id = "dom_attribute", kind = "selectors", list = "attribute_selectors", whole_word = true },]], "", cascade_spec },
  { cascade, [[  { id = "dom_text", kind = "words", list = "start_words" },]], "", cascade_spec },
  { cascade, [[  { id = "instruction", kind = "instructions" },]], "", cascade_spec },
  { cascade, [[  { id = "restart", kind = "words", list = "restart_words", again = true },]], "", cascade_spec },
  { cascade, [[  { id = "modal", kind = "words", list = "close_words", whole_text = true, clears = true },]], "", cascade_spec },
  { cascade, [[  { id = "probe", kind = "already_running" },]], "", cascade_spec },
  { cascade, [[  { id = "clickable", kind = "clickables", limit = 4 },]], "", cascade_spec },
  { cascade, [[  { id = "canvas", kind = "canvas_centre" },]], "", cascade_spec },
  { cascade, [[  { id = "key", kind = "blind_keys" },]], "", cascade_spec },
  { "scripts/qa/cascade.lua", "local changed = #cells >= limit", "local changed = true or #cells >= limit", cascade_spec },
  { "scripts/qa/cascade.lua", "or leaves_page(item, ctx.url)", "", cascade_spec },

  -- Ready and game type.
  { "scripts/qa/ready.lua", [["%f[%w]" .. phrase .. "%f[^%w]"]], "phrase", "spec tests/strategies/ready_spec.lua" },
  { "scripts/qa/ready.lua", [[if canvas.visible and]], "if", "spec tests/strategies/ready_spec.lua" },

  -- Answers of models: nothing is accepted that was not said.
  { json_text, "if node.by[key] then fail", "if false then fail", fuzz_spec },
  { json_text, "if p.at + #text > #p.text then p.at = #p.text + 1 end", "", json_text_spec },
  { json_text, "if #p.open == max_depth then", "if false then", json_text_spec },
  { json_text, "not value or is_lost or", "not value or", json_text_spec },
  { json_text, "if #node.items == 0 then return nil end", "", json_text_spec },
  { reader, "if not types[key] then problem", "if false then problem", fuzz_spec },
  { reader, "if not member then", "if not member and name ~= \"key\" then", fuzz_spec },
  { reader, "if not is_whole(text) or", "if value % 1 ~= 0 or", "spec tests/lua/schema_spec.lua" },
  { reader, "elseif made.max and count > made.max then", "elseif false then", fuzz_spec },
  { "scripts/qa/point_space.lua", "x >= 0 and x < limit_x) then return nil, outside(\"x\", x, limit_x, \" (ex",
    "x >= 0) then return nil, outside(\"x\", x, limit_x, \" (ex", fuzz_spec },
  { "scripts/qa/structured.lua", [[removed, not (before .. after):find "[%[%]{}]"]], "removed, true", structured_spec },
  { "scripts/qa/structured.lua", [[elseif after:find "[^ \t\r\n]" then]], "elseif false then", fuzz_spec },
  { "scripts/qa/structured.lua", "if not opts.ask_again or run.attempts >", "if not opts.ask_again or run.attempts >= 3 +", structured_spec },
  { "scripts/qa/page_text.lua", [[format(salt, label) .. text)]], "format(salt, label))", "spec tests/lua/page_text_spec.lua" },
  { "scripts/qa/page_text.lua", "w.owed + owed + marker_room", "marker_room", "spec tests/lua/page_text_spec.lua" },

  -- Classes of error: misuse raises, an outcome is nil and err, a loss raises and sticks.
  { "bindings/prelude.lua", "local function refuse_read(_, name)", "local function refuse_read(_, name) do return nil end",
    "spec tests/lua/primitives_spec.lua" },
  { "bindings/args.cpp", [[unknown option '{}' (did you mean '{}'?)]], [[unknown option '{}'{:.0}]], "spec tests/lua/primitives_spec.lua" },
  { "host/error.cpp", "kind == ErrorKind::browser_lost ||", "", "unit [bindings]" },

  -- Gates.
  { "host/browser/navigation.cpp", "if (!is_http && !is_https) return", "if (is_http && is_https) return", "unit [navigate]" },
  { "host/net/served_file.cpp",
    "if (real.empty() || (real + \"/\").compare(0, root.size(), root) != 0) return {};", "if (real.empty()) return {};",
    "unit [static_server]" },
  { "host/text.cpp", "terminal_safe(std::string_view text) {", "terminal_safe(std::string_view text) { return std::string(text);", "unit [text]" },
}
