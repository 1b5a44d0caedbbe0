#pragma once
// SharedLedger: what all processes of a user spend, in <state>/ledger.sqlite: the caps of a suite and of a day hold for
// their sum. The rule is the Ledger's: a reserve is one transaction, on the disk before it returns, and what a dead
// process had reserved counts as spent. Every call blocks (some milliseconds, longer while others write): run it on
// the pool, from any thread.

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "host/error.h"
#include "host/money/ledger.h"
#include "host/store/sqlite_store.h"

namespace qa {

/// What calls are entered under, and which caps they must respect. Caps are the opener's: the file keeps none.
struct SharedScopes {
  std::string run;    ///< The run directory's name, for listings.
  std::string suite;  ///< Its calls share `suite_cap`; "" for none.
  std::optional<Nano> suite_cap, day_cap;
};

/// One line of `qa-host budget`: spending of one day, suite, run, model and purpose.
struct SharedSpending {
  std::string day;  ///< UTC, "2026-11-22".
  std::string suite, run;
  Spending sums;  ///< `scope` is empty.
  Nano held = 0;  ///< By calls under way.
};

class SharedLedger {
 public:
  /// Seconds since 1970, UTC.
  using Clock = std::function<std::int64_t()>;

  /// Opens `path`, and enters as spent what processes that are gone had held. store_error, store_locked.
  static Result<std::unique_ptr<SharedLedger>> open(const std::string& path, SharedScopes scopes,
                                                    Clock clock = nullptr);

  /// Admits a call if both caps allow it, else budget_exceeded as Scope::reserve. Returns the ticket's number.
  Result<std::int64_t> reserve(Nano need, const CallFacts& call);

  // One of these ends a ticket, as those of Ticket do.

  /// The call cost this much; also after its ticket was forfeited, when the bill comes late.
  Result<Unit> settle(std::int64_t ticket, Nano actual);
  Result<Unit> refund(std::int64_t ticket);
  Result<Unit> forfeit(std::int64_t ticket);

  /// The state of "suite" and "day" where they have a cap. A day's sum includes days that lie ahead of the clock, so
  /// that setting it back opens no window that was spent.
  Result<std::vector<ScopeState>> states();

  /// Spending since a day ("2026-11-01", "" for all), by day, suite, run, model and purpose.
  Result<std::vector<SharedSpending>> spending(const std::string& since_day = "");

 private:
  SharedLedger(SqliteStore store, SharedScopes scopes, Clock clock);
  Result<Unit> forfeit_of_the_dead();
  Result<std::vector<ScopeState>> read_states();
  Result<Unit> end(std::int64_t ticket, const char* state, std::optional<Nano> cost);
  std::string today() const;

  std::mutex mutex_;  ///< One statement at a time.
  SqliteStore store_;
  SharedScopes scopes_;
  Clock clock_;
  std::string process_;  ///< Who holds what this ledger reserves.
};

}  // namespace qa
