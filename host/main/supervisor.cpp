#include "host/main/supervisor.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <memory>

#include "host/main/worker_process.h"
#include "host/text.h"

namespace qa {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

// The worker beats every 500 ms and ends a stretch of Lua after 5 s by itself; 3 s more and only a kill helps.
constexpr milliseconds kHangAfter{8000};
constexpr milliseconds kOverdueAfter{10000};
constexpr milliseconds kCancelGrace{1500};
constexpr milliseconds kRecoverLimit{10000};
constexpr milliseconds kOrphanLimit{1000};
constexpr milliseconds kLongestPoll{1000};
constexpr int kCrashed = 70;
constexpr int kStopped = 3;

void say(const std::string& text) { std::fprintf(stderr, "qa-host: %s\n", terminal_safe(text).c_str()); }

/// True while nobody reads our stdout or stderr (a pager, say): a worker that waits in write() does not hang.
bool is_output_blocked() {
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) {
    pollfd out{fd, POLLOUT, 0};
    if (poll(&out, 1, 0) == 0) return true;
  }
  return false;
}

class Supervisor {
 public:
  explicit Supervisor(const SupervisorOptions& options) : options_(options), spared_(child_processes()) {}
  int run() {
    open_signals();
    while (next_ < count() || !active_.empty()) {
      while (next_ < count() && static_cast<int>(active_.size()) < options_.jobs) start_next();
      const std::size_t finished = done_.size();
      wait_for_events();
      read_signals();
      check_deadlines();
      for (std::size_t i = finished; i < done_.size(); ++i) copy_output(*done_[i]);
      if (kill_all_) {
        for (auto& worker : active_) kill_worker(*worker, WorkerProcess::Kill::cancel);
        break;
      }
    }
    kill_orphans(spared_, kOrphanLimit);
    for (const auto& worker : done_) tell_end(*worker);
    if (options_.targets.size() > 1 && !kill_all_) {
      std::sort(done_.begin(), done_.end(), [](const auto& a, const auto& b) { return a->index < b->index; });
      print_summary();
    }
    if (signal_ != 0) return 128 + signal_;
    int code = 0;
    for (const auto& worker : done_) code = worse_exit_code(code, worker->exit_code);
    return code;
  }

 private:
  void open_signals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) sigaddset(&set, number);
    sigprocmask(SIG_BLOCK, &set, nullptr);
    signals_.reset(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
    // An inherited "ignore" would drop SIGCHLD before it reaches the descriptor.
    signal(SIGCHLD, SIG_DFL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
  }

  void start_next() {
    auto worker = std::make_unique<WorkerProcess>();
    worker->index = next_++;
    if (count() > 1 && options_.jobs > 1) {
      // Results of parallel targets come out whole, one after the other.
      worker->output.reset(memfd_create("qa-host-output", MFD_CLOEXEC));
    }
    const int out = worker->output ? worker->output.get() : options_.stdout_fd;
    if (!start_worker(*worker, options_.words, count(), out)) {
      say(std::string("cannot start a worker: ") + std::strerror(errno));
      worker->exit_code = kCrashed;
      done_.push_back(std::move(worker));
      return;
    }
    active_.push_back(std::move(worker));
  }

  /// A fresh worker without a browser writes the report from the journal; its progress belongs on stderr.
  void start_recovery(WorkerProcess& dead) {
    std::error_code ignored;
    std::filesystem::remove_all(dead.run_directory + "/browser", ignored);
    std::vector<std::string> words = options_.recover_options;
    words.insert(words.end(), {"recover", dead.run_directory});
    dead.recovering = true;
    dead.kill_at = Clock::now() + kRecoverLimit;
    if (!start_worker(dead, words, 1, STDERR_FILENO)) dead.pid = -1;
  }

  void wait_for_events() {
    std::vector<pollfd> fds{{signals_.get(), POLLIN, 0}};
    for (const auto& worker : active_) {
      if (worker->line) fds.push_back({worker->line.get(), POLLIN, 0});
    }
    milliseconds timeout = kLongestPoll;
    const auto now = Clock::now();
    for (const auto& worker : active_) {
      if (!worker->kill_at) continue;
      const auto left = std::chrono::ceil<milliseconds>(*worker->kill_at - now);
      timeout = std::clamp(left, milliseconds(0), timeout);
    }
    poll(fds.data(), fds.size(), static_cast<int>(timeout.count()));
    const auto woke = Clock::now();
    // This process itself was stopped (Ctrl-Z): silence of the workers meanwhile proves nothing.
    const bool was_stopped = woke - last_wake_ > kLongestPoll + milliseconds(2000);
    last_wake_ = woke;
    for (auto& worker : active_) {
      read_messages(*worker, woke);
      const bool is_silent = woke - worker->last_beat > kLongestPoll;
      if (was_stopped || (is_silent && is_output_blocked())) worker->last_beat = woke;
    }
  }

  void read_signals() {
    signalfd_siginfo info{};
    while (read(signals_.get(), &info, sizeof info) == sizeof info) {
      if (info.ssi_signo != SIGCHLD) on_signal(static_cast<int>(info.ssi_signo));
    }
    reap();
  }

  void on_signal(int number) {
    if (signal_ != 0) {
      kill_all_ = true;
      return;
    }
    signal_ = number;
    next_ = count();
    for (auto& worker : active_) {
      if (worker->recovering) continue;
      send_cancel(*worker, number);
      worker->kill_at = Clock::now() + kCancelGrace;
    }
  }

  void reap() {
    // Workers first: until a dead one is reaped, its browsers' group ids cannot be used again.
    for (std::size_t i = 0; i < active_.size();) {
      WorkerProcess& worker = *active_[i];
      int status = 0;
      if (waitpid(worker.pid, &status, WNOHANG) != worker.pid) {
        ++i;
        continue;
      }
      read_messages(worker, Clock::now());
      kill_browsers(worker);
      on_exit(worker, status);
      if (active_[i]->pid > 0) {
        ++i;
        continue;
      }
      done_.push_back(std::move(active_[i]));
      active_.erase(active_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    for (const pid_t pid : child_processes()) {
      const bool is_worker = std::any_of(active_.begin(), active_.end(), [&](const auto& w) { return w->pid == pid; });
      if (!is_worker) waitpid(pid, nullptr, WNOHANG);
    }
  }

  /// Decides what a worker's end means. Leaves `pid` at -1 unless a recovery was started.
  void on_exit(WorkerProcess& worker, int status) {
    worker.pid = -1;
    worker.line.reset();
    worker.kill_at.reset();
    if (worker.recovering) return;
    if (WIFEXITED(status) && WEXITSTATUS(status) != kCrashed) return finish(worker, WEXITSTATUS(status));
    int code = kCrashed;
    if (worker.kill == WorkerProcess::Kill::hang || worker.kill == WorkerProcess::Kill::overdue) code = kStopped;
    if (signal_ == 0 && code == kCrashed) {
      say(WIFSIGNALED(status) ? std::string("the worker crashed: ") + strsignal(WTERMSIG(status))
                              : "the worker ended with an internal error");
    }
    finish(worker, code);
    if (worker.run_directory.empty() || worker.has_result || kill_all_) return;
    start_recovery(worker);
  }

  void finish(WorkerProcess& worker, int code) { worker.exit_code = signal_ != 0 ? 128 + signal_ : code; }

  void check_deadlines() {
    const auto now = Clock::now();
    for (auto& worker : active_) {
      if (worker->pid <= 0 || worker->kill != WorkerProcess::Kill::none) continue;
      if (worker->kill_at && now >= *worker->kill_at) {
        kill_worker(*worker, WorkerProcess::Kill::cancel);
      } else if (!worker->recovering && now - worker->last_beat > kHangAfter) {
        say("stopped: Lua did not give control back for 8 s (a native function such as a string pattern, or --jit)");
        kill_worker(*worker, WorkerProcess::Kill::hang);
      } else if (!worker->recovering && options_.max_duration &&
                 now - worker->started > *options_.max_duration + kOverdueAfter) {
        say("stopped: the run did not end 10 s after --max-duration");
        kill_worker(*worker, WorkerProcess::Kill::overdue);
      }
    }
  }

  void kill_worker(WorkerProcess& worker, WorkerProcess::Kill why) {
    worker.kill = why;
    worker.kill_at.reset();
    kill(worker.pid, SIGKILL);
    kill_browsers(worker);
  }

  void print_summary() const {
    int passed = 0, failed = 0, unclear = 0;
    for (const auto& worker : done_) {
      passed += worker->exit_code == 0;
      failed += worker->exit_code == 1;
      unclear += worker->exit_code == 2;
    }
    FILE* out = options_.stdout_is_json ? stderr : stdout;
    const auto errors = options_.targets.size() - static_cast<std::size_t>(passed + failed + unclear);
    std::fprintf(out, "\n%zu targets: %d passed, %d failed, %d inconclusive, %zu errors or not run\n",
                 options_.targets.size(), passed, failed, unclear, errors);
    for (const auto& worker : done_) {
      const std::string status = worker->has_result ? worker->status : "error";
      std::fprintf(out, "  %-12s %3d  %s  %s\n", terminal_safe(status).c_str(), worker->score,
                   terminal_safe(options_.targets[static_cast<std::size_t>(worker->index)]).c_str(),
                   terminal_safe(worker->has_result ? worker->report : worker->run_directory).c_str());
    }
  }

  void tell_end(const WorkerProcess& worker) const {
    if (!options_.on_end) return;
    std::error_code ignored;
    const std::string report = worker.run_directory.empty() ? "" : worker.run_directory + "/report.json";
    options_.on_end(std::filesystem::is_regular_file(report, ignored) ? report : "", worker.error);
  }

  int count() const { return std::max<int>(1, static_cast<int>(options_.targets.size())); }

  const SupervisorOptions& options_;
  const std::vector<pid_t> spared_;  // Children from before an exec: a shell's process substitution, say.
  UniqueFd signals_;
  std::vector<std::unique_ptr<WorkerProcess>> active_;
  std::vector<std::unique_ptr<WorkerProcess>> done_;
  int next_ = 0;
  int signal_ = 0;
  bool kill_all_ = false;
  Clock::time_point last_wake_ = Clock::now();
};

}  // namespace

int worse_exit_code(int a, int b) {
  static constexpr int kOrder[] = {0, 2, 1, 3, 4, 70};
  const auto rank = [](int code) { return std::find(std::begin(kOrder), std::end(kOrder), code) - std::begin(kOrder); };
  return rank(b) > rank(a) ? b : a;
}

int supervise(const SupervisorOptions& options) { return Supervisor(options).run(); }

}  // namespace qa
