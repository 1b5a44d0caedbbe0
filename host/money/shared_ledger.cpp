#include "host/money/shared_ledger.h"

#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <iterator>
#include <utility>

namespace qa {
namespace {

constexpr std::int64_t kSchema = 1;

// `cost` is what counts against the caps: the need while the call is held or forfeited, the bill once it is settled.
constexpr const char* kTables[] = {
    "CREATE TABLE calls (id INTEGER PRIMARY KEY AUTOINCREMENT, day TEXT NOT NULL, suite TEXT NOT NULL, "
    "run TEXT NOT NULL, model TEXT NOT NULL, purpose TEXT NOT NULL, process TEXT NOT NULL, "
    "state TEXT NOT NULL, need INTEGER NOT NULL, cost INTEGER NOT NULL)",
    "CREATE INDEX calls_of_day ON calls (day, state, cost)",
    "CREATE INDEX calls_of_suite ON calls (suite, state, cost)",
    "CREATE INDEX calls_held ON calls (process) WHERE state = 'held'",
};

std::int64_t system_clock_now() { return std::time(nullptr); }

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// A process for all time: its id is used again, but not with the same start and in the same boot. "" when it is gone.
std::string process_identity(const std::string& pid) {
  const std::string stat = contents("/proc/" + pid + "/stat");
  const std::size_t name_end = stat.rfind(')');  // The name before it may hold anything.
  if (name_end == stat.npos) return "";
  constexpr int start_field = 22 - 2;  // Counted from the state, which is field 3, as proc(5) numbers them.
  std::size_t at = name_end + 1;
  for (int field = 1; field < start_field && at != stat.npos; ++field) at = stat.find(' ', at + 1);
  if (at == stat.npos || stat[name_end + 2] == 'Z') return "";
  return pid + " " + stat.substr(at + 1, stat.find(' ', at + 1) - at - 1) + " " +
         contents("/proc/sys/kernel/random/boot_id");
}

bool is_alive(const std::string& process) { return process_identity(process.substr(0, process.find(' '))) == process; }

Nano limited(std::int64_t amount) { return std::clamp<Nano>(amount, 0, kMostMoney); }

}  // namespace

SharedLedger::SharedLedger(SqliteStore store, SharedScopes scopes, Clock clock)
    : store_(std::move(store)),
      scopes_(std::move(scopes)),
      clock_(clock ? std::move(clock) : Clock(system_clock_now)),
      process_(process_identity(std::to_string(::getpid()))) {}

Result<std::unique_ptr<SharedLedger>> SharedLedger::open(const std::string& path, SharedScopes scopes, Clock clock) {
  auto store = QA_TRY(SqliteStore::open(path));
  std::unique_ptr<SharedLedger> ledger(new SharedLedger(std::move(store), std::move(scopes), std::move(clock)));
  QA_TRY(lay_out(ledger->store_, "the ledger", kSchema, kTables));
  QA_TRY(ledger->forfeit_of_the_dead());
  return ledger;
}

Result<Unit> SharedLedger::forfeit_of_the_dead() {
  const auto holders = QA_TRY(store_.query("SELECT DISTINCT process FROM calls WHERE state = 'held'"));
  for (const SqliteStore::Row& row : holders) {
    const std::string process = SqliteStore::text(row, 0);
    if (is_alive(process)) continue;
    QA_TRY(store_.query("UPDATE calls SET state = 'forfeited' WHERE state = 'held' AND process = ?", {process}));
  }
  return Unit{};
}

std::string SharedLedger::today() const { return utc_day(clock_()); }

Result<std::vector<ScopeState>> SharedLedger::read_states() {
  struct Window {
    const char* name;
    std::optional<Nano> cap;
    const char* where;
    std::string value;
  };
  const Window windows[] = {
      {"suite", scopes_.suite.empty() ? std::nullopt : scopes_.suite_cap, "suite = ?", scopes_.suite},
      {"day", scopes_.day_cap, "day >= ?", today()}};
  std::vector<ScopeState> states;
  for (const Window& window : windows) {
    if (!window.cap) continue;
    const auto sums = QA_TRY(store_.query(
        std::string("SELECT state = 'held', SUM(cost) FROM calls WHERE ") + window.where + " GROUP BY state = 'held'",
        {window.value}));
    ScopeState& state = states.emplace_back();
    state.name = window.name;
    state.cap = limited(*window.cap);
    for (const SqliteStore::Row& row : sums) {
      (SqliteStore::number(row, 0) ? state.held : state.spent) = SqliteStore::number(row, 1);
    }
  }
  return states;
}

Result<std::vector<ScopeState>> SharedLedger::states() {
  const std::lock_guard lock(mutex_);
  return read_states();
}

Result<std::int64_t> SharedLedger::reserve(Nano need, const CallFacts& call) {
  const std::lock_guard lock(mutex_);
  need = std::max<Nano>(need, 0);
  auto transaction = QA_TRY(SqliteTransaction::begin(store_));
  const auto states = QA_TRY(read_states());
  for (const ScopeState& scope : states) {
    if (need > std::max<Nano>(scope.cap - sum(scope.spent, scope.held), 0)) return refusal(scope, need);
  }
  QA_TRY(
      store_.query("INSERT INTO calls (day, suite, run, model, purpose, process, state, need, cost) "
                   "VALUES (?, ?, ?, ?, ?, ?, 'held', ?, ?)",
                   {today(), scopes_.suite, scopes_.run, call.model, call.purpose, process_, need, need}));
  const std::int64_t ticket = store_.last_id();
  QA_TRY(transaction.commit());
  return ticket;
}

Result<Unit> SharedLedger::settle(std::int64_t ticket, Nano actual) { return end(ticket, "settled", limited(actual)); }
Result<Unit> SharedLedger::refund(std::int64_t ticket) { return end(ticket, "refunded", 0); }
Result<Unit> SharedLedger::forfeit(std::int64_t ticket) { return end(ticket, "forfeited", std::nullopt); }

Result<Unit> SharedLedger::end(std::int64_t ticket, const char* state, std::optional<Nano> cost) {
  const std::lock_guard lock(mutex_);
  SqliteStore::Value bill;
  if (cost) bill.emplace<std::int64_t>(*cost);
  QA_TRY(store_.query(
      "UPDATE calls SET state = ?, cost = COALESCE(?, need) WHERE id = ? AND state IN ('held', 'forfeited')",
      {std::string(state), bill, ticket}));
  if (store_.changes() == 1) return Unit{};
  return Error{ErrorKind::store_error, "ticket " + std::to_string(ticket) + " is not held"};
}

Result<std::vector<SharedSpending>> SharedLedger::spending(const std::string& since_day) {
  const std::lock_guard lock(mutex_);
  const auto rows = QA_TRY(store_.query(
      "SELECT day, suite, run, model, purpose, SUM(state IN ('settled', 'forfeited')), SUM(state = 'refunded'), "
      "SUM(cost > need), SUM(CASE WHEN state = 'held' THEN 0 ELSE cost END), "
      "SUM(CASE WHEN state = 'forfeited' THEN cost ELSE 0 END), SUM(CASE WHEN state = 'held' THEN cost ELSE 0 END) "
      "FROM calls WHERE day >= ? GROUP BY day, suite, run, model, purpose ORDER BY day, suite, run, model, purpose",
      {since_day}));
  std::vector<SharedSpending> listing;
  for (const SqliteStore::Row& row : rows) {
    const auto number = [&](std::size_t column) { return SqliteStore::number(row, column); };
    const auto text = [&](std::size_t column) { return SqliteStore::text(row, column); };
    listing.push_back({text(0),
                       text(1),
                       text(2),
                       {"", {text(3), text(4)}, number(5), number(6), number(7), number(8), number(9)},
                       number(10)});
  }
  return listing;
}

}  // namespace qa
