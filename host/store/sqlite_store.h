#pragma once
// SqliteStore: one SQLite file, owned. Calls block on the disk and on other processes, so they belong on the pool;
// one thread at a time. A store does not survive a fork.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "host/error.h"

struct sqlite3;

namespace qa {

/// How a commit gets to the disk. A write-ahead log lets others read while one writes and flushes once a commit; it
/// needs shared memory, so it is for files that no network folder holds.
enum class SqliteJournal { truncate, write_ahead };

class SqliteStore {
 public:
  /// Null, a whole number or a text.
  using Value = std::variant<std::monostate, std::int64_t, std::string>;
  using Row = std::vector<Value>;

  /// Opens or makes the file (0600, its folder 0700). A commit is on the disk when it returns. Waits up to
  /// `patience_ms` for other processes in each call, then fails with store_locked; every other failure is store_error.
  static Result<SqliteStore> open(const std::string& path, int patience_ms = 30'000,
                                  SqliteJournal journal = SqliteJournal::truncate);

  /// Runs one statement with a value for each `?` and returns its rows.
  Result<std::vector<Row>> query(const std::string& sql, const std::vector<Value>& values = {});

  /// Rows that the last statement changed, and the id of the last one that was added.
  std::int64_t changes() const;
  std::int64_t last_id() const;

  /// The whole number in a row, 0 for anything else; the text, "" for anything else.
  static std::int64_t number(const Row& row, std::size_t column);
  static std::string text(const Row& row, std::size_t column);

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  explicit SqliteStore(sqlite3* database) : database_(database) {}
  std::unique_ptr<sqlite3, Close> database_;
};

/// Makes the tables of a file that has none yet, and notes their version in it (user_version). store_error when a newer
/// program wrote it; `what` is how the message calls it.
Result<Unit> lay_out(SqliteStore& store, const std::string& what, std::int64_t version,
                     std::span<const char* const> tables);

/// Keeps all other writers out from `begin` until it is committed; what is not committed when it goes never happened.
class SqliteTransaction {
 public:
  static Result<SqliteTransaction> begin(SqliteStore& store);
  SqliteTransaction(SqliteTransaction&& other) noexcept;
  SqliteTransaction& operator=(SqliteTransaction&&) = delete;
  ~SqliteTransaction();

  Result<Unit> commit();

 private:
  explicit SqliteTransaction(SqliteStore& store) : store_(&store) {}
  SqliteStore* store_;
};

}  // namespace qa
