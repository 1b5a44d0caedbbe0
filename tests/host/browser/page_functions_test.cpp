#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/browser_fixture.h"

using namespace qa;
using qa::test::await;
using qa::test::BrowserFixture;

namespace {

struct Probed : BrowserFixture {
  std::shared_ptr<Page> page;

  void show(const std::string& html) { page = open("<!doctype html><body style='margin:0'>" + html); }
  /// What the function returned in every frame, main frame first.
  std::vector<Json> probe(const std::string& name, const Json& args = Json::object()) {
    auto result = await<Json>(loop, [&](auto done) { page->probe(name, args.dump(), 30'000, done); });
    if (!result) FAIL(name + ": " + result.error().message);
    std::vector<Json> values;
    for (const Json& frame : *result) values.push_back(frame["value"]);
    return values;
  }
  Json ask(const std::string& name, const Json& args = Json::object()) { return probe(name, args).at(0); }
};

/// The entry whose id is `id`, or null.
Json by_id(const Json& list, const std::string& id) {
  for (const Json& item : list) {
    if (item["id"] == id) return item;
  }
  return nullptr;
}

std::vector<std::string> ids(const Json& list) {
  std::vector<std::string> out;
  for (const Json& item : list) out.push_back(item["id"]);
  return out;
}

using Ids = std::vector<std::string>;

}  // namespace

TEST_CASE("clickables are what a user could press, named as a reader would", "[page_functions][browser]") {
  Probed test;
  test.show(R"html(
<button id=play style="position:absolute;left:100px;top:50px;width:80px;height:20px"><b>Play</b> now</button>
<div id=card style="cursor:pointer;width:50px;height:20px">card<span id=inner>!</span></div>
<div id=role role=button aria-label="Begin">&gt;</div>
<div id=attr onclick="1">go</div>
<a id=link href="/next"><img alt="Next level" width=20 height=20></a>
<input id=field placeholder="your name"><input type=hidden id=hidden>
<button id=off disabled>Off</button>
<button id=gone style="display:none">Gone</button><button id=clear style="opacity:0">Clear</button>
<div style="opacity:.01"><button id=faint>Faint</button></div>
<button id=under style="position:absolute;left:300px;top:50px;width:60px;height:20px">Under</button>
<div style="position:absolute;left:290px;top:40px;width:100px;height:60px;background:#ccc"></div>
<button id=far style="position:absolute;top:5000px">Far</button>
<p id=plain>plain text</p><div id=host></div>
<script>host.attachShadow({mode: "open"}).innerHTML = "<button id=shade>Shade</button>"</script>)html");
  const Json list = test.ask("clickables");
  CHECK(ids(list) == Ids{"play", "card", "role", "attr", "link", "field", "off", "under", "far", "shade"});
  const Json play = by_id(list, "play");
  CHECK(play["x"] == 140);
  CHECK(play["y"] == 60);
  CHECK(play["text"] == "Play now");
  CHECK(play["tag"] == "button");
  CHECK(play["in_viewport"] == true);
  CHECK(play["covered"] == false);
  CHECK(by_id(list, "card")["cursor"] == "pointer");
  CHECK(by_id(list, "role")["name"] == "Begin");
  CHECK(by_id(list, "attr")["onclick"] == true);
  CHECK(by_id(list, "link")["name"] == "Next level");
  CHECK(by_id(list, "field")["name"] == "your name");
  CHECK(by_id(list, "field")["is_empty"] == true);
  CHECK(by_id(list, "play")["is_empty"] == false);
  CHECK(by_id(list, "off")["disabled"] == true);
  CHECK(by_id(list, "under")["covered"] == true);
  CHECK(by_id(list, "far")["in_viewport"] == false);
  CHECK(test.ask("clickables", {{"limit", 2}}).size() == 2);
}

TEST_CASE("clickables of a frame are placed on the page around it", "[page_functions][browser]") {
  Probed test;
  test.show(R"html(<iframe style="position:absolute;left:200px;top:100px;width:300px;height:200px;border:0"
srcdoc="<body style='margin:0'><button style='position:absolute;left:10px;top:20px;width:40px;height:10px'>In</button>">
</iframe>)html");
  const auto frames = test.probe("clickables");
  REQUIRE(frames.size() == 2);
  CHECK(frames[1][0]["x"] == 230);
  CHECK(frames[1][0]["y"] == 125);
}

TEST_CASE("locate finds by selector and by what is read", "[page_functions][browser]") {
  Probed test;
  test.show(R"html(<div id=menu><h1 id=title>Start here to play</h1>
<a id=link href="#"><span>START</span></a><button id=again>Start again</button>
<button class=x id=first style="display:none">1</button><button class=x id=second>2</button>
<img id=icon role=button alt="Mute sound" width=20 height=20></div>
<button id=low style="position:absolute;top:3000px">Low</button>
<script>const text = "Start";</script><div id=host></div>
<script>host.attachShadow({mode: "open"}).innerHTML = "<em id=deep>deep words</em>"</script>)html");
  SECTION("a selector") {
    const Json list = test.ask("locate", {{"selector", ".x"}, {"all", true}});
    CHECK(ids(list) == Ids{"second", "first"});
    CHECK(list[0]["visible"] == true);
    CHECK(list[1]["visible"] == false);
    CHECK(test.ask("locate", {{"selector", "#none"}}).empty());
    CHECK(test.ask("locate", {{"selector", "#deep"}})[0]["tag"] == "em");
  }
  SECTION("a selector that is none") { CHECK(test.ask("locate", {{"selector", "a[["}}).count("error") == 1); }
  SECTION("the exact words win, and what can be pressed around them is meant") {
    const Json found = test.ask("locate", {{"text", "start"}});
    CHECK(ids(found) == Ids{"link"});
    CHECK(found[0]["exact"] == true);
    CHECK(ids(test.ask("locate", {{"text", "start"}, {"all", true}})) == Ids{"link", "again", "title"});
  }
  SECTION("names and shadow text count") {
    CHECK(ids(test.ask("locate", {{"text", "mute"}})) == Ids{"icon"});
    CHECK(ids(test.ask("locate", {{"text", "deep words"}})) == Ids{"deep"});
  }
  SECTION("scrolling brings it into view") {
    CHECK(test.ask("locate", {{"selector", "#low"}})[0]["in_viewport"] == false);
    const Json found = test.ask("locate", {{"selector", "#low"}, {"scroll", true}})[0];
    CHECK(found["in_viewport"] == true);
    CHECK(found["scrolled"] == true);
    CHECK(found["y"].get<double>() < 720);
  }
}

TEST_CASE("content is the document or what a reader sees of it", "[page_functions][browser]") {
  Probed test;
  test.show(R"html(<h1>Title</h1><p>one <b>two</b></p><p style="display:none">hidden</p>
<p style="visibility:hidden">unseen</p><script>var code;</script><div id=host></div>
<script>host.attachShadow({mode: "open"}).innerHTML = "<p>shade</p>"</script>)html");
  CHECK(test.ask("content", {{"format", "text"}}) == "Title\none two\nshade");
  const std::string html = test.ask("content", {{"format", "html"}});
  CHECK_THAT(html, Catch::StartsWith("<!DOCTYPE html>"));
  CHECK_THAT(html, Catch::Contains("unseen"));
}

TEST_CASE("page_state tells canvases, frames, text and named parts without touching a context",
          "[page_functions][browser]") {
  Probed test;
  test.show(
      R"html(<title>T</title><canvas id=c width=320 height=200 style="position:absolute;left:5px;top:7px"></canvas>
<canvas id=none style="display:none"></canvas><div class="game-board big">Level 1</div><div id=score>0</div>
<iframe srcdoc=hi></iframe><iframe src="data:text/html,x"></iframe><p hidden>secret</p>)html");
  CHECK(test.ask("page_state")["named_parts"] == 0);
  const Json state = test.ask("page_state", {{"part_names", {"board", "score"}}});
  REQUIRE(state["canvases"].size() == 2);
  CHECK(state["canvases"][0]["pixel_width"] == 320);
  CHECK(state["canvases"][0]["x"] == 5);
  CHECK(state["canvases"][0]["visible"] == true);
  CHECK(state["canvases"][1]["visible"] == false);
  CHECK(state["canvases"][0]["covered"] == false);
  test.value(test.page, "c.style.zIndex = -1, document.body.style.cssText = 'height:600px;margin:0'");
  const Json backdrop = test.ask("page_state");
  CHECK(backdrop["canvases"][0]["covered"] == true);
  REQUIRE(state["iframes"].size() == 2);
  CHECK(state["iframes"][0]["cross_origin"] == false);
  CHECK(state["iframes"][1]["cross_origin"] == true);
  CHECK(state["named_parts"] == 2);
  CHECK(state["visible_text"] == "Level 1\n0");
  CHECK(state["ready_state"] == "complete");
  CHECK(state["hidden"] == false);
  // A probe that had asked for a 2D context would leave WebGL impossible.
  CHECK(test.value(test.page, "document.querySelector('#c').getContext('webgl') !== null") == true);
}

TEST_CASE("a signature changes with what is shown and only then", "[page_functions][browser]") {
  Probed test;
  test.show(
      "<div id=a class=x>one</div><div id=b style='display:none'>two</div><input id=i readonly value=1><input id=w "
      "value=1>");
  const auto hash = [&] { return test.ask("dom_signature")["hash"]; };
  const Json start = hash();
  CHECK(hash() == start);
  CHECK(test.ask("dom_signature")["text"] == "one");
  // What stands in a field may have been written by the browser.
  test.value(test.page, "b.textContent = 'hidden change', w.value = '2'");
  CHECK(hash() == start);
  for (const char* change : {"a.textContent = 'three'", "a.className = 'y'", "a.style.left = '3px'", "i.value = '2'"}) {
    const Json before = hash();
    test.value(test.page, change);
    INFO(change);
    CHECK(hash() != before);
  }
}

TEST_CASE("a signature of a big page is cheap", "[page_functions][browser]") {
  Probed test;
  test.show("<script>document.body.innerHTML = '<div class=cell>x</div>'.repeat(20000)</script>");
  const Json result = test.ask("dom_signature");
  CHECK(result["count"] == 3000);
  CHECK(test.ask("clickables").empty());
}

TEST_CASE("frame ticks are counted up to a limit", "[page_functions][browser]") {
  Probed test;
  test.show("");
  const Json ticked = test.ask("frame_tick", {{"count", 3}, {"limit_ms", 4000}});
  CHECK(ticked["ticks"] == 3);
  const Json limited = test.ask("frame_tick", {{"count", 100000}, {"limit_ms", 100}});
  CHECK(limited["ticks"] < 100000);
}

TEST_CASE("probes work on a page that has spoilt its own globals", "[page_functions][browser]") {
  Probed test;
  test.show(R"html(<script>document.querySelectorAll = () => { throw 1 }; Element.prototype.matches = null;
window.getComputedStyle = null; Array.prototype.map = null; JSON.stringify = null</script>
<button id=ok>OK</button>)html");
  CHECK(ids(test.ask("clickables")) == Ids{"ok"});
  CHECK(ids(test.ask("locate", {{"text", "ok"}})) == Ids{"ok"});
}
