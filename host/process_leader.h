#pragma once
// ProcessLeader: the first process of a group that we started. Sees its end through a pidfd, without a SIGCHLD handler,
// reaps it, and kills what is left of its group. Loop thread only.

#include <sys/types.h>

#include <functional>
#include <memory>

#include "host/event_loop.h"

namespace qa {

class ProcessLeader : public std::enable_shared_from_this<ProcessLeader> {
 public:
  ProcessLeader(EventLoop& loop, pid_t pid);
  ~ProcessLeader();

  /// `on_end` runs once, after the leader was reaped and the rest of its group was killed.
  void watch(std::function<void()> on_end);
  void kill_group();
  /// Kills the group and waits at most half a second for the leader, blocking. `on_end` does not run any more.
  void end_now();
  /// Stops watching. Once only: a second time may be while the loop itself is being destroyed.
  void close();

  pid_t pid() const { return pid_; }
  bool ended() const { return ended_; }
  /// As waitpid(2) gives it; 0 until it has ended.
  int status() const { return status_; }

 private:
  void poll();
  bool reap();

  EventLoop& loop_;
  const pid_t pid_;
  struct Descriptor;
  std::unique_ptr<Descriptor> descriptor_;  ///< The pidfd.
  std::function<void()> on_end_;
  EventLoop::TimerId timer_ = 0;
  bool ended_ = false, closed_ = false;
  int status_ = 0;
};

}  // namespace qa
