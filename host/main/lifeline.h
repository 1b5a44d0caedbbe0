#pragma once
// LifeLine: the worker's end of the line to its supervisor (see worker_process.h
// for the messages). A thread of its own waits on it, so that it works while Lua
// hangs: when the supervisor is gone, it kills what the worker started and ends the process.
//
//   loop thread --beat, group, run, result--> [socket] --> supervisor
//   watcher thread <--cancel N, end of file---- [socket]
//
// Without a supervisor the other end is this process's own signal handler.

#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include "host/unique_fd.h"

namespace qa {

class LifeLine {
 public:
  /// Supervised: `fd` is the worker's end, `parent` the supervisor's process id. Ignores INT, TERM and HUP.
  LifeLine(int fd, pid_t parent);
  /// Unsupervised: INT, TERM and HUP become cancel; a second one, or 1.5 s without an end, ends the process.
  LifeLine();
  ~LifeLine();
  LifeLine(const LifeLine&) = delete;
  LifeLine& operator=(const LifeLine&) = delete;

  /// Starts watching. `on_cancel(signal)` runs on the watcher thread, at most once.
  void watch(std::function<void(int)> on_cancel);
  /// No function runs after this returns.
  void stop();

  // Loop thread. Messages are dropped when nobody listens.
  void beat() { send("beat"); }
  void group_started(pid_t group);
  void group_gone(pid_t group);
  void run_directory(std::string_view path);
  void result(std::string_view status, int score, std::string_view report);
  void error(std::string_view text);

 private:
  void send(std::string_view message);
  void watch_line();
  void on_message(std::string_view message);

  bool supervised_;
  UniqueFd line_;
  UniqueFd handler_end_;  // Unsupervised: what the signal handler writes to.
  UniqueFd wake_;
  std::function<void(int)> on_cancel_;
  int signal_ = 0;
  std::thread watcher_;
};

}  // namespace qa
