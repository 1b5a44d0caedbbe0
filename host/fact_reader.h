#pragma once
// FactReader: reads the rows of a table of facts that a user may edit (scripts/data/*.json), strictly, and keeps the
// first thing that is wrong, with the row and the field. For PriceTable and ModelTable, on any thread.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/error.h"

namespace qa {

class FactReader {
 public:
  using Json = nlohmann::json;

  /// `table` names it in errors: "price table".
  explicit FactReader(std::string table) : table_(std::move(table)) {}

  /// Calls visit(row, models) for each object in "rows" of {"rows": [...]}; `models` are the row's ids and globs.
  /// type_mismatch with the first thing that this reader or `visit` found wrong.
  Result<Unit> read(std::string_view json,
                    const std::function<void(const Json& row, const std::vector<std::string>& models)>& visit);

  void fail(const std::string& what);
  void refuse_others(const Json& object, std::initializer_list<std::string_view> known);

  /// The text at `key`; missing, empty or no text fails.
  std::string text(const Json& object, const char* key);
  /// The place in `words` of the text at `key`; 0 when there is no such key; another word fails.
  std::size_t word(const Json& object, const char* key, std::initializer_list<std::string_view> words);
  /// The whole number at `key`, from 0; `otherwise` when there is no such key; another value fails.
  std::int64_t count(const Json& object, const char* key, std::int64_t otherwise = 0);
  /// False when there is no such key.
  bool flag(const Json& object, const char* key);
  /// Texts at `key`, none when there is no such key.
  std::vector<std::string> texts(const Json& object, const char* key);

 private:
  std::string table_, where_, failure_;
};

/// Is a row's model a glob, which is asked after the exact ids?
bool is_glob(std::string_view model);

}  // namespace qa
