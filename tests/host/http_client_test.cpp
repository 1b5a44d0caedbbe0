#include "host/net/http_client.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <future>

#include "tests/support/fault_server.h"
#include "tests/support/http_fixture.h"

using namespace qa;
using namespace qa::test;
using std::chrono::milliseconds;

namespace {

/// A server that gives every request of every connection the same answer.
FaultServer::Script always(const std::string& answer) {
  return [answer](Peer& peer) {
    while (!peer.request().empty()) {
      if (!peer.send(answer)) return;
    }
  };
}

/// A server that answers one request of a connection, and closes it.
FaultServer::Script once(const std::string& answer) {
  return [answer](Peer& peer) {
    if (!peer.request().empty()) peer.send(answer);
  };
}

HttpLimits limits_with(int HttpLimits::*limit, int ms) {
  HttpLimits limits = patient();
  limits.*limit = ms;
  return limits;
}

int closed_port() {
  FaultServer gone([](Peer&) {});
  return gone.port();
}

const std::string kChunkedHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

}  // namespace

TEST_CASE("a call sends what it is given and brings the answer", "[http]") {
  FaultServer server(once(answer_with("{\"ok\":true}", "X-Request-Id: 7\r\n")));
  Caller caller;
  const HttpResult result = caller.call(request_to(server.url("/v1/chat?key=1"), "{\"a\":1}"));
  REQUIRE_FALSE(result.failure);
  CHECK(result.response.status == 200);
  CHECK(result.response.body == "{\"ok\":true}");
  CHECK(*result.response.header("x-request-ID") == "7");
  CHECK_FALSE(result.response.stopped);
  REQUIRE(server.requests().size() == 1);
  CHECK(server.requests()[0] == "POST /v1/chat?key=1 HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(server.port()) +
                                    "\r\nAuthorization: Bearer sesame\r\nContent-Type: application/json\r\n"
                                    "Content-Length: 7\r\nAccept-Encoding: identity\r\n\r\n{\"a\":1}");
}

TEST_CASE("large requests and answers arrive whole", "[http]") {
  std::string large(5 << 20, ' ');
  for (std::size_t i = 0; i < large.size(); ++i) large[i] = static_cast<char>('a' + i * i % 23);
  FaultServer server([](Peer& peer) {
    const std::string request = peer.request();
    peer.send(answer_with(request.substr(request.find("\r\n\r\n") + 4)));
  });
  Caller caller;
  const HttpResult result = caller.call(request_to(server.url(), large));
  REQUIRE_FALSE(result.failure);
  CHECK(result.response.body.size() == large.size());
  CHECK((result.response.body == large));
}

TEST_CASE("a name is resolved and its addresses tried in turn", "[http]") {
  FaultServer server(once(answer_with("{}")));
  Caller caller;
  CHECK(caller.call(request_to(server.url("/", "http://localhost"))).response.status == 200);
}

TEST_CASE("an open connection is used again", "[http]") {
  Caller caller;
  SECTION("when the server keeps it") {
    FaultServer server(always(answer_with("{}")));
    for (int i = 0; i < 5; ++i) CHECK(caller.call(request_to(server.url())).response.status == 200);
    CHECK(server.connections() == 1);
    CHECK(server.requests().size() == 5);
  }
  SECTION("not when the server says that it closes it") {
    FaultServer server(always(answer_with("{}", "Connection: close\r\n")));
    for (int i = 0; i < 2; ++i) CHECK(caller.call(request_to(server.url())).response.status == 200);
    CHECK(server.connections() == 2);
  }
  SECTION("not when the server said more than its length") {
    FaultServer server(always(answer_with("{}") + "{}"));
    for (int i = 0; i < 2; ++i) CHECK(caller.call(request_to(server.url())).response.body == "{}");
    CHECK(server.connections() == 2);
  }
  SECTION("not after a failure") {
    FaultServer server(always("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"));
    for (int i = 0; i < 2; ++i) CHECK(caller.fail(request_to(server.url())).phase == HttpPhase::body);
    CHECK(server.connections() == 2);
  }
  SECTION("by one call at a time, and four are kept") {
    std::promise<void> all_here;
    std::shared_future<void> gate = all_here.get_future().share();
    std::atomic<int> arrived = 0;
    FaultServer server([&](Peer& peer) {
      while (!peer.request().empty()) {
        if (++arrived == 6) all_here.set_value();
        gate.wait();
        if (!peer.send(answer_with("{}"))) return;
      }
    });
    int ended = 0;
    const auto start_six = [&] {
      for (int i = 0; i < 6; ++i) {
        caller.client->send(request_to(server.url()), patient(), nullptr, [&](HttpResult result) {
          CHECK_FALSE(result.failure);
          if (++ended % 6 == 0) caller.loop.stop();
        });
      }
      caller.run();
    };
    start_six();
    CHECK(server.connections() == 6);
    start_six();
    CHECK(server.connections() == 8);
  }
}

TEST_CASE("a connection that the server closed while idle is replaced unseen (LL10)", "[http]") {
  FaultServer server(once(answer_with("{}")));
  Caller caller;
  CHECK(caller.call(request_to(server.url())).response.status == 200);
  caller.wait_for([&] { return server.closed() == 1; });
  CHECK(caller.call(request_to(server.url())).response.status == 200);
  CHECK(server.connections() == 2);
  CHECK(server.requests().size() == 2);
}

TEST_CASE("a reused connection that dies with the request on it is a failure, sent once (LL10)", "[http]") {
  FaultServer server([](Peer& peer) {
    peer.request();
    peer.send(answer_with("{}"));
    peer.request();
    peer.reset();
  });
  Caller caller;
  CHECK(caller.call(request_to(server.url())).response.status == 200);
  const HttpFailure failure = caller.fail(request_to(server.url()));
  CHECK(failure.error.kind == ErrorKind::llm_unavailable);
  CHECK(failure.phase == HttpPhase::head);
  CHECK(failure.request_sent);
  CHECK_FALSE(failure.response_begun);
  CHECK(server.connections() == 1);
  CHECK(server.requests().size() == 2);
}

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
  FaultServer server([](Peer& peer) { peer.reset(); });
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

TEST_CASE("interim answers precede the answer", "[http]") {
  std::string interim;
  for (int i = 0; i < 100; ++i) interim += "HTTP/1.1 100 Continue\r\n\r\n";
  FaultServer server(always(interim + answer_with("{}")));
  Caller caller;
  for (int i = 0; i < 2; ++i) CHECK(caller.call(request_to(server.url())).response.status == 200);
  CHECK(server.connections() == 1);
}

TEST_CASE("bodies are handed on as they are (LL06)", "[http]") {
  for (const std::string& body : {std::string("<html>Bad gateway</html>"), std::string(), std::string("{\"a\":"),
                                  std::string("{}{}"), std::string("\xef\xbb\xbf{}"), std::string("[1,]"),
                                  std::string("```json\n{}\n```"), std::string("\0\x01\xff", 3)}) {
    FaultServer server(once(answer_with(body)));
    Caller caller;
    const HttpResult result = caller.call(request_to(server.url()));
    REQUIRE_FALSE(result.failure);
    CHECK(result.response.body == body);
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

TEST_CASE("a redirect is an answer and is not followed (LL14)", "[http]") {
  FaultServer other(once(answer_with("{}")));
  FaultServer server(
      once("HTTP/1.1 307 Temporary Redirect\r\nLocation: " + other.url() + "\r\nContent-Length: 0\r\n\r\n"));
  Caller caller;
  const HttpResult result = caller.call(request_to(server.url()));
  REQUIRE_FALSE(result.failure);
  CHECK(result.response.status == 307);
  CHECK(*result.response.header("location") == other.url());
  CHECK(other.connections() == 0);
}

TEST_CASE("a stream is read piece by piece", "[http]") {
  std::promise<void> seen;
  FaultServer server([gate = seen.get_future().share()](Peer& peer) {
    peer.request();
    peer.send(kChunkedHead + "5\r\nfirst\r\n");
    gate.wait();  // The first piece is handed on before the second exists.
    peer.send("6\r\nsecond\r\n0\r\n\r\n");
    peer.hold();
  });
  Caller caller;
  std::vector<std::string> pieces;
  const HttpResult result = caller.call(request_to(server.url()), patient(), [&](std::string_view piece) {
    pieces.emplace_back(piece);
    if (pieces.size() == 1) seen.set_value();
    return BodyStep::more;
  });
  CHECK_FALSE(result.failure);
  CHECK(result.response.body.empty());
  CHECK(pieces == std::vector<std::string>{"first", "second"});
}

TEST_CASE("the body of an error is collected, not streamed", "[http]") {
  FaultServer server(once("HTTP/1.1 429 Too Many\r\nContent-Length: 4\r\n\r\nbusy"));
  Caller caller;
  const HttpResult result = caller.call(request_to(server.url()), patient(), [](std::string_view) {
    FAIL_CHECK("an error is no stream");
    return BodyStep::more;
  });
  CHECK(result.response.status == 429);
  CHECK(result.response.body == "busy");
}

TEST_CASE("a stream can be stopped early", "[http]") {
  FaultServer server([](Peer& peer) {
    peer.request();
    peer.send(kChunkedHead + "1\r\na\r\n1\r\nb\r\n");
    peer.hold();
  });
  Caller caller;
  int pieces = 0;
  const HttpResult result = caller.call(request_to(server.url()), patient(), [&](std::string_view) {
    ++pieces;
    return BodyStep::stop;
  });
  CHECK_FALSE(result.failure);
  CHECK(result.response.stopped);
  CHECK(pieces == 1);
  caller.call(request_to(server.url()), patient(), [](std::string_view) { return BodyStep::stop; });
  CHECK(server.connections() == 2);
}

TEST_CASE("filler does not prolong the wait for content", "[http]") {
  FaultServer server([](Peer& peer) {
    peer.request();
    peer.send(kChunkedHead + "1\r\na\r\n");
    peer.trickle("1\r\n:\r\n", milliseconds(2), true);
  });
  Caller caller;
  int fillers = 0;  // So many take ten times the limit: it did not hold.
  const HttpFailure failure =
      caller.fail(request_to(server.url()), limits_with(&HttpLimits::idle_ms, 300), [&](std::string_view piece) {
        if (piece != ":") return BodyStep::more;
        return ++fillers < 300 ? BodyStep::filler : BodyStep::stop;
      });
  CHECK(failure.error.kind == ErrorKind::timeout);
  CHECK(failure.phase == HttpPhase::body);
}

TEST_CASE("a request that went out at once is known to be sent, though its call is cancelled at once", "[http]") {
  FaultServer server(always(answer_with("{}")));
  Caller caller;
  caller.call(request_to(server.url()));
  std::optional<HttpResult> result;
  caller.client->cancel(caller.start(request_to(server.url()), result));
  caller.run();
  REQUIRE(result);
  REQUIRE(result->failure);
  CHECK(result->failure->request_sent);
  caller.wait_for([&] { return server.requests().size() == 2; });
}

TEST_CASE("a call can be cancelled wherever it stands (LL16)", "[http]") {
  Caller caller;
  std::optional<HttpResult> result;
  HttpClient::CallId id = 0;
  const auto cancel = [&] { caller.client->cancel(id); };
  bool is_sent = true;
  std::optional<FaultServer> server;
  SECTION("at once") {
    server.emplace(once(answer_with("{}")));
    id = caller.start(request_to(server->url()), result);
    cancel();
    cancel();
    is_sent = false;
  }
  SECTION("while a name is resolved") {
    server.emplace(once(answer_with("{}")));
    id = caller.start(request_to(server->url("/", "http://localhost")), result);
    cancel();
    is_sent = false;
  }
  SECTION("in a slow head") {
    server.emplace([&](Peer& peer) {
      peer.request();
      caller.loop.post(cancel);
      peer.trickle("HTTP/1.1 200 OK\r\nX: xxxxxxxxxxxxxxxxxxxxxxxx", milliseconds(20), true);
    });
    id = caller.start(request_to(server->url()), result);
  }
  SECTION("in a slow body") {
    server.emplace([&](Peer& peer) {
      peer.request();
      peer.send("HTTP/1.1 200 OK\r\n\r\n");
      peer.trickle("x", milliseconds(20), true);
    });
    id = caller.start(request_to(server->url()), result, patient(), [&](std::string_view) {
      cancel();
      return BodyStep::more;
    });
  }
  CHECK_FALSE(result);
  caller.run();
  REQUIRE(result);
  REQUIRE(result->failure);
  CHECK(result->failure->error.kind == ErrorKind::cancelled);
  CHECK(result->failure->request_sent == is_sent);
  cancel();  // Over: ignored.
  server.reset();
}

TEST_CASE("a client that goes takes its calls with it", "[http]") {
  FaultServer server([](Peer& peer) {
    peer.request();
    peer.send(kChunkedHead + "1\r\na\r\n");
    peer.hold();
  });
  Caller caller;
  const auto never = [](HttpResult) { FAIL_CHECK("the client is gone"); };
  const auto settle = [&] {
    caller.loop.after(milliseconds(50), [&] { caller.loop.stop(); });
    caller.run();
  };
  SECTION("at any time") {
    caller.client->send(request_to(server.url()), patient(), nullptr, never);
    caller.client->send(request_to(server.url("/", "http://localhost")), patient(), nullptr, never);
    caller.client->send(request_to("no address"), patient(), nullptr, never);
    caller.client.reset();
    settle();
  }
  SECTION("while a piece is handed on") {
    caller.client->send(
        request_to(server.url()), patient(),
        [&](std::string_view) {
          caller.client.reset();
          return BodyStep::more;
        },
        never);
    settle();
    CHECK_FALSE(caller.client);
  }
  SECTION("when a call is over") {
    caller.client->send(
        request_to(server.url()), patient(), [](std::string_view) { return BodyStep::stop; },
        [&](HttpResult result) {
          CHECK(result.response.stopped);
          caller.client.reset();
          caller.loop.stop();
        });
    caller.run();
  }
}

TEST_CASE("calls run side by side and one may start the next", "[http]") {
  std::promise<void> both;
  std::shared_future<void> gate = both.get_future().share();
  std::atomic<int> arrived = 0;
  FaultServer server([&](Peer& peer) {
    for (std::string request; !(request = peer.request()).empty();) {
      if (++arrived == 2) both.set_value();
      gate.wait();
      peer.send(answer_with(request.substr(request.find("\r\n\r\n") + 4)));
    }
  });
  Caller caller;
  std::vector<std::string> bodies;
  const HttpClient::Done done = [&](HttpResult result) {
    bodies.push_back(result.response.body);
    if (bodies.size() == 2) caller.client->send(request_to(server.url(), "c"), patient(), nullptr, done);
    if (bodies.size() == 3) caller.loop.stop();
  };
  caller.client->send(request_to(server.url(), "a"), patient(), nullptr, done);
  caller.client->send(request_to(server.url(), "b"), patient(), nullptr, done);
  caller.run();
  std::sort(bodies.begin(), bodies.begin() + 2);
  CHECK(bodies == std::vector<std::string>{"a", "b", "c"});
}
