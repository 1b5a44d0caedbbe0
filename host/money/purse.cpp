#include "host/money/purse.h"

#include <utility>

namespace qa {

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

void Purse::reserve(Nano need, const CallFacts& call, Callback<std::shared_ptr<Hold>> done) {
  auto ticket = scope_.reserve(need, call);
  if (!ticket) {
    return loop_.post([error = ticket.error(), done = std::move(done)] { done(error); });
  }
  auto hold = std::make_shared<Hold>(std::move(*ticket), loop_);
  if (!shared_) {
    return loop_.post([hold, done = std::move(done)] { done(hold); });
  }
  struct Answer {
    Result<std::int64_t> ticket = std::int64_t{0};
  };
  auto answer = std::make_shared<Answer>();
  loop_.compute([shared = shared_, need, call, answer] { answer->ticket = shared->reserve(need, call); },
                [shared = shared_, hold, answer, done = std::move(done)] {
                  if (!answer->ticket) {
                    hold->ticket_.refund();
                    return done(answer->ticket.error());
                  }
                  hold->shared_ = shared;
                  hold->shared_ticket_ = *answer->ticket;
                  done(hold);
                });
}

}  // namespace qa
