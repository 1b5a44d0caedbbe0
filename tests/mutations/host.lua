--- The host: classes of error, gates, money, processes. See tests/soak/mutations.
return {
  -- Classes of error: misuse raises, an outcome is nil and err, a loss raises and sticks.
  { "bindings/prelude.lua", "local function refuse_read(_, name)", "local function refuse_read(_, name) do return nil end",
    "spec tests/lua/primitives_spec.lua" },
  { "bindings/args.cpp", [[unknown option '{}' (did you mean '{}'?)]], [[unknown option '{}'{:.0}]], "spec tests/lua/primitives_spec.lua" },
  { "host/browser/health_monitor.cpp", "constexpr double kStarved = 0.3", "constexpr double kStarved = 30", "unit [health]" },
  { "host/error.cpp", "kind == ErrorKind::browser_lost ||", "", "unit [bindings]" },

  -- What the host does for every page, and what it keeps from scripts and pages.
  { "host/browser/page_state.cpp", [[run_first(id, "pointer_lock");]], "", "unit [page]" },
  { "host/browser/navigation.cpp", "if (!is_http && !is_https) return", "if (is_http && is_https) return", "unit [navigate]" },
  { "host/net/served_file.cpp",
    "if (real.empty() || (real + \"/\").compare(0, root.size(), root) != 0) return {};", "if (real.empty()) return {};",
    "unit [static_server]" },
  { "host/text.cpp", "terminal_safe(std::string_view text) {", "terminal_safe(std::string_view text) { return std::string(text);", "unit [text]" },

  -- Money.
  { "host/money/ledger.cpp", "index = accounts[index].parent;", "index = kNoParent;", "unit [ledger]" },
  { "host/money/ledger.cpp", "state.cap - kept_now - state.spent - state.held", "state.cap - kept_now - state.spent", "unit [ledger]" },
  { "host/money/ledger.cpp", "std::max<Nano>(kept - analysis, 0)", "Nano{0}", "unit [ledger]" },
  { "host/money/ledger.cpp", ".state.is_closed = true;", ".state.is_closed = false;", "unit [ledger]" },
  { "host/money/ledger.cpp", "if (cap > state.cap) {", "if (cap > kMostMoney) {", "unit [ledger]" },
  { "host/money/ledger.cpp", "if (reservation_) forfeit();", "if (reservation_) refund();", "unit [ledger]" },
  { "host/money/ledger.cpp", "if (need > account.call_limit) {", "if (need > kMostMoney) {", "unit [ledger]" },
  { "host/money/money.cpp", "cap - cap / 10", "cap", "unit [ledger]" },
  { "host/money/prices.cpp", "(millionths + kPerMillion - 1) / kPerMillion", "millionths / kPerMillion", "unit [prices]" },
  { "host/money/prices.cpp", "if (input > tier.above) prices", "if (input >= tier.above) prices", "unit [prices]" },
  { "host/money/prices.cpp", "if (input_upper > tier.above) consider", "if (false) consider", "unit [prices]" },
  { "host/money/prices.cpp", "prices.cache_write.value_or(0)});", "Nano{0}});", "unit [prices]" },
  { "host/money/prices.cpp", "prices.cached_input.value_or(prices.input)", "prices.input", "unit [prices]" },
  { "host/money/prices.cpp", "row.until.empty() || day < row.until", "row.until.empty() || !day.empty()", "unit [prices]" },
  { "host/text.cpp", "return glob.find_first_not_of('*', g) == glob.npos;", "return true;", "unit [text]" },
  { "host/money/shared_ledger.cpp", [["day >= ?"]], [["day = ?"]], "unit [shared_ledger]" },
  { "host/money/shared_ledger.cpp", "scope.cap - sum(scope.spent, scope.held)", "scope.cap - scope.spent", "unit [shared_ledger]" },
  { "host/money/shared_ledger.cpp", "if (is_alive(process)) continue;", "if (is_alive(process) || true) continue;", "unit [shared_ledger]" },
  { "host/money/shared_ledger.cpp", "if (is_alive(process)) continue;", "if (process.empty() && is_alive(process)) continue;", "unit [shared_ledger]" },
  { "host/store/sqlite_store.cpp", [[store.query("BEGIN IMMEDIATE")]], [[store.query("BEGIN")]], "unit [shared_ledger]" },
  { "host/store/sqlite_store.cpp", [[if (store_) store_->query("ROLLBACK");]],
    [[if (store_) store_->query("COMMIT");]], "unit [shared_ledger]" },
  { "host/llm/image_tokens.cpp", "if (most.width % side == 0 || most.height % side == 0) return most;", "return most;", "unit [models]" },
  { "strategies/parts/seed_cost.lua", "not M.uncounted[call.purpose]", "true", "spec tests/strategies/seed_cost_spec.lua" },
  { "strategies/parts/seed_cost.lua", "M.near = 0.9", "M.near = 1", "spec tests/strategies/seed_cost_spec.lua" },
}
