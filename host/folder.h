#pragma once
// Folder: files below one folder, written so that they are there whole or not at all, and never outside of it: names
// are plain relative paths, and no link is followed on the way. Used by runs and plans. Calls block on the disk; any
// thread.

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

#include "host/error.h"
#include "host/unique_fd.h"

namespace qa {

class Folder {
 public:
  Folder() = default;
  /// io_error when it is not there. `create` makes it, and what is missing above it (0700).
  static Result<Folder> open(const std::string& path, bool create = false);

  /// Temporary name, fsync, rename, fsync of the folder. Missing folders are made. `mode` 0 keeps that of the file that
  /// is replaced, 0600 for a new one.
  Result<Unit> write(std::string_view name, std::string_view bytes, mode_t mode = 0600) const;
  /// On the disk when it returns. What a failure leaves is taken back; a crash may leave a torn end.
  Result<Unit> append(std::string_view name, std::string_view bytes) const;
  /// A file or link; one that is not there is fine.
  Result<Unit> remove(std::string_view name) const;
  /// A symbolic link in place of what is there.
  Result<Unit> link(std::string_view name, const std::string& target) const;
  /// Keeps other processes out while the descriptor is open; store_locked when another one has it.
  Result<UniqueFd> lock(std::string_view name) const;

  /// The path without links and dots.
  const std::string& path() const { return path_; }
  int fd() const { return fd_.get(); }

 private:
  UniqueFd fd_;
  std::string path_;
};

/// Writes everything; false with errno when it cannot.
bool write_all(int fd, std::string_view bytes);
/// What a descriptor gives up to its end, or the first bytes beyond `limit`: a size above it says that there are more.
/// nullopt with errno when it cannot be read.
std::optional<std::string> read_all(int fd, std::size_t limit = std::string::npos);
std::string random_hex(std::size_t bytes);
/// io_error: what, and the text of an errno.
Error io_failure(const std::string& what, int code);

}  // namespace qa
