#pragma once
// What a static file server decides without a socket: which file a request target names, which bytes of it, and what
// type it has. Called by static_files.cpp on the loop thread; no Beast here, so that it compiles and tests alone.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace qa {

/// Content type by the extension of a path, with charset for text; unknown ones are application/octet-stream.
std::string_view mime_type(std::string_view path);

/// The path of a request target ("/a%20b.js?v=1" or its absolute form), still escaped, without query. nullopt when
/// the target is no path.
std::optional<std::string_view> target_path(std::string_view target);

/// Unescapes %XX; nullopt when an escape is broken or hides a NUL.
std::optional<std::string> unescape_path(std::string_view path);

/// What lies at `path` (unescaped, starts with "/") below `root` (a real path ending in "/").
struct Located {
  enum class Kind { missing, file, folder } kind = Kind::missing;
  std::string path;  ///< Real path of the file or folder.
};
/// Paths that climb by ".." or leave the root through a link are missing.
Located locate(const std::string& root, const std::string& path);

struct ByteRange {
  std::uint64_t start = 0, length = 0;
};
enum class RangeAnswer { whole, part, unsatisfiable };

/// RFC 9110, 14.1.2, for one range. Several ranges, and malformed ones, get the whole file, as the RFC allows.
RangeAnswer parse_range(std::string_view header, std::uint64_t size, ByteRange& range);

/// A regular file open for reading, or none.
class ServedFile {
 public:
  ServedFile() = default;
  ServedFile(const ServedFile&) = delete;
  ServedFile& operator=(const ServedFile&) = delete;
  ~ServedFile() { close(); }

  bool open(const std::string& path);
  void close();
  std::uint64_t size() const { return size_; }
  /// Bytes read at an offset; 0 at the end and on failure.
  std::size_t read_at(std::uint64_t offset, char* to, std::size_t count) const;
  /// All of a part; nothing when the file became shorter.
  std::optional<std::string> read(const ByteRange& part) const;

 private:
  int fd_ = -1;
  std::uint64_t size_ = 0;
};

/// The path without links and dots, or "" when it does not exist.
std::string real_path(const std::string& path);

}  // namespace qa
