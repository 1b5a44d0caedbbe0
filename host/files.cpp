#include "host/files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "host/folder.h"

namespace qa {
namespace {

namespace fs = std::filesystem;

Error io_error(const std::string& path, const std::string& why) {
  return Error{ErrorKind::io_error, path + ": " + why};
}

}  // namespace

Result<std::string> read_file(const std::string& path) {
  std::error_code failed;
  const auto status = fs::status(path, failed);
  if (!fs::exists(status)) return io_error(path, failed ? failed.message() : "no such file");
  if (fs::is_directory(status)) return io_error(path, "is a folder");
  if (!fs::is_regular_file(status)) return io_error(path, "not a regular file");
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  auto bytes = file ? read_all(file.get(), kLargestFile) : std::nullopt;
  if (!bytes) return io_error(path, std::strerror(errno));
  if (bytes->size() > kLargestFile) return io_error(path, "larger than 128 MiB");
  return std::move(*bytes);
}

Result<Unit> write_file(const std::string& path, std::string_view bytes) {
  std::error_code failed;
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty()) fs::create_directories(folder, failed);
  if (failed) return io_error(path, failed.message());
  const std::string temporary = path + ".part" + std::to_string(getpid());
  UniqueFd file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!file) return io_error(path, std::strerror(errno));
  if (!write_all(file.get(), bytes) || ::close(file.release()) != 0 ||
      std::rename(temporary.c_str(), path.c_str()) != 0) {
    const std::string why = std::strerror(errno);
    std::remove(temporary.c_str());
    return io_error(path, why);
  }
  return Unit{};
}

}  // namespace qa
