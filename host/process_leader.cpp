#include "host/process_leader.h"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <chrono>
#include <utility>

namespace qa {
namespace {

using boost::asio::posix::stream_descriptor;

constexpr std::chrono::milliseconds kPoll{20};  ///< Where the kernel has no pidfd, or it is early.
constexpr int kLeaderMs = 500;                  ///< A killed leader is gone long before.

}  // namespace

struct ProcessLeader::Descriptor : stream_descriptor {
  using stream_descriptor::stream_descriptor;
};

ProcessLeader::ProcessLeader(EventLoop& loop, pid_t pid)
    : loop_(loop), pid_(pid), descriptor_(std::make_unique<Descriptor>(loop.io())) {}

ProcessLeader::~ProcessLeader() = default;

void ProcessLeader::watch(std::function<void()> on_end) {
  on_end_ = std::move(on_end);
  const int fd = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
  if (fd < 0) return poll();
  descriptor_->assign(fd);
  descriptor_->async_wait(stream_descriptor::wait_read, [weak = weak_from_this()](const auto& failed) {
    const auto self = weak.lock();
    if (self && !failed) self->poll();
  });
}

/// Also after the pidfd has spoken: it does so before a process that is traced can be reaped.
void ProcessLeader::poll() {
  timer_ = 0;
  if (closed_ || reap()) return;
  timer_ = loop_.after(kPoll, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->poll();
  });
}

bool ProcessLeader::reap() {
  if (ended_) return true;
  siginfo_t seen{};
  if (::waitid(P_PID, static_cast<id_t>(pid_), &seen, WEXITED | WNOHANG | WNOWAIT) == 0 && seen.si_pid == 0)
    return false;
  // The dead leader still holds the group's number here, so that the signal cannot reach a stranger.
  ::kill(-pid_, SIGKILL);
  if (::waitpid(pid_, &status_, WNOHANG) != pid_) status_ = 0;
  ended_ = true;
  const auto handler = std::exchange(on_end_, nullptr);
  if (handler) handler();
  return true;
}

void ProcessLeader::kill_group() {
  if (!ended_) ::kill(-pid_, SIGKILL);
}

void ProcessLeader::end_now() {
  on_end_ = nullptr;
  kill_group();
  // The pidfd becomes readable when the leader has gone.
  pollfd leader{descriptor_->is_open() ? descriptor_->native_handle() : -1, POLLIN, 0};
  if (!reap()) ::poll(&leader, 1, kLeaderMs);
  reap();
  close();
}

void ProcessLeader::close() {
  if (std::exchange(closed_, true)) return;
  on_end_ = nullptr;
  boost::system::error_code ignored;
  descriptor_->close(ignored);
  if (timer_ != 0) loop_.cancel(timer_);
}

}  // namespace qa
