#include "host/money/ledger.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <utility>

namespace qa {
namespace money {

constexpr std::size_t kNoParent = std::numeric_limits<std::size_t>::max();

struct Account {
  ScopeState state;
  std::size_t parent = kNoParent;
  Nano kept = 0;      ///< For analysis; what analysis has used of it is in `analysis`.
  Nano analysis = 0;  ///< Spent and held by calls for analysis.
  std::map<std::pair<std::string, std::string>, Spending> spending;  ///< By model and purpose.

  /// What a call may still need here. After an overrun that is nothing, which a free call still finds.
  Nano left(bool is_analysis) const {
    if (state.is_closed) return 0;
    const Nano kept_now = is_analysis ? 0 : std::max<Nano>(kept - analysis, 0);
    return std::max<Nano>(state.cap - kept_now - state.spent - state.held, 0);
  }
};

struct Book {
  std::deque<Account> accounts;  ///< Parents before children; references stay good.

  /// Calls visit(account) for a scope and all above it until it returns false.
  template <class Visit>
  void upwards(std::size_t index, Visit visit) {
    while (index != kNoParent && visit(accounts[index])) index = accounts[index].parent;
  }
};

namespace {

bool is_analysis(const CallFacts& call) { return call.purpose == kAnalysis; }

}  // namespace
}  // namespace money

using money::Account;
using money::Book;

struct Ticket::Reservation {
  std::shared_ptr<Book> book;
  std::size_t index;
  Nano need;
  CallFacts call;

  Spending& spending() const {
    Account& account = book->accounts[index];
    Spending& entry = account.spending[{call.model, call.purpose}];
    entry.scope = account.state.name;
    entry.call = call;
    return entry;
  }

  /// Turns what is held into what was spent.
  void release(Nano spent) const {
    book->upwards(index, [&](Account& account) {
      account.state.held -= need;
      account.state.spent = sum(account.state.spent, spent);
      if (money::is_analysis(call)) account.analysis = sum(account.analysis, spent) - need;
      return true;
    });
  }
};

Ticket::Ticket(std::unique_ptr<Reservation> reservation) : reservation_(std::move(reservation)) {}

Ticket::Ticket(Ticket&& other) noexcept = default;

Ticket& Ticket::operator=(Ticket&& other) noexcept {
  std::swap(reservation_, other.reservation_);
  return *this;
}

Ticket::~Ticket() {
  if (reservation_) forfeit();
}

Nano Ticket::need() const { return reservation_ ? reservation_->need : 0; }

Ticket::Reservation Ticket::take() {
  if (!reservation_) throw std::logic_error("a ticket is ended twice");
  return *std::exchange(reservation_, nullptr);
}

bool Ticket::settle(Nano actual) {
  const Reservation reservation = take();
  actual = std::clamp<Nano>(actual, 0, kMostMoney);
  reservation.release(actual);
  Spending& entry = reservation.spending();
  ++entry.calls;
  entry.spent = sum(entry.spent, actual);
  if (actual <= reservation.need) return true;
  ++entry.overruns;
  reservation.book->accounts[reservation.index].state.is_closed = true;
  return false;
}

void Ticket::refund() {
  const Reservation reservation = take();
  reservation.release(0);
  ++reservation.spending().refunded;
}

void Ticket::forfeit() {
  const Reservation reservation = take();
  reservation.release(reservation.need);
  Spending& entry = reservation.spending();
  ++entry.calls;
  entry.spent = sum(entry.spent, reservation.need);
  entry.assumed = sum(entry.assumed, reservation.need);
}

Scope::Scope(std::shared_ptr<Book> book, std::size_t index) : book_(std::move(book)), index_(index) {}

Scope Scope::open(const std::string& name, Nano cap) {
  auto book = std::make_shared<Book>();
  book->accounts.emplace_back().state = {name, std::clamp<Nano>(cap, 0, kMostMoney), 0, 0, false};
  return Scope(std::move(book), 0);
}

Result<Scope> Scope::child(const std::string& name, Nano cap) {
  if (cap > left()) {
    Error error = refusal(state(), cap);
    error.message =
        "the scope " + name + " cannot have " + dollars(cap) + ": " + dollars(left()) + " are left in " + state().name;
    return error;
  }
  Account& account = book_->accounts.emplace_back();
  account.state = {name, std::max<Nano>(cap, 0), 0, 0, false};
  account.parent = index_;
  return Scope(book_, book_->accounts.size() - 1);
}

Result<Unit> Scope::lower_cap(Nano cap) {
  ScopeState& state = book_->accounts[index_].state;
  if (cap > state.cap) {
    Error error = refusal(state, cap);
    error.message = "the cap of " + state.name + " is " + dollars(state.cap) + " and can only be lowered";
    return error;
  }
  state.cap = std::min(state.cap, std::max(cap, sum(state.spent, state.held)));
  return Unit{};
}

Result<Unit> Scope::reserve_for_report(Nano amount) {
  Account& account = book_->accounts[index_];
  if (amount > account.left(true)) return refusal(account.state, amount);
  account.kept = std::max<Nano>(amount, 0);
  return Unit{};
}

Result<Ticket> Scope::reserve(Nano need, const CallFacts& call) {
  need = std::max<Nano>(need, 0);
  std::optional<Error> refused;
  book_->upwards(index_, [&](const Account& account) {
    if (account.state.is_closed || need > account.left(money::is_analysis(call)))
      refused = refusal(account.state, need);
    return !refused;
  });
  if (refused) return *refused;
  book_->upwards(index_, [&](Account& account) {
    account.state.held += need;
    if (money::is_analysis(call)) account.analysis += need;
    return true;
  });
  return Ticket(std::make_unique<Ticket::Reservation>(Ticket::Reservation{book_, index_, need, call}));
}

ScopeState Scope::state() const { return book_->accounts[index_].state; }

Nano Scope::left() const {
  Nano least = kMostMoney;
  book_->upwards(index_, [&](const Account& account) {
    least = std::min(least, account.left(false));
    return true;
  });
  return least;
}

bool Scope::is_near_cap() const {
  bool is_near = false;
  book_->upwards(index_, [&](const Account& account) {
    is_near = account.state.is_closed || qa::is_near_cap(account.state.spent, account.state.cap);
    return !is_near;
  });
  return is_near;
}

std::vector<Spending> Scope::spending() const {
  std::vector<Spending> all;
  for (const Account& account : book_->accounts) {
    for (const auto& [facts, entry] : account.spending) all.push_back(entry);
  }
  return all;
}

Error refusal(const ScopeState& scope, Nano need) {
  using Json = nlohmann::json;
  const std::string why = scope.is_closed
                              ? "the " + scope.name + " budget is closed: a call cost more than it could have"
                              : "the call may cost " + dollars(need) + ", and the " + scope.name + " budget of " +
                                    dollars(scope.cap) + " has " + dollars(scope.spent) + " spent and " +
                                    dollars(scope.held) + " held by calls under way";
  const std::string detail = "{\"scope\":" + Json(scope.name).dump(-1, ' ', false, Json::error_handler_t::replace) +
                             ",\"cap\":" + decimal(scope.cap) + ",\"spent\":" + decimal(scope.spent) +
                             ",\"held\":" + decimal(scope.held) + ",\"need\":" + decimal(need) + "}";
  return {ErrorKind::budget_exceeded, why, "", detail};
}

}  // namespace qa
