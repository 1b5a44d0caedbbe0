#pragma once
// BudgetScope: all the ledgers that a call must respect, as one: the scopes of the run, in memory, and the book that
// processes share, which is asked on the pool. A hold taken from it ends in all of them alike. Loop thread.

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "host/error.h"
#include "host/event_loop.h"
#include "host/money/ledger.h"
#include "host/money/shared_ledger.h"

namespace qa {

/// The shared ledger of <state>/ledger.sqlite, opened when the first call reserves. Any thread.
class SharedBook {
 public:
  SharedBook(std::string folder, SharedScopes scopes) : folder_(std::move(folder)), scopes_(std::move(scopes)) {}

  /// What listings call this run; says nothing any more once the book is open.
  void name_run(const std::string& run);
  /// Blocks: pool only. The error of an earlier try stays.
  Result<std::shared_ptr<SharedLedger>> open();
  /// Does a suite or a day have a cap? Without one, a book that cannot be opened stops no call.
  bool has_caps() const { return scopes_.suite_cap || scopes_.day_cap; }

 private:
  std::string folder_;
  SharedScopes scopes_;
  std::mutex mutex_;
  std::optional<Result<std::shared_ptr<SharedLedger>>> opened_;
};

/// What a call holds until its cost is known. Each end calls `then` once, posted, when all ledgers know; a hold that is
/// dropped without a word is forfeited.
class Hold {
 public:
  Hold(Ticket ticket, EventLoop& loop) : ticket_(std::move(ticket)), loop_(&loop) {}

  Nano need() const { return ticket_.need(); }
  void settle(Nano actual, std::function<void()> then);
  void refund(std::function<void()> then);
  void forfeit(std::function<void()> then);

 private:
  friend class BudgetScope;
  void end_shared(std::function<Result<Unit>(SharedLedger&, std::int64_t)> how, std::function<void()> then);

  Ticket ticket_;
  EventLoop* loop_;
  std::shared_ptr<SharedLedger> shared_;
  std::int64_t shared_ticket_ = 0;
};

class BudgetScope {
 public:
  /// `book` may be null.
  BudgetScope(EventLoop& loop, Scope scope, std::shared_ptr<SharedBook> book)
      : loop_(loop), scope_(std::move(scope)), book_(std::move(book)) {}

  /// budget_exceeded by whichever scope refuses; store_error or store_locked when a book with caps cannot be asked.
  void reserve(Nano need, const CallFacts& call, Callback<std::shared_ptr<Hold>> done);

  Scope& scope() { return scope_; }
  const std::shared_ptr<SharedBook>& book() const { return book_; }

 private:
  EventLoop& loop_;
  Scope scope_;
  std::shared_ptr<SharedBook> book_;
};

}  // namespace qa
