#include "host/tree_snapshot.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "host/folder.h"
#include "host/sha256.h"

namespace qa {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 50'000;
constexpr std::uintmax_t kMostBytes = std::uintmax_t{1} << 30;

bool is_ignored(const std::string& name, const std::vector<std::string>& ignore) {
  return std::any_of(ignore.begin(), ignore.end(), [&](const std::string& pattern) {
    return pattern.starts_with("*") ? name.ends_with(pattern.substr(1)) : name == pattern;
  });
}

Result<std::string> bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file.good() && !file.eof()) return io_failure("cannot read " + path.string(), errno);
  return bytes;
}

/// A crash of the machine may leave an object without its bytes; restore_entry looks at the hash.
Result<Unit> keep(const std::string& objects, const std::string& hash, const std::string& bytes) {
  std::error_code failed;
  const std::string path = objects + "/" + hash;
  if (objects.empty() || fs::exists(path, failed)) return Unit{};
  const std::string temporary = path + "." + random_hex(4);
  std::ofstream file(temporary, std::ios::binary);
  file << bytes;
  file.close();
  if (file) fs::rename(temporary, path, failed);
  if (!file || failed) return io_failure("cannot write " + path, failed ? failed.value() : errno);
  return Unit{};
}

/// The entry of one file or link; no path for what is neither.
Result<TreeEntry> entry_of(const fs::directory_entry& found, const fs::path& root, const std::string& objects) {
  TreeEntry entry;
  struct stat status {};
  if (::lstat(found.path().c_str(), &status) != 0) return entry;
  std::string bytes;
  if (S_ISLNK(status.st_mode)) {
    std::error_code failed;
    entry.is_link = true;
    bytes = fs::read_symlink(found.path(), failed).string();
  } else if (S_ISREG(status.st_mode)) {
    bytes = QA_TRY(bytes_of(found.path()));
  } else {
    return entry;
  }
  entry.mode = entry.is_link ? 0 : status.st_mode & 0777;
  entry.sha256 = sha256_hex(bytes);
  entry.path = found.path().lexically_relative(root).string();
  QA_TRY(keep(objects, entry.sha256, bytes));
  return entry;
}

}  // namespace

Result<std::vector<TreeEntry>> snapshot_tree(const std::string& root, const std::string& objects,
                                             const std::vector<std::string>& ignore) {
  std::error_code failed;
  if (!objects.empty()) {
    QA_TRY(Folder::open(objects, true));
  }
  std::vector<TreeEntry> entries;
  std::uintmax_t bytes = 0;
  fs::recursive_directory_iterator walk(root, failed), end;
  for (; !failed && walk != end; walk.increment(failed)) {
    std::error_code unknown;
    if (is_ignored(walk->path().filename().string(), ignore)) {
      walk.disable_recursion_pending();
      continue;
    }
    if (walk->is_regular_file(unknown) && !walk->is_symlink(unknown)) bytes += walk->file_size(unknown);
    if (entries.size() > kMostFiles || bytes > kMostBytes) {
      return Error{ErrorKind::io_error,
                   fmt::format("{} holds more than {} files or 1 GiB; name what is large in the list 'ignore'", root,
                               kMostFiles)};
    }
    auto entry = QA_TRY(entry_of(*walk, root, objects));
    if (!entry.path.empty()) entries.push_back(std::move(entry));
  }
  if (failed) return io_failure("cannot read the folder " + root, failed.value());
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return entries;
}

Result<Unit> restore_entry(const std::string& root, const std::string& objects, const TreeEntry& entry) {
  const bool is_hash =
      entry.sha256.size() == 64 && entry.sha256.find_first_not_of("0123456789abcdef") == std::string::npos;
  const auto bytes = QA_TRY(is_hash ? bytes_of(objects + "/" + entry.sha256) : Result<std::string>(std::string()));
  if (!is_hash || sha256_hex(bytes) != entry.sha256) {
    return Error{ErrorKind::io_error, "what " + entry.path + " was is not known any more"};
  }
  const auto folder = QA_TRY(Folder::open(root));
  return entry.is_link ? folder.link(entry.path, bytes) : folder.write(entry.path, bytes, entry.mode);
}

}  // namespace qa
