#pragma once
// Ledger: what a run may spend on models, and what it has spent. A tree of scopes, each with a cap. A call reserves
// the most that it can cost in its scope and in all above it before a byte is sent; its ticket says what became of it:
//
//   Scope::reserve(need) -> Ticket -> settle(actual) | refund() | forfeit()
//          held += need               held -= need, spent += actual | 0 | need
//
// Every attempt of a retried call has a ticket of its own. Loop thread only. Suites and days, which processes share,
// are in shared_ledger.h.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "host/error.h"
#include "host/money/money.h"

namespace qa {

/// The one purpose that may use what a scope keeps for the report.
constexpr std::string_view kAnalysis = "analysis";

/// What a call is told apart by in reports.
struct CallFacts {
  std::string model;    ///< "openai/gpt-4o".
  std::string purpose;  ///< "action", "repair", "analysis" ...
};

/// What the calls of one scope with the same facts came to.
struct Spending {
  std::string scope;
  CallFacts call;
  std::int64_t calls = 0;     ///< Settled or forfeited.
  std::int64_t refunded = 0;  ///< Attempts that cost nothing.
  std::int64_t overruns = 0;  ///< Calls that cost more than they had reserved.
  Nano spent = 0;             ///< In this scope itself, not in those below it.
  Nano assumed = 0;           ///< The part of `spent` that was forfeited: nobody knows what was billed.
};

struct ScopeState {
  std::string name;
  Nano cap = 0, spent = 0, held = 0;  ///< Those below included.
  bool is_closed = false;             ///< By an overrun: nothing more is admitted here or below.
};

namespace money {
struct Book;
}

/// The right to make one call. Who drops it without a word forfeits it.
class Ticket {
 public:
  Ticket(Ticket&& other) noexcept;
  Ticket& operator=(Ticket&& other) noexcept;
  ~Ticket();

  Nano need() const;

  // One of these ends a ticket; a second one throws std::logic_error.

  /// The call cost this much. More than was reserved is recorded in full, counts as an overrun and closes the scope.
  /// True unless it was one.
  bool settle(Nano actual);
  /// For certain nothing was processed: not connected, not written in full, or an HTTP error without usage.
  void refund();
  /// It may have been billed: no answer after the request was sent, or one that cannot be read.
  void forfeit();

 private:
  friend class Scope;
  struct Reservation;
  explicit Ticket(std::unique_ptr<Reservation> reservation);
  Reservation take();
  std::unique_ptr<Reservation> reservation_;
};

/// A handle; copies mean the same scope. The tree lives as long as any handle or ticket.
class Scope {
 public:
  /// The root of a new tree. A negative cap is none at all, 0.
  static Scope open(const std::string& name, Nano cap);

  /// A scope below this one. budget_exceeded when its cap is more than left().
  Result<Scope> child(const std::string& name, Nano cap);

  /// Lowers the cap, at most to what is spent and held. budget_exceeded when it would be raised.
  Result<Unit> lower_cap(Nano cap);
  /// Keeps `amount` of what is left for calls whose purpose is kAnalysis.
  Result<Unit> reserve_for_report(Nano amount);

  /// Admits the call if for this scope and all above spent + held + need <= cap, a kept reserve left out; what needs
  /// nothing is admitted unless a scope is closed. Else budget_exceeded with detail {scope, cap, spent, held, need} in
  /// dollars, of the scope that refused.
  Result<Ticket> reserve(Nano need, const CallFacts& call);

  ScopeState state() const;
  /// What is left for calls that are no analysis, here and in all scopes above; not less than nothing.
  Nano left() const;
  /// Is 90 % of the cap spent, here or in a scope above?
  bool is_near_cap() const;
  /// All spending of the tree so far, scope by scope in the order in which they were opened.
  std::vector<Spending> spending() const;

 private:
  Scope(std::shared_ptr<money::Book> book, std::size_t index);
  std::shared_ptr<money::Book> book_;
  std::size_t index_ = 0;
};

/// budget_exceeded, as every ledger words it. `scope` is "run", "suite", "day" ...
Error refusal(const ScopeState& scope, Nano need);

}  // namespace qa
