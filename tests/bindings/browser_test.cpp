#include <csignal>

#include "tests/bindings/vm_fixture.h"

using namespace qa;
using namespace qa::lua;

namespace {

const char* const kPage = R"(<!doctype html><title>t</title><body style="margin:0;background:#246">
<script>var keys = []; var clicks = 0;
addEventListener('keydown', e => keys.push(e.code)); addEventListener('keyup', e => keys.push('-' + e.code));
addEventListener('mousedown', () => clicks++);</script>)";

}  // namespace

TEST_CASE("a script drives a real page from Lua", "[bindings][browser]") {
  int started = 0, gone = 0;
  VmOptions options;
  options.on_group_started = [&](int group) { started = group; };
  options.on_group_gone = [&](int group) { gone = group; };
  VmFixture fixture(options);
  fixture.write("index.html", kPage);
  REQUIRE_RUNS(fixture, "local dir = '" + fixture.folder + R"lua('
    local browser = assert(qa.browser.launch {})
    assert(browser:info().pid > 1 and browser:info().headless)
    local page = assert(browser:new_page {width = 320, height = 240})
    assert(#browser:pages() == 1 and browser:pages()[1] == page)
    local reached = assert(page:navigate(qa.serve(dir).url))
    assert(reached.status == 200 and reached.reached == "load", qa.json.encode(reached))
    assert(page:evaluate("(a, b) => a + b", {args = {1, 2}}) == 3)
    assert(page:evaluate("null") == nil and page:evaluate("({a: null, b: []})").a == qa.json.null)
    assert(page:press("Space") == true and page:press({"Control", "KeyA"}, {hold_ms = 20}))
    assert(page:mouse_click(10, 10) == true and page:move {x = 5, y = 5})
    assert(qa.json.encode(page:evaluate "keys"):find '"Space","%-Space","ControlLeft","KeyA"')
    assert(page:evaluate "clicks" == 1)
    local none, err = page:evaluate("nope()")
    assert(none == nil and err.kind == "js_error" and err.op == "page:evaluate", tostring(err))
    none, err = page:navigate("file:///etc/passwd")
    assert(err.kind == "navigation_denied", tostring(err))
    local picture = assert(page:capture())
    assert(qa.json.encode({picture:size()}) == "[320,240]")
    local seen, settled = qa.all(function() return page:watch(200) end, 
      function() return page:settle {max_ms = 2000} end)
    -- A busy machine may paint no frame in the window.
    assert(#seen.first == (seen.frames > 0 and 3 * seen.columns * seen.rows or 0) and #seen.low == #seen.high, seen.frames)
    assert(settled.verdict == "settled" or settled.verdict == "animating")
    assert(page:health().counts and type(page:events()) == "table" and #page:frames() == 1)
    assert(page:cdp("Runtime.evaluate", {expression = "1 + 1"}).result.value == 2)
    local held = qa.spawn(function() page:press("KeyW", {hold_ms = 60000}) end)
    repeat qa.sleep(10) until page:evaluate "keys.includes('KeyW')"
    held:cancel()
    repeat qa.sleep(10) until page:evaluate "keys.includes('-KeyW')"
    assert(page:close() and page:is_closed() and page:close())
    assert(select(2, pcall(page.press, page, "a")):find "page:press%(%): page is closed")
    local lines = qa.run.journal()
    assert(#lines > 15 and lines[1].op == "qa.browser.launch" and lines[2].op == "browser:new_page", lines[2].op)
  )lua");
  CHECK(started > 1);
  CHECK(gone == started);  // Closed by the end of the run.
  CHECK(fixture.vm->state().handles.browsers.empty());
  CHECK(kill(started, 0) != 0);
}

TEST_CASE("a killed browser is a loss that ends an unprotected script with 4", "[bindings][browser]") {
  VmFixture fixture;
  const auto outcome = fixture.run(R"lua(
    local browser = assert(qa.browser.launch {})
    local page = assert(browser:new_page())
    qa.spawn(function() page:cdp("Browser.crash") end)
    local ok, err = pcall(page.evaluate, page, "new Promise(() => {})")
    print(ok, (err or {}).kind)
    qa.sleep(20)
    print(select(2, pcall(page.health, page)).kind)
    page:evaluate("1")
  )lua");
  CHECK(fixture.printed == "false\tbrowser_lost\nbrowser_lost\n");
  CHECK(outcome.exit_code == 4);
  CHECK(outcome.error.find("browser_lost: ") == 0);
}

TEST_CASE("a browser that cannot be started is an outcome that names the path", "[bindings][browser]") {
  VmFixture fixture;
  REQUIRE_RUNS(fixture, R"(
    local browser, err = qa.browser.launch {path = "/nonexistent/chromium"}
    assert(browser == nil and err.kind == "browser_launch_failed")
    assert(err.message:find("/nonexistent/chromium", 1, true))
  )");
  CHECK(fixture.run("assert(qa.browser.launch {path = '/nonexistent'})").exit_code == 4);
}
