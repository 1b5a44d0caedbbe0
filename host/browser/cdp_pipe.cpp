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

/// What the handlers that are under way hold.
struct PipeState : std::enable_shared_from_this<PipeState> {
  PipeState(EventLoop& loop, int to_browser, int from_browser)
      : output(loop.io(), to_browser), input(loop.io(), from_browser) {
    set_non_blocking(to_browser);
    set_non_blocking(from_browser);
  }

  asio::posix::stream_descriptor output, input;
  std::function<void()> readable;
  std::optional<Error> ended;
  std::string queued;  // Bytes from `sent` on are still to be written.
  std::size_t sent = 0;
  std::uint64_t received = 0;
  bool writing = false, closed = false;
  FrameBuffer frames;
  std::vector<char> read_buffer = std::vector<char>(kReadBytes);

  void flush() {
    while (!closed && !writing && sent < queued.size()) {
      const ssize_t written =
          ::send(output.native_handle(), queued.data() + sent, queued.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (written >= 0) {
        sent += static_cast<std::size_t>(written);
      } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
        wait_writable();
      } else if (errno != EINTR) {
        return finish(std::string("the browser is gone (") + std::strerror(errno) + ")");
      }
    }
    if (sent > queued.size() / 2) {
      queued.erase(0, sent);
      sent = 0;
    }
  }

  void wait_writable() {
    writing = true;
    output.async_wait(asio::posix::stream_descriptor::wait_write, [self = shared_from_this()](error_code failed) {
      self->writing = false;
      if (!failed) self->flush();
    });
  }

  /// The reader hears of it.
  void finish(const std::string& message) {
    if (!ended) ended = Error{ErrorKind::browser_lost, message, "", ""};
    error_code ignored;
    input.cancel(ignored);
  }

  /// One read a turn: timers and other browsers get theirs during a flood.
  void read() {
    input.async_read_some(asio::buffer(read_buffer), [self = shared_from_this()](error_code failed, std::size_t size) {
      if (self->closed) return;
      if (failed && !self->ended) {
        self->ended = Error{ErrorKind::browser_lost,
                            "the browser closed its debugging pipe: it crashed, was killed or "
                            "has quit",
                            "", ""};
      }
      self->received += size;
      self->frames.append(self->read_buffer.data(), size);
      self->readable();
    });
  }

  void close() {
    closed = true;
    error_code ignored;
    output.close(ignored);
    input.close(ignored);
    std::string().swap(queued);
    sent = 0;
  }
};

class PipeWire : public MessageWire {
 public:
  explicit PipeWire(std::shared_ptr<PipeState> state) : state_(std::move(state)) {}
  ~PipeWire() override { state_->close(); }
  PipeWire(const PipeWire&) = delete;

  void on_readable(std::function<void()> handler) override { state_->readable = std::move(handler); }
  void read() override { state_->read(); }
  std::optional<WireMessage> next() override { return state_->frames.next(); }
  const std::optional<Error>& end() const override { return state_->ended; }
  std::uint64_t received() const override { return state_->received; }
  void queue(std::string message) override { state_->queued.append(message).push_back('\0'); }
  void flush() override { state_->flush(); }
  std::size_t queued_bytes() const override { return state_->queued.size() - state_->sent; }
  void close() override { state_->close(); }

 private:
  std::shared_ptr<PipeState> state_;
};

}  // namespace

std::shared_ptr<MessageWire> make_pipe_wire(EventLoop& loop, int to_browser, int from_browser) {
  return std::make_shared<PipeWire>(std::make_shared<PipeState>(loop, to_browser, from_browser));
}

}  // namespace qa
