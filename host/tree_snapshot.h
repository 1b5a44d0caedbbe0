#pragma once
// Snapshots of a folder: what every file below it is now, and its bytes kept aside, so that what somebody changes can
// be named and taken back. Called on the pool: it reads every file.

#include <string>
#include <vector>

#include "host/error.h"

namespace qa {

struct TreeEntry {
  std::string path;    ///< Below the folder, with "/".
  std::string sha256;  ///< Of the bytes, or of the target of a link.
  unsigned mode = 0;   ///< Permission bits.
  bool is_link = false;
};

/// All files and links below `root`, by path. `ignore`: names of files and folders at any depth, or "*.ending". Bytes
/// are kept in `objects` by hash; "" keeps none. io_error beyond 50,000 files or 1 GiB: name what is large in `ignore`.
Result<std::vector<TreeEntry>> snapshot_tree(const std::string& root, const std::string& objects,
                                             const std::vector<std::string>& ignore);

/// Makes a file what it was. io_error when its bytes are not in `objects`, or not the same any more.
Result<Unit> restore_entry(const std::string& root, const std::string& objects, const TreeEntry& entry);

}  // namespace qa
