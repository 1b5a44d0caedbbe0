// The debugging pipe of a browser: NUL-terminated JSON on two descriptors.

#include <fcntl.h>
#include <sys/socket.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "host/browser/cdp_frame.h"

namespace qa {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

constexpr std::size_t kReadBytes = std::size_t{256} << 10;

void set_non_blocking(int fd) { ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK); }

/// Handlers that are under way hold it; close() ends them.
class PipeWire : public MessageWire, public std::enable_shared_from_this<PipeWire> {
 public:
  PipeWire(EventLoop& loop, int to_browser, int from_browser)
      : output_(loop.io(), to_browser), input_(loop.io(), from_browser) {
    set_non_blocking(to_browser);
    set_non_blocking(from_browser);
  }

  void on_readable(std::function<void()> handler) override { readable_ = std::move(handler); }
  std::optional<WireMessage> next() override { return frames_.next(); }
  const std::optional<Error>& end() const override { return ended_; }
  std::uint64_t received() const override { return received_; }
  void queue(std::string message) override { queued_.append(message).push_back('\0'); }
  std::size_t queued_bytes() const override { return queued_.size() - sent_; }

  void flush() override {
    while (!closed_ && !writing_ && sent_ < queued_.size()) {
      const ssize_t written =
          ::send(output_.native_handle(), queued_.data() + sent_, queued_.size() - sent_, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (written >= 0) {
        sent_ += static_cast<std::size_t>(written);
      } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
        wait_writable();
      } else if (errno != EINTR) {
        return finish(std::string("the browser is gone (") + std::strerror(errno) + ")");
      }
    }
    if (sent_ > queued_.size() / 2) {
      queued_.erase(0, sent_);
      sent_ = 0;
    }
  }

  /// One read a turn: timers and other browsers get theirs during a flood.
  void read() override {
    input_.async_read_some(
        asio::buffer(read_buffer_), [self = shared_from_this()](error_code failed, std::size_t size) {
          if (self->closed_) return;
          if (failed) {
            self->finish("the browser closed its debugging pipe: it crashed, was killed or has quit");
          }
          self->received_ += size;
          self->frames_.append(self->read_buffer_.data(), size);
          self->readable_();
        });
  }

  void close() override {
    closed_ = true;
    error_code ignored;
    output_.close(ignored);
    input_.close(ignored);
    std::string().swap(queued_);
    sent_ = 0;
  }

 private:
  void wait_writable() {
    writing_ = true;
    output_.async_wait(asio::posix::stream_descriptor::wait_write, [self = shared_from_this()](error_code failed) {
      self->writing_ = false;
      if (!failed) self->flush();
    });
  }

  /// The reader hears of it.
  void finish(const std::string& message) {
    if (!ended_) ended_ = Error{ErrorKind::browser_lost, message, "", ""};
    error_code ignored;
    input_.cancel(ignored);
  }

  asio::posix::stream_descriptor output_, input_;
  std::function<void()> readable_;
  std::optional<Error> ended_;
  std::string queued_;  ///< Bytes from `sent_` on are still to be written.
  std::size_t sent_ = 0;
  std::uint64_t received_ = 0;
  bool writing_ = false, closed_ = false;
  FrameBuffer frames_;
  std::vector<char> read_buffer_ = std::vector<char>(kReadBytes);
};

}  // namespace

std::shared_ptr<MessageWire> make_pipe_wire(EventLoop& loop, int to_browser, int from_browser) {
  return std::make_shared<PipeWire>(loop, to_browser, from_browser);
}

}  // namespace qa
