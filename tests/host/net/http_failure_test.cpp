// What goes wrong between a client and a server, and what a call says of it.
#include <catch2/catch.hpp>
#include <future>

#include "host/net/http_client.h"
#include "tests/support/fault_server.h"
#include "tests/support/http_fixture.h"

using namespace qa;
using namespace qa::test;
using std::chrono::milliseconds;

namespace {

int closed_port() {
  FaultServer gone([](Peer&) {});
  return gone.port();
}

}  // namespace

TEST_CASE("nobody listening, no such name: nothing was sent (LL01)", "[http]") {
  Caller caller;
  const HttpFailure refused = caller.fail(request_to("http://127.0.0.1:" + std::to_string(closed_port()) + "/?key=1"));
  CHECK(refused.error.kind == ErrorKind::llm_unavailable);
  CHECK(refused.phase == HttpPhase::connect);
  CHECK_FALSE(refused.request_sent);
  CHECK(refused.error.message.find("127.0.0.1:") == 0);

  // A label of more than 63 bytes: no resolver asks anybody for it.
  const HttpFailure unknown = caller.fail(request_to("http://" + std::string(64, 'a') + "/"));
  CHECK(unknown.error.kind == ErrorKind::llm_unavailable);
  CHECK(unknown.phase == HttpPhase::resolve);
  CHECK_FALSE(unknown.request_sent);
}

TEST_CASE("what cannot be sent fails without a connection", "[http]") {
  FaultServer server(once(answer_with("{}")));
  Caller caller;
  HttpRequest request = request_to(server.url());
  SECTION("no address") { request.url = "localhost:1234/?key=1"; }
  SECTION("a user in the address") { request.url = server.url("/", "http://me:sesame@127.0.0.1"); }
  SECTION("a line break in a header") { request.headers[0].second += "\r\nX: sesame"; }
  const HttpFailure failure = caller.fail(request);
  CHECK(failure.error.kind == ErrorKind::llm_unavailable);
  CHECK_FALSE(failure.request_sent);
  CHECK(server.connections() == 0);
}

TEST_CASE("silence ends by the limit of what it delays (LL02)", "[http]") {
  struct Case {
    const char* what;
    FaultServer::Script script;
    int HttpLimits::*limit;
    int ms;
    HttpPhase phase;
    bool is_begun;
  };
  const auto hold_after = [](const std::string& bytes) {
    return [bytes](Peer& peer) {
      peer.request();
      peer.send(bytes);
      peer.hold();
    };
  };
  const auto trickle_after = [](const std::string& bytes, const std::string& drops) {
    return [=](Peer& peer) {
      peer.request();
      peer.send(bytes);
      peer.trickle(drops, milliseconds(10), true);
    };
  };
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 900000\r\n\r\n";
  // Where the server has to have said something by then, it gets more time.
  constexpr int kLater = 500;
  const Case cases[] = {
      {"no answer", hold_after(""), &HttpLimits::first_byte_ms, kSoon, HttpPhase::head, false},
      {"no answer, by the whole", hold_after(""), &HttpLimits::total_ms, kSoon, HttpPhase::head, false},
      {"half a head", hold_after("HTTP/1.1 200"), &HttpLimits::first_byte_ms, kLater, HttpPhase::head, true},
      {"a head byte by byte", trickle_after("HTTP/1.1 200 OK\r\nX: ", "x"), &HttpLimits::first_byte_ms, kLater,
       HttpPhase::head, true},
      {"interim answers for ever", trickle_after("", "HTTP/1.1 100 Continue\r\n\r\n"), &HttpLimits::first_byte_ms,
       kLater, HttpPhase::head, true},
      {"a head and no body", hold_after(head), &HttpLimits::idle_ms, kSoon, HttpPhase::body, true},
      {"half a body", hold_after(head + "half"), &HttpLimits::idle_ms, kSoon, HttpPhase::body, true},
      {"a size and no chunk", hold_after(kChunkedHead + "5\r\n"), &HttpLimits::idle_ms, kSoon, HttpPhase::body, true},
      {"a body byte by byte", trickle_after(head, "x"), &HttpLimits::total_ms, kLater, HttpPhase::body, true},
      {"chunk after chunk", trickle_after(kChunkedHead, "1\r\nx\r\n"), &HttpLimits::total_ms, kLater, HttpPhase::body,
       true},
  };
  for (const Case& one : cases) {
    CAPTURE(one.what);
    FaultServer server(one.script);
    Caller caller;
    const HttpFailure failure = caller.fail(request_to(server.url()), limits_with(one.limit, one.ms));
    CHECK(failure.error.kind == ErrorKind::timeout);
    CHECK(http_phase_name(failure.phase) == http_phase_name(one.phase));
    CHECK(failure.request_sent);
    CHECK(failure.response_begun == one.is_begun);
    CHECK(failure.error.message.find(" " + std::to_string(one.ms) + " ms") != std::string::npos);
  }
}

TEST_CASE("a trickle that keeps within the idle limit goes on", "[http]") {
  FaultServer server([](Peer& peer) {
    peer.request();
    peer.send(kChunkedHead);
    for (int i = 0; i < 4; ++i) peer.trickle("1\r\nx\r\n", milliseconds(50));
    peer.send("0\r\n\r\n");
  });
  Caller caller;
  // The pieces together take longer than the limit, no gap comes near it.
  CHECK(caller.call(request_to(server.url()), limits_with(&HttpLimits::idle_ms, 1000)).response.body == "xxxx");
}

TEST_CASE("a server that takes no more of the request has not got it", "[http]") {
  std::promise<void> end;
  FaultServer deaf([gate = end.get_future().share()](Peer&) { gate.wait(); });
  Caller caller;
  const HttpFailure failure =
      caller.fail(request_to(deaf.url(), std::string(32 << 20, 'x')), limits_with(&HttpLimits::first_byte_ms, kSoon));
  end.set_value();
  CHECK(failure.error.kind == ErrorKind::timeout);
  CHECK(failure.phase == HttpPhase::send);
  CHECK_FALSE(failure.request_sent);
  CHECK_FALSE(failure.response_begun);
}

TEST_CASE("a reset in the middle of the request is told from one after it", "[http]") {
  // Once some of it is here the client is connected for certain.
  FaultServer server([](Peer& peer) {
    peer.take_some();
    peer.reset();
  });
  Caller caller;
  const HttpFailure during = caller.fail(request_to(server.url(), std::string(32 << 20, 'x')));
  CHECK(during.phase == HttpPhase::send);
  CHECK_FALSE(during.request_sent);

  FaultServer late([](Peer& peer) {
    peer.request();
    peer.reset();
  });
  const HttpFailure after = caller.fail(request_to(late.url()));
  CHECK(after.phase == HttpPhase::head);
  CHECK(after.request_sent);
  CHECK_FALSE(after.response_begun);
}

TEST_CASE("a server may refuse before it has read the request", "[http]") {
  FaultServer server([](Peer& peer) {
    peer.send("HTTP/1.1 413 Too Large\r\nContent-Length: 4\r\n\r\nlong");
    peer.hold();
  });
  Caller caller;
  const HttpResult result = caller.call(request_to(server.url(), std::string(32 << 20, 'x')));
  REQUIRE_FALSE(result.failure);
  CHECK(result.response.status == 413);
  CHECK(result.response.body == "long");
}

TEST_CASE("an answer that breaks off is no answer (LL09)", "[http]") {
  const std::pair<std::string, HttpPhase> cases[] = {
      {"", HttpPhase::head},
      {"HTTP/1.1 2", HttpPhase::head},
      {"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{}", HttpPhase::body},
      {kChunkedHead + "5\r\nhel", HttpPhase::body},
      {kChunkedHead + "5\r\nhello\r\n", HttpPhase::body},
  };
  for (const auto& [bytes, phase] : cases) {
    for (const bool is_reset : {false, true}) {
      CAPTURE(bytes, is_reset);
      FaultServer server([&bytes = bytes, is_reset](Peer& peer) {
        peer.request();
        peer.send(bytes);
        if (is_reset) peer.reset();
      });
      Caller caller;
      const HttpFailure failure = caller.fail(request_to(server.url()));
      CHECK(failure.error.kind == ErrorKind::llm_unavailable);
      if (!is_reset) CHECK(failure.phase == phase);  // A reset may overtake what was sent before it.
      CHECK(failure.request_sent);
    }
  }
}

TEST_CASE("malformed answers say what is wrong, and use no connection again (LL09)", "[http]") {
  std::string headers = "HTTP/1.1 200 OK\r\n";
  while (headers.size() < 1 << 20) headers += "X-Header: " + std::string(1000, 'x') + "\r\n";
  const std::pair<std::string, HttpPhase> cases[] = {
      {"SSH-2.0-OpenSSH_9.2\r\n", HttpPhase::head},
      {headers + "\r\n", HttpPhase::head},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", HttpPhase::head},
      {"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n\x1f\x8b", HttpPhase::body},
      {kChunkedHead + "5\r\nhellooo\r\n", HttpPhase::body},
  };
  for (const auto& [bytes, phase] : cases) {
    CAPTURE(bytes.substr(0, 90));
    FaultServer server(always(bytes));
    Caller caller;
    for (int i = 1; i <= 2; ++i) {
      const HttpFailure failure = caller.fail(request_to(server.url()));
      CHECK(failure.error.kind == ErrorKind::llm_unavailable);
      CHECK(failure.phase == phase);
      CHECK(failure.request_sent);
      CHECK(failure.response_begun);
      CHECK(failure.error.message.find("cannot be read") != std::string::npos);
      CHECK(server.connections() == i);
    }
  }
}

TEST_CASE("an endless body ends at its limit (LL08)", "[http]") {
  const std::string piece(64 * 1024, 'x');
  HttpLimits limits = patient();
  limits.max_body = 1 << 20;
  SECTION("announced") {
    FaultServer server(once("HTTP/1.1 200 OK\r\nContent-Length: 200000000\r\n\r\n"));
    Caller caller;
    CHECK(caller.fail(request_to(server.url()), limits).error.kind == ErrorKind::llm_too_large);
  }
  SECTION("not announced") {
    for (const bool is_streamed : {false, true}) {
      FaultServer server([&](Peer& peer) {
        peer.request();
        peer.send("HTTP/1.1 200 OK\r\n\r\n");
        while (peer.send(piece)) {
        }
      });
      Caller caller;
      std::size_t seen = 0;
      const auto count = [&](std::string_view bytes) {
        seen += bytes.size();
        return BodyStep::more;
      };
      const HttpFailure failure =
          caller.fail(request_to(server.url()), limits, is_streamed ? HttpClient::OnBody(count) : nullptr);
      CHECK(failure.error.kind == ErrorKind::llm_too_large);
      CHECK(failure.phase == HttpPhase::body);
      CHECK(failure.response_begun);
      CHECK(seen <= limits.max_body);
    }
  }
}
