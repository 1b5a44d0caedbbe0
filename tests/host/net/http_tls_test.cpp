#include <atomic>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/support/fault_server.h"
#include "tests/support/http_fixture.h"

namespace fs = std::filesystem;
using namespace qa;
using namespace qa::test;

namespace {

/// Answers every request, behind TLS.
FaultServer::Script secured(const TlsManner& manner) {
  return [manner](Peer& peer) {
    if (!peer.start_tls(manner)) return;
    while (!peer.request().empty()) peer.send(answer_with("{}", "X-Wanted: " + peer.wanted_name() + "\r\n"));
  };
}

/// A proxy that opens its tunnel onto itself: the client finds a TLS server at its end.
FaultServer::Script proxied(const TlsManner& manner) {
  return [manner](Peer& peer) {
    if (peer.request().empty()) return;
    peer.send("HTTP/1.1 200 Connection established\r\nVia: here\r\n\r\n");
    secured(manner)(peer);
  };
}

HttpClientOptions trusting(const Authority& authority) { return {authority.file(), "", {}}; }

/// A variable of the environment while this lives; "" is none.
class Setting {
 public:
  Setting(const char* name, const std::string& value) : name_(name), before_(value_of(name)) { set(value); }
  ~Setting() { set(before_); }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  static std::string value_of(const char* name) { return std::getenv(name) ? std::getenv(name) : ""; }
  void set(const std::string& value) { value.empty() ? ::unsetenv(name_) : ::setenv(name_, value.c_str(), 1); }
  const char* name_;
  const std::string before_;
};

std::string https(const FaultServer& server, const std::string& host = "127.0.0.1") {
  return server.url("/?key=1", "https://" + host);
}

void check_refused(const HttpFailure& failure, const std::string& reason) {
  CHECK(failure.error.kind == ErrorKind::llm_unavailable);
  CHECK(http_phase_name(failure.phase) == "tls");
  CHECK_FALSE(failure.request_sent);
  CHECK_FALSE(failure.response_begun);
  CHECK_THAT(failure.error.message, Catch::Contains(reason));
}

}  // namespace

TEST_CASE("a certificate of a given authority is accepted, and the connection kept (LL13)", "[http]") {
  const Authority authority;
  FaultServer server(secured({authority.issue()}));
  Caller caller(trusting(authority));
  for (int i = 0; i < 3; ++i) {
    const HttpResult result = caller.call(request_to(https(server)));
    REQUIRE_FALSE(result.failure);
    CHECK(result.response.body == "{}");
  }
  CHECK(server.connections() == 1);
  CHECK(server.requests().size() == 3);
}

TEST_CASE("the server is told which name is wanted, addresses are not names (LL13)", "[http]") {
  const Authority authority;
  FaultServer server(secured({authority.issue()}));
  Caller caller(trusting(authority));
  const HttpResult by_name = caller.call(request_to(https(server, "localhost")));
  REQUIRE(by_name.response.header("X-Wanted"));
  CHECK(*by_name.response.header("X-Wanted") == "localhost");
  const HttpResult by_address = caller.call(request_to(https(server)));
  REQUIRE(by_address.response.header("X-Wanted"));
  CHECK(*by_address.response.header("X-Wanted") == "");
}

TEST_CASE("large bodies pass TLS whole", "[http]") {
  const Authority authority;
  std::string large(3 << 20, ' ');
  for (std::size_t i = 0; i < large.size(); ++i) large[i] = static_cast<char>('a' + i * i % 23);
  FaultServer server([manner = TlsManner{authority.issue()}](Peer& peer) {
    if (!peer.start_tls(manner)) return;
    const std::string request = peer.request();
    peer.send(answer_with(request.substr(request.find("\r\n\r\n") + 4)));
    peer.hold();
  });
  Caller caller(trusting(authority));
  const HttpResult result = caller.call(request_to(https(server), large));
  REQUIRE_FALSE(result.failure);
  CHECK((result.response.body == large));
}

TEST_CASE("every fault of a certificate is refused and named (LL13)", "[http]") {
  const Authority authority, stranger;
  struct Case {
    Identity identity;
    const char* reason;
  };
  const Case cases[] = {
      {make_self_signed(), "is self-signed"},
      {stranger.issue(), "authority unknown"},
      {authority.issue({"DNS:localhost,IP:127.0.0.1", -7200, -3600}), "has expired"},
      {authority.issue({"DNS:localhost,IP:127.0.0.1", 3600, 7200}), "not valid yet"},
      {authority.issue({"DNS:example.com,IP:127.0.0.2"}), "is for another host"},
  };
  for (const Case& one : cases) {
    for (const char* host : {"127.0.0.1", "localhost"}) {
      CAPTURE(one.reason, host);
      FaultServer server(secured({one.identity}));
      Caller caller(trusting(authority));
      check_refused(caller.fail(request_to(https(server, host))), one.reason);
      CHECK(server.requests().empty());
    }
  }
}

TEST_CASE("only the given authorities and the system's are trusted (LL13)", "[http]") {
  const Authority authority;
  FaultServer server(secured({authority.issue()}));
  Caller caller;
  check_refused(caller.fail(request_to(https(server))), "authority unknown");
}

TEST_CASE("the system's authorities are where OpenSSL looks for them", "[http]") {
  const Authority authority;
  const fs::path directory = authority.file() + ".d";
  fs::create_directory(directory);
  FaultServer server(secured({authority.issue()}));
  const auto status = [&](const std::string& file, const std::string& folder) {
    const Setting one("SSL_CERT_FILE", file), other("SSL_CERT_DIR", folder);
    return Caller().call(request_to(https(server))).response.status;
  };
  CHECK(status(authority.file(), "/nowhere") == 200);
  CHECK(status("", directory) == 0);
  fs::copy(authority.file(), directory / authority.hashed_name());
  CHECK(status("", directory) == 200);
  CHECK(status("", "/nowhere") == 0);
  fs::remove_all(directory);
}

TEST_CASE("a ca_file that cannot be read is said at once", "[http]") {
  const Authority authority;
  FaultServer server(secured({authority.issue()}));
  SECTION("missing") {
    Caller caller(HttpClientOptions{"/nowhere/ca.pem", "", {}});
    check_refused(caller.fail(request_to(https(server))), "/nowhere/ca.pem");
  }
  SECTION("no PEM") {
    std::ofstream(authority.file()) << "hello";
    Caller caller(trusting(authority));
    check_refused(caller.fail(request_to(https(server))), "no certificate that can be read");
  }
}

TEST_CASE("what is no modern TLS is refused and named (LL13)", "[http]") {
  const Authority authority;
  Caller caller(trusting(authority));
  SECTION("TLS 1.1") {
    FaultServer server(secured({authority.issue(), true}));
    check_refused(caller.fail(request_to(https(server))), "no TLS as new as 1.2");
  }
  SECTION("plain HTTP") {
    FaultServer server([](Peer& peer) {
      peer.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
      peer.hold();
    });
    check_refused(caller.fail(request_to(https(server))), "does not speak TLS");
  }
  SECTION("the end") {
    FaultServer server([](Peer&) {});
    check_refused(caller.fail(request_to(https(server))), "closed the connection during the TLS handshake");
  }
  SECTION("silence") {
    FaultServer server([](Peer& peer) { peer.hold(); });
    HttpLimits limits = patient();
    limits.connect_ms = kSoon;
    const HttpFailure failure = caller.fail(request_to(https(server)), limits);
    CHECK(failure.error.kind == ErrorKind::timeout);
    CHECK(failure.phase == HttpPhase::tls);
    CHECK_FALSE(failure.request_sent);
    CHECK_THAT(failure.error.message, Catch::Contains("TLS handshake within 80 ms"));
  }
}

TEST_CASE("an answer cut off behind TLS is no answer, also where only the end could complete it", "[http]") {
  const Authority authority;
  FaultServer server([manner = TlsManner{authority.issue()}](Peer& peer) {
    if (!peer.start_tls(manner)) return;
    peer.request();
    peer.send("HTTP/1.1 200 OK\r\n\r\n{\"paid\": 1");
    peer.cut();
  });
  Caller caller(trusting(authority));
  const HttpFailure failure = caller.fail(request_to(https(server)));
  CHECK(failure.error.kind == ErrorKind::llm_unavailable);
  CHECK(failure.phase == HttpPhase::body);
  CHECK(failure.request_sent);
}

TEST_CASE("a connection with more bytes behind TLS than its answer is not used again", "[http]") {
  const Authority authority;
  std::atomic<int> answered = 0;
  FaultServer server([manner = TlsManner{authority.issue()}, &answered](Peer& peer) {
    if (!peer.start_tls(manner)) return;
    while (!peer.request().empty()) {
      peer.send(answer_with("{}"));
      peer.send(answer_with("[\"of another call\"]"));
      ++answered;
    }
  });
  Caller caller(trusting(authority));
  CHECK(caller.call(request_to(https(server))).response.body == "{}");
  caller.wait_for([&] { return answered == 1; });
  CHECK(caller.call(request_to(https(server))).response.body == "{}");
}

TEST_CASE("https goes through the proxy by a tunnel, http does not", "[http]") {
  const Authority authority;
  FaultServer proxy(proxied({authority.issue({"DNS:api.invalid"})}));
  FaultServer direct([](Peer& peer) {
    peer.request();
    peer.send(answer_with("direct"));
  });
  HttpClientOptions options = trusting(authority);
  options.proxy = proxy.url("", "http://me:sesame@127.0.0.1");
  Caller caller(options);
  for (int i = 0; i < 2; ++i) {
    const HttpResult result = caller.call(request_to("https://api.invalid/v1?key=1"));
    REQUIRE_FALSE(result.failure);
    CHECK(*result.response.header("X-Wanted") == "api.invalid");
  }
  CHECK(caller.call(request_to(direct.url())).response.body == "direct");
  REQUIRE(proxy.requests().size() == 3);  // One tunnel for both calls.
  CHECK(proxy.requests()[0] ==
        "CONNECT api.invalid:443 HTTP/1.1\r\nHost: api.invalid:443\r\n"
        "Proxy-Authorization: Basic bWU6c2VzYW1l\r\n\r\n");
  CHECK_THAT(proxy.requests()[1], Catch::StartsWith("POST /v1?key=1 HTTP/1.1\r\nHost: api.invalid\r\n"));
  CHECK(proxy.requests()[1].find("Proxy-") == std::string::npos);
}

TEST_CASE("hosts can be exempt from the proxy", "[http]") {
  const Authority authority;
  FaultServer server(secured({authority.issue()}));
  FaultServer proxy(proxied({authority.issue()}));
  Caller caller({authority.file(), proxy.url(), {"127.0.0.1"}});
  CHECK(caller.call(request_to(https(server))).response.status == 200);
  CHECK(proxy.connections() == 0);
}

TEST_CASE("a certificate is checked behind a proxy too", "[http]") {
  const Authority authority;
  FaultServer proxy(proxied({authority.issue({"DNS:proxy.invalid"})}));
  Caller caller({authority.file(), proxy.url(), {}});
  check_refused(caller.fail(request_to("https://api.invalid/")), "is for another host");
}

TEST_CASE("a proxy that fails is named, and nothing was sent", "[http]") {
  std::optional<FaultServer> proxy;
  HttpClientOptions options;
  HttpLimits limits = patient();
  std::string reason;
  auto kind = ErrorKind::llm_unavailable;
  SECTION("wants a password") {
    proxy.emplace([](Peer& peer) {
      peer.request();
      peer.send("HTTP/1.1 407 Authentication Required\r\nContent-Length: 4\r\n\r\nuser");
    });
    reason = "user and password";
  }
  SECTION("refuses") {
    proxy.emplace([](Peer& peer) {
      peer.request();
      peer.send("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");
    });
    reason = "with status 403";
  }
  SECTION("says nonsense") {
    proxy.emplace([](Peer& peer) { peer.send("SSH-2.0-OpenSSH\r\n"); });
    reason = "cannot be read";
  }
  SECTION("closes") {
    proxy.emplace([](Peer& peer) { peer.request(); });
    reason = "cannot be reached for api.invalid:443";
  }
  SECTION("is silent") {
    proxy.emplace([](Peer& peer) { peer.hold(); });
    limits.connect_ms = kSoon;
    kind = ErrorKind::timeout;
    reason = "opened no tunnel to api.invalid:443 within 80 ms";
  }
  SECTION("has no address") { options.proxy = "socks5://me:sesame@127.0.0.1:1"; }
  if (proxy) options.proxy = proxy->url("", "http://me:sesame@127.0.0.1");
  Caller caller(options);
  const HttpFailure failure = caller.fail(request_to("https://api.invalid/"), limits);
  CHECK(failure.error.kind == kind);
  CHECK(failure.phase == HttpPhase::proxy);
  CHECK_FALSE(failure.request_sent);
  CHECK_FALSE(failure.response_begun);
  CHECK_THAT(failure.error.message, Catch::Contains(reason) && Catch::Contains("proxy"));
}
