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

TEST_CASE("localhost is this machine, whatever resolvers say, and its addresses are tried in turn", "[http]") {
  FaultServer server(always(answer_with("{}")));
  Caller caller;
  for (const char* name : {"http://localhost", "http://LocalHost", "http://game.localhost"}) {
    INFO(name);
    CHECK(caller.call(request_to(server.url("/", name))).response.status == 200);
  }
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

TEST_CASE("what may arrive twice is sent again when a reused connection dies with it (LL10)", "[http]") {
  FaultServer server([first = true](Peer& peer) mutable {
    peer.request();
    peer.send(answer_with("{}"));
    if (!std::exchange(first, false)) return;
    peer.request();
    peer.reset();
  });
  const std::string method = GENERATE("GET", "DELETE");
  Caller caller;
  CHECK(caller.call(request_to(server.url())).response.status == 200);
  CHECK(caller.call({method, server.url(), {}, ""}).response.status == 200);
  CHECK(server.connections() == 2);
  CHECK(server.requests().size() == 3);
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
