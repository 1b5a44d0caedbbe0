// Frames in one process and in others: boxes, probes, listeners.

#include "tests/support/browser_fixture.h"

using namespace qa;
using namespace qa::test;

namespace {

/// The frame whose URL ends with `end`.
Json frame_named(const Json& list, const std::string& end) {
  for (const Json& frame : list) {
    const std::string url = frame["url"];
    if (url.size() >= end.size() && url.compare(url.size() - end.size(), end.size(), end) == 0) return frame;
  }
  FAIL("no frame " + end + " in " + list.dump());
  return {};
}

struct FramesFixture : BrowserFixture {
  std::shared_ptr<Page> page;
  FramesFixture() {
    const std::string other = server.url("", "localhost");
    server.page("/leaf.html", "<body style='margin:0'><button onclick='pressed()'>leaf</button>");
    server.page(
        "/near.html",
        "<body style='margin:0'><iframe src='" + other +
            "/leaf.html?a' style='position:absolute;left:11px;top:13px;border:2px solid' width=100 height=80>"
            "</iframe><iframe src='/leaf.html?b' style='position:absolute;left:150px;top:20px;border:2px solid' "
            "width=100 height=80></iframe>");
    server.page(
        "/far.html",
        "<body style='margin:0'><iframe src='/leaf.html?c' style='position:absolute;left:11px;top:13px;"
        "border:2px solid' width=90 height=70></iframe><script>addEventListener('touchstart', e => 1)</script>");
    page = open(
        "<body style='margin:0'><iframe name=near src='/near.html' style='position:absolute;left:100px;top:200px;"
        "border:5px solid;padding:3px' width=400 height=300></iframe><iframe src='" +
        other +
        "/far.html' style='position:absolute;left:600px;top:50px;border:7px solid' width=300 height=200></iframe>"
        "<iframe src='/leaf.html?hidden' style='display:none'></iframe>"
        "<script>window.addEventListener('keydown', function steer(event) { if (event.code === 'KeyW') go(); });"
        "document.addEventListener('click', { handleEvent(event) { return 'object handler'; } }, { passive: true });"
        "</script>");
  }
  Json frames() {
    auto list = await<Json>(loop, [&](auto done) { page->frames(done); });
    REQUIRE(list);
    return *list;
  }
  static void check_box(const Json& frame, double x, double y, double width, double height) {
    INFO(frame.dump());
    CHECK(frame["x"] == x);
    CHECK(frame["y"] == y);
    CHECK(frame["width"] == width);
    CHECK(frame["height"] == height);
  }
};

}  // namespace

TEST_CASE("frames of this and other processes are placed in the top viewport", "[frames]") {
  FramesFixture fixture;
  const Json list = fixture.frames();
  CHECK(list.size() == 7);
  CHECK(list[0]["parent"] == "");
  fixture.check_box(list[0], 0, 0, 1280, 720);
  const Json near = frame_named(list, "/near.html");
  fixture.check_box(near, 108, 208, 400, 300);
  CHECK(near["name"] == "near");
  CHECK(near["parent"] == list[0]["id"]);
  CHECK(near["out_of_process"] == false);
  const Json far = frame_named(list, "/far.html");
  fixture.check_box(far, 607, 57, 300, 200);
  CHECK(far["out_of_process"] == true);
  // Nested: other process in this one, same process in this one, same process in the other one.
  fixture.check_box(frame_named(list, "?a"), 121, 223, 100, 80);
  fixture.check_box(frame_named(list, "?b"), 260, 230, 100, 80);
  fixture.check_box(frame_named(list, "?c"), 620, 72, 90, 70);
  CHECK(frame_named(list, "?hidden")["width"] == 0);
}

TEST_CASE("scripts run in any frame, in its own world and in the host's", "[frames]") {
  FramesFixture fixture;
  const Json list = fixture.frames();
  for (const Json& frame : list) {
    for (const bool host_world : {false, true}) {
      auto url = fixture.run(fixture.page, {"location.href", {}, host_world, frame["id"], 5000});
      REQUIRE(url);
      CHECK(*url == frame["url"]);
    }
  }
  CHECK(fixture.value(fixture.page, "typeof go + (window.mine = 1)") == "undefined1");
  auto isolated = fixture.run(fixture.page, {"typeof mine", {}, true, "", 5000});
  REQUIRE(isolated);
  CHECK(*isolated == "undefined");
}

TEST_CASE("a probe answers for every frame that can", "[frames]") {
  FramesFixture fixture;
  auto answers =
      await<Json>(fixture.loop, [&](auto done) { fixture.page->probe("content", R"({"format":"text"})", 5000, done); });
  REQUIRE(answers);
  CHECK(answers->size() == 7);
  CHECK((*answers)[0]["url"] == fixture.server.url("/opened.html"));
  CHECK(frame_named(*answers, "?c")["x"] == 620);
  auto unknown = await<Json>(fixture.loop, [&](auto done) { fixture.page->probe("no_such", "{}", 1000, done); });
  CHECK(fixture.kind(unknown) == "type_mismatch");
}

TEST_CASE("a frame that hangs is left out of a probe within the time limit", "[frames]") {
  FramesFixture fixture;
  const std::string far = frame_named(fixture.frames(), "/far.html")["id"];
  fixture.page->evaluate({"setTimeout(() => { for (;;); }, 0)", {}, false, far, 2000}, [](Result<Json>) {});
  // The other process answers this only before it begins to loop.
  run_until(fixture.loop, [&] {
    return fixture.kind(fixture.run(fixture.page, {"1", {}, false, far, 300})) == "page_hung";
  });
  const double start = fixture.loop.now_ms();
  auto answers =
      await<Json>(fixture.loop, [&](auto done) { fixture.page->probe("content", R"({"format":"text"})", 1500, done); });
  REQUIRE(answers);
  CHECK(fixture.loop.now_ms() - start < 3000);
  CHECK(frame_named(*answers, "/opened.html")["value"].is_string());
  for (const Json& answer : *answers) CHECK(answer["frame"] != far);
}

TEST_CASE("listeners name their target, frame and handler text", "[frames]") {
  FramesFixture fixture;
  auto found = await<Json>(fixture.loop, [&](auto done) { fixture.page->listeners(done); });
  REQUIRE(found);
  const Json frames = fixture.frames();
  const auto pick = [&](const std::string& type, const std::string& frame_end) {
    for (const Json& listener : *found) {
      if (listener["type"] == type && listener["frame"] == frame_named(frames, frame_end)["id"]) return listener;
    }
    FAIL("no " + type + " in " + frame_end + ": " + found->dump());
    return Json();
  };
  const Json key = pick("keydown", "/opened.html");
  CHECK(key["target"] == "window");
  CHECK(key["source"].get<std::string>().find("KeyW") != std::string::npos);
  const Json click = pick("click", "/opened.html");
  CHECK(click["target"] == "document");
  CHECK(click["passive"] == true);
  CHECK(click["source"].get<std::string>().find("object handler") != std::string::npos);
  CHECK(pick("touchstart", "/far.html")["target"] == "window");
  CHECK_FALSE(pick("touchstart", "/far.html").contains("node"));
  CHECK(pick("click", "?a")["node"] != pick("click", "?b")["node"]);
  CHECK(pick("click", "?a")["target"] == "button");
  CHECK(pick("click", "?b")["target"] == "button");
  CHECK(pick("click", "?c")["source"].get<std::string>().find("pressed()") != std::string::npos);
  CHECK(found->size() == 7);  // Each once, though a parent's document also lists those of its frames.
}

TEST_CASE("the source of a long handler is cut at 4000 characters", "[frames]") {
  BrowserFixture fixture;
  auto page = fixture.open("<script>onkeyup = function () { " + std::string(9000, ';') + " }</script>");
  auto found = await<Json>(fixture.loop, [&](auto done) { page->listeners(done); });
  REQUIRE(found);
  REQUIRE(found->size() == 1);
  CHECK((*found)[0]["source"].get<std::string>().size() == 4000);
}
