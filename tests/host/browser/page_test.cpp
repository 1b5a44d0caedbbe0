// Page against a real Chromium: navigation, scripts, screenshots, crashes.

#include <cmath>

#include "tests/support/browser_fixture.h"

using namespace qa;
using namespace qa::test;

namespace {

constexpr char kHead[] = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n";

std::string net_error(const Error& error) { return BrowserFixture::detail(error)["net_error"]; }

EvaluateRequest script(const std::string& source, int timeout_ms = 10000) {
  return {source, std::nullopt, false, "", timeout_ms};
}

Result<ImagePtr> shoot(BrowserFixture& fixture, const std::shared_ptr<Page>& page, ScreenshotOptions options = {}) {
  auto picture = await<PicturePtr>(fixture.loop, [&](auto done) { page->screenshot(options, done); });
  if (!picture) return picture.error();
  return (*picture)->image();
}

std::string pixel(const Image& image, int x, int y) {
  const std::uint8_t* at = image.row(y) + x * image.channels;
  return std::to_string(at[0]) + "," + std::to_string(at[1]) + "," + std::to_string(at[2]);
}

/// Makes the page's own renderer disappear.
void crash(BrowserFixture& fixture, const std::shared_ptr<Page>& page) {
  page->cdp("Page.crash", "", "", 20000, [](Result<Json>) {});
  REQUIRE(run_until(
      fixture.loop, [&] { return page->health().summary()["crashed"] == true; }, 20000));
}

}  // namespace

TEST_CASE("navigation goes to http, https and about:blank only, and says why not", "[page][navigate]") {
  BrowserFixture fixture;
  auto page = fixture.open();
  for (const char* url : {"file:///etc/passwd", "chrome://version", "javascript:alert(1)", "data:text/html,x",
                          " http://a/", "http://user:secret@127.0.0.1/", "http://", "ht\ttp://a/", "about:version",
                          "127.0.0.1", "", "https://user@host", "view-source:http://a/"}) {
    INFO(url);
    auto result = fixture.go(page, url);
    CHECK(fixture.kind(result) == "navigation_denied");
  }
  auto blank = fixture.go(page, "about:blank");
  REQUIRE(blank);
  CHECK(blank->url == "about:blank");
  CHECK(blank->status == 0);
  CHECK(blank->reached == "load");
}

TEST_CASE("navigation tells where it ended, with which status and milestone", "[page][navigate]") {
  BrowserFixture fixture;
  auto page = fixture.open();
  fixture.server.page("/ok.html", "<title>ok</title>fine");
  fixture.server.page("/missing.html", "no such page", "404 Not Found");
  fixture.server.page("/empty.html", "", "500 Internal Server Error");
  fixture.server.raw("/moved",
                     "HTTP/1.1 302 Found\r\nLocation: /ok.html\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
  fixture.server.page("/client.html", "<script>location.replace('/ok.html')</script>");

  auto ok = fixture.go(page, fixture.server.url("/ok.html#top"));
  REQUIRE(ok);
  CHECK(ok->url == fixture.server.url("/ok.html#top"));
  CHECK(ok->status == 200);
  CHECK(ok->reached == "load");
  CHECK(fixture.value(page, "document.title") == "ok");
  auto same_document = fixture.go(page, fixture.server.url("/ok.html#bottom"));
  REQUIRE(same_document);
  CHECK(same_document->url == fixture.server.url("/ok.html#bottom"));
  CHECK(same_document->status == 200);

  auto moved = fixture.go(page, fixture.server.url("/moved"));
  REQUIRE(moved);
  CHECK(moved->url == fixture.server.url("/ok.html"));
  CHECK(moved->status == 200);
  auto missing = fixture.go(page, fixture.server.url("/missing.html"));
  REQUIRE(missing);
  CHECK(missing->status == 404);
  auto empty = fixture.go(page, fixture.server.url("/empty.html"));
  REQUIRE(empty);
  CHECK(empty->status == 500);
  auto client = fixture.go(page, fixture.server.url("/client.html"));
  REQUIRE(client);
  REQUIRE(run_until(fixture.loop, [&] { return fixture.value(page, "document.title") == "ok"; }));
  for (const char* wait : {"commit", "dom"}) {
    auto early = fixture.go(page, fixture.server.url("/ok.html"), {wait, 10000});
    REQUIRE(early);
    CHECK(early->reached != "");
  }
}

TEST_CASE("a navigation that fails in the network is a navigation_error", "[page][navigate]") {
  BrowserFixture fixture;
  auto page = fixture.open();
  fixture.server.raw("/nothing", "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
  fixture.server.raw("/cut.html", std::string(kHead) + "Content-Length: 1000\r\n\r\n<html>");
  fixture.server.raw("/file",
                     "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: 4\r\n"
                     "Content-Disposition: attachment; filename=\"../../x.bin\"\r\nConnection: close\r\n\r\nabcd");
  auto refused = fixture.go(page, "http://127.0.0.1:1/");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::navigation_error);
  CHECK(net_error(refused.error()).starts_with("net::ERR_"));
  CHECK(refused.error().op == "page:navigate");
  auto unknown = fixture.go(page, "http://no-such-host.invalid/");
  REQUIRE_FALSE(unknown);
  CHECK(net_error(unknown.error()).starts_with("net::ERR_"));
  auto nothing = fixture.go(page, fixture.server.url("/nothing"));
  REQUIRE_FALSE(nothing);
  CHECK(net_error(nothing.error()) == "net::ERR_ABORTED");
  auto cut = fixture.go(page, fixture.server.url("/cut.html"), {"load", 8000});
  REQUIRE_FALSE(cut);
  CHECK(net_error(cut.error()) == "net::ERR_CONTENT_LENGTH_MISMATCH");
  auto file = fixture.go(page, fixture.server.url("/file"));
  REQUIRE_FALSE(file);
  CHECK(file.error().kind == ErrorKind::navigation_error);
  auto event = await<Json>(fixture.loop, [&](auto done) { page->health().next_event(0, "download", 5000, done); });
  CHECK(event);
  CHECK(fixture.value(page, "1") == 1);
}

TEST_CASE("a server that never answers ends in a timeout, and the page stays usable", "[page][navigate]") {
  BrowserFixture fixture;
  auto page = fixture.open("<title>before</title>");
  fixture.server.raw("/hang", "");
  fixture.server.page("/slow.html", "<title>slow</title><img src='/hang'>");
  const double start = fixture.loop.now_ms();
  auto hang = fixture.go(page, fixture.server.url("/hang"), {"load", 700});
  REQUIRE_FALSE(hang);
  CHECK(hang.error().kind == ErrorKind::timeout);
  CHECK(fixture.detail(hang.error())["reached"] == "");
  CHECK(fixture.loop.now_ms() - start < 3000);
  CHECK(fixture.value(page, "document.title") == "before");
  auto slow = fixture.go(page, fixture.server.url("/slow.html"), {"load", 2500});
  REQUIRE_FALSE(slow);
  CHECK(slow.error().kind == ErrorKind::timeout);
  CHECK(fixture.detail(slow.error())["reached"] == "dom");
  CHECK(fixture.detail(slow.error())["status"] == 200);
  CHECK(fixture.value(page, "document.title") == "slow");
}

TEST_CASE("a reload waits for the new document", "[page][navigate]") {
  BrowserFixture fixture;
  auto page = fixture.open("<title>one</title>");
  fixture.value(page, "window.mark = 1");
  fixture.server.page("/opened.html", "<title>two</title>");
  auto reloaded = await<NavigationResult>(fixture.loop, [&](auto done) { page->reload({}, done); });
  REQUIRE(reloaded);
  CHECK(reloaded->status == 200);
  CHECK(reloaded->url == fixture.server.url("/opened.html"));
  CHECK(fixture.value(page, "document.title + typeof mark") == "twoundefined");
}

TEST_CASE("a second navigation replaces the first", "[page][navigate]") {
  BrowserFixture fixture;
  auto page = fixture.open();
  fixture.server.raw("/hang", "");
  fixture.server.page("/ok.html", "ok");
  std::string first;
  page->navigate(fixture.server.url("/hang"), {},
                 [&](Result<NavigationResult> result) { first = fixture.kind(result); });
  CHECK(fixture.kind(fixture.go(page, fixture.server.url("/ok.html"))) == "ok");
  CHECK(first == "navigation_error");
}

TEST_CASE("values come back as JSON, and what is no JSON says so", "[page][evaluate]") {
  BrowserFixture fixture;
  auto page = fixture.open("<body>x</body>");
  CHECK(fixture.value(page, "({a: [1, 'two', null, true]})").dump() == R"({"a":[1,"two",null,true]})");
  CHECK(fixture.value(page, "undefined").is_null());
  CHECK(fixture.value(page, "new Promise((done) => setTimeout(() => done('later'), 20))") == "later");
  CHECK(std::isnan(fixture.value(page, "NaN").get<double>()));
  CHECK(std::isinf(fixture.value(page, "-Infinity").get<double>()));
  CHECK(std::signbit(fixture.value(page, "-0").get<double>()));
  CHECK(fixture.value(page, "12n") == 12);
  CHECK(fixture.value(page, "'\\ud800'").is_string());
  for (const char* source : {"2n ** 80n", "Symbol()", "(() => 1)", "const a = {}; a.a = a; a", "window",
                             "let d = {}; for (let i = 0; i < 5000; i++) d = {d}; d"}) {
    INFO(source);
    CHECK(fixture.kind(fixture.run(page, script(source))) == "eval_unserializable");
  }
  auto large = fixture.run(page, script("'x'.repeat(17 * 1024 * 1024)", 30000));
  CHECK(fixture.kind(large) == "cdp_too_large");
  auto sum = fixture.run(page, {"(a, b) => a.n + b", R"([{"n": 40}, 2])", false, "", 5000});
  REQUIRE(sum);
  CHECK(*sum == 42);
  CHECK(fixture.kind(fixture.run(page, {"(a) => a", "{", false, "", 5000})) == "type_mismatch");
}

TEST_CASE("a look at the page is no gesture of its user", "[page][evaluate]") {
  BrowserFixture fixture;
  auto page = fixture.open("<p>hello</p>");
  CHECK(fixture.value(page, "navigator.userActivation.hasBeenActive") == false);
  CHECK(fixture.value(page, "navigator.userActivation.hasBeenActive") == false);
}

TEST_CASE("an exception comes with its text and place", "[page][evaluate]") {
  BrowserFixture fixture;
  auto page = fixture.open("<script>\nfunction boom() { null.x; }\n</script>");
  auto failed = fixture.run(page, script("boom()"));
  REQUIRE_FALSE(failed);
  CHECK(failed.error().kind == ErrorKind::js_error);
  CHECK(failed.error().message.find("TypeError") != std::string::npos);
  CHECK(failed.error().message.find('\n') == std::string::npos);
  const Json detail = fixture.detail(failed.error());
  CHECK(detail["line"] == 2);
  CHECK(detail["url"] == fixture.server.url("/opened.html"));
  CHECK(detail["text"].get<std::string>().find("boom") != std::string::npos);
  CHECK(fixture.kind(fixture.run(page, script("throw 'text'"))) == "js_error");
  CHECK(fixture.kind(fixture.run(page, script("Promise.reject(new Error('no'))"))) == "js_error");
  CHECK(fixture.kind(fixture.run(page, script("}{"))) == "js_error");
}

TEST_CASE("an evaluation ends when its document goes away", "[page][evaluate]") {
  BrowserFixture fixture;
  auto page = fixture.open("<title>first</title>");
  fixture.server.page("/next.html", "<title>next</title>");
  auto gone = fixture.run(page, script("location.href = '/next.html'; new Promise(() => {})"));
  REQUIRE_FALSE(gone);
  CHECK(gone.error().kind == ErrorKind::js_error);
  CHECK(fixture.detail(gone.error())["context_destroyed"] == true);
  REQUIRE(run_until(fixture.loop, [&] { return fixture.kind(fixture.run(page, script("document.title"))) == "ok"; }));
  CHECK(fixture.value(page, "document.title") == "next");
}

TEST_CASE("an endless loop is page_hung, an endless promise a timeout", "[page][evaluate]") {
  BrowserFixture fixture;
  auto page = fixture.open("<title>x</title>");
  auto promise = fixture.run(page, script("new Promise(() => {})", 300));
  CHECK(fixture.kind(promise) == "timeout");
  auto loop = fixture.run(page, script("for (;;);", 300));
  CHECK(fixture.kind(loop) == "page_hung");
  ScreenshotOptions quick;
  quick.timeout_ms = 300;
  CHECK(fixture.kind(shoot(fixture, page, quick)) == "page_hung");
  page->cdp("Runtime.terminateExecution", "", "", 2000, [](Result<Json>) {});
  CHECK(fixture.value(page, "document.title") == "x");
}

TEST_CASE("a page that hung under a capture is pictured again once it is left", "[page][capture]") {
  BrowserFixture fixture;
  auto page = fixture.open("<title>x</title>");
  CHECK(fixture.kind(fixture.run(page, script("setTimeout(() => { for (;;); }), 1"))) == "ok");
  ScreenshotOptions quick;
  quick.timeout_ms = 300;
  CHECK(fixture.kind(shoot(fixture, page, quick)) == "page_hung");
  // Another site, and so another renderer.
  CHECK(fixture.kind(fixture.go(page, fixture.server.url("/opened.html", "localhost"))) == "ok");
  CHECK(fixture.kind(shoot(fixture, page)) == "ok");
}

TEST_CASE("a crash fails what is pending, and navigation revives the page", "[page][crash]") {
  BrowserFixture fixture;
  auto page = fixture.open("<title>alive</title>");
  std::string pending;
  page->evaluate(script("new Promise(() => {})", 60000), [&](Result<Json> result) { pending = fixture.kind(result); });
  CHECK(fixture.value(page, "1") == 1);
  crash(fixture, page);
  REQUIRE(run_until(
      fixture.loop, [&] { return !pending.empty(); }, 2000));
  CHECK(pending == "page_crashed");
  CHECK(fixture.kind(fixture.run(page, script("1"))) == "page_crashed");
  CHECK(fixture.kind(shoot(fixture, page)) == "page_crashed");
  auto press = await<Unit>(fixture.loop, [&](auto done) { page->input().press({"a"}, {}, done); });
  CHECK(fixture.kind(press) == "page_crashed");
  CHECK(page->health().events_after(0).dump().find("\"crash\"") != std::string::npos);
  auto again = fixture.go(page, fixture.server.url("/opened.html"));
  CHECK(fixture.kind(again) == "ok");
  CHECK(fixture.value(page, "document.title") == "alive");
  auto host_world = fixture.run(page, {"document.title", {}, true, "", 3000});
  CHECK(fixture.kind(host_world) == "ok");
}

TEST_CASE("a page that closes itself is closed for everybody", "[page]") {
  BrowserFixture fixture;
  auto page = fixture.open("<a href='/opened.html' target='_blank' id='a'>x</a>");
  page->evaluate(script("window.open('/opened.html').setTimeout('window.close()', 300)"), [](Result<Json>) {});
  REQUIRE(run_until(fixture.loop, [&] { return fixture.browser->pages().size() == 2; }));
  auto popup = fixture.browser->pages()[1];
  std::string pending;
  popup->evaluate(script("new Promise(() => {})", 60000), [&](Result<Json> result) { pending = fixture.kind(result); });
  REQUIRE(run_until(fixture.loop, [&] { return popup->closed() && !pending.empty(); }));
  CHECK((pending == "page_closed" || pending == "js_error"));
  CHECK(fixture.kind(fixture.run(popup, script("1"))) == "page_closed");
  CHECK(fixture.browser->pages().size() == 1);
  CHECK(await<Unit>(fixture.loop, [&](auto done) { popup->close(done); }));
}

TEST_CASE("a screenshot shows the viewport, a clip a part of it at a scale", "[page][screenshot]") {
  BrowserFixture fixture;
  auto page = fixture.open(
      "<body style='margin:0;height:3000px;background:#00f'><div "
      "style='position:absolute;left:100px;top:1050px;width:40px;"
      "height:20px;background:#f00'></div><script>scrollTo(0, 1000)</script>",
      {800, 600, 1, false});
  auto full = shoot(fixture, page);
  REQUIRE(full);
  CHECK((*full)->width == 800);
  CHECK((*full)->height == 600);
  CHECK(pixel(**full, 10, 10) == "0,0,255");
  CHECK(pixel(**full, 110, 60) == "255,0,0");
  ScreenshotOptions options;
  options.clip = Rect{100, 50, 40, 20};
  auto clip = shoot(fixture, page, options);
  REQUIRE(clip);
  CHECK((*clip)->width == 40);
  CHECK(pixel(**clip, 0, 0) == "255,0,0");
  CHECK(pixel(**clip, 39, 19) == "255,0,0");
  options.scale = 0.5;
  auto half = shoot(fixture, page, options);
  REQUIRE(half);
  CHECK((*half)->width == 20);
  options = {};
  options.jpeg = true;
  options.scale = 0.25;
  auto small = shoot(fixture, page, options);
  REQUIRE(small);
  CHECK((*small)->width == 200);
  options.clip = Rect{0, 0, 0, 10};
  CHECK(fixture.kind(shoot(fixture, page, options)) == "image_size");
}

TEST_CASE("screenshots that are asked for together do not show each other's scale", "[page][screenshot]") {
  BrowserFixture fixture;
  auto page =
      fixture.open("<body style='margin:0;background:#00f'><div style='width:100vw;height:20px;background:#f00'>",
                   {800, 600, 1, false});
  ScreenshotOptions small;
  small.scale = 0.25;
  int answers = 0;
  std::vector<qa::PicturePtr> whole;
  for (int i = 0; i < 6; ++i) {
    page->screenshot(small, [&](auto result) { answers += result ? 1 : 0; });
    page->screenshot({}, [&](auto result) {
      REQUIRE(result);
      ++answers;
      whole.push_back(*result);
    });
  }
  REQUIRE(qa::test::run_until(fixture.loop, [&] { return answers == 12; }));
  auto last = shoot(fixture, page);
  REQUIRE(last);
  CHECK(pixel(**last, 790, 10) == "255,0,0");
  for (const auto& picture : whole) CHECK(pixel(**picture->image(), 790, 10) == "255,0,0");
}

TEST_CASE("a page can be given another size", "[page]") {
  BrowserFixture fixture;
  auto page = fixture.open("<script>let seen = 0; onresize = () => { seen = innerWidth; }</script>");
  REQUIRE(await<qa::Unit>(fixture.loop, [&](auto done) { page->resize({640, 360}, done); }));
  CHECK(fixture.value(page, "innerWidth + 'x' + innerHeight") == "640x360");
  CHECK(fixture.value(page, "new Promise((go) => requestAnimationFrame(() => go(seen)))") == 640);
  auto picture = shoot(fixture, page, {});
  REQUIRE(picture);
  CHECK((*picture)->width == 640);
  CHECK((*picture)->height == 360);
}

TEST_CASE("frames are counted, and the scene is watched", "[page]") {
  BrowserFixture fixture;
  auto page = fixture.open(
      "<div id=d style='width:300px;height:300px'></div><script>let n = 0, on = true; (function f() { "
      "d.style.background = ++n % 2 ? '#000' : '#fff'; if (on) requestAnimationFrame(f); })()</script>");
  auto rate = await<double>(fixture.loop, [&](auto done) { page->frame_rate(400, done); });
  REQUIRE(rate);
  CHECK(*rate > 3);
  CHECK(*rate < 130);
  auto moving = await<SettleResult>(fixture.loop, [&](auto done) { page->settle({200, 900, 0}, done); });
  REQUIRE(moving);
  CHECK_FALSE(moving->settled);
  fixture.value(page, "on = false");
  auto still = await<SettleResult>(fixture.loop, [&](auto done) { page->settle({200, 8000, 0}, done); });
  REQUIRE(still);
  CHECK(still->settled);
}

TEST_CASE("any command can be sent, also to a frame, and pictures keep their data", "[page]") {
  BrowserFixture fixture;
  auto page = fixture.open("<title>x</title>");
  auto metrics = await<Json>(fixture.loop, [&](auto done) { page->cdp("Page.getLayoutMetrics", "", "", 5000, done); });
  REQUIRE(metrics);
  CHECK((*metrics)["cssLayoutViewport"]["clientWidth"] == 1280);
  auto picture = await<Json>(fixture.loop, [&](auto done) { page->cdp("Page.captureScreenshot", "", "", 9000, done); });
  REQUIRE(picture);
  CHECK((*picture)["data"].get<std::string>().size() > 100);
  auto nonsense = await<Json>(fixture.loop, [&](auto done) { page->cdp("No.such", "{}", "", 5000, done); });
  REQUIRE_FALSE(nonsense);
  CHECK(nonsense.error().kind == ErrorKind::cdp_error);
  CHECK(fixture.detail(nonsense.error())["code"] == -32601);
  auto no_frame = await<Json>(fixture.loop, [&](auto done) { page->cdp("DOM.enable", "", "nope", 5000, done); });
  CHECK(fixture.kind(no_frame) == "cdp_error");
}

TEST_CASE("touch is there when asked for", "[page]") {
  BrowserFixture fixture;
  CHECK(fixture.value(fixture.open("<p>", {640, 360, 2, true}), "navigator.maxTouchPoints + devicePixelRatio") == 7);
}

TEST_CASE("a page that locks the pointer sees each move, and nothing but moves", "[page]") {
  BrowserFixture fixture;
  auto page = fixture.open(R"(<canvas id=c width=400 height=300></canvas><script>
    let moves = [], told = [], early;
    c.requestPointerLock().catch((e) => early = e.name);
    onmousemove = (e) => { if (document.pointerLockElement) moves.push([e.movementX, e.movementY]); };
    for (const kind of ['pointerlockchange', 'pointerlockerror'])
      document.addEventListener(kind, (e) => told.push(e.type));
    c.onmousedown = () => c.requestPointerLock();
    const frames = (n) => new Promise((go) => { const next = () => n-- > 0 ? requestAnimationFrame(next) : go(1); next(); });
    </script>)");
  const auto wait = [&](auto start) { return await<qa::Unit>(fixture.loop, start); };
  CHECK(fixture.value(page, "frames(2).then(() => early)") == "NotAllowedError");
  REQUIRE(wait([&](auto done) { page->input().click({200, 150}, {}, done); }));
  CHECK(fixture.value(page, "frames(10).then(() => [document.pointerLockElement === c, moves, told])") ==
        Json::parse(R"([true, [], ["pointerlockerror", "pointerlockchange"]])"));
  REQUIRE(wait([&](auto done) { page->input().move({260, 130}, 3, done); }));
  CHECK(fixture.value(page, "moves") == Json::parse("[[20, -7], [20, -7], [20, -6]]"));
  CHECK(fixture.value(
            page, "document.exitPointerLock(), frames(2).then(() => [document.pointerLockElement, told.slice(2)])") ==
        Json::parse(R"([null, ["pointerlockchange"]])"));
  CHECK(fixture.value(page, "document.createElement('p').requestPointerLock().catch((e) => e.name)") ==
        "WrongDocumentError");
}
