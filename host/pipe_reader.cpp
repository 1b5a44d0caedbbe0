#include "host/pipe_reader.h"

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <utility>

namespace qa {
namespace {

using boost::asio::posix::stream_descriptor;

/// Half of what a pipe holds: a flood takes few turns of the loop.
constexpr std::size_t kChunk = std::size_t{32} << 10;
constexpr std::size_t kMostDrained = std::size_t{4} << 20;  ///< More than a pipe still holds when its writer is gone.

}  // namespace

struct PipeReader::Descriptor : stream_descriptor {
  using stream_descriptor::stream_descriptor;
  std::array<char, kChunk> chunk{};
};

PipeReader::PipeReader(EventLoop& loop, int fd, Sink sink)
    : descriptor_(std::make_unique<Descriptor>(loop.io(), fd)), sink_(std::move(sink)) {
  boost::system::error_code ignored;
  descriptor_->non_blocking(true, ignored);
}

PipeReader::~PipeReader() = default;

std::shared_ptr<PipeReader> PipeReader::start(EventLoop& loop, int fd, Sink sink) {
  std::shared_ptr<PipeReader> reader(new PipeReader(loop, fd, std::move(sink)));
  reader->wait();
  return reader;
}

/// Waits for bytes and takes none: what an asynchronous read has taken and not yet handed over would be behind what
/// drain() reads.
void PipeReader::wait() {
  descriptor_->async_wait(stream_descriptor::wait_read, [weak = weak_from_this()](const auto& failed) {
    const auto self = weak.lock();
    if (!self || failed) return;
    self->read();
    if (!self->ended_) self->wait();
  });
}

std::size_t PipeReader::read() {
  boost::system::error_code failed;
  const std::size_t count = descriptor_->read_some(boost::asio::buffer(descriptor_->chunk), failed);
  ended_ = failed && failed != boost::asio::error::would_block;
  if (count > 0) sink_(descriptor_->chunk.data(), count);
  return count;
}

void PipeReader::drain() {
  for (std::size_t total = 0; total < kMostDrained;) {
    const std::size_t count = read();
    if (count == 0) return;
    total += count;
  }
}

void PipeReader::close() {
  boost::system::error_code ignored;
  descriptor_->close(ignored);
}

}  // namespace qa
