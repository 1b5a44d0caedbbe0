#include "host/browser/page_access.h"

#include <catch2/catch.hpp>

#include "host/net/static_files.h"
#include "tests/support/browser_fixture.h"
#include "tests/support/gate_server.h"

using namespace qa;
using namespace qa::test;
using Catch::Contains;

namespace {

const std::string kKey = "X-Gate: planted-header-1";
const std::string kBlank = "<link rel=icon href=data:,>";
const std::string kScript = "Content-Type: text/javascript\r\n";

/// A browser whose pages have credentials for `gate`, and another server that must get none of them.
struct GateFixture : BrowserFixture {
  GateServer gate, other;
  std::shared_ptr<PageAccess> access = std::make_shared<PageAccess>();
  PageOptions options;

  void bind(const CredentialWords& words) {
    auto read = read_credentials(words, gate.origin() + "/", 1.8e9);
    if (!read) FAIL(read.error().message);
    access->credentials = *read;
    options.access = access;
  }
  /// Cookies of one file, which the server may replace.
  void bind_cookies() {
    folder.write("jar", "127.0.0.1\tFALSE\t/\tFALSE\t0\tsid\tplanted-cookie-1\n");
    bind({{}, folder.path() + "/jar", ""});
  }
  std::string text(const std::shared_ptr<Page>& page, const std::string& source) {
    const Json found = value(page, source);
    return found.is_string() ? found.get<std::string>() : found.dump();
  }
  std::string fetch(const std::shared_ptr<Page>& page, const std::string& url, const std::string& more = "") {
    return text(page, "fetch('" + url + "', {" + more + "}).then(r => r.type + ' ' + r.status, e => String(e))");
  }
  void wait_for(const std::function<bool()>& ready) { REQUIRE(run_until(loop, ready)); }
};

/// A folder whose server is here, and a browser that is treated as a remote one.
struct FolderFixture : GateFixture {
  TempFolder game;
  std::unique_ptr<StaticServer> site;

  FolderFixture() {
    game.write("index.html", kBlank + "<title>game</title>");
    options.is_remote = true;
    options.access = access;
  }
  /// Pages may be open before.
  void serve() {
    auto started = StaticServer::start(loop, game.path());
    if (!started) FAIL(started.error().message);
    site = std::move(*started);
    access->folders[site->port()] = site->files();
  }
  std::string origin(const std::string& host = "127.0.0.1") const {
    return "http://" + host + ":" + std::to_string(site->port());
  }
};

}  // namespace

TEST_CASE("a header goes with every request to the target's origin", "[access]") {
  GateFixture fixture;
  fixture.gate.page("/", kBlank +
                             "<script>new Worker('/worker.js')</script><iframe src='/frame'></iframe>"
                             "<iframe src='http://localhost:" +
                             fixture.other.port() + "/elsewhere'></iframe>");
  fixture.gate.page("/frame", "<img src='/picture'>");
  fixture.gate.page("/worker.js", "importScripts('/import.js'); fetch('/asked')", kScript);
  fixture.gate.page("/import.js", "", kScript);
  fixture.gate.page("/asked", "");
  fixture.gate.page("/picture", "");
  fixture.gate.page("/pixel", "");
  fixture.other.page("/elsewhere", "<img src='" + fixture.gate.origin() + "/pixel'>");
  fixture.bind({{kKey, "User-Agent: of-the-tester"}, "", ""});
  const auto page = fixture.open(fixture.options);
  REQUIRE(fixture.go(page, fixture.gate.origin() + "/"));
  for (const char* path : {"/", "/frame", "/worker.js", "/import.js", "/asked", "/picture", "/pixel"}) {
    INFO(path);
    fixture.wait_for([&] { return fixture.gate.count(path) > 0; });
    CHECK_THAT(fixture.gate.last(path), Contains("\r\nx-gate: planted-header-1\r\n"));
    CHECK_THAT(fixture.gate.last(path), Contains("\r\nuser-agent: of-the-tester\r\n"));
  }
  CHECK(fixture.other.count("/elsewhere") == 1);
  CHECK_FALSE(fixture.other.got("planted"));
}

TEST_CASE("a service worker's requests carry the header as well", "[access]") {
  GateFixture fixture;
  fixture.gate.page("/", kBlank);
  fixture.gate.page("/sw.js",
                    "onactivate = e => e.waitUntil(clients.claim()); onfetch = e => e.respondWith(fetch('/through'))",
                    kScript);
  fixture.gate.page("/through", "");
  fixture.bind({{kKey}, "", ""});
  const auto page = fixture.open(fixture.options);
  REQUIRE(fixture.go(page, fixture.gate.origin() + "/"));
  CHECK(fixture.text(page,
                     "new Promise(r => { navigator.serviceWorker.oncontrollerchange = () => r('controlled'); "
                     "navigator.serviceWorker.register('/sw.js').catch(e => r(String(e))) })") == "controlled");
  CHECK(fixture.fetch(page, "/any") == "basic 200");
  CHECK_THAT(fixture.gate.last("/sw.js"), Contains("planted-header-1"));
  CHECK_THAT(fixture.gate.last("/through"), Contains("planted-header-1"));
}

TEST_CASE("another origin never gets a header", "[access]") {
  GateFixture fixture;
  fixture.gate.page("/", kBlank);
  fixture.gate.page("/away", "", "Location: " + fixture.other.origin() + "/landed\r\n", "302 Found");
  fixture.gate.page("/around", "", "Location: /home\r\n", "302 Found");
  fixture.gate.page("/home", "");
  fixture.other.page("/landed", kBlank, "Access-Control-Allow-Origin: *\r\nContent-Type: text/html\r\n");
  fixture.other.page("/back", "", "Access-Control-Allow-Origin: *\r\nLocation: " + fixture.gate.origin() + "/home\r\n",
                     "302 Found");
  fixture.bind({{kKey}, "", ""});
  const auto page = fixture.open(fixture.options);
  REQUIRE(fixture.go(page, fixture.gate.origin() + "/"));
  CHECK(fixture.fetch(page, "/away") == "cors 200");
  CHECK(fixture.fetch(page, "/away", "mode: 'no-cors'") == "opaque 0");
  CHECK(fixture.fetch(page, fixture.other.origin() + "/landed") == "cors 200");
  CHECK(fixture.fetch(page, "/around") == "basic 200");
  CHECK_THAT(fixture.gate.last("/home"), Contains("planted-header-1"));
  CHECK(fixture.fetch(page, fixture.other.origin() + "/back", "mode: 'no-cors'") == "opaque 0");
  REQUIRE(fixture.go(page, fixture.gate.origin() + "/away"));
  REQUIRE(fixture.go(page, fixture.gate.origin("localhost") + "/"));
  CHECK_THAT(fixture.gate.last("/"), !Contains("planted"));
  CHECK(fixture.other.count("/landed") == 4);
  CHECK_FALSE(fixture.other.got("planted"));
}

TEST_CASE("a challenge of the target's origin is answered with the password", "[access]") {
  GateFixture fixture;
  fixture.gate.page("/", kBlank);
  fixture.gate.locked("/");
  fixture.other.page("/", kBlank);
  fixture.other.locked("/");
  fixture.bind({{}, "", "anna:sesame-opens"});
  const auto page = fixture.open(fixture.options);
  auto arrived = fixture.go(page, fixture.gate.origin() + "/");
  REQUIRE(arrived);
  CHECK(arrived->status == 200);
  CHECK(fixture.gate.count("/") == 2);
  arrived = fixture.go(page, fixture.other.origin() + "/");
  CHECK((!arrived || arrived->status == 401));
  CHECK_THAT(fixture.other.last("/"), !Contains("authorization"));
}

TEST_CASE("a password that is wrong is sent once", "[access]") {
  GateFixture fixture;
  fixture.gate.locked("/");
  fixture.bind({{}, "", "anna:wrong-password"});
  const auto page = fixture.open(fixture.options);
  const auto arrived = fixture.go(page, fixture.gate.origin() + "/");
  if (arrived) CHECK(arrived->status == 401);
  CHECK(fixture.gate.count("/") == 2);
}

TEST_CASE("cookies are given once, for the target's port alone", "[access]") {
  GateFixture fixture;
  fixture.gate.page("/", kBlank);
  fixture.gate.page("/renew", "", "Set-Cookie: sid=of-the-server; Path=/\r\n");
  fixture.other.page("/", "", "Access-Control-Allow-Origin: *\r\n");
  const bool is_remote = GENERATE(false, true);
  CAPTURE(is_remote);
  fixture.bind_cookies();
  if (!is_remote) {
    fixture.browser->kill();
    LaunchOptions launch;
    launch.extra_arguments = cookie_arguments(fixture.access->credentials);
    fixture.browser = fixture.launch(launch);
  }
  fixture.options.is_remote = is_remote;
  const auto page = fixture.open(fixture.options);
  REQUIRE(fixture.go(page, fixture.gate.origin() + "/"));
  CHECK_THAT(fixture.gate.last("/"), Contains("\r\ncookie: sid=planted-cookie-1\r\n"));
  CHECK(fixture.fetch(page, fixture.other.origin() + "/", "mode: 'no-cors', credentials: 'include'") == "opaque 0");
  CHECK_THAT(fixture.other.last("/"), !Contains("planted"));
  CHECK(fixture.fetch(page, "/renew") == "basic 200");
  const auto second = fixture.open(fixture.options);
  REQUIRE(fixture.go(second, fixture.gate.origin() + "/"));
  CHECK_THAT(fixture.gate.last("/"), Contains("\r\ncookie: sid=of-the-server\r\n"));
}

TEST_CASE("a folder is answered from here as its server would", "[access][folder]") {
  FolderFixture fixture;
  fixture.game.write("sub/index.html", kBlank);
  fixture.game.write("sub/a b.js", "let a = 1");
  fixture.game.write("data.bin", std::string("\0\1\2\3\4\5\6\7\xff", 9));
  fixture.game.write("empty.css", "");
  fixture.game.write(".env", "KEY=1");
  fixture.game.write("qa-runs/report.json", "{}");
  const auto remote = fixture.open(fixture.options);
  fixture.serve();
  const auto local = fixture.open();
  const auto there = fixture.go(remote, fixture.origin() + "/");
  REQUIRE(there);
  CHECK(there->status == 200);
  CHECK(fixture.site->request_count() == 0);
  CHECK(fixture.text(remote, "[document.title, isSecureContext, location.origin].join()") ==
        "game,true," + fixture.origin());
  REQUIRE(fixture.go(local, fixture.origin() + "/"));
  const auto seen = [&](const std::shared_ptr<Page>& page, const std::string& call) {
    return fixture.text(page, "fetch(" + call + R"js().then(async r => JSON.stringify([r.status, r.url, r.redirected,
        [...r.headers].filter(h => h[0] != 'connection').sort(), [...new Uint8Array(await r.arrayBuffer())]]),
        e => String(e)))js");
  };
  for (const char* call : {"'/'",
                           "'/sub'",
                           "'/sub/?x=1#y'",
                           "'/sub?x=1'",
                           "'/sub/a%20b.js'",
                           "'/sub/none'",
                           "'/data.bin'",
                           "'/empty.css'",
                           "'/.env'",
                           "'/qa-runs/report.json'",
                           "'/%2e%2e/etc/passwd'",
                           "'/%zz'",
                           "'/..%2f..%2fetc/passwd'",
                           "'/data.bin', {headers: {Range: 'bytes=2-4'}}",
                           "'/data.bin', {headers: {Range: 'bytes=-3'}}",
                           "'/data.bin', {headers: {Range: 'bytes=4-'}}",
                           "'/data.bin', {headers: {Range: 'bytes=99-'}}",
                           "'/data.bin', {headers: {Range: 'bytes=1-2', 'If-Range': 'x'}}",
                           "'/data.bin', {method: 'HEAD'}",
                           "'/data.bin', {method: 'POST', body: 'x'}",
                           "'/', {method: 'DELETE'}"}) {
    INFO(call);
    const std::string answer = seen(local, call);
    CHECK_THAT(answer, Catch::StartsWith("["));
    CHECK(seen(remote, call) == answer);
  }
  // Each of the calls went to the server once, or twice where it was redirected, and all of them from `local`.
  const int before = fixture.site->request_count();
  CHECK(seen(remote, "'/data.bin'") == seen(local, "'/data.bin'"));
  CHECK(fixture.site->request_count() == before + 1);
}

TEST_CASE("frames and workers of a page are answered from its folder", "[access][folder]") {
  FolderFixture fixture;
  fixture.serve();
  fixture.game.write("index.html", kBlank +
                                       "<script>const found = []; onmessage = e => found.push(e.data)</script>"
                                       "<script>new Worker('/w.js').onmessage = e => found.push(e.data)</script>"
                                       "<iframe src='/frame.html'></iframe><iframe src='" +
                                       fixture.origin("localhost") + "/frame.html'></iframe>");
  fixture.game.write("frame.html", "<script src='/f.js'></script>");
  fixture.game.write("f.js", "parent.postMessage('frame of ' + location.hostname, '*')");
  fixture.game.write("w.js", "fetch('/data').then(r => r.text()).then(postMessage)");
  fixture.game.write("data", "worker");
  fixture.game.write("sw.js",
                     "onfetch = e => e.respondWith(fetch('/data')); onactivate = e => e.waitUntil(clients.claim())");
  const auto page = fixture.open(fixture.options);
  REQUIRE(fixture.go(page, fixture.origin() + "/"));
  fixture.wait_for([&] { return fixture.value(page, "found.length") == 3; });
  CHECK(fixture.text(page, "found.sort().join()") == "frame of 127.0.0.1,frame of localhost,worker");
  CHECK(fixture.text(page,
                     "new Promise(r => { navigator.serviceWorker.oncontrollerchange = () => fetch('/any').then(a => "
                     "a.text()).then(r); navigator.serviceWorker.register('/sw.js').catch(e => r(String(e))) })") ==
        "worker");
  const auto source = await<std::string>(
      fixture.loop, [&](auto done) { page->load_resource(fixture.origin() + "/f.js", {}, 20, done); });
  REQUIRE(source);
  CHECK(*source == "parent.postMessage('");
  CHECK(fixture.site->request_count() == 0);
}

TEST_CASE("nobody but the page of the run reads its folder", "[access][folder]") {
  FolderFixture fixture;
  fixture.game.write("data", "of the folder");
  fixture.serve();
  fixture.other.page("/", kBlank);
  const auto page = fixture.open(fixture.options);
  REQUIRE(fixture.go(page, fixture.origin() + "/"));
  // A popup, which the game opened.
  fixture.value(page, "void open('/data')");
  fixture.wait_for([&] { return fixture.browser->pages().size() == 2; });
  const auto popup = fixture.browser->pages().back();
  fixture.wait_for([&] { return fixture.value(popup, "document.readyState") == "complete"; });
  CHECK(fixture.text(popup, "document.body.innerText") == "only pages of the run are answered\n");
  CHECK(fixture.fetch(popup, "/data") == "basic 403");
  // A page of another origin gets what CORS leaves it: nothing that it can read.
  REQUIRE(fixture.go(page, fixture.other.origin() + "/"));
  CHECK_THAT(fixture.fetch(page, fixture.origin() + "/data"), Contains("Failed to fetch"));
  CHECK(fixture.fetch(page, fixture.origin() + "/data", "mode: 'no-cors'") == "opaque 0");
  CHECK(fixture.site->request_count() == 0);
}

TEST_CASE("a file that is too large for one message is refused, and media gets it in parts", "[access][folder]") {
  FolderFixture fixture;
  fixture.serve();
  fixture.game.write("large", "x");
  std::filesystem::resize_file(fixture.game.path() + "/large", RequestInterceptor::kMostBody + 1);
  const auto page = fixture.open(fixture.options);
  REQUIRE(fixture.go(page, fixture.origin() + "/"));
  CHECK(fixture.fetch(page, "/large", "method: 'HEAD'") == "basic 200");
  CHECK(fixture.fetch(page, "/large") == "basic 413");
  const auto events = page->health().events_after(0);
  REQUIRE(events.size() == 1);
  CHECK_THAT(events[0]["message"].get<std::string>(), Contains("HTTP 413 for " + fixture.origin() + "/large"));
  const std::string range =
      "fetch('/large', {headers: {Range: 'bytes=100-'}}).then(async r => r.headers.get("
      "'content-range') + ' ' + (await r.arrayBuffer()).byteLength)";
  CHECK(fixture.text(page, range) == "bytes 100-4194403/41943041 4194304");
  std::filesystem::resize_file(fixture.game.path() + "/large", RequestInterceptor::kMostBody);
  // Three at once are more than the connection takes: they go one after the other.
  const std::string three =
      "Promise.all([1, 2, 3].map(n => fetch('/large?' + n).then(r => r.arrayBuffer()).then(b => "
      "b.byteLength))).then(String)";
  CHECK(fixture.text(page, three) == "41943040,41943040,41943040");
}

TEST_CASE("a page without credentials holds no request", "[access]") {
  CHECK(access_rules(nullptr, true, false).empty());
  CHECK(access_rules(std::make_shared<PageAccess>(), false, false).empty());
  CHECK(access_rules(std::make_shared<PageAccess>(), true, false)[0].patterns().empty());
  CHECK(cookie_arguments({}).empty());
  CHECK(cookie_parameters({}).empty());
}
