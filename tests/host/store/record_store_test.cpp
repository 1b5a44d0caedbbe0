#include "host/store/record_store.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

namespace fs = std::filesystem;
using qa::ErrorKind;
using qa::RecordStore;

namespace {

/// A state folder that goes away with the test.
struct State {
  fs::path folder;
  State() {
    std::string name = (fs::temp_directory_path() / "qa-store-test-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()));
    folder = name;
  }
  ~State() { fs::remove_all(folder); }
  std::string file() const { return (folder / "state" / "memory.sqlite").string(); }

  std::unique_ptr<RecordStore> open() const {
    auto store = RecordStore::open(file());
    if (!store) FAIL(store.error().message);
    return std::move(*store);
  }
};

std::string value_of(RecordStore& store, const std::string& key) {
  const auto record = store.get("n", key);
  REQUIRE(record);
  return *record ? (*record)->value : "none";
}

std::int64_t put(RecordStore& store, const std::string& key, const std::string& value) {
  const auto revision = store.put("n", key, value);
  REQUIRE(revision);
  return **revision;
}

std::vector<std::string> keys_of(RecordStore& store, const std::string& prefix, const std::string& after, int limit) {
  const auto records = store.list("n", prefix, after, limit);
  REQUIRE(records);
  std::vector<std::string> keys;
  for (const auto& record : *records) keys.push_back(record.key);
  return keys;
}

/// Adds one to the record `n`, as often as it takes until nobody was faster.
bool count_up(RecordStore& store) {
  for (;;) {
    const auto seen = store.get("n", "n");
    if (!seen) return false;
    const int number = *seen ? std::stoi((*seen)->value) : 0;
    const auto written = store.put("n", "n", std::to_string(number + 1), *seen ? (*seen)->revision : 0);
    if (!written) return false;
    if (*written) return true;
  }
}

}  // namespace

TEST_CASE("a store keeps texts by namespace and key", "[store]") {
  State state;
  auto store = state.open();
  put(*store, "a", "1");
  REQUIRE(store->put("other", "a", "2"));
  CHECK(value_of(*store, "a") == "1");
  CHECK(value_of(*store, "b") == "none");
  put(*store, "a", "3");
  CHECK(value_of(*store, "a") == "3");
  CHECK(*store->erase("n", "a"));
  CHECK_FALSE(*store->erase("n", "a"));
  CHECK(value_of(*store, "a") == "none");
  CHECK((*store->get("other", "a"))->value == "2");
}

TEST_CASE("what was put is there when the store is opened again, in a private file", "[store]") {
  State state;
  put(*state.open(), "a", "kept");
  CHECK(value_of(*state.open(), "a") == "kept");
  struct stat info {};
  REQUIRE(::stat(state.file().c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
}

TEST_CASE("records are listed by prefix, in order, a page at a time", "[store]") {
  State state;
  auto store = state.open();
  for (const char* key : {"g/2", "g/1", "g/3", "h/1", "g", "\xff\xff"}) put(*store, key, "0");
  CHECK(keys_of(*store, "g/", "", 9) == std::vector<std::string>{"g/1", "g/2", "g/3"});
  CHECK(keys_of(*store, "g/", "g/1", 1) == std::vector<std::string>{"g/2"});
  CHECK(keys_of(*store, "\xff", "", 9) == std::vector<std::string>{"\xff\xff"});
  CHECK(keys_of(*store, "", "", 9).size() == 6);
}

TEST_CASE("names are data, whatever they hold", "[store]") {
  State state;
  auto store = state.open();
  const std::string nul("a\0b", 3);
  for (const std::string& name :
       {std::string("../../x"), nul, std::string("a\nb'; --"), std::string("\xf0\x9f\x8e\xae")}) {
    put(*store, name, name);
    CHECK(value_of(*store, name) == name);
  }
  CHECK(value_of(*store, "a") == "none");
  const auto refused = store->put("n", std::string(RecordStore::kLongestName + 1, 'k'), "1");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::store_error);
}

TEST_CASE("a put that replaces a revision fails when somebody was faster", "[store]") {
  State state;
  auto store = state.open();
  const auto first = *store->put("n", "a", "1", 0);
  REQUIRE(first);
  CHECK_FALSE(*store->put("n", "a", "lost", 0));
  const auto second = *store->put("n", "a", "2", *first);
  REQUIRE(second);
  CHECK_FALSE(*store->put("n", "a", "lost", *first));
  CHECK(value_of(*store, "a") == "2");
  // A record that was deleted and made again is another one.
  CHECK(*store->erase("n", "a"));
  put(*store, "a", "3");
  CHECK_FALSE(*store->put("n", "a", "lost", *second));
}

TEST_CASE("processes that make a store at the same moment all get it", "[store]") {
  constexpr int kRounds = 25, kTogether = 4;
  for (int round = 0; round < kRounds; ++round) {
    State state;
    int gate[2];
    REQUIRE(::pipe2(gate, O_CLOEXEC) == 0);
    std::vector<pid_t> children;
    for (int i = 0; i < kTogether; ++i) {
      const pid_t child = ::fork();
      REQUIRE(child >= 0);
      if (child == 0) {
        ::close(gate[1]);
        char byte = 0;
        static_cast<void>(::read(gate[0], &byte, 1));  // Until the gate is closed, for all of them at once.
        ::_exit(RecordStore::open(state.file(), 30'000) ? 0 : 1);
      }
      children.push_back(child);
    }
    ::close(gate[0]);
    ::close(gate[1]);
    for (const pid_t child : children) {
      int status = 0;
      REQUIRE(::waitpid(child, &status, 0) == child);
      CHECK(status == 0);
    }
  }
}

TEST_CASE("two processes count to 1,000 together and lose nothing", "[store]") {
  State state;
  constexpr int kEach = 500;
  std::vector<pid_t> children;
  for (int i = 0; i < 2; ++i) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      auto store = RecordStore::open(state.file(), 30'000);
      bool fine = bool(store);
      for (int n = 0; fine && n < kEach; ++n) fine = count_up(**store);
      ::_exit(fine ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
  CHECK(value_of(*state.open(), "n") == std::to_string(2 * kEach));
}

TEST_CASE("a store that others hold for too long is store_locked", "[store]") {
  State state;
  auto store = state.open();
  auto holder = qa::SqliteStore::open(state.file(), 1000, qa::SqliteJournal::write_ahead);
  REQUIRE(holder);
  const auto transaction = qa::SqliteTransaction::begin(*holder);
  REQUIRE(transaction);
  auto impatient = RecordStore::open(state.file(), 50);
  REQUIRE_FALSE(impatient);
  CHECK(impatient.error().kind == ErrorKind::store_locked);
  CHECK(impatient.error().message.find(state.file()) != std::string::npos);
  // Readers do not wait for a writer.
  CHECK(value_of(*store, "a") == "none");
}

TEST_CASE("a writer that is killed leaves a whole store with all that it had acknowledged", "[store]") {
  State state;
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      auto store = RecordStore::open(state.file());
      for (int n = 1; store; ++n) {
        if (!(*store)->put("n", "a", std::to_string(n))) ::_exit(1);
        if (::write(ends[1], &n, sizeof n) != sizeof n) ::_exit(1);
      }
      ::_exit(1);
    }
    ::close(ends[1]);
    int acknowledged = 0, got = 0;
    REQUIRE(::read(ends[0], &got, sizeof got) == sizeof got);
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 20'000));
    ::kill(child, SIGKILL);
    do acknowledged = got;
    while (::read(ends[0], &got, sizeof got) == sizeof got);
    ::close(ends[0]);
    ::waitpid(child, nullptr, 0);
    CHECK(std::stoi(value_of(*state.open(), "a")) >= acknowledged);
  }
}

TEST_CASE("a damaged store is left alone, and the error says what to do", "[store]") {
  State state;
  auto store = state.open();
  for (int n = 0; n < 200; ++n) put(*store, "key" + std::to_string(n), std::string(500, 'x'));
  store.reset();
  const auto size = fs::file_size(state.file());
  std::string how = GENERATE("middle", "head", "no database");
  if (how == "no database") {
    std::ofstream(state.file(), std::ios::trunc)
        << "this is no database at all, only a long enough line of text, is it not?";
  } else {
    std::fstream file(state.file(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(how == "head" ? 0 : size / 2));
    file << std::string(6000, '\xa5');
  }
  const auto opened = RecordStore::open(state.file());
  REQUIRE_FALSE(opened);
  INFO(opened.error().message);
  CHECK(opened.error().kind == ErrorKind::store_error);
  CHECK(opened.error().message.find("damaged") != std::string::npos);
  CHECK(opened.error().message.find("mv '" + state.file()) != std::string::npos);
  CHECK(fs::exists(state.file()));
}

TEST_CASE("a store of a newer version is refused and left alone", "[store]") {
  State state;
  state.open().reset();
  auto raw = qa::SqliteStore::open(state.file());
  REQUIRE(raw);
  REQUIRE(raw->query("PRAGMA user_version = 99"));
  const auto opened = RecordStore::open(state.file());
  REQUIRE_FALSE(opened);
  CHECK(opened.error().message.find("newer qa-host") != std::string::npos);
}
