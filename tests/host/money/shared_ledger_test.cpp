#include "host/money/shared_ledger.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

namespace fs = std::filesystem;
using qa::kDollar;
using qa::Nano;
using qa::SharedLedger;
using qa::SharedScopes;

namespace {

constexpr Nano kCent = kDollar / 100;
constexpr std::int64_t kDay = 86'400;
constexpr std::int64_t kNoon = 20'779 * kDay + kDay / 2;  // 2026-11-22
const qa::CallFacts kAction = {"openai/gpt-4o", "action"};

/// A state folder that goes away with the test.
struct State {
  fs::path folder;
  std::int64_t now = kNoon;
  State() {
    std::string name = (fs::temp_directory_path() / "qa-ledger-test-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()));
    folder = name;
  }
  ~State() { fs::remove_all(folder); }
  std::string file() const { return (folder / "state" / "ledger.sqlite").string(); }

  std::unique_ptr<SharedLedger> open(const SharedScopes& scopes) {
    auto ledger = SharedLedger::open(file(), scopes, [this] { return now; });
    if (!ledger) FAIL(ledger.error().message);
    return std::move(*ledger);
  }
};

std::int64_t admit(SharedLedger& ledger, Nano need, const qa::CallFacts& call = kAction) {
  const auto ticket = ledger.reserve(need, call);
  REQUIRE(ticket);
  return *ticket;
}

bool is_refused(const qa::Result<std::int64_t>& result) {
  return !result && result.error().kind == qa::ErrorKind::budget_exceeded;
}

qa::ScopeState state_of(SharedLedger& ledger) {
  const auto states = ledger.states();
  REQUIRE(states);
  REQUIRE(states->size() == 1);
  return states->front();
}

/// Runs `body` in a child process and returns its id. The child ends with what `body` returns.
template <class Body>
pid_t in_child(Body body) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) ::_exit(body());
  return child;
}

int exit_status(pid_t child) {
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// Reserves and settles at random with a ledger of its own. Returns how often something was not as it must be.
int spend_at_random(const std::string& file, const SharedScopes& scopes, unsigned seed, int calls) {
  auto ledger = SharedLedger::open(file, scopes, [] { return kNoon; });
  if (!ledger) return 1;
  std::mt19937 random(seed);
  int wrong = 0;
  for (int i = 0; i < calls; ++i) {
    const Nano need = (1 + random() % 9) * kCent;
    const auto ticket = (*ledger)->reserve(need, kAction);
    if (!ticket) {
      wrong += ticket.error().kind != qa::ErrorKind::budget_exceeded;
      continue;
    }
    const auto states = (*ledger)->states();
    wrong += !states || states->empty();
    if (states) {
      for (const qa::ScopeState& scope : *states) wrong += scope.spent + scope.held > scope.cap;
    }
    switch (random() % 3) {
      case 0:
        wrong += !(*ledger)->settle(*ticket, need - static_cast<Nano>(random() % kCent));
        break;
      case 1:
        wrong += !(*ledger)->refund(*ticket);
        break;
      default:
        wrong += !(*ledger)->forfeit(*ticket);
    }
  }
  return wrong;
}

/// Spends cent by cent until a cap refuses, and returns what was spent then.
Nano spend_the_rest(SharedLedger& ledger) {
  while (const auto ticket = ledger.reserve(kCent, kAction)) REQUIRE(ledger.settle(*ticket, kCent));
  const auto states = ledger.states();
  REQUIRE(states);
  CHECK(states->front().held == 0);
  return states->front().spent;
}

/// Threads that each have a handle of their own. The number of wrongs, at most 100.
int spend_in_threads(const std::string& file, const SharedScopes& scopes, unsigned seed, int threads) {
  std::atomic<int> wrong = 0;
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i) {
    running.emplace_back([&, i] { wrong += spend_at_random(file, scopes, seed + static_cast<unsigned>(i), 6); });
  }
  for (std::thread& thread : running) thread.join();
  return std::min(wrong.load(), 100);
}

}  // namespace

TEST_CASE("processes share the cap of a day, and of a suite", "[shared_ledger]") {
  State state;
  const auto day = state.open({"run-1", "", {}, 10 * kCent});
  const auto suite = state.open({"run-2", "nightly", 3 * kCent, 10 * kCent});
  const auto other = state.open({"run-3", "weekly", 9 * kCent, {}});
  CHECK((*day).settle(admit(*day, 5 * kCent), 4 * kCent));
  const std::int64_t held = admit(*suite, 3 * kCent);
  const auto by_suite = suite->reserve(1, kAction), by_day = day->reserve(3 * kCent + 1, kAction);
  REQUIRE(is_refused(by_suite));
  REQUIRE(is_refused(by_day));
  CHECK(by_suite.error().detail.find("\"suite\"") != std::string::npos);
  CHECK(by_day.error().detail == R"({"scope":"day","cap":0.10,"spent":0.04,"held":0.03,"need":0.030000001})");
  CHECK(suite->refund(held));
  CHECK(admit(*suite, 3 * kCent) > held);
  CHECK(admit(*other, 9 * kCent) > held);
  CHECK(is_refused(day->reserve(1, kAction)));
  CHECK(day->refund(admit(*day, 0)));  // What costs nothing needs nothing.
  const qa::ScopeState now = state_of(*day);
  CHECK((now.name == "day" && now.spent == 4 * kCent && now.held == 12 * kCent));
}

TEST_CASE("a shared ticket ends once, but a late bill replaces what was forfeited", "[shared_ledger]") {
  State state;
  const auto ledger = state.open({"run", "", {}, kDollar});
  const std::int64_t settled = admit(*ledger, kCent), refunded = admit(*ledger, kCent), late = admit(*ledger, kCent);
  CHECK(ledger->settle(settled, 3));
  CHECK(ledger->refund(refunded));
  CHECK(ledger->forfeit(late));
  CHECK(state_of(*ledger).spent == kCent + 3);
  CHECK(ledger->settle(late, 7));
  CHECK(state_of(*ledger).spent == 10);
  CHECK(state_of(*ledger).held == 0);
  for (const std::int64_t ticket : {settled, refunded, late, std::int64_t{99}}) {
    CHECK_FALSE(ledger->settle(ticket, 1));
    CHECK_FALSE(ledger->refund(ticket));
    CHECK_FALSE(ledger->forfeit(ticket));
  }
  CHECK(state_of(*ledger).spent == 10);
}

TEST_CASE("a new day opens a new window, and a clock set back opens none", "[shared_ledger]") {
  State state;
  const auto ledger = state.open({"run", "", {}, 10 * kCent});
  CHECK(ledger->settle(admit(*ledger, 10 * kCent), 10 * kCent));
  CHECK(is_refused(ledger->reserve(1, kAction)));
  state.now += kDay / 2 - 1;
  CHECK(is_refused(ledger->reserve(1, kAction)));
  state.now += 1;
  CHECK(ledger->settle(admit(*ledger, 6 * kCent), 6 * kCent));
  state.now -= 3 * kDay;
  CHECK(is_refused(ledger->reserve(1, kAction)));
  state.now += 3 * kDay;
  CHECK(ledger->settle(admit(*ledger, 4 * kCent), 4 * kCent));
  CHECK(is_refused(ledger->reserve(1, kAction)));
}

TEST_CASE("spending is listed by day, suite, run, model and purpose", "[shared_ledger]") {
  State state;
  const auto ledger = state.open({"run-1", "nightly", {}, {}});
  CHECK(ledger->settle(admit(*ledger, kCent), kCent));
  CHECK(ledger->settle(admit(*ledger, kCent), 2 * kCent));
  CHECK(ledger->forfeit(admit(*ledger, 5, {"openai/gpt-4o", "repair"})));
  state.now += kDay;
  const auto next = state.open({"run-2", "", {}, {}});
  CHECK(next->refund(admit(*next, kCent)));
  const std::int64_t held = admit(*next, 4);
  CHECK(held > 0);
  const auto all = next->spending();
  REQUIRE(all);
  REQUIRE(all->size() == 3);
  const qa::SharedSpending& first = (*all)[0];
  CHECK((first.day == "2026-11-22" && first.suite == "nightly" && first.run == "run-1"));
  CHECK((first.sums.call.model == "openai/gpt-4o" && first.sums.call.purpose == "action"));
  CHECK((first.sums.calls == 2 && first.sums.overruns == 1 && first.sums.spent == 3 * kCent && first.held == 0));
  CHECK(((*all)[1].sums.call.purpose == "repair" && (*all)[1].sums.spent == 5 && (*all)[1].sums.assumed == 5));
  CHECK(((*all)[2].day == "2026-11-23" && (*all)[2].run == "run-2" && (*all)[2].held == 4));
  CHECK(((*all)[2].sums.refunded == 1 && (*all)[2].sums.calls == 0 && (*all)[2].sums.spent == 0));
  const auto since = next->spending("2026-11-23");
  REQUIRE(since);
  CHECK(since->size() == 1);
  CHECK(next->states()->empty());
}

TEST_CASE("the ledger is private, and what is no ledger is refused untouched", "[shared_ledger]") {
  State state;
  { const auto ledger = state.open({"run", "", {}, kCent}); }
  struct stat info {};
  REQUIRE(::stat(state.file().c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
  REQUIRE(::stat((state.folder / "state").c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0700);

  const fs::path other = state.folder / "other";
  const auto refused = [&] {
    const auto ledger = SharedLedger::open(other.string(), {});
    return !ledger && ledger.error().kind == qa::ErrorKind::store_error;
  };
  std::ofstream(other) << std::string(5000, 'x');
  CHECK(refused());
  CHECK(fs::file_size(other) == 5000);
  fs::remove(other);
  fs::create_directory(other);
  CHECK(refused());
  fs::remove(other);
  REQUIRE(::mkfifo(other.c_str(), 0600) == 0);
  CHECK(refused());
  fs::remove(other);
  fs::create_symlink(state.file(), other);
  CHECK(refused());
  fs::remove(other);
  {
    auto newer = qa::SqliteStore::open(other.string());
    REQUIRE(newer);
    REQUIRE(newer->query("PRAGMA user_version = 99"));
  }
  CHECK(refused());
}

TEST_CASE("who waits too long for another process is told that the store is locked", "[shared_ledger]") {
  State state;
  const std::string path = (state.folder / "store").string();
  auto holder = qa::SqliteStore::open(path), waiter = qa::SqliteStore::open(path, 20);
  REQUIRE(holder);
  REQUIRE(waiter);
  auto transaction = qa::SqliteTransaction::begin(*holder);
  REQUIRE(transaction);
  const auto refused = qa::SqliteTransaction::begin(*waiter);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == qa::ErrorKind::store_locked);
  REQUIRE(transaction->commit());
  CHECK(qa::SqliteTransaction::begin(*waiter));
}

TEST_CASE("what a transaction did not commit never happened", "[shared_ledger]") {
  State state;
  auto store = qa::SqliteStore::open((state.folder / "store").string());
  REQUIRE(store);
  REQUIRE(store->query("CREATE TABLE facts (name TEXT, size INTEGER)"));
  {
    const auto transaction = qa::SqliteTransaction::begin(*store);
    REQUIRE(transaction);
    REQUIRE(store->query("INSERT INTO facts VALUES (?, ?)", {std::string("lost"), std::int64_t{1}}));
  }
  REQUIRE(store->query("INSERT INTO facts VALUES (?, ?)", {std::string("a\0b", 3), std::monostate()}));
  CHECK(store->changes() == 1);
  const auto rows = store->query("SELECT name, size FROM facts");
  REQUIRE(rows);
  REQUIRE(rows->size() == 1);
  CHECK(qa::SqliteStore::text(rows->front(), 0) == std::string("a\0b", 3));
  CHECK(qa::SqliteStore::number(rows->front(), 1) == 0);
  CHECK(store->query("SELECT nothing FROM nowhere").error().kind == qa::ErrorKind::store_error);
}

TEST_CASE("sixteen threads with handles of their own never pass a cap", "[shared_ledger]") {
  State state;
  const SharedScopes scopes = {"run", "nightly", 60 * kCent, 80 * kCent};
  CHECK(spend_in_threads(state.file(), scopes, 1, 16) == 0);
  const Nano spent = spend_the_rest(*state.open(scopes));
  CHECK(spent <= 60 * kCent);
  CHECK(spent > 59 * kCent);
}

TEST_CASE("threads may share a handle", "[shared_ledger]") {
  State state;
  const auto ledger = state.open({"run", "", {}, 20 * kCent});
  std::atomic<int> admitted = 0, wrong = 0;
  std::vector<std::thread> running;
  for (int i = 0; i < 8; ++i) {
    running.emplace_back([&] {
      for (int call = 0; call < 5; ++call) {
        const auto ticket = ledger->reserve(kCent, kAction);
        admitted += static_cast<bool>(ticket);
        if (ticket) wrong += !ledger->settle(*ticket, kCent);
      }
    });
  }
  for (std::thread& thread : running) thread.join();
  CHECK(admitted == 20);
  CHECK(wrong == 0);
  CHECK(state_of(*ledger).spent == 20 * kCent);
}

TEST_CASE("two processes of many threads never pass a cap", "[shared_ledger]") {
  State state;
  const SharedScopes scopes = {"run", "", {}, 70 * kCent};
  const auto child = in_child([&] { return spend_in_threads(state.file(), scopes, 100, 8); });
  CHECK(spend_in_threads(state.file(), scopes, 200, 8) == 0);
  CHECK(exit_status(child) == 0);
  const Nano spent = spend_the_rest(*state.open(scopes));
  CHECK(spent <= 70 * kCent);
  CHECK(spent > 69 * kCent);
}

TEST_CASE("what a process had reserved when it was killed counts as spent", "[shared_ledger]") {
  State state;
  const SharedScopes scopes = {"run", "", {}, 1000 * kDollar};
  std::mt19937 random(3);
  Nano billed = 0;
  constexpr int kills = 20;
  for (int round = 0; round < kills; ++round) {
    int bills[2];
    REQUIRE(::pipe(bills) == 0);
    // The child is client and server in one: the server bills what the call reserved, then the client settles.
    const auto child = in_child([&] {
      auto ledger = SharedLedger::open(state.file(), scopes, [] { return kNoon; });
      while (ledger) {
        const auto ticket = (*ledger)->reserve(kCent, kAction);
        if (!ticket || ::write(bills[1], "$", 1) != 1) return 1;
        (*ledger)->settle(*ticket, kCent);
      }
      return 1;
    });
    ::close(bills[1]);
    char bill = 0;
    for (auto calls = random() % 5; calls > 0 && ::read(bills[0], &bill, 1) == 1; --calls) billed += kCent;
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 8000));
    ::kill(child, SIGKILL);
    CHECK(exit_status(child) == 128 + SIGKILL);
    while (::read(bills[0], &bill, 1) == 1) billed += kCent;
    ::close(bills[0]);
    const auto ledger = state.open(scopes);
    const qa::ScopeState now = state_of(*ledger);
    CHECK(now.held == 0);
    CHECK(now.spent >= billed);
    CHECK(now.spent <= billed + (round + 1) * kCent);
  }
  CHECK(billed > 0);
}

TEST_CASE("what a live process holds is not taken from it", "[shared_ledger]") {
  State state;
  const SharedScopes scopes = {"run", "", {}, kDollar};
  const auto ledger = state.open(scopes);
  const std::int64_t ticket = admit(*ledger, kCent);
  CHECK(exit_status(in_child([&] { return SharedLedger::open(state.file(), scopes, [] { return kNoon; }) ? 0 : 1; })) ==
        0);
  CHECK(state_of(*ledger).held == kCent);
  CHECK(ledger->refund(ticket));
  CHECK(state_of(*ledger).spent == 0);
}
