#pragma once
// BrowserProcess: the process group of one Chromium. Drains its stderr, sees its
// exit without a SIGCHLD handler (pidfd), reaps it, kills the group, removes its folder.
// Loop thread only; made and owned by Browser.

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>

#include "host/event_loop.h"
#include "host/pipe_reader.h"
#include "host/process_leader.h"

namespace qa {

class BrowserProcess {
 public:
  /// Takes the descriptor. `folder` is the browser's own folder, removed with everything in it by remove_folder().
  BrowserProcess(EventLoop& loop, pid_t pid, int stderr_fd, std::string folder);
  /// Kills and reaps what still runs.
  ~BrowserProcess();
  BrowserProcess(const BrowserProcess&) = delete;
  BrowserProcess& operator=(const BrowserProcess&) = delete;

  /// Called once, after the leader was reaped and the rest of its group was killed.
  void on_exit(std::function<void()> handler);
  bool exited() const;
  /// "exited with status 1", "was killed by signal 9", or "runs".
  std::string exit_text() const;
  /// JSON object text: {"exit_status":1} or {"signal":9}; "{}" while it runs.
  std::string exit_detail() const;
  /// The last bytes of stderr, at most 64 KiB.
  std::string stderr_tail(std::size_t limit) const;

  void kill_group();
  /// Kills the group, waits at most half a second for the leader, and removes the folder, all before returning. The
  /// exit handler does not run. For the end of a process.
  void destroy_now();
  /// Removes the folder on the pool, then calls `done`.
  void remove_folder(std::function<void()> done);

 private:
  void release();

  EventLoop& loop_;
  std::shared_ptr<ProcessLeader> leader_;
  std::shared_ptr<PipeReader> errors_;
  const std::string folder_;
  std::string tail_;
  bool released_ = false;
  std::function<void()> exit_handler_;
};

}  // namespace qa
