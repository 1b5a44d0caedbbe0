#pragma once
// RunDirectory: the folder of one run, its journal and its published report.
//   <parent>/<UTC time>-<slug>-<id>/  trace.jsonl  report.json  shots/  browser/ (while it runs)
// Loop thread only. Files are 0600, folders 0700.

#include <memory>
#include <string>
#include <string_view>

#include "host/folder.h"

namespace qa {

class RunDirectory {
 public:
  /// Makes the folder below `parent` (created if missing). io_error when it cannot be written, or `parent` is "/" .
  static Result<std::unique_ptr<RunDirectory>> create(const std::string& parent, std::string_view slug);
  /// Opens the folder of an earlier run, for `recover`. The journal is not appended to.
  static Result<std::unique_ptr<RunDirectory>> open(const std::string& path);

  const std::string& path() const { return folder_.path(); }
  std::string browser_path() const;  ///< <path>/browser, made on first use.

  /// Appends one journal line (JSON object text without newline) and leaves it in the kernel before it returns.
  Result<Unit> append(std::string_view json_line);
  /// Complete lines of the journal; a torn last line is left out.
  Result<std::string> read_journal() const;

  /// Writes <path>/<name> atomically: temporary name, fsync, rename, fsync of the folder. `name` is a plain
  /// relative path without "..": else io_error.
  Result<Unit> publish(std::string_view name, std::string_view bytes);

 private:
  explicit RunDirectory(Folder folder) : folder_(std::move(folder)) {}

  Folder folder_;
  UniqueFd journal_;       ///< Not open in a directory that was opened for reading.
  off_t journal_end_ = 0;  ///< Where the last complete line ends.
};

/// Lower-case letters, digits and dashes of any text, at most 40, never empty ("game").
std::string slug(std::string_view text);

}  // namespace qa
