#include "host/main/output_queue.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

namespace qa {

void OutputQueue::print(std::string_view text) {
  pending_ += text;
  write_pending(pending_.size() - written_ > kMostPending ? -1 : 0);
}

void OutputQueue::write_pending(int wait_ms) {
  while (written_ < pending_.size()) {
    pollfd out{fd_, POLLOUT, 0};
    const int ready = poll(&out, 1, wait_ms);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) break;
    // A pipe that polls as writable takes this much without blocking.
    const std::size_t size = std::min<std::size_t>(pending_.size() - written_, PIPE_BUF);
    const ssize_t done = write(fd_, pending_.data() + written_, size);
    if (done < 0 && errno == EINTR) continue;
    // The reader is gone or the disk is full: nothing that is printed can arrive any more.
    written_ = done < 0 ? pending_.size() : written_ + static_cast<std::size_t>(done);
  }
  if (written_ == pending_.size()) {
    pending_.clear();
    written_ = 0;
  } else if (written_ > kMostPending / 2) {
    pending_.erase(0, written_);
    written_ = 0;
  }
}

}  // namespace qa
