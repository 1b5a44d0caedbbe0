#include "host/run_directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <ctime>
#include <utility>

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
  std::unique_ptr<RunDirectory> run(new RunDirectory(QA_TRY(Folder::open(path))));
  run->journal_.reset(::openat(run->folder_.fd(), kJournal,
                               O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kFileMode));
  if (!run->journal_) return io_failure("cannot make the journal in " + path, errno);
  return run;
}

Result<std::unique_ptr<RunDirectory>> RunDirectory::open(const std::string& path) {
  std::unique_ptr<RunDirectory> run(new RunDirectory(QA_TRY(Folder::open(path))));
  if (::faccessat(run->folder_.fd(), kJournal, R_OK, 0) != 0) {
    return io_failure(path + " is no run directory: cannot read " + kJournal, errno);
  }
  return run;
}

std::string RunDirectory::browser_path() const {
  ::mkdirat(folder_.fd(), "browser", kFolderMode);
  return path() + "/browser";
}

Result<Unit> RunDirectory::append(std::string_view json_line) {
  if (!journal_) {
    return Error{ErrorKind::io_error, "the journal of an earlier run is not appended to"};
  }
  if (json_line.find('\n') != json_line.npos) {
    return Error{ErrorKind::io_error, "a journal line holds a line break"};
  }
  std::string line(json_line);
  line += '\n';
  if (!write_all(journal_.get(), line)) {
    const int code = errno;
    // Part of the line may be there (full disk); the next one must not be glued to it. If this fails too, the
    // reader meets one broken line.
    if (::ftruncate(journal_.get(), journal_end_) != 0) write_all(journal_.get(), "\n");
    return io_failure("cannot append to the journal in " + path(), code);
  }
  journal_end_ += static_cast<off_t>(line.size());
  return Unit{};
}

Result<std::string> RunDirectory::read_journal() const {
  const UniqueFd file(::openat(folder_.fd(), kJournal, O_RDONLY | O_CLOEXEC));
  auto text = file ? read_all(file.get()) : std::nullopt;
  if (!text) return io_failure("cannot read the journal in " + path(), errno);
  const std::size_t last = text->rfind('\n');
  text->resize(last == text->npos ? 0 : last + 1);
  return std::move(*text);
}

Result<Unit> RunDirectory::publish(std::string_view name, std::string_view bytes) {
  if (name == kJournal) {
    return Error{ErrorKind::io_error, "the journal of a run is written by the host alone"};
  }
  return folder_.write(name, bytes);
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
