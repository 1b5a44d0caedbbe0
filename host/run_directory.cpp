#include "host/run_directory.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <utility>
#include <vector>

namespace qa {
namespace {

constexpr mode_t kFolderMode = 0700;
constexpr mode_t kFileMode = 0600;
constexpr const char* kJournal = "trace.jsonl";

/// Owns a file descriptor.
class File {
 public:
  explicit File(int fd = -1) : fd_(fd) {}
  File(File&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  File& operator=(File&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  int fd() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }

 private:
  int fd_;
};

Error io_failure(const std::string& what, int code) {
  return {ErrorKind::io_error, what + ": " + std::strerror(code), "", ""};
}

/// Writes everything; false with errno when it cannot.
bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
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

std::string utc_stamp() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  char stamp[32];
  std::strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%SZ", &utc);
  return stamp;
}

/// Makes a folder and what is missing above it.
bool make_folders(const std::filesystem::path& path) {
  if (::mkdir(path.c_str(), kFolderMode) == 0 || errno == EEXIST) return true;
  if (errno != ENOENT || !path.has_parent_path() || path.parent_path() == path) return false;
  return make_folders(path.parent_path()) && (::mkdir(path.c_str(), kFolderMode) == 0 || errno == EEXIST);
}

/// The path without links and dots, or "" with errno.
std::string real_path(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> resolved(::realpath(path.c_str(), nullptr), std::free);
  return resolved ? resolved.get() : "";
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

/// Opens the folder that the last part lies in, making what is missing. No link is followed on the way.
File open_parent(int root, const std::vector<std::string>& parts) {
  File folder(::openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (std::size_t i = 0; folder.is_open() && i + 1 < parts.size(); ++i) {
    if (::mkdirat(folder.fd(), parts[i].c_str(), kFolderMode) == 0) {
      ::fsync(folder.fd());
    } else if (errno != EEXIST) {
      return File();
    }
    folder = File(::openat(folder.fd(), parts[i].c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  }
  return folder;
}

/// Writes a new file, to the disk; false with errno.
bool write_file(int folder, const std::string& name, std::string_view bytes) {
  const File file(::openat(folder, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kFileMode));
  return file.is_open() && write_all(file.fd(), bytes) && ::fsync(file.fd()) == 0;
}

}  // namespace

struct RunDirectory::State {
  std::string path;
  File folder;
  File journal;           ///< Not open in a directory that was opened for reading.
  off_t journal_end = 0;  ///< Where the last complete line ends.
};

RunDirectory::RunDirectory(std::unique_ptr<State> state) : state_(std::move(state)) {}
RunDirectory::~RunDirectory() = default;

Result<std::unique_ptr<RunDirectory>> RunDirectory::create(const std::string& parent, std::string_view slug_text) {
  const std::string wanted = parent.empty() ? "." : parent;
  if (!make_folders(wanted)) return io_failure("cannot make the folder " + wanted, errno);
  const std::string real_parent = real_path(wanted);
  if (real_parent.empty()) return io_failure("cannot open the folder " + wanted, errno);
  if (real_parent == "/") return Error{ErrorKind::io_error, "runs cannot be kept in /; name another folder", "", ""};

  auto state = std::make_unique<State>();
  for (int attempt = 0; state->path.empty(); ++attempt) {
    const std::string path = real_parent + "/" + utc_stamp() + "-" + slug(slug_text) + "-" + random_hex(3);
    if (::mkdir(path.c_str(), kFolderMode) == 0) {
      state->path = path;
    } else if (errno != EEXIST || attempt == 8) {
      return io_failure("cannot write to " + real_parent, errno);
    }
  }
  state->folder = File(::open(state->path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!state->folder.is_open()) return io_failure("cannot open " + state->path, errno);
  state->journal = File(::openat(state->folder.fd(), kJournal,
                                 O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kFileMode));
  if (!state->journal.is_open()) return io_failure("cannot make the journal in " + state->path, errno);
  return std::unique_ptr<RunDirectory>(new RunDirectory(std::move(state)));
}

Result<std::unique_ptr<RunDirectory>> RunDirectory::open(const std::string& path) {
  auto state = std::make_unique<State>();
  state->path = real_path(path);
  if (state->path.empty()) return io_failure("cannot open " + path, errno);
  state->folder = File(::open(state->path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!state->folder.is_open()) return io_failure("cannot open " + path, errno);
  if (::faccessat(state->folder.fd(), kJournal, R_OK, 0) != 0) {
    return io_failure(path + " is no run directory: cannot read " + kJournal, errno);
  }
  return std::unique_ptr<RunDirectory>(new RunDirectory(std::move(state)));
}

const std::string& RunDirectory::path() const { return state_->path; }

std::string RunDirectory::browser_path() const {
  ::mkdirat(state_->folder.fd(), "browser", kFolderMode);
  return state_->path + "/browser";
}

Result<Unit> RunDirectory::append(std::string_view json_line) {
  if (!state_->journal.is_open()) {
    return Error{ErrorKind::io_error, "the journal of an earlier run is not appended to", "", ""};
  }
  if (json_line.find('\n') != json_line.npos) {
    return Error{ErrorKind::io_error, "a journal line holds a line break", "", ""};
  }
  std::string line(json_line);
  line += '\n';
  if (!write_all(state_->journal.fd(), line)) {
    const int code = errno;
    // Part of the line may be there (full disk); the next one must not be glued to it. If this fails too, the
    // reader meets one broken line.
    if (::ftruncate(state_->journal.fd(), state_->journal_end) != 0) write_all(state_->journal.fd(), "\n");
    return io_failure("cannot append to the journal in " + state_->path, code);
  }
  state_->journal_end += static_cast<off_t>(line.size());
  return Unit{};
}

Result<std::string> RunDirectory::read_journal() const {
  const File file(::openat(state_->folder.fd(), kJournal, O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return io_failure("cannot read the journal in " + state_->path, errno);
  std::string text;
  std::string chunk(65536, '\0');
  while (true) {
    const ssize_t got = ::read(file.fd(), chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return io_failure("cannot read the journal in " + state_->path, errno);
    if (got == 0) break;
    text.append(chunk, 0, static_cast<std::size_t>(got));
  }
  const std::size_t last = text.rfind('\n');
  text.resize(last == text.npos ? 0 : last + 1);
  return text;
}

Result<Unit> RunDirectory::publish(std::string_view name, std::string_view bytes) {
  const std::vector<std::string> parts = parts_of(name);
  if (parts.empty() || name == kJournal) {
    return Error{ErrorKind::io_error,
                 "a file of a run needs a plain relative name without \"..\" that is not the journal's", "", ""};
  }
  const std::string shown = state_->path + "/" + std::string(name);
  const File folder = open_parent(state_->folder.fd(), parts);
  if (!folder.is_open()) return io_failure("cannot make the folder of " + shown, errno);
  const std::string temporary = ".new-" + random_hex(6);
  if (!write_file(folder.fd(), temporary, bytes) ||
      ::renameat(folder.fd(), temporary.c_str(), folder.fd(), parts.back().c_str()) != 0) {
    const int code = errno;
    ::unlinkat(folder.fd(), temporary.c_str(), 0);
    return io_failure("cannot write " + shown, code);
  }
  if (::fsync(folder.fd()) != 0) return io_failure("cannot flush the folder of " + shown, errno);
  return Unit{};
}

std::string slug(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string out;
  for (const char c : text) {
    if (out.size() == longest) break;
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80 && std::isalnum(byte)) {
      out += static_cast<char>(std::tolower(byte));
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
  }
  while (!out.empty() && out.back() == '-') out.pop_back();
  return out.empty() ? "game" : out;
}

}  // namespace qa
