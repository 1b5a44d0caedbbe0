#include "host/store/record_store.h"

#include <utility>

namespace qa {
namespace {

constexpr std::int64_t kSchema = 1;

// Names are data and never names of files; they compare by their bytes.
constexpr const char* kRecords =
    "CREATE TABLE records (space TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, revision INTEGER NOT NULL, "
    "PRIMARY KEY (space, key)) WITHOUT ROWID";
constexpr const char* kTables[] = {
    kRecords,
    "CREATE TABLE revisions (last INTEGER NOT NULL)",
    "INSERT INTO revisions VALUES (0)",
};

Error too_long(const std::string& what, std::size_t size, std::size_t limit) {
  return {ErrorKind::store_error, what + " of " + std::to_string(size) +
                                      " bytes is longer than a store keeps; at most " + std::to_string(limit) + " fit"};
}

std::optional<Error> refused(const std::string& space, const std::string& key, const std::string& value = "") {
  if (space.size() > RecordStore::kLongestName) return too_long("a namespace", space.size(), RecordStore::kLongestName);
  if (key.size() > RecordStore::kLongestName) return too_long("a key", key.size(), RecordStore::kLongestName);
  if (value.size() > RecordStore::kLargestValue) return too_long("a value", value.size(), RecordStore::kLargestValue);
  return std::nullopt;
}

/// The least text that no text with this prefix reaches; "" when there is none.
std::string end_of_prefix(std::string prefix) {
  while (!prefix.empty() && static_cast<unsigned char>(prefix.back()) == 0xff) prefix.pop_back();
  if (!prefix.empty()) prefix.back() = static_cast<char>(static_cast<unsigned char>(prefix.back()) + 1);
  return prefix;
}

bool is_damaged(const std::string& message) {
  return message.find("malformed") != message.npos || message.find("not a database") != message.npos ||
         message.find("no such table") != message.npos || message.find("no such column") != message.npos ||
         message.find("already exists") != message.npos;
}

/// The error with the file that it is about, and what to do.
template <class T>
Result<T> explained(const std::string& path, Result<T> result) {
  if (result) return result;
  Error& error = result.error();
  if (error.kind == ErrorKind::store_locked) {
    error.message = path + ": another process holds it; try again when that is done";
  } else if (is_damaged(error.message)) {
    const std::string said = path + ": ";
    if (error.message.rfind(said, 0) == 0) error.message.erase(0, said.size());
    error.message = path + " is damaged and was left as it is (" + error.message +
                    "). Move it away to begin with an empty one: mv '" + path + "' '" + path +
                    ".damaged'; the sqlite3 tool's .recover may save what it held";
  } else if (error.message.find(path) == error.message.npos) {
    error.message = path + ": " + error.message;
  }
  return result;
}

}  // namespace

Result<std::unique_ptr<RecordStore>> RecordStore::open(const std::string& path, int patience_ms) {
  auto store = QA_TRY(explained(path, SqliteStore::open(path, patience_ms, SqliteJournal::write_ahead)));
  std::unique_ptr<RecordStore> records(new RecordStore(std::move(store), path));
  QA_TRY(explained(path, records->prepare()));
  return records;
}

Result<Unit> RecordStore::prepare() {
  // Looks at every page: a store of memories is small, and one that is damaged must say so before it is added to.
  const auto checked = QA_TRY(store_.query("PRAGMA quick_check(1)"));
  const std::string found = checked.empty() ? "" : SqliteStore::text(checked.front(), 0);
  if (found != "ok") return Error{ErrorKind::store_error, "malformed: " + found};
  return lay_out(store_, "it", kSchema, kTables);
}

Result<std::optional<StoredRecord>> RecordStore::get(const std::string& space, const std::string& key) {
  if (auto error = refused(space, key)) return *error;
  const std::lock_guard lock(mutex_);
  const auto rows = QA_TRY(
      explained(path_, store_.query("SELECT value, revision FROM records WHERE space = ? AND key = ?", {space, key})));
  if (rows.empty()) return std::optional<StoredRecord>();
  const SqliteStore::Row& row = rows.front();
  return std::optional<StoredRecord>({key, SqliteStore::text(row, 0), SqliteStore::number(row, 1)});
}

Result<std::int64_t> RecordStore::next_revision() {
  const auto rows = QA_TRY(store_.query("UPDATE revisions SET last = last + 1 RETURNING last"));
  if (rows.empty()) return Error{ErrorKind::store_error, "malformed: it counts no revisions"};
  return SqliteStore::number(rows.front(), 0);
}

Result<std::optional<std::int64_t>> RecordStore::put(const std::string& space, const std::string& key,
                                                     const std::string& value, std::optional<std::int64_t> replaces) {
  if (auto error = refused(space, key, value)) return *error;
  const std::lock_guard lock(mutex_);
  auto transaction = QA_TRY(explained(path_, SqliteTransaction::begin(store_)));
  if (replaces) {
    const auto rows = QA_TRY(
        explained(path_, store_.query("SELECT revision FROM records WHERE space = ? AND key = ?", {space, key})));
    const std::int64_t now = rows.empty() ? 0 : SqliteStore::number(rows.front(), 0);
    if (now != *replaces) return std::optional<std::int64_t>();
  }
  const auto revision = QA_TRY(explained(path_, next_revision()));
  QA_TRY(explained(path_,
                   store_.query("INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?)", {space, key, value, revision})));
  QA_TRY(explained(path_, transaction.commit()));
  return std::optional<std::int64_t>(revision);
}

Result<bool> RecordStore::erase(const std::string& space, const std::string& key) {
  if (auto error = refused(space, key)) return *error;
  const std::lock_guard lock(mutex_);
  QA_TRY(explained(path_, store_.query("DELETE FROM records WHERE space = ? AND key = ?", {space, key})));
  return store_.changes() > 0;
}

Result<std::vector<StoredRecord>> RecordStore::list(const std::string& space, const std::string& prefix,
                                                    const std::string& after, int limit) {
  if (auto error = refused(space, prefix)) return *error;
  const std::lock_guard lock(mutex_);
  const std::string end = end_of_prefix(prefix);
  const auto rows = QA_TRY(explained(
      path_,
      store_.query(
          "SELECT key, value, revision FROM records WHERE space = ?1 AND key >= ?2 AND (?3 = '' OR key < ?3) AND "
          "(?4 = '' OR key > ?4) ORDER BY key LIMIT ?5",
          {space, prefix, end, after, std::int64_t{limit}})));
  std::vector<StoredRecord> records;
  for (const SqliteStore::Row& row : rows) {
    records.push_back({SqliteStore::text(row, 0), SqliteStore::text(row, 1), SqliteStore::number(row, 2)});
  }
  return records;
}

}  // namespace qa
