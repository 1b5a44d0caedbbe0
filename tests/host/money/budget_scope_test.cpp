#include "host/money/budget_scope.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

using namespace qa;

namespace {

struct Fixture {
  EventLoop loop;
  std::string folder;

  Fixture() {
    char name[] = "/tmp/qa-budget-XXXXXX";
    folder = mkdtemp(name);
  }
  ~Fixture() { std::filesystem::remove_all(folder); }

  std::shared_ptr<SharedBook> book(std::optional<Nano> day_cap, const std::string& below = "") const {
    return std::make_shared<SharedBook>(folder + below, SharedScopes{"run", "", std::nullopt, day_cap});
  }

  Result<std::shared_ptr<Hold>> reserve(BudgetScope& budget, Nano need) {
    std::optional<Result<std::shared_ptr<Hold>>> result;
    budget.reserve(need, {"m", "test"}, [&](Result<std::shared_ptr<Hold>> got) {
      result = std::move(got);
      loop.stop();
    });
    CHECK_FALSE(result);
    loop.run();
    REQUIRE(result);
    return *result;
  }

  template <class End>
  void end(End how) {
    bool ended = false;
    how([&] {
      ended = true;
      loop.stop();
    });
    loop.run();
    CHECK(ended);
  }
};

}  // namespace

TEST_CASE("a budget asks the run and the shared book alike", "[budget_scope]") {
  Fixture fixture;
  BudgetScope budget(fixture.loop, Scope::open("run", kDollar), fixture.book(1000));
  const auto first = fixture.reserve(budget, 800);
  REQUIRE(first);
  const auto refused = fixture.reserve(budget, 300);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::budget_exceeded);
  CHECK(refused.error().detail.find("day") != std::string::npos);
  CHECK(budget.scope().state().held == 800);
  fixture.end([&](auto then) { (*first)->settle(100, then); });
  CHECK(budget.scope().state().spent == 100);
  const auto second = fixture.reserve(budget, 300);
  REQUIRE(second);
  fixture.end([&](auto then) { (*second)->refund(then); });
  const auto third = fixture.reserve(budget, 900);
  REQUIRE(third);
  fixture.end([&](auto then) { (*third)->forfeit(then); });
  CHECK_FALSE(fixture.reserve(budget, 1));
  // Another process, another run: the day is the same.
  BudgetScope other(fixture.loop, Scope::open("run", kDollar), fixture.book(1000));
  CHECK_FALSE(fixture.reserve(other, 1));
  CHECK(fixture.reserve(other, 0));
}

TEST_CASE("a book that cannot be opened stops calls only when it has a cap", "[budget_scope]") {
  Fixture fixture;
  std::ofstream(fixture.folder + "/file") << "x";
  BudgetScope capped(fixture.loop, Scope::open("run", kDollar), fixture.book(1000, "/file/below"));
  const auto refused = fixture.reserve(capped, 10);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::store_error);
  CHECK(capped.scope().state().held == 0);
  BudgetScope free(fixture.loop, Scope::open("run", kDollar), fixture.book(std::nullopt, "/file/below"));
  CHECK(fixture.reserve(free, 10));
}

TEST_CASE("what was spent is listed for all processes", "[budget_scope]") {
  Fixture fixture;
  const auto book = fixture.book(std::nullopt);
  book->name_run("20260101-game");
  BudgetScope budget(fixture.loop, Scope::open("run", kDollar), book);
  const auto hold = fixture.reserve(budget, 50);
  REQUIRE(hold);
  fixture.end([&](auto then) { (*hold)->settle(40, then); });
  const auto ledger = fixture.book(std::nullopt)->open();
  REQUIRE(ledger);
  const auto rows = (*ledger)->spending();
  REQUIRE(rows);
  REQUIRE(rows->size() == 1);
  CHECK(rows->front().run == "20260101-game");
  CHECK(rows->front().sums.spent == 40);
  CHECK(rows->front().sums.call.purpose == "test");
}
