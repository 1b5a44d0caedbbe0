#include "host/browser/page_access.h"

#include <catch2/catch.hpp>

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

TEST_CASE("a page without credentials holds no request", "[access]") {
  CHECK(access_rules(nullptr, true).empty());
  CHECK(access_rules(std::make_shared<PageAccess>(), true).empty());
  CHECK(cookie_arguments({}).empty());
  CHECK(cookie_parameters({}).empty());
}
