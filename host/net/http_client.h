#pragma once
// HttpClient: the host's one HTTP/1.1 client. Calls of language models go through it and nothing else. Loop thread
// only. It follows no redirect, asks for no compression, and logs nothing: headers carry keys.
//
//   send() --> [ idle connection | resolve, (proxy), connect, (tls) ] --> send --> head --> body --> done, posted
//                      ^-------- kept alive: 4 a host, 30 s ------------------------------------'

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/error.h"
#include "host/event_loop.h"
#include "host/net/http_failure.h"
#include "host/net/http_message.h"

namespace qa {

/// All in milliseconds, all above 0. A phase that outlasts its limit, or a call `total_ms`, fails with `timeout`.
struct HttpLimits {
  int connect_ms = 10'000;           ///< Name, proxy, connection and TLS together.
  int first_byte_ms = 120'000;       ///< From then on until the head of the answer is complete; sending is part of it.
  int idle_ms = 60'000;              ///< Between two pieces of the body that count.
  int total_ms = 300'000;            ///< The whole call.
  std::size_t max_body = 16u << 20;  ///< Bytes; llm_too_large beyond.
  std::uint32_t max_header = 64u << 10;  ///< Bytes, heads of interim answers included.
};

/// How a call ended. With a failure, `response` is what had come until then.
struct HttpResult {
  HttpResponse response;
  std::optional<HttpFailure> failure;
};

struct HttpClientOptions {
  std::string ca_file;                ///< PEM, trusted beside the system's authorities.
  std::string proxy;                  ///< Of HTTPS_PROXY: "http://user:password@host:port"; for https calls alone.
  std::vector<std::string> no_proxy;  ///< Hosts of NO_PROXY.
};

class HttpClient {
 public:
  using CallId = std::uint64_t;
  /// Gets the body of a 2xx answer piece by piece, decoded. It may cancel calls and destroy the client.
  using OnBody = std::function<BodyStep(std::string_view piece)>;
  using Done = std::function<void(HttpResult)>;

  explicit HttpClient(EventLoop& loop, HttpClientOptions options = {});
  /// Drops its calls: their functions will not run.
  ~HttpClient();

  /// `done` runs once, posted. Without `on_body` the body is collected in the response; that of an answer other than
  /// 2xx always is.
  CallId send(HttpRequest request, const HttpLimits& limits, OnBody on_body, Done done);

  /// Ends a call with a failure `cancelled`. Ids of calls that are over are ignored.
  void cancel(CallId id);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace qa
