#pragma once
// HttpUrl: the parts of an http or https address that a request is made of. Called by http_client.cpp; pure functions,
// no Beast here, so that they compile and test alone.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qa {

struct HttpUrl {
  bool is_https = false;
  std::string host;  ///< Lower case; an IPv6 address without its brackets.
  std::uint16_t port = 0;
  std::string target;     ///< "/v1/models?limit=1": path and query, as a request line wants them; no fragment.
  std::string user_info;  ///< "user:password", unescaped, or "".

  /// "host:port", IPv6 in brackets: how an address is named to people and to proxies.
  std::string host_and_port() const;
  /// The same without a port that the scheme implies: the Host header.
  std::string authority() const;
};

/// nullopt when it is no absolute http or https address, or holds spaces, controls or bytes beyond ASCII.
std::optional<HttpUrl> parse_http_url(std::string_view text);

/// Does an entry of NO_PROXY name this host? "*" names all, "example.com" and ".example.com" the name and all below it.
bool is_proxy_exempt(const HttpUrl& url, const std::vector<std::string>& no_proxy);

/// localhost and the names below it, which are this machine whatever a resolver says (RFC 6761, 6.3).
bool is_localhost(const HttpUrl& url);

/// localhost, 127.0.0.0/8 and ::1: this machine, whatever a resolver says.
bool is_loopback(const HttpUrl& url);

}  // namespace qa
