#pragma once
// RecordStore: JSON texts by namespace and key in one SQLite file that several processes share. Each write is one
// transaction, on the disk when it returns. A write may say which revision it replaces, so that reading, changing and
// writing again loses nobody's update:
//
//   process A: get -> revision 7 ... put(revision 7) -> 8
//   process B: get -> revision 7 ........ put(revision 7) -> nothing: it is 8; get again
//
// Every call blocks on the disk and on other processes: run it on the pool, from any thread.

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "host/error.h"
#include "host/store/sqlite_store.h"

namespace qa {

struct StoredRecord {
  std::string key, value;
  std::int64_t revision = 0;  ///< Of the whole file: no two writes have the same.
};

class RecordStore {
 public:
  static constexpr std::size_t kLongestName = 1024;                   ///< Of a namespace and of a key, in bytes.
  static constexpr std::size_t kLargestValue = std::size_t{4} << 20;  ///< In bytes.

  /// store_locked when others hold the file longer than `patience_ms`; every other failure is store_error and says what
  /// to do about it.
  static Result<std::unique_ptr<RecordStore>> open(const std::string& path, int patience_ms = 10'000);

  Result<std::optional<StoredRecord>> get(const std::string& space, const std::string& key);

  /// Returns the new revision. With `replaces`, nothing is written and nullopt returned unless the record has that
  /// revision now; 0 stands for no record.
  Result<std::optional<std::int64_t>> put(const std::string& space, const std::string& key, const std::string& value,
                                          std::optional<std::int64_t> replaces = {});

  /// Was it there?
  Result<bool> erase(const std::string& space, const std::string& key);

  /// At most `limit` records whose keys begin with `prefix` and come after `after` ("" for the first ones), in the
  /// order of their bytes.
  Result<std::vector<StoredRecord>> list(const std::string& space, const std::string& prefix, const std::string& after,
                                         int limit);

 private:
  explicit RecordStore(SqliteStore store, std::string path) : store_(std::move(store)), path_(std::move(path)) {}
  Result<Unit> prepare();
  Result<std::int64_t> next_revision();

  std::mutex mutex_;  ///< One statement at a time.
  SqliteStore store_;
  std::string path_;
};

}  // namespace qa
