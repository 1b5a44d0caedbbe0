#include "host/main/lifeline.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>

#include "host/text.h"

namespace qa {
namespace {

constexpr int kInternal = 70;
constexpr int kGraceMs = 1500;
constexpr std::size_t kLongestError = 2000;  // A message of the line has 8 KiB.
constexpr int kLowestFd = 10;                // Away from 3 and 4, where a browser expects its pipe.

// Signal handlers and the end of the process read these, so they are lock-free and belong to the process.
std::array<std::atomic<pid_t>, 64> g_groups;
std::atomic<int> g_handler_fd{-1};
static_assert(std::atomic<pid_t>::is_always_lock_free);

/// Async-signal-safe.
[[noreturn]] void end_process(int code) {
  for (auto& group : g_groups) {
    if (const pid_t id = group.load(); id > 1) kill(-id, SIGKILL);
  }
  _exit(code);
}

void on_parent_death(int) { end_process(kInternal); }

void do_nothing(int) {}

void replace_group(pid_t known, pid_t next) {
  for (auto& slot : g_groups) {
    pid_t expected = known;
    if (slot.compare_exchange_strong(expected, next)) return;
  }
}

void forward_signal(int number) {
  const int saved = errno;
  const char text[] = {'s', static_cast<char>(number)};
  if (const int fd = g_handler_fd.load(); fd >= 0) ::send(fd, text, sizeof text, MSG_NOSIGNAL | MSG_DONTWAIT);
  errno = saved;
}

/// A handler, not SIG_IGN: handlers do not outlive exec, so children start with default signals.
void handle(int number, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(number, &action, nullptr);
}

void handle_stop_signals(void (*handler)(int)) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) handle(number, handler);
}

}  // namespace

LifeLine::LifeLine(int fd, pid_t parent) : supervised_(true), line_(fcntl(fd, F_DUPFD_CLOEXEC, kLowestFd)) {
  close(fd);
  handle_stop_signals(do_nothing);
  // The net under the watcher thread: arrives even when that thread cannot run.
  handle(SIGUSR2, on_parent_death);
  prctl(PR_SET_PDEATHSIG, SIGUSR2);
  if (!line_ || getppid() != parent) end_process(kInternal);
}

LifeLine::LifeLine() : supervised_(false) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) return;
  line_.reset(ends[0]);
  handler_end_.reset(ends[1]);
  g_handler_fd = ends[1];
  handle_stop_signals(forward_signal);
}

LifeLine::~LifeLine() {
  stop();
  g_handler_fd = -1;
}

void LifeLine::watch(std::function<void(int)> on_cancel) {
  on_cancel_ = std::move(on_cancel);
  wake_.reset(eventfd(0, EFD_CLOEXEC));
  sigset_t all, before;
  sigfillset(&all);
  // Signals go to the loop thread; PDEATHSIG's handler works on any.
  pthread_sigmask(SIG_SETMASK, &all, &before);
  watcher_ = std::thread([this] { watch_line(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void LifeLine::stop() {
  if (!watcher_.joinable()) return;
  eventfd_write(wake_.get(), 1);
  watcher_.join();
}

void LifeLine::watch_line() {
  std::array<char, 64> buffer;
  for (;;) {
    std::array<pollfd, 2> fds{{{line_.get(), POLLIN, 0}, {wake_.get(), POLLIN, 0}}};
    const bool is_ending = !supervised_ && signal_ != 0;
    const int ready = poll(fds.data(), fds.size(), is_ending ? kGraceMs : -1);
    if (ready == 0) end_process(128 + signal_);
    if (fds[1].revents != 0) return;
    if (fds[0].revents == 0) continue;
    const ssize_t length = recv(line_.get(), buffer.data(), buffer.size(), 0);
    if (length <= 0) end_process(kInternal);
    on_message({buffer.data(), static_cast<std::size_t>(length)});
  }
}

void LifeLine::on_message(std::string_view message) {
  int number = 0;
  if (message.starts_with("cancel ")) number = std::atoi(std::string(message.substr(7)).c_str());
  if (message.size() == 2 && message[0] == 's') number = message[1];
  if (number <= 0) return;
  if (signal_ != 0) end_process(128 + number);
  signal_ = number;
  on_cancel_(number);
}

void LifeLine::send(std::string_view message) {
  if (supervised_) ::send(line_.get(), message.data(), message.size(), MSG_NOSIGNAL);
}

void LifeLine::group_started(pid_t group) {
  replace_group(0, group);
  send("group " + std::to_string(group));
}

void LifeLine::group_gone(pid_t group) {
  replace_group(group, 0);
  send("group_gone " + std::to_string(group));
}

void LifeLine::run_directory(std::string_view path) { send("run " + std::string(path)); }

void LifeLine::result(std::string_view status, int score, std::string_view report) {
  send("result " + std::string(status) + " " + std::to_string(score) + " " + std::string(report));
}

void LifeLine::error(std::string_view text) { send("error " + truncate_text(text, kLongestError)); }

}  // namespace qa
