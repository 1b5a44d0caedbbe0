#pragma once
// CdpConnection: the DevTools protocol with flat sessions, over any wire that carries messages (message_wire.h).
//
//   call() --> [wire] --> Chromium
//   reply_ <-- dispatch <-- guard + base64 cut <-- [wire]
//
// Loop thread only. Every call has a deadline; when the wire ends, every
// pending call fails at once with browser_lost (Chromium itself never answers
// them). Replies and events keep the order of the wire.

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "host/error.h"
#include "host/event_loop.h"
#include "host/message_wire.h"

namespace qa {

using Json = nlohmann::json;

class CdpConnection {
 public:
  /// An event: method, params and, for screencast frames, the base64 that was cut out of params.data.
  using EventHandler = std::function<void(std::string_view method, const Json& params, std::string base64)>;
  /// A reply: the result object and, for screenshots, the base64 that was cut out of result.data.
  struct Reply;

  /// `peer`, where it is given, begins the message of a loss: "PEER is lost: …".
  CdpConnection(EventLoop& loop, std::shared_ptr<MessageWire> wire, std::string peer = "");
  ~CdpConnection();

  /// Sends a command. `session` is "" for the browser. `params` is JSON object text or "".
  /// Errors: timeout after timeout_ms, cdp_error (detail {code, method}), cdp_too_large, browser_lost.
  void call(std::string_view session, std::string_view method, std::string_view params, int timeout_ms,
            Callback<Reply> done);

  /// A command whose answer nobody needs.
  void send(std::string_view session, std::string_view method, std::string_view params = "");

  /// Sends what `calls` calls at once: the browser wakes up once for all of it.
  void together(const std::function<void()>& calls);

  /// Routes the events of one session ("" for the browser) to `handler`; an empty handler removes the route.
  void on_events(std::string_view session, EventHandler handler);

  /// Fails all pending calls of a session with this error (page crash or close).
  void fail_session(std::string_view session, const Error& error);

  /// Called once when the wire ends or the protocol breaks, after pending calls have failed.
  void on_lost(std::function<void(const Error&)> handler);
  bool lost() const;
  /// Why, once it is lost or closed.
  const Error& loss() const;

  /// Closes the wire (Chromium exits at the end of its pipe) and fails what is pending, with `why` where it is given.
  void close(std::optional<Error> why = {});

  /// Frames that were not valid protocol messages, for tests and the doctor.
  int malformed_count() const;
  /// Bytes of messages that have come so far, also of incomplete ones.
  std::uint64_t received_bytes() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace qa
