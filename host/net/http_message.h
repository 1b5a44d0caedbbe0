#pragma once
// What an HTTP call asks and gets: plain data, and the head of a request as text. Made by the dialects of language
// models, read by http_client.cpp; no Beast here.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/net/http_url.h"

namespace qa {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
  std::string method = "POST";
  std::string url;
  /// In the order they are sent. Host, Accept-Encoding and all that frames a message are the client's own.
  HttpHeaders headers;
  std::string body;
};

struct HttpResponse {
  int status = 0;
  HttpHeaders headers;
  std::string body;      ///< "" when it was read piece by piece.
  bool stopped = false;  ///< Its reader wanted no more.

  /// The first header of that name in any case, or nullptr.
  const std::string* header(std::string_view name) const;
};

/// What the reader of a body makes of a piece: `filler` (a ping) does not prolong the wait, `stop` ends the call.
enum class BodyStep { more, filler, stop };

bool equal_ignoring_case(std::string_view a, std::string_view b);

/// A method or the name of a header: RFC 9110, 5.6.2.
bool is_token(std::string_view text);

/// Why this cannot be sent, or "": bytes in a header that would end it, or a header that is the client's own.
std::string_view request_fault(const HttpRequest& request, const HttpUrl& url);

/// Request line and headers, with the empty line after them.
std::string request_head(const HttpRequest& request, const HttpUrl& url);

/// The request for a tunnel to "host:port", with the proxy's user and password as basic authentication (RFC 7617).
std::string tunnel_head(const std::string& host_and_port, const HttpUrl& proxy);

}  // namespace qa
