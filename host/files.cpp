#include "host/files.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

namespace qa {
namespace {

namespace fs = std::filesystem;

Error io_error(const std::string& path, const std::string& why) {
  return Error{ErrorKind::io_error, path + ": " + why};
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

}  // namespace

Result<std::string> read_file(const std::string& path) {
  std::error_code failed;
  const auto status = fs::status(path, failed);
  if (!fs::exists(status)) return io_error(path, failed ? failed.message() : "no such file");
  if (fs::is_directory(status)) return io_error(path, "is a folder");
  if (!fs::is_regular_file(status)) return io_error(path, "not a regular file");
  const File file(std::fopen(path.c_str(), "rb"));
  if (!file) return io_error(path, std::strerror(errno));
  std::string bytes;
  char block[65536];
  for (std::size_t size; (size = std::fread(block, 1, sizeof block, file.get())) > 0;) {
    bytes.append(block, size);
    if (bytes.size() > kLargestFile) return io_error(path, "larger than 128 MiB");
  }
  if (std::ferror(file.get())) return io_error(path, std::strerror(errno));
  return bytes;
}

Result<Unit> write_file(const std::string& path, std::string_view bytes) {
  std::error_code failed;
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty()) fs::create_directories(folder, failed);
  if (failed) return io_error(path, failed.message());
  const std::string temporary = path + ".part" + std::to_string(getpid());
  File file(std::fopen(temporary.c_str(), "wb"));
  if (!file) return io_error(path, std::strerror(errno));
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size();
  const bool closed = std::fclose(file.release()) == 0;
  if (!written || !closed || std::rename(temporary.c_str(), path.c_str()) != 0) {
    const std::string why = std::strerror(errno);
    std::remove(temporary.c_str());
    return io_error(path, why);
  }
  return Unit{};
}

}  // namespace qa
