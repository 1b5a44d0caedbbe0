#include "host/browser/browser_process.h"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

namespace qa {
namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr std::size_t kStderrLimit = 64 * 1024;
constexpr milliseconds kExitPoll{50};     ///< Where the kernel has no pidfd, or it is early.
constexpr int kLeaderMs = 500;            ///< A killed leader is gone long before.
constexpr milliseconds kGroupLimit{500};  ///< The rest of its group, too.

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

struct BrowserProcess::State : std::enable_shared_from_this<State> {
  State(EventLoop& loop_in, pid_t pid_in, std::string folder_in)
      : loop(loop_in), pid(pid_in), folder(std::move(folder_in)), errors(loop_in.io()), watch(loop_in.io()) {}

  EventLoop& loop;
  pid_t pid;
  std::string folder;
  asio::posix::stream_descriptor errors, watch;
  std::array<char, 32 * 1024> chunk{};  ///< Half of what a pipe holds: a flood takes few turns of the loop.
  std::string tail;
  bool exited = false, released = false;
  int status = 0;
  std::function<void()> exit_handler;
  EventLoop::TimerId poll = 0;

  void read_errors() {
    errors.async_read_some(asio::buffer(chunk), [self = shared_from_this()](const auto& failed, std::size_t count) {
      if (failed) return;
      self->keep_errors(count);
      self->read_errors();
    });
  }

  void keep_errors(std::size_t count) {
    tail.append(chunk.data(), count);
    // Cutting at twice the limit makes a flood cost one move per 64 KiB.
    if (tail.size() > 2 * kStderrLimit) tail.erase(0, tail.size() - kStderrLimit);
  }

  void watch_exit() {
    const int fd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
    if (fd < 0) return poll_exit();
    watch.assign(fd);
    watch.async_wait(asio::posix::stream_descriptor::wait_read, [self = shared_from_this()](const auto& failed) {
      if (!failed) self->poll_exit();
    });
  }

  /// Also after the pidfd has spoken: it does so before a process that is traced can be reaped.
  void poll_exit() {
    if (reap()) return;
    poll = loop.after(kExitPoll, [self = shared_from_this()] { self->poll_exit(); });
  }

  bool reap() {
    if (exited) return true;
    siginfo_t seen{};
    if (::waitid(P_PID, static_cast<id_t>(pid), &seen, WEXITED | WNOHANG | WNOWAIT) == 0 && seen.si_pid == 0)
      return false;
    // The dead leader still holds the group's number here, so that the signal cannot reach a stranger.
    ::kill(-pid, SIGKILL);
    if (::waitpid(pid, &status, WNOHANG) != pid) status = 0;
    exited = true;
    drain_errors();
    auto handler = std::exchange(exit_handler, nullptr);
    if (handler) handler();
    return true;
  }

  /// What the browser wrote just before it died is often the only explanation.
  void drain_errors() {
    if (!errors.is_open()) return;
    for (;;) {
      boost::system::error_code failed;
      errors.non_blocking(true, failed);
      const std::size_t count = errors.read_some(asio::buffer(chunk), failed);
      if (failed || count == 0) return;
      keep_errors(count);
    }
  }

  /// Once only: a second time may be while the loop itself is being destroyed.
  void release() {
    if (std::exchange(released, true)) return;
    boost::system::error_code ignored;
    errors.close(ignored);
    watch.close(ignored);
    loop.cancel(poll);
    exit_handler = nullptr;
  }
};

BrowserProcess::BrowserProcess(EventLoop& loop, pid_t pid, int stderr_fd, std::string folder)
    : state_(std::make_shared<State>(loop, pid, std::move(folder))) {
  state_->errors.assign(stderr_fd);
  state_->read_errors();
  state_->watch_exit();
}

BrowserProcess::~BrowserProcess() {
  if (!state_->exited) destroy_now();
  state_->release();
}

void BrowserProcess::on_exit(std::function<void()> handler) {
  if (state_->exited) {
    state_->loop.post(std::move(handler));
  } else {
    state_->exit_handler = std::move(handler);
  }
}

bool BrowserProcess::exited() const { return state_->exited; }

std::string BrowserProcess::exit_text() const {
  if (!state_->exited) return "runs";
  if (WIFSIGNALED(state_->status)) return "was killed by signal " + std::to_string(WTERMSIG(state_->status));
  return "exited with status " + std::to_string(WEXITSTATUS(state_->status));
}

std::string BrowserProcess::exit_detail() const {
  if (!state_->exited) return "{}";
  if (WIFSIGNALED(state_->status)) return "{\"signal\":" + std::to_string(WTERMSIG(state_->status)) + "}";
  return "{\"exit_status\":" + std::to_string(WEXITSTATUS(state_->status)) + "}";
}

std::string BrowserProcess::stderr_tail(std::size_t limit) const {
  const std::string& all = state_->tail;
  const std::size_t count = std::min({limit, all.size(), kStderrLimit});
  return all.substr(all.size() - count);
}

void BrowserProcess::kill_group() {
  if (!state_->exited) ::kill(-state_->pid, SIGKILL);
}

void BrowserProcess::destroy_now() {
  state_->exit_handler = nullptr;
  kill_group();
  // The pidfd becomes readable when the leader has gone.
  pollfd leader{state_->watch.is_open() ? state_->watch.native_handle() : -1, POLLIN, 0};
  if (!state_->reap()) ::poll(&leader, 1, kLeaderMs);
  state_->reap();
  state_->release();
  remove_tree(state_->pid, state_->folder);
}

void BrowserProcess::remove_folder(std::function<void()> done) {
  state_->loop.compute([group = state_->pid, folder = state_->folder] { remove_tree(group, folder); }, std::move(done));
}

}  // namespace qa
