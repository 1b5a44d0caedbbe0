#pragma once
// RunQueue: accepts runs, plays so many at a time, each in a process of its own, and tells how they end. Loop thread
// only.
//
//   accept --> [queue, bounded] --> [running: `qa-host test --event`, supervised] --> done | cancelled | not_run
//
// Every run that was accepted ends with one report (done, cancelled) or in the state not_run. A process that crashes
// takes its run with it and nothing else.

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/event_loop.h"
#include "host/service/run_event.h"
#include "host/service/run_record.h"
#include "host/subprocess.h"

namespace qa {

struct RunQueueOptions {
  std::vector<std::string> words;      ///< The program and its options; `--out DIR --event FILE` is appended.
  std::chrono::milliseconds limit{0};  ///< Of one run, start and end of its process included.
  std::size_t jobs = 1, queue = 16;    ///< At the same time, and waiting.
};

class RunQueue {
 public:
  /// Called at each change of a record, after it was saved.
  using OnChange = std::function<void(const RunRecord&)>;
  /// Called with each line that a run prints on stderr.
  using OnLine = std::function<void(const std::string& id, std::string_view line)>;

  RunQueue(EventLoop& loop, RunStore store, RunQueueOptions options, OnChange on_change, OnLine on_line);
  /// Kills what still runs. Its loop runs no more.
  ~RunQueue();

  bool is_full() const { return waiting_.size() >= options_.queue; }
  std::size_t waiting() const { return waiting_.size(); }
  std::size_t running() const { return running_.size(); }

  /// The run waits or starts. io_error when its folder cannot be written.
  Result<RunRecord> accept(const RunEvent& event, const std::string& text);
  /// A waiting run becomes not_run, a running one is asked to end. False when it is neither.
  bool cancel(const std::string& id);
  /// Starts nothing more: what waits becomes not_run, what runs has `limit` to end, then it is cancelled. `done` is
  /// called once nothing runs.
  void drain(std::chrono::milliseconds limit, std::function<void()> done);
  void cancel_all();
  /// A record that waits, or of an earlier service, becomes not_run.
  void not_run(RunRecord record, const std::string& reason);

  std::optional<RunRecord> find(const std::string& id) const;
  const RunStore& store() const { return store_; }

 private:
  struct Running;
  void start_next();
  void start(RunRecord record);
  void on_end(const std::string& id, const Result<SubprocessResult>& result);
  void conclude(RunRecord& record, const Result<SubprocessResult>& result, bool was_cancelled) const;
  void change(const RunRecord& record);

  EventLoop& loop_;
  RunStore store_;
  RunQueueOptions options_;
  OnChange on_change_;
  OnLine on_line_;
  std::deque<RunRecord> waiting_;
  std::map<std::string, std::unique_ptr<Running>> running_;
  std::function<void()> on_drained_;
  EventLoop::TimerId drain_timer_ = 0;
  bool is_draining_ = false;
};

/// Variables that a run gets besides inherited_environment(): those that qa-host itself reads, and keys of models.
std::vector<std::pair<std::string, std::string>> run_environment();

/// Unix time in milliseconds.
std::int64_t unix_ms();

}  // namespace qa
