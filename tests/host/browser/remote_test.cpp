// Browsers that the host did not start: somebody's Chromium on a port, and what goes wrong on the way to it.

#include <catch2/catch.hpp>

#include "tests/support/browser_fixture.h"
#include "tests/support/fault_proxy.h"
#include "tests/support/fault_server.h"
#include "tests/support/port_browser.h"
#include "tests/support/websocket_peer.h"

using namespace qa;
using namespace qa::test;
using Service = RemoteOptions::Service;

namespace {

using Connected = Result<std::shared_ptr<Browser>>;

Connected connect(EventLoop& loop, const RemoteOptions& options) {
  return await<std::shared_ptr<Browser>>(loop, [&](auto done) { Browser::connect(loop, options, done); });
}

RemoteOptions at(const std::string& url, Service service = Service::cdp) {
  RemoteOptions options;
  options.service = service;
  options.url = url;
  return options;
}

RemoteOptions of_browserbase(const std::string& url) {
  RemoteOptions options = at(url, Service::browserbase);
  options.key = "bb_sesame";
  options.project = "p-1";
  return options;
}

std::string answer(const std::string& status, const std::string& body, const std::string& more = "") {
  return "HTTP/1.1 " + status + "\r\n" + more + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

/// Somebody's browser, a page of ours in it, and what the list of its tabs says.
struct Somebody {
  EventLoop loop;
  PortBrowser theirs;
  HttpClient http{loop};
  StubServer server;
  std::shared_ptr<Browser> browser;

  ~Somebody() {
    if (browser) browser->kill();
    run_until(
        loop, [] { return false; }, 5);
  }
  std::size_t tabs() {
    std::optional<std::string> body;
    http.send({"GET", theirs.http_url() + "/json/list", {}, ""}, {}, nullptr,
              [&](HttpResult got) { body = std::move(got.response.body); });
    run_until(loop, [&] { return body.has_value(); });
    std::size_t count = 0;
    for (const Json& target : Json::parse(*body)) count += target["type"] == "page" ? 1 : 0;
    return count;
  }
  bool until_tabs(std::size_t count) {
    for (int i = 0; i < 200 && tabs() != count; ++i) continue;
    return tabs() == count;
  }
  void open(const std::string& url) {
    auto connected = connect(loop, at(url));
    if (!connected) FAIL(connected.error().message);
    browser = *connected;
  }
  std::shared_ptr<Page> page() {
    auto opened = await<std::shared_ptr<Page>>(loop, [&](auto done) { browser->new_page({}, done); });
    if (!opened) FAIL(opened.error().message);
    return *opened;
  }
  Json value(const std::shared_ptr<Page>& page, const std::string& source) {
    auto result = await<Json>(loop, [&](auto done) { page->evaluate({source, {}, false, "", 10000}, done); });
    if (!result) FAIL(result.error().message);
    return *result;
  }
};

}  // namespace

TEST_CASE("a run in somebody's browser leaves it as it was", "[remote][BP10]") {
  Somebody f;
  REQUIRE(f.tabs() == 1);
  f.open(GENERATE(true, false) ? f.theirs.http_url() : "ws" + f.theirs.http_url().substr(4) + f.theirs.path());
  CHECK(f.browser->info().pid == -1);
  REQUIRE(f.browser->info().remote);
  CHECK_THAT(f.browser->info().remote->address, Catch::EndsWith("://127.0.0.1:" + std::to_string(f.theirs.port())));
  const auto page = f.page();
  CHECK(f.browser->pages().size() == 1);
  CHECK(f.value(page, "6 * 7") == 42);
  // A popup of ours is ours.
  CHECK(f.value(page, "!!window.open('about:blank')") == true);
  CHECK(run_until(f.loop, [&] { return f.browser->pages().size() == 2; }));
  CHECK(f.until_tabs(3));
  SECTION("closed") {
    await<Unit>(f.loop, [&](auto done) { f.browser->close(done); });
    CHECK(f.tabs() == 1);
  }
  SECTION("cut off, as by the death of the host") {
    f.browser->kill();
    CHECK(f.until_tabs(1));
  }
}

TEST_CASE("a connection that is lost says how, within ten seconds", "[remote][TR08][TR09]") {
  Somebody f;
  FaultProxy proxy(f.theirs.port());
  f.open("http://127.0.0.1:" + std::to_string(proxy.port()));
  const auto page = f.page();
  std::optional<Result<Json>> pending;
  page->evaluate({"new Promise(() => {})", {}, false, "", 60000}, [&](Result<Json> value) { pending = value; });
  const double began = f.loop.now_ms();
  std::string how;
  SECTION("half-open: nothing comes any more, and nobody says so") {
    proxy.stall();
    how = "does not answer any more";
  }
  SECTION("reset") {
    proxy.reset();
    how = "reset the connection";
  }
  SECTION("end without a close frame") {
    proxy.end();
    how = "without a close frame (1006)";
  }
  SECTION("close frame 1011") {
    proxy.inject(WebSocketPeer::frame(WebSocketPeer::kClose, "\x03\xf3internal error"));
    how = "closed the connection with code 1011 (internal error)";
  }
  REQUIRE(run_until(f.loop, [&] { return pending && f.browser->lost(); }));
  CHECK(f.loop.now_ms() - began <= 10000);
  CHECK_FALSE(*pending);
  CHECK(pending->error().kind == ErrorKind::browser_lost);
  CHECK_THAT(f.browser->loss().message, Catch::StartsWith("the browser at http://127.0.0.1:") && Catch::Contains(how));
  CHECK(Json::parse(f.browser->loss().detail).contains("how"));
}

TEST_CASE("pings between the answers of a browser do no harm", "[remote][TR09]") {
  Somebody f;
  FaultProxy proxy(f.theirs.port());
  f.open("http://127.0.0.1:" + std::to_string(proxy.port()));
  const auto page = f.page();
  std::string pings;
  for (int i = 0; i < 2000; ++i) pings += WebSocketPeer::frame(WebSocketPeer::kPing, "p");
  for (int i = 0; i < 20; ++i) {
    proxy.inject(pings);
    CHECK(f.value(page, "1 + " + std::to_string(i)) == 1 + i);
  }
  CHECK_FALSE(f.browser->lost());
}

TEST_CASE("a slow line is no lost browser", "[remote][TR13]") {
  Somebody f;
  FaultProxy proxy(f.theirs.port(), std::chrono::milliseconds(30));
  f.open("http://127.0.0.1:" + std::to_string(proxy.port()));
  const auto page = f.page();
  f.server.page("/game.html", "<button onclick='document.title = 1'>Play</button>");
  auto loaded =
      await<NavigationResult>(f.loop, [&](auto done) { page->navigate(f.server.url("/game.html"), {}, done); });
  CHECK(loaded);
  CHECK(f.value(page, "document.querySelector('button').textContent") == "Play");
}

TEST_CASE("a debugging port that lies is named with what it said", "[remote][TR12]") {
  EventLoop loop;
  StubServer server;
  std::string said;
  SECTION("status") {
    server.raw("/json/version", answer("500 Internal Server Error", "{}"));
    said = "answered /json/version with status 500";
  }
  SECTION("no JSON") {
    server.raw("/json/version", answer("200 OK", "<html>"));
    said = "names no webSocketDebuggerUrl";
  }
  SECTION("no address") {
    server.raw("/json/version", answer("200 OK", R"({"Browser":"x","webSocketDebuggerUrl":7})"));
    said = "names no webSocketDebuggerUrl";
  }
  SECTION("a redirect to another host, which is not followed") {
    server.raw("/json/version", answer("302 Found", "", "Location: http://127.0.0.2:1/json/version\r\n"));
    said = "with status 302";
  }
  SECTION("a body of a gigabyte") {
    server.raw("/json/version", "HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n" + std::string(200000, ' '));
    said = "longer than 65536 bytes";
  }
  SECTION("another host, whose path is asked of the one that was named") {
    server.raw("/json/version", answer("200 OK", R"({"webSocketDebuggerUrl":"ws://127.0.0.2:1/devtools/browser/9"})"));
    server.raw("/devtools/browser/9", answer("404 Not Found", ""));
    said = "refused a WebSocket with status 404";
  }
  const auto refused = connect(loop, at(server.url("/")));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::browser_launch_failed);
  CHECK_THAT(refused.error().message, Catch::Contains(said));
}

TEST_CASE("keys go over encrypted lines alone, but on this machine", "[remote]") {
  EventLoop loop;
  for (const auto& options : {at("http://me:sesame@grid.example:4444", Service::grid),
                              of_browserbase("http://api.example"), at("ws://me:sesame@browser.example/")}) {
    const auto refused = connect(loop, options);
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().message, Catch::Contains("unencrypted") && !Catch::Contains("sesame"));
  }
}

TEST_CASE("a Grid's session is asked for, found on the Grid's own address, and given back", "[remote][grid]") {
  EventLoop loop;
  const std::string created =
      R"({"value":{"sessionId":"s1","capabilities":{"se:cdp":"ws://10.1.2.3:4444/session/s1/se/cdp"}}})";
  const std::string status = R"({"value":{"nodes":[{"uri":"http://node-2:5555","slots":[{"session":null},)"
                             R"({"session":{"sessionId":"s1"}}]}]}})";
  FaultServer grid([&](Peer& peer) {
    for (std::string request; !(request = peer.request()).empty();) {
      const bool is_create = request.starts_with("POST /hub/session "),
                 is_status = request.starts_with("GET /hub/status ");
      peer.send(is_create                       ? answer("200 OK", created)
                : is_status                     ? answer("200 OK", status)
                : request.starts_with("DELETE") ? answer("200 OK", R"({"value":null})")
                                                : answer("400 Bad Request", ""));
    }
  });
  const auto refused = connect(loop, at(grid.url("/hub/", "http://me:sesame@127.0.0.1"), Service::grid));
  REQUIRE_FALSE(refused);
  // A session that has ended meanwhile answers 400.
  CHECK_THAT(refused.error().message,
             Catch::Contains("(grid session s1 on node http://node-2:5555)") && Catch::Contains("status 400"));
  CHECK_THAT(refused.error().message, !Catch::Contains("sesame"));
  const auto requests = grid.requests();
  REQUIRE(requests.size() == 4);
  CHECK_THAT(requests[0], Catch::Contains("Content-Type: application/json; charset=utf-8\r\n") &&
                              Catch::Contains("Authorization: Basic ") && Catch::Contains("--headless=new"));
  CHECK_THAT(requests[0], !Catch::Contains("--remote-debugging-pipe") && !Catch::Contains("--no-sandbox"));
  CHECK_THAT(requests[2], Catch::StartsWith("GET /session/s1/se/cdp "));
  CHECK_THAT(requests[3], Catch::StartsWith("DELETE /hub/session/s1 "));
}

TEST_CASE("a Grid that gives no session says why", "[remote][grid]") {
  EventLoop loop;
  FaultServer grid([&](Peer& peer) {
    peer.request();
    peer.send(
        answer("500 Internal Server Error",
               R"({"value":{"error":"session not created","message":"No \u001b[2Jnodes support it\nBuild info: 1"}})"));
  });
  const auto refused = connect(loop, at(grid.url("/"), Service::grid));
  REQUIRE_FALSE(refused);
  CHECK_THAT(refused.error().message, Catch::EndsWith("gave no session (status 500): No \\x1B[2Jnodes support it"));
}

TEST_CASE("a Grid without a free slot says who has them", "[remote][grid]") {
  EventLoop loop;
  FaultServer grid([&](Peer& peer) {
    if (peer.request().starts_with("GET /status ")) {
      peer.send(answer("200 OK", R"({"value":{"nodes":[{"slots":[{"session":{"sessionId":"s1"}}]},)"
                                 R"({"slots":[{"session":{"sessionId":"s2"}},{"session":null}]}]}})"));
    } else {
      peer.request();  // The session waits until the client gives up.
    }
  });
  auto options = at(grid.url("/"), Service::grid);
  options.queue_ms = 300;
  const auto refused = connect(loop, options);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::browser_launch_failed);
  CHECK_THAT(refused.error().message, Catch::Contains("gave no session within 300 ms: 2 of 3 slots on 2 nodes are "
                                                      "taken; start more nodes with Chrome, or try again later"));
}

TEST_CASE("a session that comes when nobody wants it any more is given back", "[remote][grid]") {
  EventLoop loop;
  FaultServer grid([&](Peer& peer) {
    const std::string request = peer.request();
    peer.send(answer("200 OK", request.starts_with("POST") ? R"({"value":{"sessionId":"s2"}})" : "{}"));
  });
  auto options = at(grid.url("/"), Service::grid);
  auto session = RemoteSession::make(loop, options);
  bool opened = false, released = false;
  session->open([&](const Result<std::string>&) { opened = true; });
  session->release([&] { released = true; });
  REQUIRE(run_until(loop, [&] { return opened && released; }));
  REQUIRE(grid.requests().size() == 2);
  CHECK_THAT(grid.requests()[1], Catch::StartsWith("DELETE /session/s2 "));
}

namespace {

/// The session API with a real browser behind it; `first` is what the first requests to create one get.
struct Api {
  std::vector<std::string> first;
  std::string endpoint;
  FaultServer server{[this](Peer& peer) {
    for (std::string request; !(request = peer.request()).empty();) {
      if (request.starts_with("POST /v1/sessions ")) {
        if (!first.empty()) {
          peer.send(first.front());
          first.erase(first.begin());
          continue;
        }
        peer.send(answer("201 Created", Json{{"id", "b-1"}, {"connectUrl", endpoint}}.dump()));
      } else if (request.starts_with("GET /v1/sessions/b-1/debug ")) {
        peer.send(answer("200 OK", R"({"debuggerFullscreenUrl":"https://watch.example/b-1"})"));
      } else {
        peer.send(answer("200 OK", "{}"));
      }
    }
  }};
};

}  // namespace

TEST_CASE("a session of Browserbase is made, used and released", "[remote][browserbase]") {
  Somebody f;
  FaultProxy proxy(f.theirs.port());
  Api api;
  api.endpoint = "ws://127.0.0.1:" + std::to_string(proxy.port()) + f.theirs.path() + "?signingKey=sesame";
  // The plan's sessions are in use at first.
  api.first = {answer("429 Too Many Requests", "{}", "Retry-After: 0\r\n")};
  auto options = of_browserbase(api.server.url(""));
  options.region = "eu-central-1";
  auto connected = connect(f.loop, options);
  if (!connected) FAIL(connected.error().message);
  f.browser = *connected;
  const RemoteBrowser facts = *f.browser->info().remote;
  CHECK(facts.service == "browserbase");
  CHECK(facts.session == "b-1");
  CHECK(facts.debug_url == "https://watch.example/b-1");
  CHECK_THAT(facts.described(), !Catch::Contains("sesame"));
  CHECK(f.value(f.page(), "1 + 1") == 2);
  SECTION("closed") {
    await<Unit>(f.loop, [&](auto done) { f.browser->close(done); });
  }
  SECTION("ended early by the service") {
    proxy.end();
    REQUIRE(run_until(f.loop, [&] { return f.browser->lost(); }));
    CHECK_THAT(f.browser->loss().message, Catch::Contains("browserbase session b-1") && Catch::Contains("1006"));
    await<Unit>(f.loop, [&](auto done) { f.browser->close(done); });
  }
  const auto requests = api.server.requests();
  REQUIRE(requests.size() == 4);
  CHECK_THAT(requests[1], Catch::Contains("X-BB-API-Key: bb_sesame") && Catch::Contains(R"("projectId":"p-1")") &&
                              Catch::Contains(R"("region":"eu-central-1")") && Catch::Contains(R"("keepAlive":false)"));
  CHECK_THAT(requests[3], Catch::StartsWith("POST /v1/sessions/b-1 ") && Catch::Contains("REQUEST_RELEASE"));
}

TEST_CASE("Browserbase refuses in words that say what to do", "[remote][browserbase]") {
  EventLoop loop;
  Api api;
  RemoteOptions options = of_browserbase(api.server.url(""));
  std::string said;
  SECTION("no key") {
    options.key.clear();
    said = "needs BROWSERBASE_API_KEY and BROWSERBASE_PROJECT_ID";
  }
  SECTION("401") {
    api.first = {answer("401 Unauthorized", R"({"message":"bb_sesame"})")};
    said = "does not accept the key in BROWSERBASE_API_KEY (status 401)";
  }
  SECTION("429 for longer than anybody waits") {
    api.first = {answer("429 Too Many Requests", "{}", "Retry-After: 3600\r\n")};
    said = "has no session left for this plan now (status 429)";
  }
  SECTION("400") {
    api.first = {answer("400 Bad Request", R"({"message":"region is unknown"})")};
    said = "made no session (status 400): region is unknown";
  }
  SECTION("a connectUrl in plain text to somewhere else") {
    api.endpoint = "ws://connect.example/?signingKey=sesame";
    said = "would get its key unencrypted";
  }
  const auto refused = connect(loop, options);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::browser_launch_failed);
  CHECK_THAT(refused.error().message, Catch::Contains(said) && !Catch::Contains("sesame"));
}
