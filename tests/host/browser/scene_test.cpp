#include "host/browser/scene.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "host/base64.h"
#include "tests/support/fake_browser.h"
#include "tests/support/live_page.h"

using namespace qa;
using qa::test::LivePage;
using qa::test::run_until;

namespace {

std::string no_host_context() { return ""; }

struct Seen {
  LivePage page;
  std::unique_ptr<Scene> scene;
  bool loaded = false;

  Seen() {
    scene = std::make_unique<Scene>(page.loop, page.cdp, page.session,
                                    std::make_shared<CaptureQueue>(page.loop, page.cdp, page.session), no_host_context);
    page.on_event([this](const std::string&, std::string_view method, const Json& params, std::string base64) {
      if (method == "Page.screencastFrame") scene->on_frame(params, std::move(base64));
      if (method == "Page.loadEventFired") loaded = true;
    });
    page.call("Page.enable");
    page.call("Emulation.setDeviceMetricsOverride",
              {{"width", 640}, {"height", 360}, {"deviceScaleFactor", 1}, {"mobile", false}});
    page.call("Emulation.setFocusEmulationEnabled", {{"enabled", true}});
  }
  ~Seen() { page.cdp->on_events(page.session, {}); }

  void open(const std::string& body) {
    loaded = false;
    page.send("Page.navigate", {{"url", page.page("index.html", "<body style='margin:0;background:#fff'>" + body)}});
    REQUIRE(run_until(page.loop, [&] { return loaded; }));
  }
  SettleResult settle(SettleOptions options = {}) {
    SettleResult out;
    bool done = false;
    scene->settle(options, [&](auto result) {
      done = true;
      REQUIRE(result);
      out = *result;
    });
    CHECK_FALSE(done);
    REQUIRE(run_until(
        page.loop, [&] { return done; }, options.max_ms + 10000));
    return out;
  }
  WatchResult watch(int ms) {
    WatchResult out;
    std::string problem;
    bool done = false;
    scene->watch(ms, [&](auto result) {
      done = true;
      if (!result) problem = result.error().message;
      if (result) out = *result;
    });
    REQUIRE(run_until(
        page.loop, [&] { return done; }, ms + 10000));
    INFO(problem);
    REQUIRE(problem.empty());
    return out;
  }
};

const char* const kBox =
    "<div id=b style='position:absolute;left:0;top:0;width:160px;height:90px;background:#000'></div>";
/// Moves the box in every frame until `ms` after the function is called, and stamps the end.
const char* const kMover = R"(<script>window.move = (ms) => { const start = performance.now(); const f = (t) => {
b.style.left = (Math.floor(t / 20) % 30) * 12 + 'px'; if (t - start < ms) requestAnimationFrame(f);
else window.ended = Date.now() };
requestAnimationFrame(f) }</script>)";

/// Luma at a place given on a 64x36 raster.
int at(const std::string& grid, int column, int row) {
  return static_cast<unsigned char>(grid[static_cast<std::size_t>(2 * row * 128 + 2 * column)]);
}

}  // namespace

TEST_CASE("a still page settles soon and without a change", "[scene][browser]") {
  Seen seen;
  seen.open(kBox);
  seen.settle();
  const SettleResult result = seen.settle();
  CHECK(result.settled);
  CHECK(result.last_change_ms == 0);
  CHECK(result.ms >= 200);
}

TEST_CASE("a page that makes three frames a second settles too", "[scene][browser]") {
  Seen seen;
  seen.open(std::string(kBox) + R"(<script>requestAnimationFrame(function slow() {
const end = performance.now() + 350; while (performance.now() < end); requestAnimationFrame(slow) })</script>)");
  SettleOptions options;
  options.max_ms = 20000;
  CHECK(seen.settle(options).settled);
}

TEST_CASE("a scene that rests early is watched for as long as is asked", "[scene][browser]") {
  Seen seen;
  seen.open(kBox);
  seen.settle();
  seen.page.send("Runtime.evaluate", {{"expression", "setTimeout(() => b.style.left = '400px', 250)"}});
  const SettleResult result = seen.settle({50, 6000, 0, 600});
  CHECK(result.settled);
  CHECK(result.ms >= 600);
  CHECK(result.last_change_ms > 100);
}

TEST_CASE("settling waits for the end of a motion", "[scene][browser]") {
  Seen seen;
  seen.open(std::string(kBox) + kMover);
  seen.settle();
  seen.page.send("Runtime.evaluate", {{"expression", "move(900)"}});
  const SettleResult result = seen.settle();
  CHECK(result.settled);
  CHECK(result.last_change_ms > 500);
  CHECK(result.ms >= result.last_change_ms + 200);
  CHECK(result.frames > 3);
  CHECK(seen.page.evaluate("typeof ended") == "number");
}

TEST_CASE("an endless motion is still animating at the limit unless its area is allowed", "[scene][browser]") {
  Seen seen;
  seen.open(std::string("<div id=b style='position:absolute;width:40px;height:40px;background:#000'></div>") + kMover);
  seen.page.send("Runtime.evaluate", {{"expression", "move(60000)"}});
  const SettleResult moving = seen.settle({200, 1200, 0});
  CHECK_FALSE(moving.settled);
  CHECK(moving.ms >= 1200);
  CHECK(seen.settle({200, 6000, 0.05}).settled);
}

TEST_CASE("a watch of a still page gives one grid for all moments", "[scene][browser]") {
  Seen seen;
  seen.open(kBox);
  seen.settle();
  const WatchResult result = seen.watch(300);
  REQUIRE(result.first.size() == 3 * 128 * 72);
  CHECK(result.first == result.last);
  CHECK(result.first == result.low);
  CHECK(result.first == result.high);
  CHECK(result.moved_ms == 0);
  CHECK(result.activity == std::string(128 * 72, '\0'));
  CHECK(at(result.first, 2, 2) < 30);
  CHECK(at(result.first, 60, 30) > 225);
}

TEST_CASE("a watch that is shorter than the first frame takes still has a picture", "[scene][browser]") {
  Seen seen;
  seen.open(kBox);
  CHECK(seen.watch(1).first.size() == 3 * 128 * 72);
}

TEST_CASE("a watch tells where and when something moved", "[scene][browser]") {
  Seen seen;
  seen.open(kBox);
  seen.settle();
  bool done = false;
  WatchResult result;
  seen.scene->watch(700, [&](auto watched) {
    done = true;
    REQUIRE(watched);
    result = *watched;
  });
  seen.page.send("Runtime.evaluate", {{"expression", "setTimeout(() => b.style.left = '400px', 150)"}});
  REQUIRE(run_until(seen.page.loop, [&] { return done; }));
  CHECK(result.moved_ms > 100);
  CHECK(at(result.first, 2, 2) < 30);
  CHECK(at(result.last, 2, 2) > 225);
  CHECK(at(result.low, 42, 2) < 30);
  CHECK(at(result.high, 42, 2) > 225);
  CHECK(at(result.activity, 42, 2) >= 1);
  CHECK(at(result.activity, 60, 30) == 0);
}

TEST_CASE("another colour of the same luma is a change like any other", "[scene][browser]") {
  Seen seen;
  seen.open("<div id=b style='position:absolute;left:0;top:0;width:160px;height:90px;background:#4c4c4c'></div>");
  seen.settle();
  seen.page.send("Runtime.evaluate", {{"expression", "setTimeout(() => b.style.background = '#f00', 250)"}});
  const SettleResult result = seen.settle({400, 6000, 0});
  CHECK(result.last_change_ms > 100);
  seen.page.send("Runtime.evaluate", {{"expression", "setTimeout(() => b.style.background = '#4c4c4c', 150)"}});
  const WatchResult watched = seen.watch(700);
  CHECK(std::abs(at(watched.first, 2, 2) - at(watched.last, 2, 2)) < 6);
  CHECK(watched.moved_ms > 50);
  CHECK(at(watched.activity, 2, 2) == 1);
  CHECK(at(watched.activity, 60, 30) == 0);
  constexpr std::size_t redness = 2 * 128 * 72;
  CHECK(at(watched.first.substr(redness), 2, 2) > at(watched.last.substr(redness), 2, 2) + 40);
  CHECK(at(watched.high.substr(redness), 2, 2) > at(watched.low.substr(redness), 2, 2) + 40);
}

TEST_CASE("watchers share one cast, and a later one starts from the last grid", "[scene][browser]") {
  Seen seen;
  seen.open(kBox);
  WatchResult one, two;
  int done = 0;
  seen.scene->watch(900, [&](auto result) { one = *result, ++done; });
  REQUIRE_FALSE(seen.watch(600).first.empty());
  seen.scene->watch(100, [&](auto result) { two = *result, ++done; });
  REQUIRE(run_until(seen.page.loop, [&] { return done == 2; }));
  CHECK(two.first == one.first);
  CHECK(two.frames == 0);
}

TEST_CASE("a page that is replaced while it is watched goes on being seen", "[scene][browser]") {
  Seen seen;
  seen.open(kBox);
  seen.settle();
  bool done = false;
  WatchResult result;
  seen.scene->watch(2500, [&](auto watched) { result = *watched, done = true; });
  seen.open("<div style='position:absolute;width:640px;height:360px;background:#000'></div>");
  REQUIRE(run_until(seen.page.loop, [&] { return done; }));
  CHECK(at(result.last, 60, 30) < 30);
}

TEST_CASE("everybody who waits is failed at once", "[scene][browser]") {
  Seen seen;
  seen.open(kBox);
  std::vector<ErrorKind> kinds;
  seen.scene->watch(60000, [&](auto result) { kinds.push_back(result.error().kind); });
  seen.scene->settle({60000, 60000, 0}, [&](auto result) { kinds.push_back(result.error().kind); });
  seen.scene->fail({ErrorKind::page_crashed, "gone", "", ""});
  CHECK(kinds.empty());
  REQUIRE(run_until(
      seen.page.loop, [&] { return kinds.size() == 2; }, 2000));
  CHECK(kinds[0] == ErrorKind::page_crashed);
  CHECK(kinds[1] == ErrorKind::page_crashed);
  CHECK(seen.watch(100).first.size() == 3 * 128 * 72);
}

TEST_CASE("a page that hangs before its first picture is told as hung", "[scene][browser]") {
  Seen seen;
  seen.open(kBox);
  seen.page.send("Runtime.evaluate", {{"expression", "const end = Date.now() + 12000; while (Date.now() < end);"}});
  ErrorKind kind = ErrorKind::io_error;
  bool pictured = false;
  seen.scene->watch(200, [&](auto result) {
    pictured = static_cast<bool>(result);
    kind = pictured ? ErrorKind::timeout : result.error().kind;
  });
  REQUIRE(run_until(
      seen.page.loop, [&] { return kind != ErrorKind::io_error; }, 20000));
  // The browser process may still hold a picture of the page; without one the call must not wait for ever.
  CHECK((pictured || kind == ErrorKind::page_hung));
}

TEST_CASE("who fails the others when its own watch ends has not ended them", "[scene][browser]") {
  Seen seen;
  seen.open(kBox);
  std::vector<std::string> ends;
  const auto end = [&](const auto& result) {
    ends.emplace_back(result ? "seen" : "failed");
    if (result) seen.scene->fail({ErrorKind::page_closed, "gone", "", ""});
  };
  // All are past their end when the first grid comes.
  for (int i = 0; i < 3; ++i) seen.scene->watch(1, end);
  REQUIRE(run_until(
      seen.page.loop, [&] { return ends.size() >= 3; }, 5000));
  run_until(
      seen.page.loop, [] { return false; }, 50);
  CHECK(ends == std::vector<std::string>{"seen", "failed", "failed"});
}

TEST_CASE("a picture from before the last change is not kept", "[scene]") {
  EventLoop loop;
  qa::test::FakeBrowser browser;
  const auto cdp = browser.connect(loop);
  Scene scene(loop, cdp, "S", std::make_shared<CaptureQueue>(loop, cdp, "S"), no_host_context);
  const auto frame = [&](std::uint8_t shade) {
    Image image(320, 180, 3);
    std::fill(image.pixels.begin(), image.pixels.end(), shade);
    scene.on_frame(Json::object(), encode_base64(encode_jpeg(image, 70)));
  };
  Image image(2, 2, 3);
  std::fill(image.pixels.begin(), image.pixels.end(), std::uint8_t{9});
  const std::string data = R"({"data":")" + encode_base64(encode_png(image)) + R"("})";
  // The first picture is answered, the second is not; no frames are made, so that nothing is at rest, until `rests`.
  int pictures = 0;
  bool rests = false;
  const auto serve = [&] {
    for (const Json& command : browser.take_commands()) {
      const bool is_picture = command["method"] == "Page.captureScreenshot";
      if (is_picture && ++pictures > 1) continue;
      if (command["method"] == "Runtime.evaluate" && !rests) continue;
      browser.say(R"({"id":)" + command["id"].dump() + R"(,"result":)" + (is_picture ? data : "{}") +
                  R"(,"sessionId":"S"})");
    }
  };
  std::optional<SettleResult> settled;
  SettleOptions options;
  options.quiet_ms = 200;
  options.max_ms = 1500;
  options.picture = true;
  scene.settle(options, [&](const auto& result) {
    REQUIRE(result);
    settled = *result;
  });
  const auto wait_for = [&](const auto& is_done) {
    return run_until(
        loop,
        [&] {
          serve();
          return is_done();
        },
        5000);
  };
  const auto wait = [&](double ms) { wait_for([&, until = loop.now_ms() + ms] { return loop.now_ms() > until; }); };
  frame(10);
  wait(30);
  frame(200);
  REQUIRE(wait_for([&] { return pictures == 1; }));
  wait(100);  // It is there.
  REQUIRE_FALSE(settled);
  rests = true;
  frame(90);
  REQUIRE(wait_for([&] { return settled.has_value(); }));
  CHECK(pictures == 2);
  CHECK(settled->settled);
  CHECK(settled->picture == nullptr);
}

TEST_CASE("the picture of a still page is as large as a frame, and waits for one that is being decoded", "[scene]") {
  EventLoop loop(1);
  qa::test::FakeBrowser browser;
  const auto cdp = browser.connect(loop);
  Scene scene(loop, cdp, "S", std::make_shared<CaptureQueue>(loop, cdp, "S"), no_host_context);
  Image image(240, 180, 3);
  std::fill(image.pixels.begin(), image.pixels.end(), std::uint8_t{77});
  const Json picture = {{"data", encode_base64(encode_png(image))}};
  const Json view = {{"pageX", 0}, {"pageY", 5}, {"clientWidth", 800}, {"clientHeight", 600}};
  const Json metrics = {{"cssVisualViewport", view}};
  Json clip;
  std::atomic<bool> pool_is_free = false;
  const auto serve = [&] {
    for (const Json& command : browser.take_commands()) {
      Json result = Json::object();
      if (command["method"] == "Page.getLayoutMetrics") {
        // The pool is held up, so that a frame that is no picture stays with it.
        loop.compute([&] { pool_is_free.wait(false); }, [] {});
        scene.on_frame(Json::object(), encode_base64("no picture"));
        result = metrics;
      }
      if (command["method"] == "Page.captureScreenshot") {
        clip = command["params"]["clip"];
        result = picture;
        loop.after(std::chrono::milliseconds(50), [&] {
          pool_is_free = true;
          pool_is_free.notify_all();
        });
      }
      browser.say(Json{{"id", command["id"]}, {"result", result}, {"sessionId", "S"}}.dump());
    }
  };
  std::optional<Result<WatchResult>> seen;
  scene.watch(100, [&](const auto& result) { seen = result; });
  const bool is_over = run_until(
      loop,
      [&] {
        serve();
        return seen.has_value();
      },
      5000);
  pool_is_free = true;
  pool_is_free.notify_all();
  REQUIRE(is_over);
  REQUIRE(*seen);
  CHECK(static_cast<unsigned char>((*seen)->first[0]) == 77);
  CHECK(clip == Json{{"x", 0.0}, {"y", 5.0}, {"width", 800.0}, {"height", 600.0}, {"scale", 0.3}});
}

TEST_CASE("before a scene is quiet its renderer makes as many frames as fit into the quiet but for their way",
          "[scene]") {
  const auto [quiet_ms, frames] = GENERATE(table<int, int>({{20, 2}, {45, 2}, {75, 3}, {90, 4}, {200, 4}}));
  EventLoop loop;
  qa::test::FakeBrowser browser;
  const auto cdp = browser.connect(loop);
  Scene scene(loop, cdp, "S", std::make_shared<CaptureQueue>(loop, cdp, "S"), [] { return std::string("host \"1\""); });
  std::optional<Json> guard;
  bool is_over = false;
  scene.settle({quiet_ms, 3000}, [&](const auto&) { is_over = true; });
  scene.on_frame(Json::object(), encode_base64(encode_jpeg(Image(320, 180, 3), 70)));
  REQUIRE(run_until(
      loop,
      [&] {
        for (const Json& command : browser.take_commands()) {
          if (command["method"] == "Runtime.evaluate" && !guard) guard = command["params"];
          browser.say(Json{{"id", command["id"]}, {"result", Json::object()}, {"sessionId", "S"}}.dump());
        }
        return is_over;
      },
      5000));
  REQUIRE(guard);
  CHECK((*guard)["uniqueContextId"] == "host \"1\"");
  const std::string expression = (*guard)["expression"];
  CHECK(expression.find("left = " + std::to_string(frames) + ";") != std::string::npos);
}
