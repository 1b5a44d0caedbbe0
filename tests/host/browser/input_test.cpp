#include "host/browser/input.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <optional>

#include "tests/support/fake_browser.h"
#include "tests/support/live_page.h"

using namespace qa;
using namespace qa::test;

namespace {

using Done = std::optional<Result<Unit>>;

Callback<Unit> into(Done& done) {
  return [&done](Result<Unit> result) { done = std::move(result); };
}

// ---- Against a scripted browser: what is sent, and when.

struct Scripted {
  EventLoop loop;
  FakeBrowser browser;
  std::shared_ptr<CdpConnection> cdp = browser.connect(loop);
  std::shared_ptr<Input> input = std::make_shared<Input>(loop, cdp, "S");
  std::vector<std::string> sent;

  /// One command as a short word: "keyDown KeyW", "mousePressed left 1" (button, buttons), "touchStart".
  static std::string word(const Json& command) {
    const Json& params = command["params"];
    const std::string method = command["method"];
    if (method == "Input.dispatchKeyEvent") {
      return params["type"].get<std::string>() + " " + params["code"].get<std::string>();
    }
    if (method == "Input.dispatchMouseEvent") {
      return params["type"].get<std::string>() + " " + params["button"].get<std::string>() + " " +
             std::to_string(params["buttons"].get<int>());
    }
    if (params.contains("type")) return params["type"];
    return method.substr(method.find('.') + 1);
  }

  /// Takes what came in; answers it if wanted.
  void serve(bool answer = true) {
    for (const Json& command : browser.take_commands()) {
      sent.push_back(word(command));
      if (answer) browser.say(R"({"id":)" + command["id"].dump() + R"(,"result":{}})");
    }
  }
  bool serve_until(const std::function<bool()>& ready, int limit_ms = 10000) {
    return run_until(
        loop, [&] { return serve(), ready(); }, limit_ms);
  }
};

using Words = std::vector<std::string>;

// ---- Against Chromium: what a page sees.

constexpr char kLogPage[] = R"HTML(<!doctype html><body style="margin:0;height:3000px"><input id="text"
 style="position:fixed;left:10px;top:300px;width:200px"><script>
window.log = [];
for (const type of ['keydown', 'keyup']) addEventListener(type, e => log.push(type + ' ' + e.code + ' ' + e.key + ' ' +
  e.keyCode + (e.ctrlKey ? ' ctrl' : '') + (e.shiftKey ? ' shift' : '') + (e.repeat ? ' repeat' : '')));
for (const type of ['mousedown', 'mouseup', 'click', 'dblclick', 'contextmenu']) addEventListener(type, e => {
  log.push(`${type} ${e.clientX},${e.clientY} ${e.button} ${e.buttons} ${e.detail}${e.shiftKey ? ' shift' : ''}`);
});
addEventListener('pointermove', e => (window.moves = window.moves || []).push([e.clientX, e.buttons, e.pointerType]));
addEventListener('wheel', e => log.push(`wheel ${e.deltaX} ${e.deltaY}`));
for (const type of ['touchstart', 'touchend']) addEventListener(type, e => log.push(type + ' ' + e.touches.length));
</script>)HTML";

struct Live {
  LivePage page;
  std::shared_ptr<Input> input = std::make_shared<Input>(page.loop, page.cdp, page.session);

  explicit Live(const std::string& html = kLogPage) {
    page.on_event([this](const std::string&, std::string_view method, const Json& params, const std::string&) {
      if (answer_dialogs && method == "Page.javascriptDialogOpening") {
        page.send("Page.handleJavaScriptDialog", {{"accept", true}});
      }
      console_lines += method == "Runtime.consoleAPICalled";
      input->on_event(method, params);
    });
    page.call("Page.enable");
    page.call("Page.navigate", {{"url", page.page("index.html", html)}});
    // Chromium drops input that comes before the first frame.
    page.evaluate(
        "new Promise(r => { const go = () => requestAnimationFrame(() => requestAnimationFrame(r));"
        "document.readyState === 'complete' ? go() : addEventListener('load', go); })");
  }
  bool answer_dialogs = true;
  int console_lines = 0;

  void wait(const Done& done, int limit_ms = 20000) {
    REQUIRE(run_until(
        page.loop, [&] { return done.has_value(); }, limit_ms));
    INFO((*done ? "" : done->error().message));
    REQUIRE(*done);
  }
  /// The log once it has a line that starts so. Passive listeners run after Chromium has answered.
  Words log_with(const std::string& start) {
    page.evaluate("new Promise(r => { const look = () => log.some(line => line.startsWith('" + start +
                  "')) ? r() : requestAnimationFrame(look); look(); })");
    return log();
  }
  Words log() {
    Words words = page.evaluate("log");
    page.evaluate("log.length = 0");
    return words;
  }
};

}  // namespace

TEST_CASE("an unknown key is refused with a suggestion and nothing is sent", "[input]") {
  Scripted f;
  Done done;
  f.input->press({"Control", "Spce"}, {}, into(done));
  CHECK_FALSE(done);
  REQUIRE(f.serve_until([&] { return done.has_value(); }));
  REQUIRE_FALSE(*done);
  CHECK(done->error().kind == ErrorKind::type_mismatch);
  CHECK(done->error().message == "unknown key \"Spce\"; did you mean \"Space\"?");
  CHECK(f.sent.empty());
}

TEST_CASE("points, buttons and modifiers are checked before anything is pressed", "[input]") {
  Scripted f;
  Done point, button, modifier, touch;
  f.input->click({std::nan(""), 1}, {}, into(point));
  f.input->click({1, 1}, {"lft", 1, 0, {}}, into(button));
  f.input->click({1, 1}, {"left", 1, 0, {"Hyper"}}, into(modifier));
  f.input->touch({}, {}, into(touch));
  REQUIRE(f.serve_until([&] { return point && button && modifier && touch; }));
  for (const Done& done : {point, button, modifier, touch}) CHECK_FALSE(*done);
  CHECK(f.sent.empty());
}

TEST_CASE("a chord goes down in order and up in reverse", "[input]") {
  Scripted f;
  Done done;
  f.input->press({"Control", "Shift", "a"}, {}, into(done));
  REQUIRE(f.serve_until([&] { return done.has_value(); }));
  CHECK(f.sent == Words{"rawKeyDown ControlLeft", "rawKeyDown ShiftLeft", "rawKeyDown KeyA", "keyUp KeyA",
                        "keyUp ShiftLeft", "keyUp ControlLeft"});
}

TEST_CASE("operations run side by side while each keeps its order", "[input]") {
  Scripted f;
  Done hold, click;
  f.input->press({"w"}, {300, 1, 0}, into(hold));
  f.input->click({5, 5}, {}, into(click));
  REQUIRE(f.serve_until([&] { return click.has_value(); }));
  CHECK_FALSE(hold);
  REQUIRE(f.serve_until([&] { return hold.has_value(); }));
  CHECK(f.sent ==
        Words{"keyDown KeyW", "mouseMoved none 0", "mousePressed left 1", "mouseReleased left 0", "keyUp KeyW"});
}

TEST_CASE("a key that two operations hold goes up with the second", "[input]") {
  Scripted f;
  Done first, second;
  f.input->press({"w"}, {150, 1, 0}, into(first));
  f.input->press({"w"}, {}, into(second));
  REQUIRE(f.serve_until([&] { return first && second; }));
  CHECK(f.sent == Words{"keyDown KeyW", "keyDown KeyW", "keyUp KeyW"});
}

TEST_CASE("everything that is down goes up when all is released", "[input]") {
  Scripted f;
  Done key, click, touch, drag, released;
  f.input->press({"Shift", "w"}, {60000, 1, 0}, into(key));
  f.input->click({5, 5}, {"right", 1, 60000, {}}, into(click));
  f.input->touch({{1, 1}, {2, 2}}, {.hold_ms = 60000}, into(touch));
  f.input->drag({1, 1}, {50, 50}, {12, 60000, 0}, into(drag));
  f.serve();
  f.sent.clear();
  f.input->release_all(into(released));
  CHECK_FALSE(released);
  REQUIRE(f.serve_until([&] { return released.has_value(); }, 2000));
  std::sort(f.sent.begin(), f.sent.end());
  CHECK(f.sent == Words{"keyUp KeyW", "keyUp ShiftLeft", "mouseReleased left 0", "mouseReleased right 1",
                        "setInterceptDrags", "touchCancel"});
  for (const Done& done : {key, click, touch, drag}) {
    REQUIRE(done);
    CHECK_FALSE(*done);
  }
}

TEST_CASE("a swipe that is cut short lifts its finger", "[input]") {
  Scripted f;
  Done swipe, crowd;
  f.input->touch({{1, 1}, {2, 2}}, {.path = {{9, 9}}}, into(crowd));
  f.input->touch({{1, 1}}, {.path = {{50, 1}, {50, 90}}, .steps = 3, .duration_ms = 6000}, into(swipe));
  REQUIRE(f.serve_until([&] { return f.sent.size() >= 2; }));
  CHECK(f.sent == Words{"touchStart", "touchMove"});
  f.input->release_all([](const Result<Unit>&) {});
  REQUIRE(f.serve_until([&] { return swipe.has_value() && crowd.has_value(); }, 2000));
  CHECK(f.sent == Words{"touchStart", "touchMove", "touchCancel"});
  CHECK_FALSE(*swipe);
  CHECK(crowd->error().kind == ErrorKind::type_mismatch);
}

TEST_CASE("a press that fails is still released", "[input]") {
  Scripted f;
  Done done;
  f.input->press({"w"}, {60000, 1, 0}, into(done));
  f.browser.say(R"({"id":1,"error":{"code":-32000,"message":"no"}})");
  REQUIRE(run_until(f.loop, [&] { return done.has_value(); }));
  CHECK(done->error().kind == ErrorKind::cdp_error);
  f.serve();
  CHECK(f.sent == Words{"keyDown KeyW", "keyUp KeyW"});
}

TEST_CASE("a dialog that holds back the answer to a press does not hold the press", "[input]") {
  Scripted f;
  Done done;
  f.input->click({5, 5}, {"left", 1, 20, {}}, into(done));
  f.serve(false);
  f.input->on_event("Page.javascriptDialogOpening", Json::object());
  REQUIRE(f.serve_until([&] { return done.has_value(); }, 3000));
  CHECK(*done);
  CHECK(f.sent.back() == "mouseReleased left 0");
}

TEST_CASE("input fails with the browser", "[input]") {
  Scripted f;
  Done done, after;
  f.input->press({"w"}, {}, into(done));
  f.browser.die();
  REQUIRE(run_until(f.loop, [&] { return done.has_value(); }));
  CHECK(done->error().kind == ErrorKind::browser_lost);
  f.input->release_all(into(after));
  REQUIRE(run_until(
      f.loop, [&] { return after.has_value(); }, 2000));
}

TEST_CASE("a drag becomes drag events from the moment the page starts one", "[input]") {
  Scripted f;
  Done done;
  f.input->drag({0, 0}, {40, 0}, {4, 0, 0}, into(done));
  bool told = false;
  REQUIRE(run_until(f.loop, [&] {
    f.serve();
    if (!told && std::count(f.sent.begin(), f.sent.end(), "mouseMoved left 1") == 1) {
      told = true;
      f.input->on_event("Input.dragIntercepted", {{"data", {{"items", Json::array()}, {"dragOperationsMask", 1}}}});
    }
    return done.has_value();
  }));
  CHECK(*done);
  CHECK(f.sent.front() == "setInterceptDrags");
  CHECK(std::count(f.sent.begin(), f.sent.end(), "dragEnter") == 1);
  CHECK(std::count(f.sent.begin(), f.sent.end(), "drop") == 1);
  CHECK(Words(f.sent.end() - 3, f.sent.end()) == Words{"drop", "mouseReleased left 0", "setInterceptDrags"});
}

TEST_CASE("a page sees keys, holds, chords and bursts", "[input][chromium]") {
  Live f;
  Done done;
  f.input->press({"KeyW"}, {}, into(done));
  f.wait(done);
  CHECK(f.log() == Words{"keydown KeyW w 87", "keyup KeyW w 87"});
  done.reset();
  f.input->press({"Control", "a"}, {}, into(done));
  f.wait(done);
  CHECK(f.log() == Words{"keydown ControlLeft Control 17 ctrl", "keydown KeyA a 65 ctrl", "keyup KeyA a 65 ctrl",
                         "keyup ControlLeft Control 17"});
  done.reset();
  f.input->press({"Space"}, {0, 3, 5}, into(done));
  f.wait(done);
  CHECK(f.log().size() == 6);
  done.reset();
  const double start = f.page.loop.now_ms();
  f.input->press({"Up"}, {250, 1, 0}, into(done));
  f.wait(done);
  CHECK(f.page.loop.now_ms() - start >= 250);
  CHECK(f.log() == Words{"keydown ArrowUp ArrowUp 38", "keyup ArrowUp ArrowUp 38"});
}

TEST_CASE("a page sees clicks, double clicks, other buttons and modifiers", "[input][chromium]") {
  Live f;
  Done done;
  f.input->click({50, 60}, {}, into(done));
  f.wait(done);
  CHECK(f.log() == Words{"mousedown 50,60 0 1 1", "mouseup 50,60 0 0 1", "click 50,60 0 0 1"});
  done.reset();
  f.input->click({150, 60}, {"left", 2, 0, {}}, into(done));
  f.wait(done);
  Words words = f.log();
  CHECK(words.back() == "dblclick 150,60 0 0 2");
  CHECK(words.size() == 7);
  done.reset();
  f.input->click({250, 160}, {"right", 1, 0, {"Shift"}}, into(done));
  f.wait(done);
  words = f.log();
  CHECK(std::count(words.begin(), words.end(), "mousedown 250,160 2 2 1 shift") == 1);
  CHECK(words.back() == "keyup ShiftLeft Shift 16");
}

TEST_CASE("a page sees the steps of a move, the wheel and touches", "[input][chromium]") {
  Live f;
  Done done;
  f.input->move({100, 100}, 5, into(done));
  f.wait(done);
  // Chromium itself may report the pointer's resting place first.
  CHECK(f.page.evaluate("moves.filter(m => m[0] > 0)") ==
        Json::parse(R"([[20,0,"mouse"],[40,0,"mouse"],[60,0,"mouse"],[80,0,"mouse"],[100,0,"mouse"]])"));
  done.reset();
  f.input->wheel({100, 100}, 0, 120, into(done));
  f.wait(done);
  CHECK(f.log_with("wheel") == Words{"wheel 0 120"});
  done.reset();
  f.input->touch({{50, 50}, {90, 90}}, {.hold_ms = 20}, into(done));
  f.wait(done);
  const Words words = f.log_with("touchend 0");
  REQUIRE(words.size() >= 2);
  CHECK(words.front().rfind("touchstart", 0) == 0);
  done.reset();
  f.page.evaluate("addEventListener('touchmove', e => log.push(`${e.touches[0].clientX},${e.touches[0].clientY}`)), 1");
  f.input->touch({{50, 50}}, {.path = {{110, 50}, {110, 130}}, .steps = 2, .duration_ms = 60}, into(done));
  f.wait(done);
  CHECK(f.log_with("touchend 0") == Words{"touchstart 1", "80,50", "110,50", "110,90", "110,130", "touchend 0"});
}

TEST_CASE("typed text arrives whole, with characters that have no key", "[input][chromium]") {
  Live f;
  f.page.evaluate("document.getElementById('text').focus()");
  Done done;
  f.input->type("Hello, W\xC3\xB6rld! \xE2\x82\xAC\xF0\x9F\x8E\xAE 1+1", 0, into(done));
  f.wait(done);
  CHECK(f.page.evaluate("document.getElementById('text').value") ==
        "Hello, W\xC3\xB6rld! \xE2\x82\xAC\xF0\x9F\x8E\xAE 1+1");
}

TEST_CASE("a mouse drag holds the button on its way", "[input][chromium]") {
  Live f;
  Done done;
  f.input->drag({100, 100}, {200, 100}, {}, into(done));
  f.wait(done);
  CHECK(f.log() == Words{"mousedown 100,100 0 1 1", "mouseup 200,100 0 0 1", "click 200,100 0 0 1"});
  CHECK(f.page.evaluate("moves.filter(m => m[1] === 1).length").get<int>() >= 8);
}

TEST_CASE("an HTML5 drag reaches its drop and ends", "[input][chromium]") {
  Live f(R"HTML(<!doctype html><body style="margin:0">
<div id="a" draggable="true" style="position:absolute;left:20px;top:20px;width:80px;height:80px;background:red"></div>
<div id="b" style="position:absolute;left:300px;top:20px;width:120px;height:120px;background:blue"></div><script>
window.log = [];
const a = document.getElementById('a'), b = document.getElementById('b');
a.ondragstart = e => { e.dataTransfer.setData('text/plain', 'piece'); log.push('dragstart'); };
a.ondragend = () => log.push('dragend');
b.ondragenter = e => { e.preventDefault(); log.push('dragenter'); };
b.ondragover = e => e.preventDefault();
b.ondrop = e => { e.preventDefault(); log.push('drop ' + e.dataTransfer.getData('text/plain')); };
addEventListener('mousemove', e => window.after = e.buttons);
</script>)HTML");
  Done done;
  f.input->drag({60, 60}, {360, 80}, {}, into(done));
  f.wait(done);
  CHECK(f.log() == Words{"dragstart", "dragenter", "drop piece", "dragend"});
  done.reset();
  f.input->move({400, 300}, 1, into(done));
  f.wait(done);
  CHECK(f.page.evaluate("after") == 0);
  done.reset();
  // A second drag works as the first.
  f.input->drag({60, 60}, {360, 80}, {3, 0, 0}, into(done));
  f.wait(done);
  CHECK(f.log() == Words{"dragstart", "dragenter", "drop piece", "dragend"});
}

TEST_CASE("a dialog opened by a click does not stop the click", "[input][chromium]") {
  Live f(R"HTML(<body><button style="position:fixed;left:0;top:0;width:100px;height:50px"
 onmousedown="alert('hi'); window.answered = true"></button>)HTML");
  f.answer_dialogs = false;
  Done done;
  f.input->click({20, 20}, {}, into(done));
  // Nobody answers, and yet it ends before its deadline.
  f.wait(done, 4000);
  f.page.send("Page.handleJavaScriptDialog", {{"accept", true}});
  CHECK(f.page.evaluate("answered") == true);
}

TEST_CASE("input to a page that hangs ends at its deadline", "[input][chromium]") {
  Live f;
  f.page.call("Runtime.enable");
  f.page.send("Runtime.evaluate", {{"expression", "console.log('now'); for(;;);"}});
  REQUIRE(run_until(f.page.loop, [&] { return f.console_lines > 0; }));
  Done done;
  f.input->press({"w"}, {}, into(done));
  REQUIRE(run_until(
      f.page.loop, [&] { return done.has_value(); }, 8000));
  REQUIRE_FALSE(*done);
  CHECK(done->error().kind == ErrorKind::timeout);
}
