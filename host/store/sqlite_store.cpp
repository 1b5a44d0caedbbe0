#include "host/store/sqlite_store.h"

#pragma GCC visibility push(hidden)
#include <sqlite3.h>
#pragma GCC visibility pop
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <utility>

#include "host/lazy_library.h"

/// What is called: F(result, name, parameters, arguments).
// clang-format off
#define QA_SQLITE_FUNCTIONS(F) \
  F(int, sqlite3_bind_int64, (sqlite3_stmt* a, int b, sqlite3_int64 c), (a, b, c)) \
  F(int, sqlite3_bind_text64, \
    (sqlite3_stmt* a, int b, const char* c, sqlite3_uint64 d, void (*e)(void*), unsigned char f), (a, b, c, d, e, f)) \
  F(int, sqlite3_busy_timeout, (sqlite3* a, int b), (a, b)) \
  F(int, sqlite3_changes, (sqlite3* a), (a)) \
  F(int, sqlite3_close_v2, (sqlite3* a), (a)) \
  F(int, sqlite3_column_bytes, (sqlite3_stmt* a, int b), (a, b)) \
  F(int, sqlite3_column_count, (sqlite3_stmt* a), (a)) \
  F(sqlite3_int64, sqlite3_column_int64, (sqlite3_stmt* a, int b), (a, b)) \
  F(const unsigned char*, sqlite3_column_text, (sqlite3_stmt* a, int b), (a, b)) \
  F(int, sqlite3_column_type, (sqlite3_stmt* a, int b), (a, b)) \
  F(const char*, sqlite3_db_filename, (sqlite3* a, const char* b), (a, b)) \
  F(int, sqlite3_errcode, (sqlite3* a), (a)) \
  F(const char*, sqlite3_errmsg, (sqlite3* a), (a)) \
  F(int, sqlite3_finalize, (sqlite3_stmt* a), (a)) \
  F(sqlite3_int64, sqlite3_last_insert_rowid, (sqlite3* a), (a)) \
  F(int, sqlite3_open_v2, (const char* a, sqlite3** b, int c, const char* d), (a, b, c, d)) \
  F(int, sqlite3_prepare_v2, (sqlite3* a, const char* b, int c, sqlite3_stmt** d, const char** e), (a, b, c, d, e)) \
  F(int, sqlite3_sleep, (int a), (a)) \
  F(int, sqlite3_step, (sqlite3_stmt* a), (a))
// clang-format on

QA_LAZY_LIBRARY("libsqlite3.so.0", QA_SQLITE_FUNCTIONS)

namespace qa {
namespace {

constexpr mode_t kFolderMode = 0700;
constexpr mode_t kFileMode = 0600;

struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

Error failure(sqlite3* database, const std::string& what) {
  const int code = sqlite3_errcode(database);
  if (code == SQLITE_BUSY || code == SQLITE_LOCKED) {
    return {ErrorKind::store_locked, what + ": another process holds it"};
  }
  return {ErrorKind::store_error, what + ": " + sqlite3_errmsg(database)};
}

Error file_failure(const std::string& path) {
  return {ErrorKind::store_error, "cannot open " + path + ": " + std::strerror(errno)};
}

std::string shown(sqlite3* database) {
  const char* name = sqlite3_db_filename(database, "main");
  return name && *name ? name : "the store";
}

void bind(sqlite3_stmt* statement, int place, const SqliteStore::Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    sqlite3_bind_int64(statement, place, *number);
  } else if (const auto* words = std::get_if<std::string>(&value)) {
    sqlite3_bind_text64(statement, place, words->data(), words->size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  }
}

SqliteStore::Value value_at(sqlite3_stmt* statement, int column) {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_NULL:
      return std::monostate();
    case SQLITE_INTEGER:
      return std::int64_t{sqlite3_column_int64(statement, column)};
    default: {
      const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
      return std::string(bytes ? bytes : "", static_cast<std::size_t>(sqlite3_column_bytes(statement, column)));
    }
  }
}

/// Makes an empty private file where there is none (SQLite would make it readable by everybody), without opening it:
/// closing any descriptor of the file would drop the locks that another store of this process holds on it.
bool make_file(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code failed;
  if (!folder.empty() && !std::filesystem::exists(folder, failed)) {
    std::filesystem::create_directories(folder.parent_path(), failed);
    if (::mkdir(folder.c_str(), kFolderMode) != 0 && errno != EEXIST) return false;
  }
  if (::mknod(path.c_str(), S_IFREG | kFileMode, 0) == 0) return true;
  if (errno != EEXIST) return false;
  struct stat info {};
  const bool is_file = ::lstat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
  if (!is_file) errno = EINVAL;
  return is_file;
}

/// Two that turn a new file into one with a write-ahead log would each wait for the other to stop reading, so SQLite
/// fails one of them at once, whatever its timeout is (https://sqlite.org/c3ref/busy_handler.html); here it tries
/// again.
Result<std::vector<SqliteStore::Row>> patiently(SqliteStore& store, const char* pragma, int patience_ms) {
  constexpr int kPauseMs = 2;
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(patience_ms);
  while (true) {
    auto set = store.query(pragma);
    if (set || set.error().kind != ErrorKind::store_locked || std::chrono::steady_clock::now() >= until) return set;
    sqlite3_sleep(kPauseMs);
  }
}

}  // namespace

void SqliteStore::Close::operator()(sqlite3* database) const { sqlite3_close_v2(database); }

Result<SqliteStore> SqliteStore::open(const std::string& path, int patience_ms, SqliteJournal journal) {
  if (const std::string& fault = loaded(); !fault.empty())
    return Error{ErrorKind::store_error,
                 "a store needs SQLite, which cannot be loaded: " + fault + " (Debian: libsqlite3-0)"};
  if (!make_file(path)) return file_failure(path);
  sqlite3* database = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  SqliteStore store(database);
  if (code != SQLITE_OK) return failure(database, "cannot open " + path);
  sqlite3_busy_timeout(database, patience_ms);
  const char* mode = journal == SqliteJournal::truncate ? "PRAGMA journal_mode=TRUNCATE" : "PRAGMA journal_mode=WAL";
  // With either journal, FULL flushes what ends a transaction too.
  for (const char* pragma : {mode, "PRAGMA synchronous=FULL"}) {
    QA_TRY(patiently(store, pragma, patience_ms));
  }
  return store;
}

Result<std::vector<SqliteStore::Row>> SqliteStore::query(const std::string& sql, const std::vector<Value>& values) {
  sqlite3_stmt* prepared = nullptr;
  if (sqlite3_prepare_v2(database_.get(), sql.c_str(), -1, &prepared, nullptr) != SQLITE_OK) {
    return failure(database_.get(), shown(database_.get()));
  }
  const Statement statement(prepared);
  for (std::size_t i = 0; i < values.size(); ++i) bind(prepared, static_cast<int>(i) + 1, values[i]);
  std::vector<Row> rows;
  int code = SQLITE_ROW;
  while ((code = sqlite3_step(prepared)) == SQLITE_ROW) {
    Row& row = rows.emplace_back();
    for (int column = 0; column < sqlite3_column_count(prepared); ++column) row.push_back(value_at(prepared, column));
  }
  if (code != SQLITE_DONE) return failure(database_.get(), shown(database_.get()));
  return rows;
}

std::int64_t SqliteStore::changes() const { return sqlite3_changes(database_.get()); }
std::int64_t SqliteStore::last_id() const { return sqlite3_last_insert_rowid(database_.get()); }

std::int64_t SqliteStore::number(const Row& row, std::size_t column) {
  const auto* value = column < row.size() ? std::get_if<std::int64_t>(&row[column]) : nullptr;
  return value ? *value : 0;
}

std::string SqliteStore::text(const Row& row, std::size_t column) {
  const auto* value = column < row.size() ? std::get_if<std::string>(&row[column]) : nullptr;
  return value ? *value : "";
}

Result<SqliteTransaction> SqliteTransaction::begin(SqliteStore& store) {
  // IMMEDIATE takes the writers' lock now: no other process can admit a call between our reading and our writing.
  QA_TRY(store.query("BEGIN IMMEDIATE"));
  return SqliteTransaction(store);
}

SqliteTransaction::SqliteTransaction(SqliteTransaction&& other) noexcept
    : store_(std::exchange(other.store_, nullptr)) {}

SqliteTransaction::~SqliteTransaction() {
  if (store_) store_->query("ROLLBACK");
}

Result<Unit> SqliteTransaction::commit() {
  const auto done = store_->query("COMMIT");
  if (!done) return done.error();  // Still open: the destructor rolls it back.
  store_ = nullptr;
  return Unit{};
}

Result<Unit> lay_out(SqliteStore& store, const std::string& what, std::int64_t version,
                     std::span<const char* const> tables) {
  auto transaction = QA_TRY(SqliteTransaction::begin(store));
  const auto noted = QA_TRY(store.query("PRAGMA user_version"));
  const std::int64_t found = noted.empty() ? 0 : SqliteStore::number(noted.front(), 0);
  if (found > version) {
    return Error{ErrorKind::store_error, what + " was written by a newer qa-host; use that one, or another --state"};
  }
  if (found < version) {
    for (const char* sql : tables) {
      QA_TRY(store.query(sql));
    }
    QA_TRY(store.query("PRAGMA user_version = " + std::to_string(version)));
  }
  return transaction.commit();
}

}  // namespace qa
