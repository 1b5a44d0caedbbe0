#pragma once
// HttpFailure: how far a call came that failed, and the sentences that say so to a user. The sentences name host and
// port only: a query or a header may carry a key. Made by http_client.cpp; no Beast here.

#include <string>
#include <string_view>

#include "host/error.h"

namespace qa {

/// What was under way: `proxy` is everything until the proxy has opened its tunnel, `head` waits for the answer.
enum class HttpPhase { resolve, proxy, connect, tls, send, head, body };

/// "resolve", "proxy", …
std::string_view http_phase_name(HttpPhase phase);

struct HttpFailure {
  Error error;  ///< llm_unavailable, llm_too_large, timeout or cancelled.
  HttpPhase phase = HttpPhase::resolve;
  bool request_sent = false;    ///< The whole request left this process: the peer may have acted on it.
  bool response_begun = false;  ///< At least one byte of an answer came.
};

/// Who the sentences speak of, as "host:port".
struct HttpPeers {
  std::string host;
  std::string proxy;  ///< "" without one.
};

/// The limit of a phase is over: `ms` is the limit.
std::string late_text(HttpPhase phase, const HttpPeers& peers, int ms);
/// The limit of the whole call is over during a phase.
std::string overdue_text(HttpPhase phase, const HttpPeers& peers, int ms);
/// The connection failed, or ended before the answer did; `cause` is the system's word for it.
std::string broken_text(HttpPhase phase, const HttpPeers& peers, const std::string& cause);
/// The answer is none of HTTP/1.1 as this client asked for it; `fault` says what is wrong with it.
std::string malformed_text(HttpPhase phase, const HttpPeers& peers, const std::string& fault);
/// A proxy that answers anything but 2xx to CONNECT.
std::string refused_text(const HttpPeers& peers, int status);

}  // namespace qa
