#include "host/net/http_message.h"

#include <catch2/catch.hpp>

#include "host/net/http_failure.h"

using namespace qa;

TEST_CASE("an address is taken apart", "[http]") {
  const auto url = parse_http_url("https://API.Example.com/v1/chat?key=1#part");
  REQUIRE(url);
  CHECK(url->is_https);
  CHECK(url->host == "api.example.com");
  CHECK(url->port == 443);
  CHECK(url->target == "/v1/chat?key=1");
  CHECK(url->authority() == "api.example.com");
  CHECK(url->host_and_port() == "api.example.com:443");

  SECTION("without a path, with a port") {
    const auto local = parse_http_url("HTTP://127.0.0.1:11434");
    REQUIRE(local);
    CHECK_FALSE(local->is_https);
    CHECK(local->target == "/");
    CHECK(local->authority() == "127.0.0.1:11434");
  }
  SECTION("IPv6") {
    const auto v6 = parse_http_url("http://[::1]:8080?x");
    REQUIRE(v6);
    CHECK(v6->host == "::1");
    CHECK(v6->target == "/?x");
    CHECK(v6->host_and_port() == "[::1]:8080");
    CHECK(parse_http_url("https://[::1]")->authority() == "[::1]");
  }
  SECTION("user and password are unescaped") {
    CHECK(parse_http_url("http://me:p%40ss@proxy:3128")->user_info == "me:p@ss");
    CHECK(parse_http_url("http://a@b@proxy")->host == "proxy");
  }
}

TEST_CASE("what is no address is refused", "[http]") {
  for (const char* text : {"",
                           "example.com",
                           "ftp://example.com",
                           "file:///etc/passwd",
                           "http://",
                           "http:///path",
                           "http://:80",
                           "http://a:0",
                           "http://a:65536",
                           "http://a:8x",
                           "http://a b/",
                           "http://a/b c",
                           "http://a/\r\nX: y",
                           "http://a/é",
                           "http://[::1",
                           "http://[::1]x",
                           "http://[]",
                           "http://[evil.com]",
                           "http://a\\b/",
                           "http://%zz@a",
                           "https//a"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_http_url(text));
  }
}

TEST_CASE("hosts are exempt from the proxy by name and by what they are below", "[http]") {
  const HttpUrl url = *parse_http_url("https://api.example.com:8443/");
  CHECK(is_proxy_exempt(url, {"other", "API.example.com"}));
  CHECK(is_proxy_exempt(url, {"example.com"}));
  CHECK(is_proxy_exempt(url, {".example.com"}));
  CHECK(is_proxy_exempt(url, {"api.example.com:8443"}));
  CHECK(is_proxy_exempt(url, {"*"}));
  CHECK_FALSE(is_proxy_exempt(url, {}));
  CHECK_FALSE(is_proxy_exempt(url, {"", ".", "ample.com", "api.example.com:443", "x.api.example.com"}));
}

TEST_CASE("a request's head keeps the order of its headers", "[http]") {
  const HttpUrl url = *parse_http_url("http://127.0.0.1:80/v1?a=b");
  const HttpRequest request{"POST", "", {{"X-B", "1"}, {"a", "2"}}, "{}"};
  CHECK(request_head(request, url) ==
        "POST /v1?a=b HTTP/1.1\r\nHost: 127.0.0.1\r\nX-B: 1\r\na: 2\r\nContent-Length: 2\r\n"
        "Accept-Encoding: identity\r\n\r\n");
  CHECK(request_head({"GET", "", {}, ""}, url) ==
        "GET /v1?a=b HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept-Encoding: identity\r\n\r\n");
  CHECK(request_head({"POST", "", {}, ""}, url).find("Content-Length: 0\r\n") != std::string::npos);
}

TEST_CASE("a request cannot smuggle another one in its headers", "[http]") {
  const HttpUrl url = *parse_http_url("http://a/");
  CHECK(request_fault({"POST", "", {{"Authorization", "Bearer x y"}, {"x-api-key", ""}}, ""}, url).empty());
  const HttpHeaders bad[] = {
      {{"X", "a\r\nY: b"}}, {{"X", "a\nb"}}, {{"X", std::string("a\0b", 3)}}, {{"X Y", "a"}},
      {{"X:", "a"}},        {{"", "a"}},     {{"content-LENGTH", "1"}},       {{"Transfer-Encoding", "chunked"}},
      {{"Host", "b"}}};
  for (const HttpHeaders& headers : bad) {
    CAPTURE(headers[0].first);
    CHECK_FALSE(request_fault({"POST", "", headers, ""}, url).empty());
  }
  CHECK_FALSE(request_fault({"GET / HTTP/1.1\r\nX:", "", {}, ""}, url).empty());
  CHECK_FALSE(request_fault({"GET", "", {}, ""}, *parse_http_url("http://me:secret@a/")).empty());
}

TEST_CASE("a tunnel is asked for with the proxy's user and password", "[http]") {
  CHECK(tunnel_head("api:443", *parse_http_url("http://p:1")) == "CONNECT api:443 HTTP/1.1\r\nHost: api:443\r\n\r\n");
  // RFC 7617, 2: the example of Aladdin.
  const auto proxy = parse_http_url("http://Aladdin:open%20sesame@p:1");
  CHECK(tunnel_head("api:443", *proxy).find("\r\nProxy-Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\n\r\n") !=
        std::string::npos);
}

TEST_CASE("headers are found in any case", "[http]") {
  const HttpResponse response{200, {{"Retry-After", "1"}, {"retry-after", "2"}}, "", false};
  REQUIRE(response.header("RETRY-AFTER"));
  CHECK(*response.header("RETRY-AFTER") == "1");
  CHECK(response.header("retry") == nullptr);
}

TEST_CASE("every phase has a name and sentences of its own", "[http]") {
  const HttpPeers peers{"api:443", "proxy:3128"};
  std::string seen;
  for (const auto phase : {HttpPhase::resolve, HttpPhase::proxy, HttpPhase::connect, HttpPhase::tls, HttpPhase::send,
                           HttpPhase::head, HttpPhase::body}) {
    CAPTURE(http_phase_name(phase));
    for (const std::string& text : {late_text(phase, peers, 70), overdue_text(phase, peers, 80),
                                    broken_text(phase, peers, "cause"), malformed_text(phase, peers, "fault")}) {
      CHECK(text.find(phase == HttpPhase::proxy ? "proxy:3128" : "api:443") != text.npos);
      CHECK(text.find(": ") != text.npos);
      CHECK(text.find('\n') == text.npos);
    }
    CHECK(seen.find(late_text(phase, peers, 70)) == seen.npos);
    seen += late_text(phase, peers, 70);
  }
  CHECK(refused_text(peers, 407).find("user") != std::string::npos);
  CHECK(refused_text(peers, 403).find("403") != std::string::npos);
}
