#pragma once
// WebSocket: the client's end of RFC 6455 as a MessageWire, over TCP or TLS with a verified certificate, by the proxy
// that HttpClient would take. Text messages, no compression, no fragments of ours. Loop thread only.

#include <memory>
#include <string>

#include "host/error.h"
#include "host/event_loop.h"
#include "host/message_wire.h"
#include "host/net/http_client.h"

namespace qa {

/// Opens a WebSocket to a ws:// or wss:// address. Its user name and password go as basic authentication (RFC 7617).
/// Within limit_ms, else timeout; io_error names host and port and never more of the address: a path or query may
/// carry a key. detail {"status": N} where the server answered with another status than 101.
/// A message of more than 128 MiB comes as its head alone, too_large.
void connect_websocket(EventLoop& loop, HttpClientOptions options, const std::string& url, int limit_ms,
                       Callback<std::shared_ptr<MessageWire>> done);

/// The same address with http for ws and https for wss, as parse_http_url reads it; others as they are.
std::string http_form_of(const std::string& url);

}  // namespace qa
