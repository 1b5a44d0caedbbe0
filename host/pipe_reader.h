#pragma once
// PipeReader: what a process of ours writes into a pipe, in order and to its last byte. Loop thread only.

#include <cstddef>
#include <functional>
#include <memory>

#include "host/event_loop.h"

namespace qa {

class PipeReader : public std::enable_shared_from_this<PipeReader> {
 public:
  using Sink = std::function<void(const char* data, std::size_t count)>;

  /// Takes the descriptor. `sink` is called until close().
  static std::shared_ptr<PipeReader> start(EventLoop& loop, int fd, Sink sink);
  ~PipeReader();

  /// Reads what the pipe holds now: for the moment when the writer has ended. Who writes on without end is cut off.
  void drain();
  /// Once only: a second time may be while the loop itself is being destroyed.
  void close();

 private:
  struct Descriptor;
  PipeReader(EventLoop& loop, int fd, Sink sink);
  void wait();
  /// @return 0 where the pipe is empty or at its end
  std::size_t read();

  std::unique_ptr<Descriptor> descriptor_;
  Sink sink_;
  bool ended_ = false;
};

}  // namespace qa
