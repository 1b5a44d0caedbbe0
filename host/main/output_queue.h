#pragma once
// OutputQueue: what Lua prints, on its way to stdout. A reader that pauses (a pager) must not stop the event loop, or
// the run would look hung: what does not fit into the pipe waits here. Beyond kMostPending bytes a print waits. Loop
// thread.

#include <string>
#include <string_view>

namespace qa {

class OutputQueue {
 public:
  static constexpr std::size_t kMostPending = std::size_t{32} << 20;

  explicit OutputQueue(int fd) : fd_(fd) {}
  ~OutputQueue() { flush(); }
  OutputQueue(const OutputQueue&) = delete;
  OutputQueue& operator=(const OutputQueue&) = delete;

  void print(std::string_view text);
  /// Writes what fits now. Call it now and then.
  void drain() { write_pending(0); }
  /// Writes all, however long the reader takes.
  void flush() { write_pending(-1); }

 private:
  void write_pending(int wait_ms);

  int fd_;
  std::string pending_;
  std::size_t written_ = 0;  // Of pending_.
};

}  // namespace qa
