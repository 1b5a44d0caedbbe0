#pragma once
// The debugging pipe of a browser that this host started: NUL-terminated JSON on two descriptors.

#include <memory>

#include "host/event_loop.h"
#include "host/message_wire.h"

namespace qa {

/// Takes both descriptors. `to_browser`, a socket, is written; `from_browser` is read.
std::shared_ptr<MessageWire> make_pipe_wire(EventLoop& loop, int to_browser, int from_browser);

}  // namespace qa
