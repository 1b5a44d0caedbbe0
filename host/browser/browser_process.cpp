#include "host/browser/browser_process.h"

#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

namespace qa {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr std::size_t kStderrLimit = 64 * 1024;
constexpr milliseconds kGroupLimit{500};  ///< The rest of a killed group is gone long before.

/// Whether the process still belongs to the group and has not died: fields 3 and 5 of /proc/PID/stat, proc(5).
bool lives_in(pid_t group, const std::string& pid) {
  std::ifstream file("/proc/" + pid + "/stat");
  std::string line;
  std::getline(file, line);
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string::npos) return false;
  std::istringstream fields(line.substr(name_end + 1));
  char state = 'X';
  pid_t parent = 0, found = 0;
  fields >> state >> parent >> found;
  return found == group && state != 'Z' && state != 'X';
}

/// A descriptor for each living member of the group, readable once that member is gone.
std::vector<pollfd> members(pid_t group) {
  std::vector<pollfd> found;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator("/proc", failed)) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos || !lives_in(group, name)) continue;
    const int fd = static_cast<int>(::syscall(SYS_pidfd_open, std::stoi(name), 0));
    if (fd >= 0) found.push_back({fd, POLLIN, 0});
  }
  return found;
}

/// The rest of a killed group needs a moment to be gone, and may still write until then.
void wait_until_gone(pid_t group) {
  const auto limit = std::chrono::steady_clock::now() + kGroupLimit;
  for (pollfd& member : members(group)) {
    const auto left = std::chrono::duration_cast<milliseconds>(limit - std::chrono::steady_clock::now());
    ::poll(&member, 1, static_cast<int>(std::max(left, milliseconds(0)).count()));
    ::close(member.fd);
  }
}

void remove_tree(pid_t group, const std::string& folder) {
  wait_until_gone(group);
  std::error_code ignored;
  fs::remove_all(folder, ignored);
}

}  // namespace

BrowserProcess::BrowserProcess(EventLoop& loop, pid_t pid, int stderr_fd, std::string folder)
    : loop_(loop), leader_(std::make_shared<ProcessLeader>(loop, pid)), folder_(std::move(folder)) {
  errors_ = PipeReader::start(loop, stderr_fd, [this](const char* data, std::size_t count) {
    tail_.append(data, count);
    // Cutting at twice the limit makes a flood cost one move per 64 KiB.
    if (tail_.size() > 2 * kStderrLimit) tail_.erase(0, tail_.size() - kStderrLimit);
  });
  leader_->watch([this] {
    // What the browser wrote just before it died is often the only explanation.
    errors_->drain();
    // May end this object.
    if (const auto handler = std::exchange(exit_handler_, nullptr)) handler();
  });
}

BrowserProcess::~BrowserProcess() {
  if (!exited()) destroy_now();
  release();
}

/// Once only: a second time may be while the loop itself is being destroyed.
void BrowserProcess::release() {
  if (std::exchange(released_, true)) return;
  errors_->close();
  leader_->close();
  exit_handler_ = nullptr;
}

void BrowserProcess::on_exit(std::function<void()> handler) {
  if (exited()) return loop_.post(std::move(handler));
  exit_handler_ = std::move(handler);
}

bool BrowserProcess::exited() const { return leader_->ended(); }

std::string BrowserProcess::exit_text() const {
  const int status = leader_->status();
  if (!exited()) return "runs";
  if (WIFSIGNALED(status)) return "was killed by signal " + std::to_string(WTERMSIG(status));
  return "exited with status " + std::to_string(WEXITSTATUS(status));
}

std::string BrowserProcess::exit_detail() const {
  const int status = leader_->status();
  if (!exited()) return "{}";
  if (WIFSIGNALED(status)) return "{\"signal\":" + std::to_string(WTERMSIG(status)) + "}";
  return "{\"exit_status\":" + std::to_string(WEXITSTATUS(status)) + "}";
}

std::string BrowserProcess::stderr_tail(std::size_t limit) const {
  const std::size_t count = std::min({limit, tail_.size(), kStderrLimit});
  return tail_.substr(tail_.size() - count);
}

void BrowserProcess::kill_group() { leader_->kill_group(); }

void BrowserProcess::destroy_now() {
  leader_->end_now();
  errors_->drain();
  release();
  remove_tree(leader_->pid(), folder_);
}

void BrowserProcess::remove_folder(std::function<void()> done) {
  loop_.compute([group = leader_->pid(), folder = folder_] { remove_tree(group, folder); }, std::move(done));
}

}  // namespace qa
