#pragma once
// MessageWire: whole messages both ways, whatever carries them: a pipe to a browser of this machine (cdp_frame.h), a
// WebSocket to another one (net/websocket.h). CdpConnection owns one and knows nothing of how bytes travel.
// Loop thread only.
//
//   queue() ... flush() --> [wire] --> peer
//   next() <-- on_readable <-- [wire] <-- read(), one at a time: who does not read holds the peer back

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "host/error.h"

namespace qa {

inline constexpr std::size_t kMaxMessageBytes = std::size_t{128} << 20;

/// A message, or the head of one that was larger than the limit: its rest is dropped as it comes in, and the wire stays
/// usable.
struct WireMessage {
  std::string text;
  bool too_large = false;
};

class MessageWire {
 public:
  virtual ~MessageWire() = default;

  /// Called after each read(), when messages may be there or the wire has ended.
  virtual void on_readable(std::function<void()> handler) = 0;
  /// Waits for bytes once. Not before the handler of the last one has run.
  virtual void read() = 0;
  /// The next complete message of what was read.
  virtual std::optional<WireMessage> next() = 0;
  /// Why nothing more comes, once it is so: browser_lost with detail {"how": …}.
  virtual const std::optional<Error>& end() const = 0;
  /// Bytes of messages read so far, also of incomplete ones: a slow answer is a sign of life.
  virtual std::uint64_t received() const = 0;

  /// Takes a message; flush() sends what was taken.
  virtual void queue(std::string message) = 0;
  virtual void flush() = 0;
  virtual std::size_t queued_bytes() const = 0;

  /// Ends it; no handler runs any more. What was queued and not sent is dropped.
  virtual void close() = 0;
};

}  // namespace qa
