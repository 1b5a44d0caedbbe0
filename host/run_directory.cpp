#include "host/run_directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <ctime>
#include <utility>

#include "host/folder.h"

namespace qa {
namespace {

constexpr mode_t kFolderMode = 0700;
constexpr mode_t kFileMode = 0600;
constexpr const char* kJournal = "trace.jsonl";

std::string utc_stamp() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  char stamp[32];
  std::strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%SZ", &utc);
  return stamp;
}

}  // namespace

struct RunDirectory::State {
  Folder folder;
  UniqueFd journal;       ///< Not open in a directory that was opened for reading.
  off_t journal_end = 0;  ///< Where the last complete line ends.
};

RunDirectory::RunDirectory(std::unique_ptr<State> state) : state_(std::move(state)) {}
RunDirectory::~RunDirectory() = default;

Result<std::unique_ptr<RunDirectory>> RunDirectory::create(const std::string& parent, std::string_view slug_text) {
  const auto above = QA_TRY(Folder::open(parent, true));
  if (above.path() == "/") return Error{ErrorKind::io_error, "runs cannot be kept in /; name another folder"};

  std::string path;
  for (int attempt = 0; path.empty(); ++attempt) {
    const std::string wanted = above.path() + "/" + utc_stamp() + "-" + slug(slug_text) + "-" + random_hex(3);
    if (::mkdir(wanted.c_str(), kFolderMode) == 0) {
      path = wanted;
    } else if (errno != EEXIST || attempt == 8) {
      return io_failure("cannot write to " + above.path(), errno);
    }
  }
  auto folder = QA_TRY(Folder::open(path));
  auto state = std::make_unique<State>();
  state->folder = std::move(folder);
  state->journal.reset(::openat(state->folder.fd(), kJournal,
                                O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kFileMode));
  if (!state->journal) return io_failure("cannot make the journal in " + path, errno);
  return std::unique_ptr<RunDirectory>(new RunDirectory(std::move(state)));
}

Result<std::unique_ptr<RunDirectory>> RunDirectory::open(const std::string& path) {
  auto folder = QA_TRY(Folder::open(path));
  auto state = std::make_unique<State>();
  state->folder = std::move(folder);
  if (::faccessat(state->folder.fd(), kJournal, R_OK, 0) != 0) {
    return io_failure(path + " is no run directory: cannot read " + kJournal, errno);
  }
  return std::unique_ptr<RunDirectory>(new RunDirectory(std::move(state)));
}

const std::string& RunDirectory::path() const { return state_->folder.path(); }

std::string RunDirectory::browser_path() const {
  ::mkdirat(state_->folder.fd(), "browser", kFolderMode);
  return state_->folder.path() + "/browser";
}

Result<Unit> RunDirectory::append(std::string_view json_line) {
  if (!state_->journal) {
    return Error{ErrorKind::io_error, "the journal of an earlier run is not appended to"};
  }
  if (json_line.find('\n') != json_line.npos) {
    return Error{ErrorKind::io_error, "a journal line holds a line break"};
  }
  std::string line(json_line);
  line += '\n';
  if (!write_all(state_->journal.get(), line)) {
    const int code = errno;
    // Part of the line may be there (full disk); the next one must not be glued to it. If this fails too, the
    // reader meets one broken line.
    if (::ftruncate(state_->journal.get(), state_->journal_end) != 0) write_all(state_->journal.get(), "\n");
    return io_failure("cannot append to the journal in " + state_->folder.path(), code);
  }
  state_->journal_end += static_cast<off_t>(line.size());
  return Unit{};
}

Result<std::string> RunDirectory::read_journal() const {
  const UniqueFd file(::openat(state_->folder.fd(), kJournal, O_RDONLY | O_CLOEXEC));
  if (!file) return io_failure("cannot read the journal in " + state_->folder.path(), errno);
  std::string text;
  std::string chunk(65536, '\0');
  while (true) {
    const ssize_t got = ::read(file.get(), chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return io_failure("cannot read the journal in " + state_->folder.path(), errno);
    if (got == 0) break;
    text.append(chunk, 0, static_cast<std::size_t>(got));
  }
  const std::size_t last = text.rfind('\n');
  text.resize(last == text.npos ? 0 : last + 1);
  return text;
}

Result<Unit> RunDirectory::publish(std::string_view name, std::string_view bytes) {
  if (name == kJournal) {
    return Error{ErrorKind::io_error, "the journal of a run is written by the host alone"};
  }
  return state_->folder.write(name, bytes);
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
