#include "host/folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <filesystem>
#include <vector>

namespace qa {
namespace {

constexpr mode_t kFolderMode = 0700;
constexpr mode_t kFileMode = 0600;

/// Makes a folder and what is missing above it.
bool make_folders(const std::filesystem::path& path) {
  if (::mkdir(path.c_str(), kFolderMode) == 0 || errno == EEXIST) return true;
  if (errno != ENOENT || !path.has_parent_path() || path.parent_path() == path) return false;
  return make_folders(path.parent_path()) && (::mkdir(path.c_str(), kFolderMode) == 0 || errno == EEXIST);
}

/// The parts of a plain relative path; none when it is not one.
std::vector<std::string> parts_of(std::string_view name) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t slash = name.find('/');
    const std::string_view part = name.substr(0, slash);
    if (part.empty() || part == "." || part == ".." || part.find('\0') != part.npos || part.size() > NAME_MAX) {
      return {};
    }
    parts.emplace_back(part);
    if (slash == name.npos) return parts;
    name.remove_prefix(slash + 1);
  }
}

/// Opens the folder that the last part lies in, making what is missing where that is wanted. No link is followed.
UniqueFd open_parent(int root, const std::vector<std::string>& parts, bool create) {
  UniqueFd folder(::openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (std::size_t i = 0; folder && i + 1 < parts.size(); ++i) {
    if (create && ::mkdirat(folder.get(), parts[i].c_str(), kFolderMode) == 0) {
      ::fsync(folder.get());
    } else if (create && errno != EEXIST) {
      return UniqueFd();
    }
    folder.reset(::openat(folder.get(), parts[i].c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  }
  return folder;
}

/// Writes a new file, to the disk; false with errno.
bool write_new(int folder, const std::string& name, std::string_view bytes, mode_t mode) {
  const UniqueFd file(::openat(folder, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kFileMode));
  return file && write_all(file.get(), bytes) && (mode == kFileMode || ::fchmod(file.get(), mode) == 0) &&
         ::fsync(file.get()) == 0;
}

/// Moves a new file into its place; an empty folder of that name gives way.
bool put_in_place(int folder, const std::string& temporary, const std::string& name) {
  if (::renameat(folder, temporary.c_str(), folder, name.c_str()) == 0) return true;
  if (errno != EISDIR && errno != ENOTEMPTY && errno != EEXIST) return false;
  return ::unlinkat(folder, name.c_str(), AT_REMOVEDIR) == 0 &&
         ::renameat(folder, temporary.c_str(), folder, name.c_str()) == 0;
}

mode_t mode_of(int folder, const std::string& name) {
  struct stat found {};
  if (::fstatat(folder, name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(found.st_mode)) return kFileMode;
  return found.st_mode & 0777;
}

/// One file below a folder: the folder that it lies in, opened, and its own name.
struct Place {
  UniqueFd folder;
  std::string name, shown;
};

Result<Place> place_of(const Folder& root, std::string_view name, bool create) {
  const std::vector<std::string> parts = parts_of(name);
  Place place;
  place.shown = root.path() + "/" + std::string(name);
  if (parts.empty()) {
    return Error{ErrorKind::io_error, "a file below " + root.path() + " needs a plain relative name without \"..\""};
  }
  place.folder = open_parent(root.fd(), parts, create);
  if (!place.folder) return io_failure("cannot open the folder of " + place.shown, errno);
  place.name = parts.back();
  return place;
}

}  // namespace

Error io_failure(const std::string& what, int code) { return {ErrorKind::io_error, what + ": " + std::strerror(code)}; }

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

std::optional<std::string> read_all(int fd, std::size_t limit) {
  std::string bytes;
  char block[65536];
  while (bytes.size() <= limit) {
    const ssize_t size = ::read(fd, block, sizeof block);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return std::nullopt;
    if (size == 0) break;
    bytes.append(block, static_cast<std::size_t>(size));
  }
  return bytes;
}

std::string random_hex(std::size_t bytes) {
  std::string random(bytes, '\0'), hex;
  while (::getrandom(random.data(), bytes, 0) != static_cast<ssize_t>(bytes)) {
  }
  for (const char c : random) {
    hex += "0123456789abcdef"[static_cast<unsigned char>(c) >> 4];
    hex += "0123456789abcdef"[c & 0xF];
  }
  return hex;
}

Result<Folder> Folder::open(const std::string& path, bool create) {
  const std::string wanted = path.empty() ? "." : path;
  if (create && !make_folders(wanted)) return io_failure("cannot make the folder " + wanted, errno);
  Folder folder;
  std::error_code failed;
  folder.path_ = std::filesystem::canonical(wanted, failed).string();
  if (failed) return io_failure("cannot open the folder " + wanted, failed.value());
  folder.fd_.reset(::open(folder.path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.fd_) return io_failure("cannot open the folder " + wanted, errno);
  return folder;
}

Result<Unit> Folder::write(std::string_view name, std::string_view bytes, mode_t mode) const {
  const auto place = QA_TRY(place_of(*this, name, true));
  const int folder = place.folder.get();
  if (mode == 0) mode = mode_of(folder, place.name);
  const std::string temporary = ".new-" + random_hex(6);
  if (!write_new(folder, temporary, bytes, mode) || !put_in_place(folder, temporary, place.name)) {
    const int code = errno;
    ::unlinkat(folder, temporary.c_str(), 0);
    return io_failure("cannot write " + place.shown, code);
  }
  if (::fsync(folder) != 0) return io_failure("cannot flush the folder of " + place.shown, errno);
  return Unit{};
}

Result<Unit> Folder::append(std::string_view name, std::string_view bytes) const {
  const auto place = QA_TRY(place_of(*this, name, true));
  const UniqueFd file(::openat(place.folder.get(), place.name.c_str(),
                               O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, kFileMode));
  if (!file) return io_failure("cannot open " + place.shown, errno);
  const off_t end = ::lseek(file.get(), 0, SEEK_END);
  if (!write_all(file.get(), bytes) || ::fsync(file.get()) != 0) {
    const int code = errno;
    // Best effort: a reader leaves out what is torn.
    if (::ftruncate(file.get(), end) != 0) write_all(file.get(), "\n");
    return io_failure("cannot append to " + place.shown, code);
  }
  if (end == 0 && ::fsync(place.folder.get()) != 0) {
    return io_failure("cannot flush the folder of " + place.shown, errno);
  }
  return Unit{};
}

Result<Unit> Folder::remove(std::string_view name) const {
  const auto place = place_of(*this, name, false);
  if (!place) return errno == ENOENT ? Result<Unit>(Unit{}) : Result<Unit>(place.error());
  if (::unlinkat(place->folder.get(), place->name.c_str(), 0) == 0 || errno == ENOENT) return Unit{};
  return io_failure("cannot remove " + place->shown, errno);
}

Result<Unit> Folder::link(std::string_view name, const std::string& target) const {
  const auto place = QA_TRY(place_of(*this, name, true));
  const int folder = place.folder.get();
  const std::string temporary = ".new-" + random_hex(6);
  if (::symlinkat(target.c_str(), folder, temporary.c_str()) != 0 || !put_in_place(folder, temporary, place.name)) {
    const int code = errno;
    ::unlinkat(folder, temporary.c_str(), 0);
    return io_failure("cannot make the link " + place.shown, code);
  }
  return Unit{};
}

Result<UniqueFd> Folder::lock(std::string_view name) const {
  const auto place = QA_TRY(place_of(*this, name, true));
  UniqueFd file(::openat(place.folder.get(), place.name.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
                         kFileMode));
  if (!file) return io_failure("cannot open " + place.shown, errno);
  if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0) return file;
  if (errno != EWOULDBLOCK) return io_failure("cannot lock " + place.shown, errno);
  return Error{ErrorKind::store_locked, place.shown + " is in use by another process"};
}

}  // namespace qa
