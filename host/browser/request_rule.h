#pragma once
// What the host may do with a request that the browser holds: rules that are asked in order (request_interceptor.h).

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/net/http_message.h"

namespace qa {

/// A request that the browser holds. Headers are those of the page: cookies, among others, are added later.
struct PausedRequest {
  std::string url, method;
  std::string type;   ///< "Document", "Script", "XHR" ... as the protocol has it.
  std::string frame;  ///< Frame id; that of the owner for a worker.
  HttpHeaders headers;
  std::string body;
  std::string network;  ///< Its name in the Network domain.

  /// The first header of that name in any case, or "".
  std::string_view header(std::string_view name) const;
};

/// A challenge of a server for a user and password.
struct AuthChallenge {
  std::string origin;  ///< "https://example.com:8443"
  std::string scheme;  ///< "basic", "digest" ...
};

struct RequestAnswer {
  int status = 0;  ///< 0: the request goes on, with `headers` in place of its own.
  HttpHeaders headers;
  std::string body;
};

struct RequestRule {
  /// URL patterns (* and ?) of the requests to pause; may change until the next refresh().
  std::function<std::vector<std::string>()> patterns;
  /// Nothing: the next rule, and after the last the request goes on as it is.
  std::function<std::optional<RequestAnswer>(const PausedRequest&)> answer;
  /// User and password, or nothing.
  std::function<std::optional<std::pair<std::string, std::string>>(const AuthChallenge&)> authenticate = {};
};

}  // namespace qa
