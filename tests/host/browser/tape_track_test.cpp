// What pages get from a tape, and put there, in a real browser.

#include "host/browser/tape_track.h"

#include <atomic>
#include <catch2/catch.hpp>

#include "host/browser/tape_files.h"
#include "host/files.h"
#include "host/net/static_files.h"
#include "tests/support/browser_fixture.h"
#include "tests/support/gate_server.h"

using namespace qa;
using namespace qa::test;
using Catch::Contains;

namespace {

const std::string kBlank = "<link rel=icon href=data:,>";
const std::string kScript = "Content-Type: text/javascript\r\n";

std::string whole_answer(const std::string& body, const std::string& head = "Content-Type: text/plain\r\n") {
  return "HTTP/1.1 200 OK\r\nConnection: close\r\n" + head + "Content-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body;
}

/// A game's server, and worlds of the game that share a tape.
struct TapeFixture : BrowserFixture {
  GateServer game, other;
  std::shared_ptr<Tape> tape;
  std::shared_ptr<PageAccess> access = std::make_shared<PageAccess>();
  std::atomic<int> answered{0};

  TapeFixture() {
    open_tape({});
    game.page("/", kBlank);
  }
  void open_tape(const TapeOptions& options) {
    auto opened = Tape::open(options);
    if (!opened) FAIL(opened.error().message);
    tape = *opened;
  }
  /// A path of the game that is answered by the number of answers so far, after `ms`.
  void numbered(const std::string& path, int ms = 0) {
    game.scripted(path, [this, ms](Peer& peer) {
      std::this_thread::sleep_for(std::chrono::milliseconds(ms));
      peer.send(whole_answer(std::to_string(++answered)));
    });
  }
  std::shared_ptr<Page> blank_world(bool is_twin = false) {
    PageOptions options;
    options.clock.emplace();
    options.tape = std::make_shared<TapeUse>(TapeUse{tape, is_twin});
    options.access = access;
    return open(options);
  }
  /// A page on game time that has loaded the game.
  std::shared_ptr<Page> world(bool is_twin = false) {
    const auto page = blank_world(is_twin);
    const auto loaded = go(page, game.origin() + "/");
    if (!loaded) FAIL(loaded.error().message);
    return page;
  }
  std::string text(const std::shared_ptr<Page>& page, const std::string& source) {
    const Json found = value(page, source);
    return found.is_string() ? found.get<std::string>() : found.dump();
  }
  /// What a fetch gives: status and text, or that it failed.
  static std::string call(const std::string& url, const std::string& more = "") {
    return "fetch('" + url + "', {" + more + "}).then(async r => r.status + ' ' + await r.text(), () => 'failed')";
  }
  std::string fetch(const std::shared_ptr<Page>& page, const std::string& url, const std::string& more = "") {
    return text(page, call(url, more));
  }
  /// Begins a fetch whose end is that of `name`.
  void begin(const std::shared_ptr<Page>& page, const std::string& name, const std::string& url,
             const std::string& more = "") {
    value(page, "void (window." + name + " = " + call(url, more) + ")");
  }
  void wait_for(const std::function<bool()>& ready) { REQUIRE(run_until(loop, ready)); }
  /// Why something of this path is not on the tape.
  std::string gap(const std::string& path) const {
    for (const auto& [url, reason] : tape->gaps()) {
      if (url == game.origin() + path) return reason;
    }
    return "";
  }
};

}  // namespace

TEST_CASE("what the host reads of a page counts as no request of the page", "[tape]") {
  TapeFixture fixture;
  fixture.game.page("/", kBlank + "<p>The game</p>", "Content-Type: text/html\r\nCache-Control: no-store\r\n");
  const auto page = fixture.world(), twin = fixture.world(true);
  for (int i = 0; i < 2; ++i) {
    std::optional<Result<std::string>> read;
    page->resource_text(fixture.game.origin() + "/", {}, [&](auto text) { read = std::move(text); });
    fixture.wait_for([&] { return read.has_value(); });
    REQUIRE(*read);
    CHECK_THAT(**read, Contains("The game"));
  }
  // The twin asks first: it must not wait for what the page asks never.
  for (const auto& one : {twin, page}) CHECK(fixture.go(one, fixture.game.origin() + "/"));
  CHECK(fixture.text(twin, "document.body.innerText") == "The game");
  CHECK(fixture.tape->gaps().empty());
}

TEST_CASE("the network answers once, for all worlds", "[tape]") {
  TapeFixture fixture;
  fixture.game.page("/", kBlank + "<script src=/game.js></script><img src=/missing.png>");
  fixture.game.page("/game.js", "window.loaded = 1", kScript);
  fixture.game.page("/away", "", "Location: /again\r\n", "302 Found");
  fixture.game.page("/again", "", "Location: /landed\r\n", "307 Temporary Redirect");
  fixture.game.page("/landed", "landed");
  fixture.game.page("/nothing", "no such thing", "", "404 Not Found");
  fixture.game.page("/empty", "", "", "204 No Content");
  fixture.game.scripted("/reset", [](Peer& peer) { peer.reset(); });
  fixture.numbered("/number");
  std::vector<std::string> seen;
  for (const bool is_twin : {false, true, true}) {
    const auto page = fixture.world(is_twin);
    seen.push_back(fixture.text(page, "String(loaded)"));
    for (const char* path : {"/away", "/nothing", "/empty", "/reset", "/number", "/number", "/number?x", "/landed"}) {
      seen.back() += ", " + fixture.fetch(page, path);
    }
    seen.back() += ", " + fixture.fetch(page, "/number", "method: 'HEAD'");
    seen.back() += ", " + fixture.text(page, "fetch('/away').then(r => r.redirected + ' ' + new URL(r.url).pathname)");
  }
  CHECK(seen[0] ==
        "1, 200 landed, 404 no such thing, 204 , failed, 200 1, 200 2, 200 3, 200 landed, 200 , true /landed");
  CHECK(seen[1] == seen[0]);
  CHECK(seen[2] == seen[0]);
  for (const char* path : {"/", "/game.js", "/missing.png", "/nothing", "/empty"}) {
    INFO(path);
    CHECK(fixture.game.count(path) == 1);
  }
  CHECK(fixture.game.count("/away") == 2);
  CHECK(fixture.game.count("/number") == 4);
  CHECK(fixture.tape->gaps().empty());
}

TEST_CASE("worlds get answers in one order, whichever asks and whatever the server does", "[tape]") {
  TapeFixture fixture;
  fixture.numbered("/slow", 300);
  fixture.numbered("/middle", 150);
  fixture.numbered("/fast");
  const auto ask = [&](const std::shared_ptr<Page>& page, const std::string& paths) {
    fixture.value(page, "void (window.order = []); void [" + paths +
                            "].forEach(p => fetch(p).then(r => r.text()).then(t => order.push(p + t)))");
  };
  const auto order = [&](const std::shared_ptr<Page>& page) {
    fixture.wait_for([&] { return fixture.value(page, "order.length") == 3; });
    return fixture.text(page, "order.join()");
  };
  // Both at once, and the one asks from the other end.
  const auto first = fixture.world(), second = fixture.world(true);
  ask(first, "'/slow', '/middle', '/fast'");
  ask(second, "'/fast', '/middle', '/slow'");
  CHECK(order(first) == "/fast1,/middle2,/slow3");
  CHECK(order(second) == "/fast1,/middle2,/slow3");
  const auto third = fixture.world(true);
  ask(third, "'/slow', '/middle', '/fast'");
  CHECK(order(third) == "/fast1,/middle2,/slow3");
  CHECK(fixture.answered == 3);
}

TEST_CASE("an answer that a world never asks for does not hold those after it", "[tape]") {
  TapeFixture fixture;
  fixture.numbered("/first");
  fixture.numbered("/second");
  const auto page = fixture.world();
  CHECK(fixture.fetch(page, "/first") == "200 1");
  CHECK(fixture.fetch(page, "/second") == "200 2");
  CHECK(fixture.fetch(fixture.world(true), "/second") == "200 2");
}

TEST_CASE("ranges are cut from the whole, which is asked for once", "[tape]") {
  TapeFixture fixture;
  fixture.game.page("/sound", "0123456789", "Content-Type: audio/wav\r\nAccept-Ranges: bytes\r\n");
  for (const bool is_twin : {false, true}) {
    const auto page = fixture.world(is_twin);
    CHECK(fixture.fetch(page, "/sound", "headers: {Range: 'bytes=2-4'}") == "206 234");
    CHECK(fixture.fetch(page, "/sound", "headers: {Range: 'bytes=-1'}") == "206 9");
    CHECK(fixture.fetch(page, "/sound", "headers: {Range: 'bytes=10-'}") == "416 ");
    CHECK(fixture.fetch(page, "/sound") == "200 0123456789");
  }
  CHECK(fixture.game.count("/sound") == 1);
  CHECK_THAT(fixture.game.last("/sound"), !Contains("\r\nrange:"));
}

TEST_CASE("a twin sends nothing: it waits for what the other world sends", "[tape]") {
  TapeFixture fixture;
  fixture.numbered("/score");
  const auto page = fixture.world(), twin = fixture.world(true);
  SECTION("and gets the answer to the same") {
    fixture.begin(twin, "sent", "/score", "method: 'POST', body: 'points=3'");
    fixture.drain();
    CHECK(fixture.fetch(page, "/score", "method: 'POST', body: 'points=3'") == "200 1");
    CHECK(fixture.text(twin, "sent") == "200 1");
    CHECK(fixture.game.count("/score") == 1);
  }
  SECTION("and fails where nobody sends it") {
    CHECK(fixture.fetch(page, "/score", "method: 'POST', body: 'points=3'") == "200 1");
    CHECK(fixture.fetch(twin, "/score", "method: 'POST', body: 'points=4'") == "failed");
    for (const char* method : {"PUT", "PATCH", "DELETE"}) {
      CHECK(fixture.fetch(twin, "/score", "method: '" + std::string(method) + "'") == "failed");
    }
    CHECK(fixture.value(twin, "navigator.sendBeacon('/score', 'bye')") == true);
    fixture.wait_for([&] { return fixture.tape->gaps().size() == 5; });
    CHECK_THAT(fixture.gap("/score"), Contains("a twin does not send POST"));
    CHECK(fixture.game.count("/score") == 1);
  }
  SECTION("nor in a form or a worker") {
    fixture.value(twin,
                  "void (document.body.innerHTML = `<form method=post action=/score target=f><input name=a>"
                  "</form><iframe name=f></iframe>`, document.forms[0].submit())");
    fixture.value(twin, "void new Worker(URL.createObjectURL(new Blob([`fetch('" + fixture.game.origin() +
                            "/score', {method: 'POST', body: 'w', mode: 'no-cors'})`])))");
    fixture.wait_for([&] { return fixture.tape->gaps().size() == 2; });
    CHECK(fixture.game.count("/score") == 0);
  }
}

TEST_CASE("where a world stops asking, another asks", "[tape]") {
  TapeFixture fixture;
  std::atomic<int> asked{0};
  fixture.game.scripted("/held", [&](Peer& peer) {
    if (++asked == 1) return peer.hold();
    peer.send(whole_answer("held"));
  });
  auto first = fixture.world();
  const auto second = fixture.world(true);
  fixture.begin(first, "got", "/held");
  fixture.wait_for([&] { return asked == 1; });
  fixture.begin(second, "got", "/held");
  fixture.drain();
  CHECK(asked == 1);
  int limit_ms = 3000;
  SECTION("for it was closed") {
    await<Unit>(fixture.loop, [&](auto done) { first->close(done); });
  }
  SECTION("for it went elsewhere, which is not told") {
    limit_ms = 15000;
    REQUIRE(fixture.go(first, fixture.game.origin() + "/"));
  }
  SECTION("for its script gave up") { fixture.value(first, "void (window.stop())"); }
  REQUIRE(run_until(
      fixture.loop, [&] { return asked == 2; }, limit_ms));
  CHECK(fixture.text(second, "got") == "200 held");
}

TEST_CASE("a stream goes on natively, and is a gap", "[tape]") {
  TapeFixture fixture;
  fixture.game.scripted("/events", [&](Peer& peer) {
    peer.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n\r\ndata: " +
              std::to_string(++fixture.answered) + "\n\n");
    peer.hold();
  });
  const std::string listen =
      "new Promise(got => { window.source = new EventSource('/events'); source.onmessage = e => got(e.data) })";
  CHECK(fixture.text(fixture.world(), listen) == "1");
  CHECK(fixture.text(fixture.world(true), listen) == "2");
  CHECK_THAT(fixture.gap("/events"), Contains("stream"));
}

TEST_CASE("an answer that does not end fails after a while, and is a gap", "[tape]") {
  TapeFixture fixture;
  fixture.game.scripted("/endless", [](Peer& peer) {
    peer.send("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nbegin");
    peer.hold();
  });
  const auto page = fixture.world();
  fixture.begin(page, "got", "/endless");
  fixture.wait_for([&] { return !fixture.tape->gaps().empty(); });
  CHECK(fixture.text(page, "got") == "failed");
  CHECK_THAT(fixture.gap("/endless"), Contains("did not end"));
}

TEST_CASE("a world whose tape is full plays on", "[tape]") {
  TapeFixture fixture;
  fixture.open_tape({"", 100});
  fixture.game.page("/large", std::string(200, 'x'));
  fixture.game.page("/small", "small");
  for (const bool is_twin : {false, true}) {
    const auto page = fixture.world(is_twin);
    CHECK(fixture.fetch(page, "/large") == "200 " + std::string(200, 'x'));
    CHECK(fixture.fetch(page, "/small") == "200 small");
  }
  CHECK(fixture.game.count("/large") == 2);
  CHECK(fixture.game.count("/small") == 1);
  CHECK_THAT(fixture.gap("/large"), Contains("full"));
}

TEST_CASE("a tape that was read plays without its server, and refuses the rest", "[tape]") {
  TapeFixture fixture;
  const TapeOptions options{fixture.folder.path() + "/tape"};
  fixture.open_tape(options);
  fixture.game.page("/", kBlank + "<script src=/game.js></script>");
  fixture.game.page("/game.js", "window.loaded = 1", kScript);
  fixture.numbered("/number");
  const auto play = [&] {
    const auto page = fixture.world();
    std::string seen = fixture.text(page, "String(loaded)");
    seen += ", " + fixture.fetch(page, "/number");
    return seen + ", " + fixture.fetch(page, "/number", "method: 'POST', body: 'a'");
  };
  CHECK(play() == "1, 200 1, 200 2");
  const auto asked = fixture.game.requests();
  fixture.open_tape(options);
  CHECK(play() == "1, 200 1, 200 2");
  CHECK(fixture.fetch(fixture.world(), "/game.js?other") == "failed");
  CHECK(fixture.game.requests() == asked);
  CHECK_THAT(fixture.gap("/game.js?other"), Contains("not on the tape"));
}

TEST_CASE("credentials of the run never come on the tape", "[tape][access]") {
  TapeFixture fixture;
  fixture.open_tape({fixture.folder.path() + "/tape"});
  fixture.game.locked("/");
  fixture.game.page("/data", "data");
  fixture.other.page("/data", "open", "Access-Control-Allow-Origin: *\r\n");
  auto read =
      read_credentials({{"X-Gate: planted-header-1"}, "", "anna:sesame-opens"}, fixture.game.origin() + "/", 1.8e9);
  REQUIRE(read);
  fixture.access->credentials = *read;
  for (const bool is_twin : {false, true}) {
    const auto page = fixture.world(is_twin);
    CHECK(fixture.fetch(page, "/data") == "200 data");
    CHECK(fixture.fetch(page, fixture.other.origin() + "/data") == "200 open");
  }
  CHECK_THAT(fixture.game.last("/data"), Contains("planted-header-1"));
  CHECK(fixture.game.count("/data") == 1);
  const auto index = read_file(fixture.folder.path() + "/tape/tape.jsonl");
  REQUIRE(index);
  const std::string& text = *index;
  for (const char* planted : {"planted", "sesame", "YW5uYTpzZXNhbWUtb3BlbnM"}) CHECK_THAT(text, !Contains(planted));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const bool is_ours = line.find(fixture.game.origin()) != line.npos;
    INFO(line);
    CHECK((line.find("\"private\":true") != line.npos) == is_ours);
  }
}

TEST_CASE("workers, frames of other origins and preflights play from the tape", "[tape]") {
  TapeFixture fixture;
  const std::string local = fixture.game.origin("localhost");
  fixture.game.page("/", kBlank +
                             "<script>const found = []; onmessage = e => found.push(e.data);"
                             "new Worker('/w.js').onmessage = e => found.push(e.data)</script>"
                             "<iframe src='" +
                             local + "/frame'></iframe>");
  fixture.game.page("/w.js",
                    "importScripts('/i.js'); fetch('/number').then(r => r.text()).then(t => postMessage(name2 + t))",
                    kScript);
  fixture.game.page("/i.js", "name2 = 'worker '", kScript);
  fixture.game.page("/frame", kBlank + "<script src=/f.js></script>");
  fixture.game.page("/f.js", "fetch('/framed').then(r => r.text()).then(t => parent.postMessage('frame ' + t, '*'))",
                    kScript);
  fixture.numbered("/number");
  fixture.game.page("/framed", "framed");
  fixture.other.page("/api", "put", "Access-Control-Allow-Origin: *\r\nAccess-Control-Allow-Headers: X-Own\r\n");
  std::vector<std::string> seen;
  for (const bool is_twin : {false, true}) {
    const auto page = fixture.world(is_twin);
    fixture.wait_for([&] {
      await<StepResult>(fixture.loop, [&](auto done) { page->step({"page:step", 1, ""}, done); });
      return fixture.value(page, "found.length") == 2;
    });
    seen.push_back(fixture.text(page, "found.sort().join()"));
    seen.back() += ", " + fixture.fetch(page, fixture.other.origin() + "/api", "headers: {'X-Own': '1'}");
  }
  CHECK(seen[0] == "frame framed,worker 1, 200 put");
  CHECK(seen[1] == seen[0]);
  for (const char* path : {"/", "/w.js", "/i.js", "/frame", "/f.js", "/number", "/framed"}) {
    INFO(path);
    CHECK(fixture.game.count(path) == 1);
  }
  CHECK(fixture.other.count("/api") == 2);
}

TEST_CASE("a service worker is passed by", "[tape]") {
  TapeFixture fixture;
  fixture.game.page("/sw.js",
                    "onactivate = e => e.waitUntil(clients.claim()); onfetch = e => e.respondWith(new Response('sw'))",
                    kScript);
  fixture.game.page("/data", "network");
  const auto page = fixture.world();
  fixture.value(page, "void navigator.serviceWorker.register('/sw.js').catch(() => 0)");
  fixture.wait_for([&] { return fixture.value(page, "navigator.serviceWorker.ready.then(() => true)") == true; });
  REQUIRE(fixture.go(page, fixture.game.origin() + "/"));
  CHECK(fixture.fetch(page, "/data") == "200 network");
}

TEST_CASE("a folder's files are those of the first time that each was asked for", "[tape][folder]") {
  TapeFixture fixture;
  TempFolder folder;
  folder.write("index.html", kBlank);
  folder.write("a.js", "0123456789");
  folder.write("late.js", "early");
  auto started = StaticServer::start(fixture.loop, folder.path());
  REQUIRE(started);
  const auto site = std::move(*started);
  put_on_tape(*site->files(), fixture.tape);
  fixture.access->folders[site->port()] = site->files();
  const auto look = [&](bool is_twin) {
    const auto page = fixture.blank_world(is_twin);
    REQUIRE(fixture.go(page, site->origin() + "/"));
    return fixture.fetch(page, "/a.js") + ", " + fixture.fetch(page, "/a.js", "headers: {Range: 'bytes=2-4'}") + ", " +
           fixture.text(page,
                        "fetch('/a.js', {method: 'HEAD'}).then(async r => r.headers.get('content-length') + "
                        "r.headers.get('content-type') + await r.text())") +
           ", " + fixture.fetch(page, "/none") + ", " + fixture.fetch(page, "/a.js", "method: 'POST'").substr(0, 3);
  };
  const std::string first = look(false), build = fixture.tape->files_sha256();
  CHECK(first == "200 0123456789, 206 234, 10text/javascript; charset=utf-8, 404 not found\n, 405");
  folder.write("a.js", "9876543210, and longer");
  folder.write("none", "there now");
  folder.write("late.js", "late");
  CHECK(look(true) == first);
  CHECK(fixture.tape->files_sha256() == build);
  CHECK(fixture.fetch(
            [&] {
              const auto page = fixture.blank_world(true);
              REQUIRE(fixture.go(page, site->origin() + "/"));
              return page;
            }(),
            "/late.js") == "200 late");
  CHECK(fixture.tape->files_sha256() != build);
  CHECK(fixture.tape->gaps().empty());
}

TEST_CASE("a folder that was served plays from its tape when nobody serves it", "[tape][folder]") {
  TapeFixture fixture;
  const TapeOptions options{fixture.folder.path() + "/tape"};
  TempFolder folder;
  folder.write("index.html", kBlank + "<script src=a.js></script>");
  folder.write("a.js", "window.loaded = 1");
  std::string origin;
  for (const bool is_served : {true, false}) {
    fixture.open_tape(options);
    std::unique_ptr<StaticServer> site;
    fixture.access->folders.clear();
    if (is_served) {
      auto started = StaticServer::start(fixture.loop, folder.path());
      REQUIRE(started);
      site = std::move(*started);
      put_on_tape(*site->files(), fixture.tape);
      fixture.access->folders[site->port()] = site->files();
      origin = site->origin();
    }
    const auto page = fixture.blank_world();
    REQUIRE(fixture.go(page, origin + "/"));
    CHECK(fixture.value(page, "loaded") == 1);
    CHECK(fixture.fetch(page, "/a.js", "headers: {Range: 'bytes=0-5'}") == "206 window");
    CHECK(fixture.fetch(page, "/none") == "404 not found\n");
    if (!is_served) CHECK(fixture.fetch(page, "/never") == "failed");
  }
}
