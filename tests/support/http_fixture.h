#pragma once
// Caller: an HttpClient with its loop, for tests that make calls and wait for them.

#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <utility>

#include "host/net/http_client.h"
#include "tests/support/fault_server.h"

namespace qa::test {

/// What a limit is when a test needs it to pass, and when it needs it not to.
constexpr int kSoon = 80, kNever = 60'000;

inline HttpLimits patient() { return {kNever, kNever, kNever, kNever, 16u << 20, 64u << 10}; }

inline HttpRequest request_to(const std::string& url, const std::string& body = "{}") {
  return {"POST", url, {{"Authorization", "Bearer sesame"}, {"Content-Type", "application/json"}}, body};
}

inline std::string answer_with(const std::string& body, const std::string& more_headers = "") {
  return "HTTP/1.1 200 OK\r\n" + more_headers + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

inline HttpLimits limits_with(int HttpLimits::*limit, int ms) {
  HttpLimits limits = patient();
  limits.*limit = ms;
  return limits;
}

inline const std::string kChunkedHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

/// A server that gives every request of every connection the same answer.
inline FaultServer::Script always(const std::string& answer) {
  return [answer](Peer& peer) {
    while (!peer.request().empty()) {
      if (!peer.send(answer)) return;
    }
  };
}

/// A server that answers one request of a connection, and closes it.
inline FaultServer::Script once(const std::string& answer) {
  return [answer](Peer& peer) {
    if (!peer.request().empty()) peer.send(answer);
  };
}

struct Caller {
  EventLoop loop;
  std::optional<HttpClient> client;

  explicit Caller(HttpClientOptions options = {}) { client.emplace(loop, std::move(options)); }

  /// Starts a call; its result is put into `to`, and the loop stops.
  HttpClient::CallId start(const HttpRequest& request, std::optional<HttpResult>& to,
                           const HttpLimits& limits = patient(), HttpClient::OnBody on_body = nullptr) {
    return client->send(request, limits, std::move(on_body), [this, &to](HttpResult result) {
      CHECK_FALSE(to);
      to = std::move(result);
      loop.stop();
    });
  }
  /// Runs the loop until it is stopped; a test that hangs fails instead.
  void run() {
    const auto watchdog = loop.after(std::chrono::seconds(60), [this] {
      FAIL_CHECK("the call does not end");
      loop.stop();
    });
    loop.run();
    loop.cancel(watchdog);
  }
  /// Turns the loop until something holds that another thread does.
  template <class Condition>
  void wait_for(Condition holds) {
    while (!holds()) {
      loop.after(std::chrono::milliseconds(5), [this] { loop.stop(); });
      loop.run();
    }
  }
  HttpResult call(const HttpRequest& request, const HttpLimits& limits = patient(),
                  HttpClient::OnBody on_body = nullptr) {
    std::optional<HttpResult> result;
    start(request, result, limits, std::move(on_body));
    CHECK_FALSE(result);  // Never inline.
    run();
    REQUIRE(result);
    return std::move(*result);
  }
  /// A call that must fail. Whatever fails, its sentence names neither query nor header.
  HttpFailure fail(const HttpRequest& request, const HttpLimits& limits = patient(),
                   HttpClient::OnBody on_body = nullptr) {
    const HttpResult result = call(request, limits, std::move(on_body));
    REQUIRE(result.failure);
    const std::string& message = result.failure->error.message;
    INFO(message);
    for (const char* secret : {"sesame", "key=", "?"}) CHECK(message.find(secret) == message.npos);
    CHECK(message.find('\n') == message.npos);
    return *result.failure;
  }
};

}  // namespace qa::test
