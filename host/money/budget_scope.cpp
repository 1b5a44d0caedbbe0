#include "host/money/budget_scope.h"

#include <filesystem>
#include <utility>

namespace qa {

void SharedBook::name_run(const std::string& run) {
  const std::lock_guard lock(mutex_);
  scopes_.run = run;
}

Result<std::shared_ptr<SharedLedger>> SharedBook::open() {
  const std::lock_guard lock(mutex_);
  if (!opened_) {
    std::error_code failed;  // Opening tells.
    std::filesystem::create_directories(folder_, failed);
    auto ledger = SharedLedger::open(folder_ + "/ledger.sqlite", scopes_);
    opened_ = ledger ? Result<std::shared_ptr<SharedLedger>>(std::move(*ledger)) : ledger.error();
  }
  return *opened_;
}

void Hold::end_shared(std::function<Result<Unit>(SharedLedger&, std::int64_t)> how, std::function<void()> then) {
  if (!shared_) return loop_->post(std::move(then));
  // A ledger that cannot be written leaves the ticket held, and its next opener forfeits it: never too little.
  loop_->compute([shared = shared_, ticket = shared_ticket_, how = std::move(how)] { how(*shared, ticket); },
                 std::move(then));
}

void Hold::settle(Nano actual, std::function<void()> then) {
  ticket_.settle(actual);
  end_shared([actual](SharedLedger& shared, std::int64_t ticket) { return shared.settle(ticket, actual); },
             std::move(then));
}

void Hold::refund(std::function<void()> then) {
  ticket_.refund();
  end_shared([](SharedLedger& shared, std::int64_t ticket) { return shared.refund(ticket); }, std::move(then));
}

void Hold::forfeit(std::function<void()> then) {
  ticket_.forfeit();
  end_shared([](SharedLedger& shared, std::int64_t ticket) { return shared.forfeit(ticket); }, std::move(then));
}

void BudgetScope::reserve(Nano need, const CallFacts& call, Callback<std::shared_ptr<Hold>> done) {
  auto ticket = scope_.reserve(need, call);
  if (!ticket) {
    return loop_.post([error = ticket.error(), done = std::move(done)] { done(error); });
  }
  auto hold = std::make_shared<Hold>(std::move(*ticket), loop_);
  // What costs nothing is no business of other processes.
  if (!book_ || need == 0) {
    return loop_.post([hold, done = std::move(done)] { done(hold); });
  }
  const auto refusal = std::make_shared<std::optional<Error>>();
  loop_.compute(
      [book = book_, need, call, hold, refusal] {
        const auto opened = book->open();
        const auto reserved = opened ? (*opened)->reserve(need, call) : opened.error();
        if (reserved) {
          hold->shared_ = *opened;
          hold->shared_ticket_ = *reserved;
        } else if (book->has_caps()) {
          *refusal = reserved.error();
        }
      },
      [hold, refusal, done = std::move(done)] {
        if (!*refusal) return done(hold);
        hold->ticket_.refund();
        done(**refusal);
      });
}

}  // namespace qa
