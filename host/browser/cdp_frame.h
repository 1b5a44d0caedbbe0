#pragma once
// The wire of the DevTools pipe: finding NUL-terminated frames in what was read, cutting base64 out of a frame, and
// composing commands, without I/O; and the pipe itself. Used by CdpConnection and Browser.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "host/event_loop.h"
#include "host/message_wire.h"

namespace qa {

/// Collects bytes and gives complete frames. A byte is searched for NUL once, whatever the splits.
class FrameBuffer {
 public:
  explicit FrameBuffer(std::size_t max_frame = kMaxMessageBytes) : max_frame_(max_frame) {}

  void append(const char* bytes, std::size_t size);

  std::optional<WireMessage> next();

 private:
  void drop_consumed();

  std::string bytes_;
  std::size_t max_frame_, start_ = 0, scanned_ = 0;
  bool skipping_ = false;
};

/// The debugging pipe of a browser that this host started. Takes both descriptors: `to_browser`, a socket, is written;
/// `from_browser` is read.
std::shared_ptr<MessageWire> make_pipe_wire(EventLoop& loop, int to_browser, int from_browser);

/// The id of a frame that starts with {"id":N, as Chromium writes replies.
std::optional<std::int64_t> leading_id(std::string_view frame);

/// The text of the result of a frame {"id":N,"result":…} or {"id":N,"result":…,"sessionId":"…"}, as Chromium writes
/// replies. It is JSON when the frame is, unless the frame has other members, too.
std::optional<std::string_view> reply_result(std::string_view frame);

/// Cuts the base64 of `"result":{"data":"…"` (a reply) out of the frame and returns it; "" when the frame has another
/// form. Parsing a picture as JSON costs 700 times more. Base64 never holds an escape.
std::string cut_screenshot(std::string& frame);
/// The same for the `"params":{"data":"…"` of a Page.screencastFrame event.
std::string cut_screencast(std::string& frame);

/// A command. `params` is JSON object text or "".
std::string compose_command(std::int64_t id, std::string_view session, std::string_view method,
                            std::string_view params);

}  // namespace qa
