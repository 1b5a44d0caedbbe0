#pragma once
// Purse: all the ledgers that a call must respect, as one: the scopes of the run, in memory, and those of suite and day,
// which processes share and which are asked on the pool. A hold taken from it ends in all of them alike. Loop thread.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "host/error.h"
#include "host/event_loop.h"
#include "host/money/ledger.h"
#include "host/money/shared_ledger.h"

namespace qa {

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
  friend class Purse;
  void end_shared(std::function<Result<Unit>(SharedLedger&, std::int64_t)> how, std::function<void()> then);

  Ticket ticket_;
  EventLoop* loop_;
  std::shared_ptr<SharedLedger> shared_;
  std::int64_t shared_ticket_ = 0;
};

class Purse {
 public:
  /// `shared` may be null. It outlives its holds.
  Purse(EventLoop& loop, Scope scope, std::shared_ptr<SharedLedger> shared)
      : loop_(loop), scope_(std::move(scope)), shared_(std::move(shared)) {}

  /// budget_exceeded by whichever scope refuses; store_error when the shared ledger cannot be asked.
  void reserve(Nano need, const CallFacts& call, Callback<std::shared_ptr<Hold>> done);

  Scope& scope() { return scope_; }
  const std::shared_ptr<SharedLedger>& shared() const { return shared_; }

 private:
  EventLoop& loop_;
  Scope scope_;
  std::shared_ptr<SharedLedger> shared_;
};

}  // namespace qa
